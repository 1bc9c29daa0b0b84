// The form of settings, made from a list of fields for each learner.

const passes = { name: "max_epochs", label: "passes at most", kind: "number", low: 1, high: 1000, step: 1, usual: 50 };
const seed = { name: "random_state", label: "random state", kind: "number", low: 0, high: 9999, step: 1, usual: 0 };
const order = { name: "order", label: "order", kind: "choice", usual: "shuffle", of: [["cyclic", "in turn"], ["shuffle", "shuffled"], ["worst", "the worst row"], ["active", "lowest rows first"]] };
const step = { name: "step", label: "step", kind: "choice", usual: "fixed", of: [["fixed", "fixed: η"], ["absolute", "absolute"], ["fractional", "fractional"], ["passive-aggressive", "passive-aggressive"]] };
const eta = { name: "eta", label: "η", kind: "number", low: 0.01, high: 100, step: "any", usual: 1 };
const margin = { name: "margin", label: "target β", kind: "margin", usual: "auto", of: [["auto", "auto"], ["number", "a number"], ["pair", "one per class"], ["adaptive", "adaptive (Algorithm 3)"], ["infinity", "infinity (Algorithm 4)"], ["growing", "growing (both)"], ["known", "known margin γ"]] };
const intercept = { name: "fit_intercept", label: "intercept", kind: "yes", usual: true };
const result = { name: "result", label: "result", kind: "choice", usual: "auto", of: [["auto", "auto"], ["last", "last weights"], ["average", "average"], ["pocket", "pocket"]] };

const FIELDS = {
  perceptron: [
    { name: "named", label: "named rule", kind: "named" }, { ...step, of: [...step.of, ["alma", "ALMA"]] }, eta, margin,
    { name: "alpha", label: "α of 4, both and ALMA", kind: "number", low: 0.01, high: 1.99, step: "any", usual: 1.5 },
    order, result,
    { name: "ties", label: "a score of 0", kind: "choice", usual: "wrong", of: [["wrong", "is wrong"], ["negative", "is class 0 (Honavar)"]] },
    intercept,
    { name: "intercept_scaling", label: "lift ρ", kind: "choice", usual: "median", of: [["median", "median norm"], ["radius", "largest norm"], [1, "1"]] },
    passes,
    { name: "tol", label: "tolerance (or none)", kind: "number", low: 0.001, high: 0.9, step: "any", usual: null },
    { name: "min_margin", label: "give up below", kind: "number", low: 0, high: 0.5, step: "any", usual: 0.01 }, seed,
  ],
  kernel: [
    { name: "kernel", label: "kernel", kind: "choice", usual: "rbf", of: [["rbf", "rbf: bumps"], ["laplacian", "laplacian"], ["poly", "polynomial"], ["linear", "linear"]] },
    { name: "gamma", label: "γ", kind: "number", low: 0.001, high: 1000, step: "any", usual: 1 },
    { name: "degree", label: "degree", kind: "number", low: 1, high: 8, step: 1, usual: 3 },
    step, eta, margin, order, result, intercept, { ...passes, usual: 20 }, seed,
  ],
  maximum: [
    { name: "C", label: "C (empty: ∞)", kind: "number", low: 0.001, high: 1e6, step: "any", usual: null },
    { name: "tol", label: "tolerance", kind: "number", low: 1e-6, high: 0.5, step: "any", usual: 0.001 }, intercept,
  ],
  conservative: [
    { name: "reject_cost", label: "a rejection costs", kind: "slider", low: 0.01, high: 0.5, step: 0.01, usual: 0.15 },
    { name: "false_alarm", label: "class 0 taken for 1", kind: "slider", low: 0.6, high: 5, step: 0.1, usual: 1 },
    { name: "miss", label: "class 1 taken for 0", kind: "slider", low: 0.6, high: 5, step: 0.1, usual: 1 },
    { name: "rule", label: "rule", kind: "choice", usual: "cplr2", of: [["cplr2", "CPLR2"], ["cplr1", "CPLR1"]] },
    { name: "symmetric", label: "one band for both", kind: "yes", usual: false }, { ...passes, usual: 30 }, seed,
  ],
  binary: [
    { name: "method", label: "method", kind: "choice", usual: "clipped-hebb", of: [["clipped-hebb", "clipped Hebb: count"], ["influence", "influence: count and test"], ["sbpi", "SBPI: correct"]] },
    { ...passes, usual: 100 }, seed,
  ],
  sparse: [
    { name: "k", label: "literals of a rule", kind: "number", low: 1, high: 3, step: 1, usual: 2 },
    { name: "max_rules", label: "rules at most", kind: "slider", low: 1, high: 8, step: 1, usual: 4 },
    { name: "max_points", label: "points (or weights)", kind: "number", low: 1, high: 9, step: 1, usual: null }, seed,
  ],
};

export const LEARNERS = [
  ["perceptron", "Perceptron"], ["kernel", "Kernel perceptron"], ["maximum", "Maximum margin"],
  ["conservative", "Conservative (rejects)"], ["binary", "Binary weights"], ["sparse", "Sparse rules"],
];

export const defaults = (learner) =>
  Object.fromEntries(FIELDS[learner].filter((field) => field.kind !== "named").map((field) => [field.name, field.usual]));

// Fill the form for a request; `changed(settings, learner)` is called after each change.
export function showChoices(form, request, named, changed) {
  const rows = [labelled("learner", "learner", select("learner", LEARNERS, request.learner, (learner) => changed(defaults(learner), learner)))];
  const put = (name, value) => changed({ ...request.settings, [name]: value }, request.learner);
  for (const field of FIELDS[request.learner]) {
    if (field.kind === "named") rows.push(labelled("named", field.label, namedSelect(request.settings, named, changed)));
    else rows.push(labelled(field.name, field.label, control(field, request.settings[field.name] ?? field.usual, put)));
  }
  form.replaceChildren(...rows.flat());
}

function labelled(name, text, node) {
  const label = document.createElement("label");
  label.textContent = text;
  label.htmlFor = `choice-${name}`;
  return [label, node];
}

function control(field, value, put) {
  if (field.kind === "choice") return select(field.name, field.of, value, (chosen) => put(field.name, chosen));
  if (field.kind === "yes") return checkbox(field, value, put);
  if (field.kind === "margin") return marginControl(field, value, put);
  return numberInput(field, value, put);
}

function select(name, options, value, chosen) {
  const node = document.createElement("select");
  node.id = `choice-${name}`;
  for (const [key, text] of options) node.add(new Option(text, String(key), false, String(key) === String(value)));
  node.onchange = () => chosen(options.find(([key]) => String(key) === node.value)[0]);
  return node;
}

function namedSelect(settings, named, changed) {
  const same = (one) => Object.entries(named[one]).every(([key, value]) => JSON.stringify(settings[key] ?? null) === JSON.stringify(value));
  const names = Object.keys(named), fits = names.find(same) ?? "";
  const options = [["", "none of them"], ...names.map((name) => [name, name])];
  return select("named", options, fits, (name) => {
    if (name) changed({ ...defaults("perceptron"), ...named[name], max_epochs: 50 }, "perceptron");
  });
}

function checkbox(field, value, put) {
  const node = Object.assign(document.createElement("input"), { type: "checkbox", checked: Boolean(value), id: `choice-${field.name}` });
  node.onchange = () => put(field.name, node.checked);
  return node;
}

function numberInput(field, value, put, id = `choice-${field.name}`) {
  const type = field.kind === "slider" ? "range" : "number";
  const node = Object.assign(document.createElement("input"), { type, min: field.low, max: field.high, step: field.step, id });
  node.value = value ?? "";
  const send = () => put(field.name, node.value === "" ? null : Number(node.value));
  if (type === "number") { node.onchange = send; return node; }
  const pair = Object.assign(document.createElement("span"), { className: "pair" }), shown = document.createElement("output");
  node.oninput = () => { shown.value = node.value; };
  node.onchange = send;
  shown.value = node.value;
  pair.append(node, shown);
  return pair;
}

function marginControl(field, value, put) {
  const kind = Array.isArray(value) ? (value[0] === "known" ? "known" : "pair") : typeof value === "number" ? "number" : value;
  const node = Object.assign(document.createElement("span"), { className: "pair" });
  const start = { number: 1, pair: [1, 1], known: ["known", 0.01] };
  node.append(select(field.name, field.of, kind, (chosen) => put(field.name, start[chosen] ?? chosen)));
  const beta = { low: 0, high: 1e6, step: "any", name: field.name };
  const numbers = { pair: value, number: [value], known: [value?.[1]] }[kind] ?? [];
  const label = { pair: (k) => `β of class ${k}`, number: () => "β", known: () => "γ" }[kind];
  const whole = { pair: (beta, k) => value.map((old, j) => (j === k ? beta : old)), number: (beta) => beta, known: (gamma) => ["known", gamma] }[kind];
  numbers.forEach((number, k) => {
    const send = (_, changed) => put(field.name, whole(changed ?? 0, k));
    const input = numberInput(beta, number, send, `choice-beta-${k}`);
    input.setAttribute("aria-label", label(k));
    node.append(input);
  });
  return node;
}
