"""Break a line, see a test fail:  python -m tests.break_it [--few] [NUMBER ...]

Each edit below is made in a copy of the sources and the tests named with it are run there. An edit that
no test notices is printed as SURVIVED and makes the command fail: a line nobody guards.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/perceptrons"


class Edit(NamedTuple):
    file: str
    old: str
    new: str
    tests: str
    compiled: str = ""  # else the JIT is off: nothing to compile, each try takes seconds


EDITS = [
    Edit(*line.split(" | "))
    for line in """
margin/rules.py | return not reach > beta | return not reach >= beta | test_margin.py
margin/rules.py | label < 0 and beta == 0.0): | label > 0 and beta == 0.0): | test_margin.py
margin/rules.py | math.floor((beta - reach) / q) + 1.0 | math.ceil((beta - reach) / q) | test_margin.py
margin/rules.py | (1.0 + beta - reach) / q | (beta - reach) / q | test_margin.py
margin/rules.py | beta = 4.0 * q | beta = 2.0 * q | test_margin.py
margin/rules.py | max(clock["scale"], q) | q | test_margin.py
margin/sweep.py | b += tau * label * rule.rho_squared | b += tau * label | test_margin.py
margin/sweep.py | duals[i] += tau | duals[i] = tau | test_margin.py
margin/sweep.py | first_clean = position | first_clean = position - 1 | test_margin.py
margin/sweep.py | float(presented + position - 1) | float(presented + position) | test_margin.py
margin/training.py | clean=run.clock["clean"] >= m) | clean=True) | test_theorems.py
margin/memory.py | errors == self.errors == 0 and larger | errors == 0 | test_margin.py
margin/training.py | part[...] = was | pass | test_margin.py
margin/theorem.py | max(betas) / (eta if step == FIXED else 1.0) | max(betas) | test_theorems.py
margin/starts.py | start.n_rows != len(signs) | False | test_streams.py
margin/memory.py | before.n_rows + used] | used] | test_streams.py
certifying.py | return a if (a >= 0).all() else np.zeros(len(signs)) | return a | test_certificate.py
certifying.py | max(CLOSE[ | max(1e9 * CLOSE[ | test_certificate.py
certifying.py | low = min(low, reach) | low = reach | test_certificate.py
theory/certificate.py | self.compression_size + self.lift_from_rows | 1 | test_certificate.py
theory/certificate.py | delta / self.n_rows | delta | test_certificate.py
data/encode.py | np.array([low, high]), codes | np.array([high, low]), codes | test_data.py
data/encode.py | matrix = matrix.copy() | pass | test_bad_input.py
data/order.py | rows if len(rows) == n_rows else rows[rows < n_rows] | rows[:n_rows] | test_data.py
data/rows.py | w += w.dtype.type(a) * X[i] | w -= w.dtype.type(a) * X[i] | test_data.py
data/rows.py | w[j] += factor * X[i, j] | w[j] = factor * X[i, j] | test_data.py | compiled
data/rows.py | (s0 + s1) + (s2 + s3) | s0 + s1 + s2 | test_data.py | compiled
export/files.py | os.fsync(file.fileno()) | pass | test_model_file_writing.py
export/files.py | os.unlink(temporary) | pass | test_model_file_writing.py
export/document.py | != found[1] or checksum != | == b"" and checksum != | test_model_file_damage.py
export/estimators.py | declared(name).make is not type(model) | False | test_model_file.py
fields/kinds.py | if size != expected: | if False: | test_fields.py
fields/settings.py | Count(0, 624) | Count(0, 6240) | test_model_file_damage.py
margin/record.py | rows[-1] < n_rows | True | test_model_file_damage.py
data/scaling.py | x[np.isnan(x)] = mean | x[np.isnan(x)] = 0.0 | test_columns.py
data/columns.py | index.get(text, -1) | index.get(text, 0) | test_columns.py
data/delimited.py | if len(row) != n_cells: | if len(row) > n_cells: | test_table.py
data/table.py | if as_written: | if False: | test_table.py
compare.py | encoder.fit(tables[0]) | encoder.fit(tables[-1]) | test_compare.py | compiled
cli/printable.py | {"Cc", "Cf", | {"Cf", | test_cli.py | compiled
data/rows.py | w += a * X.matrix[i] | w += X.matrix[i] | test_kernel.py
data/rows.py | w[j] += a * X.matrix[i, j] | w[j] += X.matrix[i, j] | test_kernel.py | compiled
margin/training.py | betas[int(self.y[row] > 0)] | betas[0] | test_trace.py
margin/training.py | del run.log[int(run.clock["updates"]) :] | pass | test_trace.py
margin/kernel.py | most if proves else None, False | most, False | test_kernel.py
margin/corral.py | weights[s] += theta * (goal[s] | weights[s] += (goal[s] | test_max_margin_kernels.py
margin/corral.py | used[corral.spots[out]] = False | pass | test_max_margin_kernels.py
margin/corral.py | offset = inner(task.centre, row, 0, row.size) | offset = 0.0 | test_max_margin_kernels.py
margin/corral.py | (first * q - both * p) / scale | first * q / scale | test_max_margin_kernels.py
margin/search.py | ** 2 * largest) | ** 2 * 1e18 * largest) | test_max_margin.py
margin/search.py | found.errors if self.task.ridge == 0.0 else 0 | 0 | test_max_margin.py
margin/descent.py | - 1.0 + task.ridge * alpha[i] | - 1.0 | test_max_margin_kernels.py
margin/descent.py | b += lift * step | b += step | test_max_margin_kernels.py
margin/newton.py | += sign * len(some) | += sign | test_max_margin_kernels.py
margin/exact.py | fair = unbalanced <= UNBALANCED * total | fair = True | test_max_margin_methods.py
margin/exact.py | or not (weights > 0.0).all() | or False | test_max_margin_methods.py
margin/portfolio.py | soften(search) | pass | test_max_margin_methods.py
margin/search.py | (sums > 0.0)).all() | (sums > -1.0)).all() | test_max_margin_hard_cases.py
margin/portfolio.py | unit=soft.best.length | unit=found.length | test_max_margin_hard_cases.py
theory/cones.py | 4 * m * float( | 4e7 * m * float( | test_farkas.py
theory/separation.py | eps * (1 - 1e-4) | eps * 1.01 | test_separation.py
theory/separation.py | / 2 >= eps / MARGIN | / 2 >= eps / 1e3 | test_separation.py
theory/convex.py | np.argmin(self.V @ u) | np.argmax(self.V @ u) | test_separation.py
theory/projection.py | / np.sqrt(k) | / np.sqrt(d) | test_projection.py
theory/counting.py | (160 * n * (n + 1) / eps_**2) ** 2 | (160 * n * (n + 1) / eps_) ** 2 | test_bounds.py
certifying.py | X = X if step in (None, "passthrough") else step.transform(X) | pass | test_certificate.py
sparse/pairs.py | *= self.share | *= 1.0 | test_boosting.py
sparse/pairs.py | (len(literals[place]), literals[place]) | -place | test_boosting.py
sparse/pairs.py | (beta - 1.0) / total, keep=1.0 | (beta - 1.0) / total, keep=beta | test_boosting.py
sparse/pairs.py | keep=beta / total | keep=1.0 / total | test_boosting.py
sparse/pairs.py | (beta - 1.0) / total | (1.0 - beta) / total | test_boosting.py
sparse/pairs.py | for j in range(ends[i], n): | for j in range(i + 1, n): | test_boosting.py
sparse/pairs.py | b < ends[a] | b >= ends[a] | test_boosting.py
sparse/gram.py | ((BLOCK + 4) * added + n_blocks * largest) | 0.0 | test_boosting.py
sparse/gram.py | for q in range(p, stop): | for q in range(p + 1, stop): | test_boosting.py
sparse/boosting.py | error >= 0.5 - HALF | error > 0.5 | test_boosting.py
sparse/boosting.py | stages[-1:] if is_alone(stages, votes) else stages | stages | test_sparse_perceptron.py
sparse/boosting.py | np.where(right, beta * D, D) | np.where(right, D / beta, D) | test_boosting.py
sparse/staging.py | accuracies.max() - TIE | accuracies.max() - 0.1 | test_sparse_perceptron.py
sparse/staging.py | 2 * size**2 | size**2 | test_sparse_perceptron.py
sparse/staging.py | self.trial.stages == self.most | False | test_sparse_perceptron.py
sparse/pairs.py | total < TINY | False | test_sparse_input.py
sparse/rules.py | (held, weights, -weights) | (held, weights, weights) | test_sparse_perceptron.py
sparse/record.py | any(place >= len(attributes) for place in places) | False | test_sparse_file.py
sparse/branching.py | max(mass + gain - mean, mass - gain + mean) | mass | test_higher_orders.py
sparse/branching.py | if j >= start and work | if work | test_higher_orders.py
sparse/branching.py | return path[c] != twin | return False | test_higher_orders.py
sparse/branching.py | work.missed[0] = max(work.missed[0], bound) | pass | test_higher_orders.py
sparse/widening.py | path[c + (literals[c] > literal)] | path[c] | test_higher_orders.py
sparse/branching.py | slack = 2.0 * add_rows | slack = 0.0 * add_rows | test_higher_orders.py
sparse/search.py | work.visits[0] < work.limit | True | test_higher_orders.py
sparse/ranking.py | return size < best.sizes[place] | return size > best.sizes[place] | test_higher_orders.py
sparse/ranking.py | return path[c] < best | return path[c] > best | test_higher_orders.py
sparse/ranking.py | and is_same(path, size, best, place - 1) | and False | test_suggest.py
sparse/search.py | float(work.missed[0] - best.values[0]) | 0.0 | test_higher_orders.py
sparse/majority.py | search.forget() | pass | test_majority.py
sparse/majority.py | n_stages // 2 - np.arange | n_stages // 2 + 1 - np.arange | test_majority.py
sparse/majority.py | if t == 0 and error == 0.0: | if error == 0.0: | test_majority.py
sparse/majority.py | np.where(learned, logs[votes], -np.inf) | logs[votes] | test_majority.py
sparse/settings.py | self.scope.share / (2 * self.target_size) | 1 / (2 * self.target_size) | test_majority.py
sparse/boosting.py | factor = float(max(map(len, runs))) | factor = 1.0 | test_majority.py
sparse/running.py | t + 1 if is_alone(stages, votes) else 1 | 1 | test_majority.py
sparse/scorecard.py | -(-start // 2) | start // 2 | test_scorecard.py
sparse/scorecard.py | counts * part | 1.0 * part | test_scorecard.py
sparse/suggestions.py | -np.arctanh(correlation) | -2 * np.arctanh(correlation) | test_suggest.py
sparse/suggestions.py | if gain > TIE: | if True: | test_suggest.py
sparse/pruning.py | unit.curvatures * unit.weights**2 / 2 | unit.weights**2 / 2 | test_pruned.py
data/thresholds.py | below * (n_thresholds + 1) // total | below * n_thresholds // total | test_literals.py
data/thresholds.py | value <= short < following | value <= short | test_literals_input.py
data/coding.py | np.full(cells.n_rows, value < 0) | np.full(cells.n_rows, False) | test_literals.py
papers/datasets.py | found != source.digest | False | test_datasets.py
cli/explain.py | adds = coef * values | adds = coef | test_cli_sparse.py
compare.py | input_tags.categorical | input_tags.sparse | test_compare.py | compiled
conservative/sweep.py | abs(s) < bands[r, side] | abs(s) <= bands[r, side] | test_conservative.py
conservative/sweep.py | own = other = own + other | own = other = own | test_conservative.py
conservative/sweep.py | and (s < band or s <= farthest) | and True | test_conservative.py
conservative/sweep.py | n_steps = np.ceil( | n_steps = np.floor( | test_conservative.py
conservative/sweep.py | (lost - won) / total | lost - won | test_conservative.py
conservative/settings.py | a + 2 * b - c), | a + b), | test_conservative.py
conservative/settings.py | step * eta if model.rule == CPLR1 else step | step | test_conservative_model.py
conservative/training.py | or found.risks[r] < best.risk | or True | test_conservative_model.py
conservative/training.py | and not found.separated.any() | and True | test_conservative.py
conservative/training.py | prices = prices.in_steps() | pass | test_conservative_model.py
conservative/bands.py | gaps > ROUNDING * sizes[-1] | gaps > 0.0 | test_conservative.py
conservative/bands.py | middle if low < middle else high | low | test_conservative.py
conservative/outcome.py | or of_refusals < risk or rejected.all() |  | test_conservative_model.py
conservative/outcome.py | sides = (scores >= 0.0) | sides = (scores > 0.0) | test_conservative_model.py
conservative/rejecting.py | (a + c) / (a + b) if | c / b if | test_conservative_model.py
conservative/record.py | if not (model.bands_ >= 0.0).all(): | if False: | test_conservative_file.py
conservative/labels.py | if label != label: | if False: | test_costs.py
conservative/costs.py | given.get("reject", 0.0) >= given.get("wrong", math.inf) | False | test_costs.py
conservative/curve.py | certainty[1:] != certainty[:-1] | certainty[1:] == certainty[1:] | test_costs.py
conservative/chow.py | saved < 0.0 if not | saved <= 0.0 if not | test_chow.py
conservative/metrics.py | np.where(rows.rejected, 0.0, rows.weights) | rows.weights | test_reject_metrics.py
data/standard.py | v[-1] += a * X.products[i] | pass | test_standard.py
data/standard.py | v[v.size - 1] += a * X.products[i] | pass | test_standard.py | compiled
data/standard.py | (rows[i, j] - mean[j]) * gains | rows[i, j] * gains | test_standard.py | compiled
fields/part.py | special.get(name) or Parameter() | Parameter() | test_fields.py
binary/rules.py | 0.5 * (epsilon / 2) / (n + 1) | 0.5 * epsilon / (n + 1) | test_binary.py
binary/rules.py | both / ones - (positive - both) | both / ones + (positive - both) | test_binary.py
binary/rules.py | np.where(agreement > 0, 1, -1) | np.where(agreement >= 0, 1, -1) | test_binary.py
binary/rules.py | (share <= least) | (share <= -1.0) | test_binary.py
binary/rules.py | share >= 1.0 - least: | share > 1.0 - least: | test_binary.py
binary/thresholds.py | (called == 0) | (called < 0) | test_binary.py
binary/thresholds.py | positive[0] - positive + negative | negative | test_binary.py
binary/packed.py | active - 2 * against | active - against | test_binary.py
binary/packed.py | total -= changes | total += changes | test_binary.py
binary/counts.py | few_both[j] += one & positive[i] | few_both[j] += one | test_binary.py
binary/counts.py | np.cumsum(weights)[-1] | weights.sum() | test_binary.py
binary/counts.py | _sum(heavy) - both, both | _sum(weights) - both, both | test_binary_input.py
binary/reservoir.py | np.argpartition(keys, CAPACITY - 1) | np.arange(len(keys)) | test_binary_streams.py
binary/sbpi.py | hidden.theta[0] -= 2 * y | hidden.theta[0] += 2 * y | test_binary.py
binary/sbpi.py | (step > 0) == (h[j] > 0) | True | test_binary.py
binary/sbpi.py | else threshold + 1 | else threshold | test_binary_sbpi.py
binary/sbpi.py | 2 * (UNIT + sign * thirds) | 2 * UNIT + 0 * thirds | test_binary_sbpi.py | compiled
binary/problem.py | & (now.low <= cuts) | & True | test_binary_input.py
binary/learning.py | rows.errors(other) < rows.errors(model) | False | test_binary_sbpi.py
binary/record.py | model.coef_[0][model.neglected_].any() | False | test_binary_file.py
data/bits.py | &= 2 ** (width % 8) - 1 | &= 255 | test_bits.py
data/bits.py | changed << shift | changed >> shift | test_bits.py
data/cuts.py | (low <= middle) & (middle < high) | True | test_bits.py
data/packing.py | near > cuts, np.nextafter | near < cuts, np.nextafter | test_bits.py
data/flips.py | (matrix.data > cuts[indices]) != base[indices] | matrix.data > cuts[indices] | test_bits.py
theory/curves.py | erf((1 - 2 * sigma) * | erf( | test_curves.py
cli/explain.py | float(w if held else -w) | float(w) | test_cli_binary.py | compiled
margin/rules.py | beta = 4.0 * q | beta = 0.1 * q | test_reproduce_moran.py | compiled
margin/sweep.py | tau * label * rule.rho_squared | tau * rule.rho_squared | test_reproduce.py | compiled
binary/rules.py | agreement > 0, 1, -1 | agreement > 5, 1, -1 | test_reproduce_golea_marchand.py | compiled
sparse/boosting.py | np.where(right, beta * D, D) | D | test_reproduce_jackson_craven.py | compiled
conservative/sweep.py | (lost - won) / | (won - lost) / | test_reproduce_sundararajan_pal.py | compiled
papers/experiment.py | max(tolerance, 2 * error) | max(tolerance, 20 * error) | test_reproduce.py | compiled
papers/experiment.py | > 1 else 0.0 | > 1 else math.inf | test_reproduce.py | compiled
papers/document.py | module.check(values) | [] | test_reproduce.py | compiled
papers/runner.py | (function, task) for task | (function, tasks[0]) for task | test_reproduce.py | compiled
papers/honavar_or.py | values["path"] == PATH | True | test_reproduce.py | compiled
papers/honavar_or.py | ends[FIXED] == n_sets | True | test_reproduce.py | compiled
cli/reproduce.py | in names if name != ALL | in [] | test_cli_reproduce.py | compiled
cli/reproduce.py | in names else failures) | in names else left_out) | test_cli_reproduce.py | compiled
papers/downloads.py | if digest != raw.digest: | if False: | test_downloads.py | compiled
papers/genome.py | - 1 - forward[:, ::-1] | - 1 - forward | test_genome.py | compiled
papers/genome.py | np.flatnonzero(first == last) | np.arange(len(first)) | test_genome.py | compiled
papers/genome.py | row.end - row.phase - width | row.end - width | test_genome.py | compiled
papers/golea_marchand.py | ERRORS * error | 99 * error | test_reproduce_golea_marchand.py | compiled
papers/moran_claims.py | above == 0, | True, | test_reproduce_moran.py | compiled
papers/moran_claims.py | below == 0, | True, | test_reproduce_moran.py | compiled
papers/jackson_craven_claims.py | not found, | True, | test_reproduce_jackson_craven.py | compiled
papers/jackson_craven_claims.py | ours == theirs, | True, | test_reproduce_jackson_craven.py | compiled
papers/jackson_craven_tables.py | =run) | =0) | test_reproduce_jackson_craven.py | compiled
papers/jackson_craven_tables.py | folds != fold | folds != -1 | test_reproduce_jackson_craven.py | compiled
papers/jackson_craven_codons.py | share >= NEARLY_ALL, | True, | test_reproduce_codons.py | compiled
papers/sundararajan_pal_claims.py | gap < 0 for | gap > 0 for | test_reproduce_sundararajan_pal.py | compiled
neural/loss.py | if self.training and torch.is_grad_enabled(): | if self.training: | test_neural_schedules.py
neural/loss.py | 4.0 * longest | 2.0 * longest | test_neural_schedules.py
neural/loss.py | self.clock += rows.sum() | self.clock += rows.any() | test_neural_loss.py
neural/loss.py | <= self._beta(scores) | < self._beta(scores) | test_neural_loss.py
neural/shortfall.py | -share * y * violated | -y * violated | test_neural_loss.py
neural/shortfall.py | -scores.shape[1] : | : scores.shape[1] | test_neural_schedules.py
neural/shortfall.py | -y * share if short >= 0.0 | -y * share if short > 0.0 | test_neural_loss.py
neural/shortfall.py | losses[i] += short | losses[i] = short | test_neural_loss.py
neural/shortfall.py | < math.inf | <= math.inf | test_neural_loss.py
neural/scores.py | (target >= 0) & (target | (target | test_neural_loss.py
neural/schedules.py | * t**self.power | * (t + 1) ** self.power | test_neural_schedules.py
neural/side_by_side.py | violated.any(-1) | violated.sum(-1) | test_side_by_side.py | compiled
neural/side_by_side.py | etas.repeat_interleave( | etas.repeat( | test_side_by_side.py | compiled
neural/side_by_side.py | networks.clock - before | networks.clock | test_side_by_side.py | compiled
neural/batches.py | else int(found[-1]) + 1 | else len(target) | test_neural_batches.py | compiled
neural/batches.py | part.training = False | pass | test_neural_batches.py | compiled
neural/clocked.py | (moved.detach() > 0) | (moved.detach() >= 0) | test_neural_clocked.py | compiled
neural/layer.py | module.training = mode | pass | test_neural_certify.py | compiled
neural/layer.py | fit_intercept=bias | fit_intercept=False | test_neural_layer.py
neural/reject.py | (wrong - reject) * refused | wrong * refused | test_neural_reject.py | compiled
neural/reject.py | (below / self.temperature) | (below * self.temperature) | test_neural_reject.py | compiled
neural/training.py | BAND_RATE * eta | eta | test_margin_mlp_costs.py | compiled
neural/training.py | len(target) * value | value | test_margin_mlp.py | compiled
neural/network.py | (rows - self.mean) * self.gain | rows * self.gain | test_margin_mlp.py | compiled
neural/margin_mlp.py | self.__dict__ = before | pass | test_margin_mlp.py | compiled
papers/moran_mnist.py | min(some, key | max(some, key | test_reproduce_moran_mnist.py | compiled
papers/moran_mnist_claims.py | [a - b | [b - a | test_reproduce_moran_mnist.py | compiled
papers/moran_mnist_claims.py | least > 0, | True, | test_reproduce_moran_mnist.py | compiled
""".strip().splitlines()
]
FEW = [1, 13, 22, 28, 54, 87, 97, 135, 198]  # for continuous integration


def first_failure(copy: Path, tests: str, compiled: bool) -> str:
    """The first test of that file that fails in the copy; "" if none does."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{tests}"]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0" if compiled else "1"}
    env.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return found.group(1) if found else "" if done.returncode == 0 else done.stdout[-500:]


def try_out(edit: Edit, copy: Path) -> str:
    """The first test that fails with the edit made; "" if none does."""
    source = copy / PACKAGE / edit.file
    text = source.read_text()
    if edit.old not in text:
        raise SystemExit(f"{edit.file} has no {edit.old!r}: bring tests/break_it.py up to date.")
    source.write_text(text.replace(edit.old, edit.new))
    failed = first_failure(copy, edit.tests, bool(edit.compiled))
    source.write_text(text)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description="Break a line, see a test fail.")
    parser.add_argument("numbers", nargs="*", type=int, help="which edits to make (default: all)")
    parser.add_argument("--few", action="store_true", help="a few of them, for continuous integration")
    arguments = parser.parse_args()
    numbers = arguments.numbers or (FEW if arguments.few else range(1, len(EDITS) + 1))
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "tests", "benchmarks", "docs", "examples"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("conftest.py", "pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy / name)
        for tests, compiled in sorted({(EDITS[k - 1].tests, bool(EDITS[k - 1].compiled)) for k in numbers}):
            failed = first_failure(copy, tests, compiled)
            if failed:
                raise SystemExit(f"{failed} fails before anything is broken.")
        for number in numbers:
            edit = EDITS[number - 1]
            caught = try_out(edit, copy)
            survived += not caught
            change = f"{edit.file}: {edit.old} → {edit.new}"
            print(f"{number:3}  {change}\n     {caught or 'SURVIVED'}", flush=True)
    print(f"{len(list(numbers)) - survived} caught, {survived} survived")
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
