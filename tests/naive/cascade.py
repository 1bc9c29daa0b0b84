"""A cascade in plain Python: which stage answers a row, and the best threshold by trying all."""


def expected_costs(posterior, gain, wrong):
    """Of each answer: what it is expected to cost."""
    return [
        sum(p * b for j, (p, b) in enumerate(zip(posterior, wrong, strict=True)) if j != k)
        - posterior[k] * gain[k]
        for k in range(len(posterior))
    ]


def route(posteriors, prices, gain, wrong, person):
    """(answer, stage) of one row, whose posteriors by each stage are given; stage None: a person."""
    for stage, posterior in enumerate(posteriors):
        costs = expected_costs(posterior, gain, wrong)
        price = prices[stage]
        if price is None:
            price = sum(p * c for p, c in zip(posterior, person, strict=True))
        if min(costs) <= price:
            return costs.index(min(costs)), stage
    return costs.index(min(costs)), None


def least_total(expected, answered, further):
    """The least sum of costs over all thresholds on the expected cost."""
    sums = []
    for threshold in [float("-inf"), *expected]:
        rows = zip(expected, answered, further, strict=True)
        sums.append(sum(own if e <= threshold else beyond for e, own, beyond in rows))
    return min(sums)
