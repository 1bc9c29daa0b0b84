// Weight space: the weights are a point, every row a line, and what is right about all rows is shaded.

import { axes, clear, draw, ends, exit, joined, scale, written } from "./svg.js";
import { drawCube } from "./cube.js";

const MOST_LINES = 400, PATH = 400, NAMED = 8; // rows that get a line, moments of the path, lines that get a number

export class WeightSpace {
  constructor(svg, text, cut, help) {
    Object.assign(this, { svg, text, cut, help });
  }

  show(request, answer) {
    clear(this.svg);
    Object.assign(this, { request, answer, lines: [] });
    const all = answer.weights ?? answer.frames?.filter((one) => one.line).map((one) => one.line) ?? [];
    this.all = all;
    this.flat = all.length > 0;
    this.text.hidden = this.flat || Boolean(answer.corners);
    this.svg.toggleAttribute("hidden", !this.text.hidden);
    this.help.hidden = !this.flat;
    if (!this.flat) return;
    const reach = 1.25 * (Math.max(...all.flatMap(([a, b]) => [Math.abs(a), Math.abs(b)])) || 1), wide = reach * 1.09;
    this.s = scale([-wide, wide, -reach, reach]);
    this.svg.dataset.view = JSON.stringify(this.s.box);
    const inside = axes(this.svg, this.s, request.columns.map((name) => `w of ${name}`), "weight-clip");
    this.shaded = draw(inside, "g");
    this.rows = draw(inside, "g");
    this.way = draw(inside, "g");
    const shown = request.rows.slice(0, MOST_LINES), faint = shown.length > 40 ? " faint" : "";
    this.names = draw(inside, "g");
    this.lines = shown.map((_, row) => draw(this.rows, "line", { class: `rowline ${request.labels[row] ? "one" : "zero"}${faint}`, "data-row": row }));
  }

  at(now, answer) {
    if (answer.corners) { drawCube(this.svg, this.request, now, answer.corners); this.cut.textContent = cubeWords(answer, now); return; }
    if (!this.flat) { this.text.textContent = now.text ?? hilbert(now); this.cut.textContent = now.text ? "" : "With a kernel the weights live in a space of many dimensions: a sum of the rows ringed on the left."; return; }
    const b = now.weights[2];
    this.move(b, now);
    this.shade(b, answer.cone);
    this.walk(now, answer);
    this.cut.textContent = this.words(b, answer);
  }

  // Where x₁w₁ + x₂w₂ + b = 0.
  move(b, now) {
    clear(this.names);
    this.lines.forEach((node, row) => {
      const found = ends([...this.request.rows[row], b], this.s.box);
      const [[x1, y1], [x2, y2]] = found ?? [[NaN, NaN], [NaN, NaN]];
      for (const [name, value] of Object.entries({ x1: this.s.x(x1), y1: this.s.y(y1), x2: this.s.x(x2), y2: this.s.y(y2) })) node.setAttribute(name, found ? value : -99);
      node.classList.toggle("now", row === now.row);
      if (found && this.lines.length <= NAMED) this.name(exit(found, this.s), row);
    });
  }

  // The row's number where its line leaves the picture.
  name(place, row) {
    if (!place) return;
    const [x, y] = place, { left, right, top } = this.s.frame, low = x < left + 90 ? 30 : 14; // below the name of the axis
    draw(this.names, "text", { x: Math.min(x + 5, right - 40), y: Math.max(y - 5, top + low), class: "key" }, `row ${row + 1}`);
  }

  // The cut through the cone is that at b = ±1, times |b|.
  shade(b, cone) {
    clear(this.shaded);
    if (!cone) return;
    const corners = (b > 0 ? cone.plus : b < 0 ? cone.minus : cone.zero).map(([x, y]) => (b ? [x * Math.abs(b), y * Math.abs(b)] : [x, y]));
    if (corners.length) draw(this.shaded, "polygon", { points: joined(corners, this.s), class: "solutions" });
    this.empty = corners.length === 0;
  }

  walk(now, answer) {
    clear(this.way);
    const s = this.s, last = answer.weights ? now.t : now.at, path = this.all.slice(Math.max(0, last - PATH), last + 1);
    if (path.length > 1) draw(this.way, "polyline", { points: joined(path, s), class: "path" });
    for (const [x, y] of path.slice(-60)) draw(this.way, "circle", { cx: s.x(x), cy: s.y(y), r: 2.2, class: "stop" });
    if (now.before) draw(this.way, "line", { x1: s.x(now.before[0]), y1: s.y(now.before[1]), x2: s.x(now.weights[0]), y2: s.y(now.weights[1]), class: "step" });
    draw(this.way, "circle", { cx: s.x(now.weights[0]), cy: s.y(now.weights[1]), r: 7, class: "weight" });
  }

  words(b, answer) {
    const where = answer.lift === 0 ? "No intercept: every line goes through the origin." : `Cut at intercept b = ${written(b)}.`;
    const what = !answer.cone ? "" : this.empty ? " No weights of this cut are right about all rows." : " Shaded: right about all rows.";
    const left = this.request.rows.length > MOST_LINES ? ` Lines of the first ${MOST_LINES} rows.` : "";
    return where + what + left;
  }

  point(row) {
    this.lines.forEach((node, one) => node.classList.toggle("hover", one === row));
  }
}

const hilbert = (now) => `${now.caption}\n\nscore(x) = Σ a·y·K(row, x) + b\n\n${now.facts.map((one) => `${one.name}: ${written(one.value)}`).join("\n")}`;

function cubeWords(answer, now) {
  const least = Math.min(...answer.corners.map((one) => one.at(-1)));
  const here = answer.corners.find((one) => one.slice(0, -1).every((w, j) => w === now.corner[j]));
  return `All ${answer.corners.length} weights, by brute force: the best (filled) leave ${least} rows wrong, those of the model ${here.at(-1)}, at their best thresholds.`;
}
