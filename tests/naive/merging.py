"""The slow twin of merging: what `perceptrons.margin.merging` says, in plain Python.

Smallest duals first, a row hands its duals over to the nearest row of its class that is still used, if every
training row keeps its answer and at least four fifths of its lead over the next class.
"""


def answer(scores):
    if len(scores) == 1:
        return 1 if scores[0] > 0 else 0
    return scores.index(max(scores))


def lead(scores, best):
    if len(scores) == 1:
        return scores[0] if best == 1 else -scores[0]
    return scores[best] - max(s for k, s in enumerate(scores) if k != best)


def scores_of(K, duals, intercepts):
    """One list of scores per row; `duals` has a line per weight vector and an entry per row."""
    rows = range(len(K))
    return [
        [sum(line[i] * K[i][j] for i in rows) + b for line, b in zip(duals, intercepts, strict=True)]
        for j in rows
    ]


def merged(K, codes, duals, intercepts):
    """The duals after merging; nothing else changes."""
    rows, duals = range(len(K)), [list(line) for line in duals]
    used = [i for i in rows if any(line[i] != 0 for line in duals)]
    before = scores_of(K, duals, intercepts)
    answers = [answer(s) for s in before]
    leads = [lead(s, a) for s, a in zip(before, answers, strict=True)]
    for i in sorted(used, key=lambda i: max(abs(line[i]) for line in duals)):
        others = [p for p in used if p != i and codes[p] == codes[i]]
        if not others:
            continue
        heir = min(others, key=lambda p: K[i][i] + K[p][p] - 2 * K[i][p])
        attempt = [list(line) for line in duals]
        for line in attempt:
            line[heir] += line[i]
            line[i] = 0.0
        after = scores_of(K, attempt, intercepts)
        if all(
            answer(s) == a and lead(s, a) >= 0.8 * before_it
            for s, a, before_it in zip(after, answers, leads, strict=True)
        ):
            duals = attempt
            used.remove(i)
    return duals
