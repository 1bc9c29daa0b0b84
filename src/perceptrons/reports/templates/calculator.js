// The calculator of a report: adds up what is ticked or filled in, as the model does. The model is data.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  const data = document.getElementById("calculator-data");
  if (!data) return;
  const model = JSON.parse(data.textContent);
  const form = document.getElementById("calculator");
  const out = (name) => document.getElementById("calculator-" + name);

  // What each cell or rule adds to the sums, one per weight vector.
  const added = {
    rules: (sums) => model.rules.forEach((_, k) => {
      const from = form.elements["rule-" + k].checked ? model.held : model.not_held;
      sums.forEach((_, v) => { sums[v] += from[v][k]; });
    }),
    columns: (sums) => model.columns.forEach((column, k) => {
      const cell = form.elements["column-" + k].value;
      if (cell === "") return; // missing: adds nothing
      sums.forEach((_, v) => {
        if (column.options) sums[v] += column.weights[v][Number(cell)];
        else if (column.scale) sums[v] += column.weights[v] * ((Number(cell) - column.mean) / column.scale);
      });
    }),
  };

  const probabilities = (sums) => {
    if (model.slope === null) return null;
    const shares = sums.map((sum) => 1 / (1 + Math.exp(-(model.slope * sum + model.shift))));
    if (shares.length === 1) return [1 - shares[0], shares[0]];
    const total = shares.reduce((one, other) => one + other, 0);
    return shares.map((share) => share / total);
  };

  const answer = (sums) => {
    if (sums.length > 1) return sums.indexOf(Math.max(...sums));
    if (model.bands === null) return sums[0] > 0 ? 1 : 0;
    if (sums[0] >= model.bands[1] && sums[0] >= 0) return 1;
    return sums[0] <= -model.bands[0] && sums[0] < 0 ? 0 : -1;
  };

  const signed = (number) => (number > 0 ? "+" : "") + (model.points ? String(number) : number.toFixed(3));

  const update = () => {
    const sums = model.base.slice();
    added[model.kind](sums);
    const place = answer(sums);
    const shown = sums.length > 1 ? sums[place] : model.points ? sums[0] - model.base[0] : sums[0];
    out("sum").textContent = model.points ? String(shown) : signed(shown);
    out("answer").textContent = place < 0 ? "rejected" : model.classes[place];
    const likely = probabilities(sums);
    out("probability").textContent = likely && place >= 0 ? (100 * likely[place]).toFixed(1) + " %" : "–";
  };

  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
})();
