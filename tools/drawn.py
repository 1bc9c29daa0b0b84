"""Judge and draw again a result in docs/papers/results, from its numbers:  python -m tools.drawn NAME

For a result that was found on a machine without matplotlib, and for claims that are judged otherwise today.
"""

import json
import sys
from dataclasses import asdict

from perceptrons.papers.pictures import files
from perceptrons.papers.result_files import as_text
from perceptrons.papers.runner import experiment

from .experiment_results import RESULTS, read


def main() -> None:
    for name in sys.argv[1:]:
        result, module = read(name), experiment(name)
        result["claims"] = [asdict(claim) for claim in module.check(result["values"])]
        (RESULTS / f"{name}.json").write_text(as_text(json.loads(json.dumps(result))), encoding="utf-8")
        drawn = files(lambda figure: module.draw(figure, result["values"]), module.HEIGHT, ("svg",))  # noqa: B023
        for suffix, content in drawn:
            (RESULTS / f"{name}.{suffix}").write_bytes(content)
        print(f"{name}: judged and drawn")


if __name__ == "__main__":
    main()
