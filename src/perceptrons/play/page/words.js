// What a step is, in words; and the numbers of the present moment.

import { written } from "./svg.js";

// A moment: after step `at` of an answer. Everything drawn and listed is read from it.
export function moment(answer, request, at) {
  return answer.kind === "frames" ? frameMoment(answer, at) : stepMoment(answer, request, at);
}

export const lastStep = (answer) =>
  answer.kind === "frames" ? answer.frames.length - 1 : answer.steps.row.length + (answer.returned ? 1 : 0);

function frameMoment(answer, at) {
  const frame = answer.frames[at];
  const now = { ...frame, at, weights: frame.line ?? null, before: at && answer.frames[at - 1].line ? answer.frames[at - 1].line : null };
  return { ...now, words: `${frame.caption}. ${frame.facts.map((one) => `${one.name}: ${written(one.value)}`).join(", ")}.`, mood: "right", numbers: frame.facts };
}

function stepMoment(answer, request, at) {
  const { steps, weights, facts } = answer, n = steps.row.length;
  const isReturned = at > n, k = Math.min(at, n) - 1;
  const t = k < 0 ? 0 : steps.weights[k], corrected = k >= 0 && !isReturned && steps.corrected[k] === 1;
  const shown = isReturned ? answer.returned : weights[t];
  const now = {
    at, t, row: k < 0 || isReturned ? null : steps.row[k], corrected, weights: shown,
    before: isReturned ? weights[t] : corrected ? weights[t - 1] : null, reach: isReturned ? null : facts.reach[t],
    target: t + 1 < weights.length ? answer.targets[t]?.[0] : answer.targets[t - 1]?.[0],
  };
  return { ...now, ...told(answer, request, now, k), numbers: numbersOf(answer, request, now, k) };
}

export const vector = (weights) => `(${weights.slice(0, -1).map(written).join(", ")})`;

function told(answer, request, now, k) {
  if (now.at === 0) return { words: "Before the first row all weights are 0.", mood: "waiting" };
  if (now.row === null) {
    return { words: `fit returns weights that are not the last: w = ${vector(now.weights)}, b = ${written(now.weights.at(-1))}.`, mood: "right" };
  }
  const line = lineOf(answer, request, k);
  const after = now.corrected ? ` Now w = ${vector(now.weights)}, b = ${written(now.weights.at(-1))}.` : "";
  return { words: `Row ${now.row + 1}: ${line}.${after}`, mood: now.corrected ? "corrected" : "right" };
}

// A line "step 1" of the chapter: the score, the output beside the target, and what follows.
export function lineOf(answer, request, k, short = false) {
  const { steps, targets } = answer, row = steps.row[k], output = steps.output[k], label = request.labels[row];
  const name = (one) => request.classes[one];
  const score = written(steps.score[k]), head = short ? `${score} → ${name(output)}` : `score ${score} → output ${name(output)}`;
  if (!steps.corrected[k]) return output === label ? `${head}: right` : `${head}: wrong, not corrected`;
  const beta = targets[steps.weights[k] - 1][0];
  if (output !== label) return `${head}, not ${name(label)}: corrected`;
  if (answer.always && steps.score[k] !== 0) return `${head}: right, but the worst row: corrected`;
  return beta > 0 ? `${head}: right, but not by β = ${written(beta)}: corrected` : `${head}: right, but 0 is not enough: corrected`;
}

function numbersOf(answer, request, now, k) {
  const { facts, steps } = answer, found = [{ name: "step", value: now.at }];
  if (now.row !== null) {
    found.push({ name: "row", value: now.row + 1 }, { name: "score", value: steps.score[k] },
      { name: "output", value: request.classes[steps.output[k]] }, { name: "target", value: request.classes[request.labels[now.row]] });
  }
  now.weights.slice(0, -1).forEach((weight, j) => found.push({ name: `w of ${request.columns[j]}`, value: weight }));
  found.push({ name: "b", value: now.weights.at(-1) });
  if (now.row !== null || now.at === 0) {
    found.push({ name: "corrections so far", value: now.t }, { name: "wrong rows now", value: facts.errors[now.t] },
      { name: "margin now", value: facts.margin[now.t] }, { name: "no margin is larger than", value: facts.bound[now.t] });
  }
  return found;
}
