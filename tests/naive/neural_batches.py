"""Moran et al., Section 3, footnote 3, row by row in plain Python: a perceptron that waits for B errors.

One neuron tells the classes 0 and 1 apart; several learn one class each against the rest. A neuron is in
violation where y*<w, x> <= beta, and a row where one of its neurons is. The target beta is a function of t,
the number of rows that have been used; it and the weights stay while errors gather.
"""


def signs(target, n_neurons):
    """y of each neuron."""
    if n_neurons == 1:
        return [2 * target - 1]
    return [1 if k == target else -1 for k in range(n_neurons)]


def in_violation(x, target, weights, beta):
    """The neurons in violation, each with its y."""
    scores = [sum(w * v for w, v in zip(own, x, strict=True)) for own in weights]
    ys = signs(target, len(weights))
    return [(k, y) for k, (y, s) in enumerate(zip(ys, scores, strict=True)) if y * s <= beta]


def correct(rows, targets, batch, weights, beta):
    """Add up the corrections of all rows of the batch, then make them."""
    found = [(i, k, y) for i in batch for k, y in in_violation(rows[i], targets[i], weights, beta)]
    for i, k, y in found:
        weights[k] = [w + y * v for w, v in zip(weights[k], rows[i], strict=True)]


def epoch(rows, targets, weights, n_errors, target_of, t=0):
    """One pass; `weights` are corrected in place. Returns the batches, as lists of places, and the new t."""
    batches, waiting = [], []
    for i, x in enumerate(rows):
        if in_violation(x, targets[i], weights, target_of(t)):
            waiting.append(i)
        last = i == len(rows) - 1
        if len(waiting) == n_errors or (last and waiting):
            correct(rows, targets, waiting, weights, target_of(t))
            batches.append(waiting)
            t += len(waiting)
            waiting = []
    return batches, t
