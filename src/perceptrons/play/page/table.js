// A table pasted, dropped or chosen: the server reads it, and two columns and a target become rows.

import { ask } from "./asking.js";

const MOST = 900_000; // characters

export class TableReader {
  constructor(page) {
    this.page = page;
    this.text = document.querySelector("#csv");
    this.columns = document.querySelector("#columns");
    this.note = document.querySelector("#data-note");
    document.querySelector("#read").onclick = () => this.read(this.text.value);
    document.querySelector("#file").onchange = (event) => this.open(event.target.files[0]);
    for (const name of ["dragover", "dragleave", "drop"]) addEventListener(name, (event) => this.dropping(event));
  }

  dropping(event) {
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
    if (event.type !== "drop") return;
    const file = event.dataTransfer.files[0];
    if (file) this.open(file); else this.read(event.dataTransfer.getData("text/plain"));
  }

  async open(file) {
    if (!file) return;
    if (file.size > MOST) this.page.complain(`The file has ${Math.round(file.size / 1000)} kB, but the playground takes ${MOST / 1000}; use fewer rows.`);
    else this.read(await file.text());
  }

  async read(text) {
    if (text.length > MOST) { this.page.complain(`The text has ${text.length} characters, but the playground takes ${MOST}; use fewer rows.`); return; }
    this.text.value = text.length < 20_000 ? text : `${text.slice(0, 20_000)}…`;
    const table = await ask("/table", { text });
    if (table.error) { this.columns.hidden = true; this.page.complain(table.error); return; }
    this.table = table;
    const numbers = table.numbers.map((one, k) => [k, one.name]), targets = table.targets.map((one, k) => [k, one.name]);
    const target = targets.length - 1, free = numbers.filter(([, name]) => name !== targets[target][1]);
    const [first, second] = free.length > 1 ? free : numbers;
    this.picks = { first: first[0], second: second[0], target, one: this.positive(target), standardize: false };
    this.show(numbers, targets);
    this.use();
  }

  // The rarer class is the one to find.
  positive(target) {
    const { values, classes } = this.table.targets[target];
    const count = (name) => values.filter((one) => one === name).length;
    return classes.reduce((least, name) => (count(name) < count(least) ? name : least), classes.at(-1));
  }

  show(numbers, targets) {
    const pick = (name, text, options) => {
      const label = Object.assign(document.createElement("label"), { textContent: text, htmlFor: `pick-${name}` }), node = document.createElement("select");
      node.id = `pick-${name}`;
      for (const [value, shown] of options) node.add(new Option(shown, value, false, String(value) === String(this.picks[name])));
      node.onchange = () => {
        this.picks[name] = name === "one" ? node.value : Number(node.value);
        if (name === "target") { this.picks.one = this.positive(this.picks.target); this.show(numbers, targets); }
        this.use();
      };
      return [label, node];
    };
    const label = Object.assign(document.createElement("label"), { textContent: "standardize", htmlFor: "pick-standardize" });
    const box = Object.assign(document.createElement("input"), { type: "checkbox", id: "pick-standardize", checked: this.picks.standardize });
    box.onchange = () => { this.picks.standardize = box.checked; this.use(); };
    this.columns.replaceChildren(...pick("first", "across", numbers), ...pick("second", "up", numbers), ...pick("target", "target", targets),
      ...pick("one", "filled class", this.table.targets[this.picks.target].classes.map((name) => [name, name])), label, box);
    this.columns.hidden = false;
  }

  // Rows without a missing cell.
  use() {
    const { first, second, target, one, standardize } = this.picks, { numbers, targets, n_rows: given, n_shown: shown } = this.table;
    const kind = standardize ? "standardized" : "values", chosen = targets[target], rows = [], labels = [];
    chosen.values.forEach((name, k) => {
      const row = [numbers[first][kind][k], numbers[second][kind][k]];
      if (name === "" || row.includes(null)) return;
      rows.push(row);
      labels.push(name === one ? 1 : 0);
    });
    const others = chosen.classes.filter((name) => name !== one), rest = others.length > 1 ? `not ${one}` : others[0];
    const missing = shown - rows.length;
    this.note.textContent = `${rows.length} rows are used${missing ? `, ${missing} with a missing cell are not` : ""}${given > shown ? `; the table has ${given}, the first ${shown} are read` : ""}.`;
    this.page.take({ rows, labels, columns: [numbers[first].name, numbers[second].name], classes: [rest, one].map((name) => name.slice(0, 60)) });
  }
}
