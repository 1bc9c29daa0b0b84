"""Iterative parameter mixing (McDonald, Hall and Mann 2010, Figure 3), in plain Python: the perceptron with a
target β, rows lifted by ρ, parts visited in their order."""


def mixed(parts, beta, rho, n_epochs):
    """Rows (x, y), y = ±1, in parts. The weights, a coordinate for ρ the last, after each epoch; the duals of
    each row; corrections; and Σ_k μ_k k_k of each epoch."""
    n = len(parts[0][0][0]) + 1
    w, duals, path, sums, updates = [0.0] * n, [[0.0] * len(part) for part in parts], [], [], 0
    for _ in range(n_epochs):
        swept = [sweep(part, w, beta, rho) for part in parts]
        total = sum(count for _, _, count in swept)
        updates += total
        shares = [count / total if total else 0.0 for _, _, count in swept]
        sums.append(sum(share * count for share, (_, _, count) in zip(shares, swept, strict=True)))
        new = list(w)
        for share, (own, steps, _), mine in zip(shares, swept, duals, strict=True):
            for j in range(n):
                new[j] += share * (own[j] - w[j])
            for i, step in enumerate(steps):
                mine[i] += share * step
        w = new
        path.append(w)
        if not total:
            break
    return path, duals, updates, sums


def sweep(part, w, beta, rho):
    w, steps, count = list(w), [0.0] * len(part), 0
    for i, (x, y) in enumerate(part):
        lifted = [*x, rho]
        if any(lifted) and y * sum(a * b for a, b in zip(w, lifted, strict=True)) <= beta:
            w = [a + y * b for a, b in zip(w, lifted, strict=True)]
            steps[i] += 1.0
            count += 1
    return w, steps, count
