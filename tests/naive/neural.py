"""The margin loss and its targets in plain Python, from Moran et al., Sections 2 and 3.

Nothing of the library. A row has a score per output neuron, and a target, its class. One neuron tells the
classes 0 and 1 apart; several learn one class each against the rest. All rows of a batch are judged by the
same beta.
"""


def signs(target, n_neurons):
    """y of each neuron."""
    if n_neurons == 1:
        return [1 if target == 1 else -1]
    return [1 if neuron == target else -1 for neuron in range(n_neurons)]


def reaches(row, target):
    """y * score of each neuron."""
    return [y * score for y, score in zip(signs(target, len(row)), row, strict=True)]


def loss_of_row(row, target, beta):
    """ReLU(beta - y * score), summed over neurons."""
    return sum(max(beta - reach, 0) for reach in reaches(row, target))


def loss(rows, targets, beta, reduction, weights=None):
    """A weight multiplies the loss of its row; the mean is over the number of rows, whatever they weigh."""
    weights = [1] * len(rows) if weights is None else weights
    cases = zip(rows, targets, weights, strict=True)
    losses = [weight * loss_of_row(row, target, beta) for row, target, weight in cases]
    if reduction == "none":
        return losses
    return sum(losses) / len(losses) if reduction == "mean" else sum(losses)


def gradient(rows, targets, beta, reduction, slopes):
    """By the score of each row and neuron; `slopes` are those of what follows, one per row. Subgradient 1 at
    y * score = beta, so that weights of zero move where beta is 0."""
    share = 1 / len(rows) if reduction == "mean" else 1
    return [
        [
            -y * slope * share if y * score <= beta else 0
            for y, score in zip(signs(target, len(row)), row, strict=True)
        ]
        for row, target, slope in zip(rows, targets, slopes, strict=True)
    ]


def in_violation(rows, targets, beta):
    """Of each row, whether one or more of its neurons are."""
    return [
        any(reach <= beta for reach in reaches(row, target))
        for row, target in zip(rows, targets, strict=True)
    ]


def growing(t, power, scale):
    """beta after t updates."""
    return scale * t**power


def adaptive(beta, rows, violated, scale, lift):
    """Algorithm 3: beta after an update by these of the rows. Of several the longest counts; a bias is the
    weight of one more feature, `lift`; `scale` is the step by which rows correct."""
    squares = [
        scale * (sum(value * value for value in row) + lift * lift)
        for row, counts in zip(rows, violated, strict=True)
        if counts
    ]
    longest = max(squares, default=0)
    return 4 * longest if beta < longest else beta


def present(weights, row, target, beta, eta):
    """Rosenblatt's rule for each neuron, in place; whether one of them was corrected."""
    scores = [sum(w * x for w, x in zip(own, row, strict=True)) for own in weights]
    wrong = [reach <= beta for reach in reaches(scores, target)]
    for own, y, is_wrong in zip(weights, signs(target, len(weights)), wrong, strict=True):
        own[:] = [w + eta * y * x * is_wrong for w, x in zip(own, row, strict=True)]
    return any(wrong)
