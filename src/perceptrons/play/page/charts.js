// Two charts over the corrections: the two sides of the proof, and the interval around the best margin.

import { clear, draw, scale, ticks, written } from "./svg.js";

const FRAME = { left: 40, right: 350, top: 10, bottom: 196 };

function chart(svg, last, low, high, name) {
  clear(svg);
  const s = scale([0, Math.max(1, last), low, high], FRAME);
  for (const value of ticks(low, high, 4)) {
    draw(svg, "line", { x1: FRAME.left, x2: FRAME.right, y1: s.y(value), y2: s.y(value), class: "tick" });
    draw(svg, "text", { x: FRAME.left - 5, y: s.y(value) + 4, "text-anchor": "end" }, written(Number(value.toPrecision(3))));
  }
  for (const value of ticks(0, Math.max(1, last), 5)) if (Number.isInteger(value)) draw(svg, "text", { x: s.x(value), y: FRAME.bottom + 13, "text-anchor": "middle" }, written(value));
  draw(svg, "text", { x: FRAME.right, y: FRAME.bottom + 23, "text-anchor": "end", class: "key" }, name);
  return s;
}

// The whole curve, pale, and strongly what has been seen of it.
function curve(svg, s, values, upTo, className) {
  const points = values.map((value, t) => (value === null ? null : `${s.x(t).toFixed(1)},${Math.max(-50, Math.min(400, s.y(value))).toFixed(1)}`));
  draw(svg, "polyline", { points: points.filter(Boolean).join(" "), class: `curve rest ${className}` });
  draw(svg, "polyline", { points: points.slice(0, upTo + 1).filter(Boolean).join(" "), class: `curve past ${className}` });
}

function labels(svg, s, at, entries) {
  const placed = [];
  for (const [text, value, className] of entries.sort((one, two) => two[1] - one[1])) {
    let y = Math.max(FRAME.top + 10, Math.min(FRAME.bottom - 4, s.y(value) - 5));
    for (const other of placed) if (Math.abs(other - y) < 13) y = other + 13;
    placed.push(y);
    draw(svg, "text", { x: FRAME.left + 8, y, class: `key ${className}` }, text);
  }
}

export function drawProof(svg, words, answer, now) {
  const { facts } = answer, last = facts.length.length - 1;
  const high = 1.05 * Math.max(...facts.ceiling, ...(facts.along ?? []), 1e-9);
  const low = Math.min(0, ...(facts.along ?? []));
  const s = chart(svg, last, low, high, "corrections t");
  curve(svg, s, facts.ceiling, now.t, "ceiling");
  curve(svg, s, facts.length, now.t, "length");
  if (facts.along) { curve(svg, s, facts.along, now.t, "along"); curve(svg, s, facts.floor, now.t, "floor"); }
  draw(svg, "line", { x1: s.x(now.t), x2: s.x(now.t), y1: FRAME.top, y2: FRAME.bottom, class: "cursor" });
  const value = (name) => written(facts[name][now.t]);
  const ends = answer.shrinks ? "ALMA shrinks w back into the unit ball, and Στ and both bounds with it." : answer.always ? "With a tolerance the worst row is corrected even if it is right; what ends training is the interval." : "A line (dashed, orange) cannot stay below a square root (dashed, blue): corrections end.";
  words.textContent = facts.along
    ? `t = ${now.t}: at least δ·Στ = ${value("floor")} ≤ ⟨w*, w⟩ = ${value("along")} ≤ ‖w‖ = ${value("length")} ≤ ${value("ceiling")}. ${ends}`
    : `t = ${now.t}: ‖w‖ = ${value("length")} ≤ ${value("ceiling")}. No w* is known that is right about all rows, so nothing pushes ‖w‖ up in a line, and corrections need not end.`;
}

export function drawInterval(svg, words, series, at, best, name) {
  const clean = (values) => values.filter((value) => value !== null);
  const late = clean(series.bound.slice(Math.floor(series.bound.length / 4)));
  const high = 1.15 * Math.max(best ?? 0, ...clean(series.margin), ...(late.length ? late : clean(series.bound)), 1e-9);
  const low = Math.max(Math.min(0, ...clean(series.margin)), -0.6 * high);
  const s = chart(svg, series.margin.length - 1, low, high, name);
  if (best) draw(svg, "line", { x1: FRAME.left, x2: FRAME.right, y1: s.y(best), y2: s.y(best), class: "curve best-margin" });
  curve(svg, s, series.bound, at, "bound");
  curve(svg, s, series.margin, at, "margin");
  draw(svg, "line", { x1: s.x(at), x2: s.x(at), y1: FRAME.top, y2: FRAME.bottom, class: "cursor" });
  const last = best ? ` The best, ${written(best)}, is in between (dotted).` : "";
  words.textContent = `margin achieved ${written(series.margin[at])} (green), and no margin is larger than ${written(series.bound[at])} (blue).${last}`;
}
