// Weights of −1, 0 and +1 as the corners, edges and faces of a cube (or a square), and rows of bits as its
// corners; seen from the front, a little from the right and from above.

import { clear, draw, WIDTH, HEIGHT } from "./svg.js";

const SIZE = 105, DEPTH = [0.42, 0.34];

function place([x, y, z = 0]) {
  return [WIDTH / 2 + SIZE * (x + DEPTH[0] * z), HEIGHT / 2 - SIZE * (y + DEPTH[1] * z)];
}

export function drawCube(svg, request, now, corners) {
  clear(svg);
  const n = request.rows[0].length;
  edges(svg, n);
  if (corners) {
    const least = Math.min(...corners.map((one) => one.at(-1)));
    for (const corner of corners) drawWeights(svg, corner, now.corner, least, n);
  } else for (const one of cells(request)) drawRows(svg, one, now);
  names(svg, request, corners !== null);
}

function edges(svg, n) {
  const signs = [-1, 1], depths = n === 3 ? signs : [0];
  const segment = (one, two) => { const [[x1, y1], [x2, y2]] = [place(one), place(two)]; draw(svg, "line", { x1, y1, x2, y2, class: "edge" }); };
  for (const a of signs) for (const z of depths) { segment([-1, a, z], [1, a, z]); segment([a, -1, z], [a, 1, z]); }
  if (n === 3) for (const a of signs) for (const b of signs) segment([a, b, -1], [a, b, 1]);
}

function drawWeights(svg, corner, here, least, n) {
  const weights = corner.slice(0, n), wrong = corner.at(-1), [cx, cy] = place(weights);
  const isHere = weights.every((w, j) => w === here[j]);
  const node = draw(svg, "circle", { cx, cy, r: isHere ? 12 : 8, class: `corner${wrong === least ? " best" : ""}${isHere ? " here" : ""}` });
  draw(node, "title", {}, `w = (${weights.join(", ")}): ${wrong} wrong`);
  draw(svg, "text", { x: cx + 13, y: cy - 8 }, String(wrong));
}

// Rows that share their bits, and how many there are of each class.
function cells(request) {
  const found = new Map();
  request.rows.forEach((row, k) => {
    const cell = found.get(row.join()) ?? found.set(row.join(), { row, counts: [0, 0], rows: [] }).get(row.join());
    cell.counts[request.labels[k]] += 1;
    cell.rows.push(k);
  });
  return found.values();
}

function drawRows(svg, { row, counts, rows }, now) {
  const [cx, cy] = place(row.map((bit) => (bit > 0 ? 1 : -1))), output = now.outputs[rows[0]];
  draw(svg, "circle", { cx, cy, r: 14, class: `point ${output ? "one" : "zero"}` });
  if (rows.includes(now.row)) draw(svg, "circle", { cx, cy, r: 19, class: "ring" });
  draw(svg, "text", { x: cx + 19, y: cy - 9 }, `${counts[1]} of ${counts[0] + counts[1]}`);
}

function names(svg, request, weights) {
  const n = request.rows[0].length, say = (at, text) => { const [x, y] = place(at); draw(svg, "text", { x, y, class: "key" }, text); };
  const called = request.columns.map((name) => (weights ? `w of ${name}` : name));
  say([0.55, -1.2, -1], `${called[0]} →`);
  say([-1.58, 0.5, -1], `↑ ${called[1]}`);
  if (n === 3) say([1.12, -1.12, 0.1], `↗ ${called[2]}`);
}
