// Pattern space: rows are points, the weights a line. Everything is drawn from numbers that the library sent.

import { axes, clear, draw, joined, line, scale, strip, ends, WIDTH, HEIGHT } from "./svg.js";
import { drawCube } from "./cube.js";

const MANY = 150, NAMED = 8; // rows from which on points are small; up to which they have their numbers

export class PatternSpace {
  constructor(svg, canvas, page) {
    Object.assign(this, { svg, canvas, page });
  }

  // Once per answer: the frame and the points.
  show(request, answer) {
    clear(this.svg);
    this.request = request;
    this.cube = request.rows[0].length === 3;
    if (this.cube) return;
    this.s = scale(answer.view);
    this.svg.dataset.view = JSON.stringify(answer.view);
    const inside = axes(this.svg, this.s, request.columns, "pattern-clip");
    this.below = draw(inside, "g");
    const dots = draw(inside, "g", { class: request.rows.length > MANY ? "many" : "" });
    this.points = request.rows.map(([x, y], row) =>
      draw(dots, "circle", { cx: this.s.x(x), cy: this.s.y(y), class: `point ${request.labels[row] ? "one" : "zero"}`, "data-row": row }));
    if (request.rows.length <= NAMED) request.rows.forEach(([x, y], row) => draw(dots, "text", { x: this.s.x(x) + 12, y: this.s.y(y) - 9, class: "key" }, `row ${row + 1}`));
    this.above = draw(inside, "g");
    this.hover = draw(inside, "g");
  }

  // At each moment: the line, and what it says of the rows.
  at(now, answer) {
    this.shade(now, answer);
    if (this.cube) { drawCube(this.svg, this.request, now, null); return; }
    clear(this.below);
    clear(this.above);
    if (now.weights) this.drawLine(now);
    for (const rule of now.rules ?? []) this.drawRule(rule);
    const support = new Set(now.support), rejected = new Set(now.rejected);
    this.points.forEach((point, row) => {
      point.classList.toggle("support", support.has(row));
      point.classList.toggle("rejected", rejected.has(row));
    });
    if (now.row !== null && now.row !== undefined) this.ring(this.above, now.row, "ring");
  }

  drawLine({ weights, before, band, reach, target }) {
    const s = this.s, far = 1e4 * (Math.abs(weights[2]) + Math.hypot(weights[0], weights[1]) * Math.max(...s.box.map(Math.abs)) + 1);
    const put = (low, high, className) => {
      const corners = strip(weights, low, high, s.box);
      if (corners) draw(this.below, "polygon", { points: joined(corners, s), class: className });
    };
    if (ends(weights, s.box)) {
      const side = (sign, className) => {
        const [one, two] = ends(weights, s.box), size = Math.hypot(weights[0], weights[1]), reachFar = 4 * (s.box[1] - s.box[0] + s.box[3] - s.box[2]);
        const [dx, dy] = [(sign * weights[0] * reachFar) / size, (sign * weights[1] * reachFar) / size];
        draw(this.below, "polygon", { points: joined([one, two, [two[0] + dx, two[1] + dy], [one[0] + dx, one[1] + dy]], s), class: className });
      };
      side(1, "one-side");
      side(-1, "zero-side");
    } else {
      const { left, top, right, bottom } = s.frame;
      draw(this.below, "rect", { x: left, y: top, width: right - left, height: bottom - top, class: weights[2] > 0 ? "one-side" : "zero-side" });
    }
    if (band) put(Math.max(-far, band[0]), Math.min(far, band[1]), "band");
    else if (reach > 0) put(-reach, reach, "strip");
    if (before) line(this.below, s, before, "before");
    if (target > 0) for (const sign of [-1, 1]) line(this.below, s, [weights[0], weights[1], weights[2] - sign * target], "target");
    line(this.above, s, weights, "border");
  }

  // A rule is where all its half-planes meet: x > cut is to the right, or above.
  drawRule({ sides, weight }) {
    const s = this.s, box = [...s.box];
    for (const [column, greater, cut] of sides) {
      const k = 2 * column + (greater ? 0 : 1);
      box[k] = greater ? Math.max(box[k], cut) : Math.min(box[k], cut);
    }
    if (box[0] >= box[1] || box[2] >= box[3]) return;
    const title = `${weight > 0 ? "+" : "−"}${Math.abs(weight).toFixed(2)}`;
    draw(this.above, "rect", { x: s.x(box[0]), y: s.y(box[3]), width: s.x(box[1]) - s.x(box[0]), height: s.y(box[2]) - s.y(box[3]), fill: "none", class: "cutline" });
    draw(this.above, "text", { x: s.x(box[0]) + 5, y: s.y(box[2]) - 6 }, title);
  }

  ring(parent, row, className) {
    const [x, y] = this.request.rows[row];
    draw(parent, "circle", { cx: this.s.x(x), cy: this.s.y(y), r: 11, class: className });
  }

  // Rows that are looked at, here or in weight space, and the one that keys have chosen.
  point(row, chosen) {
    if (this.cube || !this.hover) return;
    clear(this.hover);
    if (row !== null && row < this.request.rows.length) this.ring(this.hover, row, "ring hover");
    if (chosen !== null && chosen < this.request.rows.length) this.ring(this.hover, chosen, "ring chosen");
  }

  // Scores on a grid, as the colors of the sides.
  shade(now, answer) {
    const n = answer.grid_points;
    this.canvas.hidden = !now.grid;
    this.svg.querySelector(".ground")?.setAttribute("fill-opacity", now.grid ? 0 : 1);
    if (!now.grid) return;
    const style = getComputedStyle(document.documentElement);
    const colors = ["--zero-side", "--one-side"].map((name) => rgb(style.getPropertyValue(name)));
    const bytes = Uint8Array.from(atob(now.grid), (one) => one.charCodeAt(0)), scores = new Int8Array(bytes.buffer);
    this.canvas.width = this.canvas.height = n;
    const context = this.canvas.getContext("2d"), image = context.createImageData(n, n);
    scores.forEach((score, k) => {
      const strong = 0.35 + 0.65 * Math.min(1, Math.abs(score) / 60), color = colors[score > 0 ? 1 : 0];
      image.data.set([...color, 255 * strong], 4 * k);
    });
    context.putImageData(image, 0, 0);
    const { left, right, top, bottom } = this.s.frame, place = this.canvas.style;
    place.left = `${(100 * left) / WIDTH}%`;
    place.top = `${(100 * top) / HEIGHT}%`;
    place.width = `${(100 * (right - left)) / WIDTH}%`;
    place.height = `${(100 * (bottom - top)) / HEIGHT}%`;
  }
}

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.trim().slice(k, k + 2), 16));
