"""Chow's rule, one row at a time: price every answer and the rejection, take the cheapest."""


def cost_of_answer(p, k, gain, wrong):
    return sum(-gain[y] * p[y] if y == k else wrong[y] * p[y] for y in range(len(p)))


def cost_of_rejection(p, reject):
    return sum(reject[y] * p[y] for y in range(len(p)))


def decide(p, gain, wrong, reject):
    """The cheapest answer, whether a rejection is cheaper still, and by how much the answer is cheaper."""
    prices = [cost_of_answer(p, k, gain, wrong) for k in range(len(p))]
    best = prices.index(min(prices))
    saved = cost_of_rejection(p, reject) - prices[best]
    return best, saved < 0, saved


def risk(masses, posteriors, actions, gain, wrong, reject):
    """The expected cost of an action per point, −1 being the rejection."""
    return sum(
        mass * (cost_of_rejection(p, reject) if action < 0 else cost_of_answer(p, action, gain, wrong))
        for mass, p, action in zip(masses, posteriors, actions, strict=True)
    )
