// Rows of one's own: by pointer (mouse, pen, finger) and by keyboard.

const NEAR = 18, STEP = 0.02; // pixels of the picture; a share of the view for an arrow key
const round = (value) => Number(value.toPrecision(4));

export class Editor {
  constructor(svg, space, page) {
    Object.assign(this, { svg, space, page, chosen: null, dragged: null });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => this.up());
    svg.addEventListener("pointerleave", () => this.page.point(null));
    svg.addEventListener("keydown", (event) => this.key(event));
    for (const input of document.querySelectorAll("input[name=tool]")) input.addEventListener("change", () => svg.classList.toggle("editing", this.tool() !== "look"));
  }

  tool = () => document.querySelector("input[name=tool]:checked").value;
  flat = () => !this.space.cube;

  // In the picture's own pixels.
  spot(event) {
    const box = this.svg.getBoundingClientRect(), { width, height } = this.svg.viewBox.baseVal;
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  }

  nearest([px, py]) {
    let best = null, least = NEAR ** 2;
    this.page.request.rows.forEach(([x, y], row) => {
      const far = (this.space.s.x(x) - px) ** 2 + (this.space.s.y(y) - py) ** 2;
      if (far < least) [best, least] = [row, far];
    });
    return best;
  }

  down(event) {
    if (!this.flat()) return;
    const spot = this.spot(event), tool = this.tool(), row = this.nearest(spot);
    if (tool.startsWith("add")) this.add(this.space.s.back(...spot).map(round), Number(tool.at(-1)));
    else if (tool === "delete" && row !== null) this.remove(row);
    else if (tool === "move" && row !== null) { this.dragged = row; this.svg.setPointerCapture(event.pointerId); }
  }

  moved(event) {
    if (!this.flat()) return;
    const spot = this.spot(event);
    if (this.dragged === null) { this.page.point(this.nearest(spot)); return; }
    const at = this.space.s.back(...spot).map(round);
    this.page.request.rows[this.dragged] = at;
    this.space.points[this.dragged].setAttribute("cx", this.space.s.x(at[0]));
    this.space.points[this.dragged].setAttribute("cy", this.space.s.y(at[1]));
    this.moving = true;
  }

  up() {
    if (this.dragged !== null && this.moving) this.page.edited(`Row ${this.dragged + 1} moved.`);
    this.dragged = null;
    this.moving = false;
  }

  add(at, label) {
    const { rows, labels } = this.page.request;
    rows.push(at);
    labels.push(label);
    this.page.edited(`Row ${rows.length} added at ${at.join(", ")}, class ${this.page.request.classes[label]}.`);
  }

  remove(row) {
    const { rows, labels } = this.page.request;
    rows.splice(row, 1);
    labels.splice(row, 1);
    this.chosen = null;
    this.page.edited(`Row ${row + 1} removed.`);
  }

  key(event) {
    if (!this.flat() || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = this.keys()[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  keys() {
    const { rows, labels, classes } = this.page.request, n = rows.length, row = this.chosen;
    const choose = (to) => { this.chosen = (to + n) % n; this.page.chose(this.chosen, `Row ${this.chosen + 1} of ${n}: ${rows[this.chosen].join(", ")}, class ${classes[labels[this.chosen]]}.`); };
    const middle = () => { const [left, right, bottom, top] = this.space.s.box; return [round((left + right) / 2), round((bottom + top) / 2)]; };
    const always = { n: () => choose(row === null ? 0 : row + 1), p: () => choose(row === null ? n - 1 : row - 1), a: () => this.add(middle(), 1) };
    if (row === null || row >= n) return always;
    const by = (dx, dy) => () => {
      const [left, right, bottom, top] = this.space.s.box;
      rows[row] = [round(rows[row][0] + dx * STEP * (right - left)), round(rows[row][1] + dy * STEP * (top - bottom))];
      this.page.edited(`Row ${row + 1} is at ${rows[row].join(", ")}.`);
    };
    return {
      ...always, ArrowLeft: by(-1, 0), ArrowRight: by(1, 0), ArrowUp: by(0, 1), ArrowDown: by(0, -1),
      Delete: () => this.remove(row), Backspace: () => this.remove(row),
      x: () => { labels[row] = 1 - labels[row]; this.page.edited(`Row ${row + 1} is now of class ${classes[labels[row]]}.`); },
    };
  }
}
