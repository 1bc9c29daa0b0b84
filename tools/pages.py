"""Write what commands, experiments and benchmarks say into README.md and docs/:  python -m tools.pages

Nothing of it is typed by hand, and tests compare. A page may hold, in any number and order,

    ```console                    commands, after "$ ", and what they print: `console`
    <!-- reproduced:NAME -->      verdicts, figure and tables of an experiment: `experiment_results`
    <!-- verdicts -->             the main claims of all papers: `experiment_results`
    <!-- benchmark:NAME -->       the tables of a benchmark, or, with `:short`, its few telling rows:
                                  `benchmark_tables`

The last three end with <!-- end -->. With names of pages, only these are written; with --no-commands, what
commands print is left as it is (running them takes minutes).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from . import ROOT, benchmark_tables, console, experiment_results

PAGES = [
    path for pattern in ("README.md", "docs/*.md", "docs/papers/*.md") for path in sorted(ROOT.glob(pattern))
]


def fill(page: Path, text: str, commands: bool = True) -> str:
    """The text of a page, with what there is to say today."""
    text = benchmark_tables.fill(experiment_results.fill(text, page.parent))
    return console.fill(text) if commands else text


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages that have changed."""
    parser = argparse.ArgumentParser(prog="python -m tools.pages", description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, help="default: README.md, docs/ and docs/papers/")
    parser.add_argument("--no-commands", action="store_true", help="do not run the commands on the pages")
    options = parser.parse_args(arguments)
    for page in [path.resolve() for path in options.pages] or PAGES:
        before = page.read_text(encoding="utf-8")
        after = fill(page, before, commands=not options.no_commands)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"{page.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
