// Elements of SVG, scales from numbers to pixels, and numbers as they are written.

const NAMESPACE = "http://www.w3.org/2000/svg";
export const WIDTH = 440, HEIGHT = 400, FAR = 1e5;

export function draw(parent, name, attributes = {}, text) {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

export const clear = (node) => node.replaceChildren();

// From a box [left, right, bottom, top] to pixels inside a frame.
export function scale(box, frame = { left: 34, right: WIDTH - 8, top: 8, bottom: HEIGHT - 26 }) {
  const [left, right, bottom, top] = box;
  const kx = (frame.right - frame.left) / (right - left), ky = (frame.bottom - frame.top) / (top - bottom);
  return {
    frame, box, kx, ky,
    x: (value) => frame.left + (value - left) * kx,
    y: (value) => frame.bottom - (value - bottom) * ky,
    back: (px, py) => [left + (px - frame.left) / kx, bottom + (frame.bottom - py) / ky],
  };
}

// The two ends of the line a·x + b·y + c = 0, far outside of the box; null if there is no line.
export function ends([a, b, c], box) {
  const size = Math.hypot(a, b);
  if (!(size > 0)) return null;
  const x = (box[0] + box[1]) / 2, y = (box[2] + box[3]) / 2, off = (a * x + b * y + c) / (size * size);
  const reach = 2 * (box[1] - box[0] + box[3] - box[2]), [dx, dy] = [(-b / size) * reach, (a / size) * reach];
  return [[x - a * off - dx, y - b * off - dy], [x - a * off + dx, y - b * off + dy]];
}

// The strip between low ≤ a·x + b·y + c ≤ high, as corners.
export function strip([a, b, c], low, high, box) {
  const one = ends([a, b, c - low], box), two = ends([a, b, c - high], box);
  return one && two ? [one[0], one[1], two[1], two[0]] : null;
}

export const joined = (corners, s) => corners.map(([x, y]) => `${s.x(x).toFixed(2)},${s.y(y).toFixed(2)}`).join(" ");

export function line(parent, s, coefficients, className) {
  const found = ends(coefficients, s.box);
  if (!found) return null;
  const [[x1, y1], [x2, y2]] = found;
  return draw(parent, "line", { x1: s.x(x1), y1: s.y(y1), x2: s.x(x2), y2: s.y(y2), class: className });
}

// Where a line from one end to the other leaves the frame at the top or on the right; null if it misses it.
export function exit([[x1, y1], [x2, y2]], s) {
  const { left, right, top, bottom } = s.frame, [px, py, qx, qy] = [s.x(x1), s.y(y1), s.x(x2), s.y(y2)];
  let from = 0, to = 1;
  for (const [rate, room] of [[px - qx, px - left], [qx - px, right - px], [py - qy, py - top], [qy - py, bottom - py]]) {
    if (rate === 0 && room < 0) return null;
    if (rate < 0) from = Math.max(from, room / rate);
    if (rate > 0) to = Math.min(to, room / rate);
  }
  if (from >= to) return null;
  const [one, two] = [from, to].map((t) => [px + t * (qx - px), py + t * (qy - py)]);
  return one[1] < two[1] - 1 || (Math.abs(one[1] - two[1]) <= 1 && one[0] > two[0]) ? one : two;
}

// Round numbers between low and high, about n of them.
export function ticks(low, high, n = 5) {
  const raw = (high - low) / n, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw) ?? 10 * power;
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

// A frame with ticks; what is drawn into the returned group is clipped to it.
export function axes(svg, s, names, clipName) {
  const { left, right, top, bottom } = s.frame, size = { x: left, y: top, width: right - left, height: bottom - top };
  draw(svg, "rect", { ...size, class: "ground" });
  draw(draw(draw(svg, "defs"), "clipPath", { id: clipName }), "rect", size);
  const inside = draw(svg, "g", { "clip-path": `url(#${clipName})` });
  for (const value of ticks(s.box[0], s.box[1])) {
    draw(svg, "text", { x: s.x(value), y: bottom + 14, "text-anchor": "middle" }, brief(value));
  }
  for (const value of ticks(s.box[2], s.box[3])) {
    draw(svg, "text", { x: left - 5, y: s.y(value) + 4, "text-anchor": "end" }, brief(value));
  }
  draw(svg, "text", { x: right, y: bottom + 25, "text-anchor": "end", class: "key" }, names[0]);
  draw(svg, "text", { x: left + 5, y: top + 13, class: "key" }, names[1]);
  draw(svg, "rect", { ...size, class: "frame" });
  return inside;
}

const brief = (value) => written(Number(value.toPrecision(6)));

// Four digits, a true minus, no noise.
export function written(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (value === 0) return "0"; // not −0
  const size = Math.abs(value);
  const text = Number.isInteger(value) && size < 1e7 ? value.toLocaleString("en-US")
    : size >= 1e5 || (size > 0 && size < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}
