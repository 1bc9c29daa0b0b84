// The page: a request, the library's answer to it, and the moment of it that is shown.

import { ask } from "./asking.js";
import { drawInterval, drawProof } from "./charts.js";
import { LEARNERS, defaults, showChoices } from "./choices.js";
import { Editor } from "./edit.js";
import { PatternSpace } from "./pattern.js";
import { address, fromAddress, offer } from "./sharing.js";
import { written } from "./svg.js";
import { TableReader } from "./table.js";
import { WeightSpace } from "./weights.js";
import { lastStep, lineOf, moment } from "./words.js";

const get = (id) => document.getElementById(id);
const SPACES = {
  kernel: ["rows are points, the border a sum of bumps", "of many dimensions"],
  binary: ["rows are corners, filled where the output is 1", "all weights, and the rows they get wrong"],
  sparse: ["rows are points, rules are half-planes", "rules with weights"],
};
const LOG = 13, SLOWLY = 250, QUIET = 900; // lines; milliseconds between requests, and between announcements
const copy = (value) => JSON.parse(JSON.stringify(value));

class Page {
  at = 0;
  lesson = null;
  chosen = null;

  constructor({ presets, named }) {
    Object.assign(this, { presets, named });
    this.pattern = new PatternSpace(get("pattern"), get("shades"), this);
    this.weights = new WeightSpace(get("weights"), get("text"), get("cut"), get("lift-help"));
    this.editor = new Editor(get("pattern"), this.pattern, this);
    this.table = new TableReader(this);
    get("lesson").append(...presets.map((one) => new Option(one.title, one.name)), new Option("Your own rows", ""));
    this.listen();
    addEventListener("hashchange", () => this.begin());
    this.begin();
  }

  begin() {
    const { lesson, request, error } = fromAddress();
    if (request && LEARNERS.some(([name]) => name === request.learner)) { this.lesson = null; this.change(request, { at: 0 }); } else this.start(lesson);
    if (error) this.complain(error);
  }

  start(name) {
    const preset = this.presets.find((one) => one.name === name) ?? this.presets[0];
    this.lesson = preset.name;
    this.change(copy(preset.request), { at: 0 });
  }

  // Another request: ask for its run, and show it from the start, or at its end while rows are edited.
  change(request, { at = null, soon = false } = {}) {
    this.pause();
    this.request = request;
    const preset = this.presets.find((one) => one.name === this.lesson);
    get("lesson").value = this.lesson ?? "";
    get("about").textContent = preset?.text ?? "Your own rows. They stay on this machine; Share puts them into an address.";
    showChoices(get("choices"), request, this.named, (settings, learner) => this.choose(settings, learner));
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.run(at), soon ? SLOWLY : 0);
  }

  choose(settings, learner) {
    this.lesson = null;
    const { rows, labels, columns, classes } = this.request;
    if (rows[0]?.length === 3 && learner !== "binary") { this.start("or"); return; }
    const kept = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
    this.change({ learner, settings: kept, rows, labels, columns, classes }, { at: 0 });
  }

  async run(at) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController()), request = copy(this.request);
    const { learner, ...body } = request;
    document.body.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => this.say("The library is at work. The first time it compiles, which takes a while…", "waiting"), 1200);
    const answer = await ask(`/run/${encodeURIComponent(learner)}`, body, asking.signal);
    clearTimeout(slow);
    if (answer.aborted) return;
    document.body.removeAttribute("aria-busy");
    if (answer.error) { this.complain(answer.error); return; }
    get("error").hidden = true;
    this.answer = answer;
    this.shown = request;
    this.show(at);
  }

  show(at) {
    const { answer, shown } = this, last = lastStep(answer);
    this.pattern.show(shown, answer);
    const [rows, weights] = SPACES[shown.learner] ?? ["rows are points, the weights a line", "the weights are a point, rows are lines"];
    get("log-words").textContent = answer.kind === "frames" ? "" : "row: score → output";
    get("pattern-words").textContent = rows;
    get("weight-words").textContent = weights;
    get("tools").hidden = get("pattern-keys").hidden = this.pattern.cube;
    this.weights.show(shown, answer);
    get("at").max = last;
    get("proof-card").hidden = answer.kind === "frames";
    get("interval-card").hidden = answer.kind === "frames" && !answer.frames[0].interval;
    get("correction").hidden = answer.kind === "frames";
    get("note").textContent = answer.note;
    list(get("whole"), [...(answer.ended ? [{ name: "training ended by", value: answer.ended }] : []), ...answer.result]);
    this.go(at ?? last);
    document.documentElement.dataset.runs = Number(document.documentElement.dataset.runs ?? 0) + 1;
  }

  // Show the run after this many steps.
  go(at) {
    if (!this.answer) return;
    const last = lastStep(this.answer);
    this.at = Math.max(0, Math.min(last, at));
    const now = moment(this.answer, this.shown, this.at);
    this.pattern.at(now, this.answer);
    this.weights.at(now, this.answer);
    this.charts(now);
    this.log();
    list(get("now"), now.numbers);
    get("at").value = this.at;
    get("at").setAttribute("aria-valuetext", now.words);
    get("counter").value = `${written(this.at)} of ${written(last)}`;
    for (const id of ["first", "back"]) get(id).disabled = this.at === 0;
    for (const id of ["forward", "last", "correction"]) get(id).disabled = this.at === last;
    this.point(null);
    this.say(now.words, now.mood);
  }

  charts(now) {
    const { answer } = this;
    if (answer.kind !== "frames") {
      drawProof(get("proof"), get("proof-words"), answer, now);
      drawInterval(get("interval"), get("interval-words"), answer.facts, now.t, answer.facts.best ?? null, "corrections t");
    } else if (now.interval) {
      const series = { margin: answer.frames.map((one) => one.interval[0]), bound: answer.frames.map((one) => one.interval[1]) };
      drawInterval(get("interval"), get("interval-words"), series, this.at, null, "looks at all rows");
    }
  }

  // The last lines of what happened.
  log() {
    const { answer, shown } = this, frames = answer.kind === "frames";
    const end = frames ? this.at + 1 : Math.min(this.at, answer.steps.row.length), lines = [];
    for (let k = Math.max(0, end - LOG); k < end; k++) {
      const line = document.createElement("li"), number = document.createElement("span"), text = document.createElement("span");
      number.className = "number";
      number.textContent = written(k + 1);
      text.textContent = frames ? answer.frames[k].caption : `row ${answer.steps.row[k] + 1}: ${lineOf(answer, shown, k, true)}`;
      if (!frames && answer.steps.corrected[k]) text.className = "corrected";
      if (k === end - 1) line.className = "now";
      line.append(number, text);
      lines.push(line);
    }
    get("log").replaceChildren(...lines);
  }

  say(words, mood = "") {
    get("message").textContent = words;
    get("message").className = `message ${mood}`;
    clearTimeout(this.telling); // while it plays quickly, only what it comes to is read out
    this.telling = setTimeout(() => { get("announced").textContent = words; }, this.playing ? QUIET : 0);
  }

  complain(sentence) {
    document.body.removeAttribute("aria-busy");
    get("error").textContent = sentence;
    get("error").hidden = false;
  }

  point(row) {
    this.pattern.point(row, this.chosen);
    this.weights.point(row ?? this.chosen);
  }

  chose(row, words) {
    this.chosen = row;
    this.point(null);
    this.say(words);
  }

  edited(words) {
    this.lesson = null;
    this.chosen = this.editor.chosen;
    this.change(this.request, { soon: true });
    this.say(words);
  }

  // Rows from a table; the learner stays, unless its rows were bits of a cube.
  take(data) {
    this.lesson = null;
    const { learner, settings } = this.request;
    const kept = this.request.rows[0]?.length === 3 ? { learner: "perceptron", settings: defaults("perceptron") } : { learner, settings };
    const passes = Math.max(1, Math.min(kept.settings.max_epochs ?? 50, Math.floor(200_000 / Math.max(1, data.rows.length))));
    const capped = "max_epochs" in kept.settings ? { ...kept.settings, max_epochs: passes } : kept.settings;
    this.change({ learner: kept.learner, settings: capped, ...data }, { at: 0 });
  }

  play() {
    if (this.playing) { this.pause(); return; }
    if (this.at === lastStep(this.answer)) this.go(0);
    const step = () => {
      this.go(this.at + 1);
      if (this.at === lastStep(this.answer)) this.pause(); else this.playing = setTimeout(step, 1000 / Number(get("speed").value));
    };
    this.playing = setTimeout(step, 0);
    this.playButton("pause", "Pause");
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = null;
    this.playButton("play", "Play");
  }

  playButton(icon, name) {
    get("play").setAttribute("aria-label", name);
    get("play").firstElementChild.className = icon;
  }

  step(to) {
    this.pause();
    this.go(to);
  }

  nextCorrection() {
    const { corrected } = this.answer.steps ?? {};
    if (!corrected) return;
    const next = corrected.indexOf(1, this.at);
    this.step(next < 0 ? lastStep(this.answer) : next + 1);
  }

  listen() {
    get("lesson").onchange = (event) => (event.target.value ? this.start(event.target.value) : this.two());
    get("play").onclick = () => this.play();
    get("first").onclick = () => this.step(0);
    get("back").onclick = () => this.step(this.at - 1);
    get("forward").onclick = () => this.step(this.at + 1);
    get("last").onclick = () => this.step(Infinity);
    get("correction").onclick = () => this.nextCorrection();
    get("at").oninput = (event) => this.step(Number(event.target.value));
    get("share").onclick = () => offer("Share: the rows and settings are in this address", address(this.request, this.lesson));
    get("python").onclick = () => offer("The same in Python", this.answer?.code ?? "");
    get("large").onclick = (event) => event.target.setAttribute("aria-pressed", document.documentElement.classList.toggle("large"));
    get("empty").onclick = () => this.two();
    get("choices").onsubmit = (event) => event.preventDefault();
    const over = (event) => this.point(event.target.dataset?.row === undefined ? null : Number(event.target.dataset.row));
    get("weights").addEventListener("pointerover", over);
    get("weights").addEventListener("pointerleave", () => this.point(null));
    addEventListener("keydown", (event) => this.key(event));
  }

  two() {
    const settings = this.request.learner === "perceptron" ? this.request.settings : defaults("perceptron");
    this.request = { ...this.request, learner: "perceptron", settings };
    this.take({ rows: [[-1, -0.5], [1, 0.5]], labels: [0, 1], columns: ["x1", "x2"], classes: ["0", "1"] });
  }

  key(event) {
    const typing = event.target.closest?.("input, select, textarea, dialog, button, summary");
    if (!this.answer || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = { ArrowRight: () => this.step(this.at + 1), ArrowLeft: () => this.step(this.at - 1), Home: () => this.step(0), End: () => this.step(Infinity), c: () => this.nextCorrection(), " ": () => this.play() }[event.key];
    const ours = event.target.closest?.("button") && event.key !== " ";
    if (!does || (typing && !ours)) return;
    event.preventDefault();
    does();
  }
}

function list(node, entries) {
  node.replaceChildren(...entries.flatMap(({ name, value }) => {
    const term = document.createElement("dt"), given = document.createElement("dd"), data = document.createElement("data");
    term.textContent = name;
    data.value = JSON.stringify(value);
    data.textContent = written(value);
    given.append(data);
    return [term, given];
  }));
}

const lessons = await ask("/lessons");
if (lessons.error) { get("error").textContent = lessons.error; get("error").hidden = false; } else new Page(lessons);
