"""Exported models in the engines they are for: Python, C compilers, SQLite, DuckDB, PostgreSQL, onnxruntime.

Each function takes `Shipped` models with the rows they are asked about, and gives `Answers`.
"""

import importlib.util
import math
import os
import shutil
import sqlite3
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from perceptrons.exports.export import export
from perceptrons.exports.program import NUMBER, TEXT, Program
from perceptrons.exports.read_program import read_program

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]


class Answers(NamedTuple):
    """Labels, None where a row has no answer; scores and probabilities in columns; which are rejected."""

    labels: list[Any]
    scores: np.ndarray
    probabilities: np.ndarray
    rejected: np.ndarray | None


class Shipped(NamedTuple):
    name: str
    model: Any
    program: Program
    rows: list[Any]  # dicts, or lists of cells where the model knows no names


def ship(name: str, model: Any, rows: list[Any]) -> Shipped:
    return Shipped(name, model, read_program(model), rows)


def cells(one: Shipped) -> list[list[Any]]:
    """The inputs of each row, NaN as None."""
    keys = [part.place if one.program.width else part.name for part in one.program.inputs]
    return [[_plain(row[key]) for key in keys] for row in one.rows]


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isnan(value) else value


# --- Python ---


def run_python(one: Shipped, folder: Path) -> Answers:
    path = folder / f"{one.name}.py"
    export(one.model, path, to="python")
    spec = importlib.util.spec_from_file_location(one.name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [module.evaluate(row) for row in one.rows]
    parts = {key: [row[key] for row in found] for key in ("label", "scores", "probabilities", "rejected")}
    return Answers(
        parts["label"],
        np.array(parts["scores"]).reshape(len(found), -1),
        np.array(parts["probabilities"]).reshape(len(found), -1),
        np.array(parts["rejected"]),
    )


# --- ONNX ---


def run_onnx(one: Shipped, folder: Path) -> Answers:
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    path = folder / f"{one.name}.onnx"
    export(one.model, path, to="onnx")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [part.name for part in session.get_outputs()]
    out = dict(zip(names, session.run(None, onnx_feed(one)), strict=True))
    found = {
        key: next((out[name] for name in names if name.startswith(key)), None)
        for key in ("label", "scores", "probabilities", "rejected")
    }
    n = len(one.rows)
    empty = np.zeros((n, 0))
    parts = [
        empty if found[key] is None else found[key].reshape(n, -1) for key in ("scores", "probabilities")
    ]
    return Answers(found["label"].tolist(), *parts, found["rejected"])


NO_TEXT = "missing \u2400"  # any text that is no category


def onnx_feed(one: Shipped) -> dict[str, np.ndarray]:
    if one.program.width and all(part.kind == NUMBER for part in one.program.inputs):
        return {"X": np.array(one.rows, np.float64)}
    columns = list(zip(*cells(one), strict=True)) or [()] * len(one.program.inputs)
    feed = {}
    for part, column in zip(one.program.inputs, columns, strict=True):
        if part.kind == TEXT:
            values = np.array([NO_TEXT if cell is None else as_written(cell) for cell in column], object)
        else:
            values = np.array([np.nan if cell is None else float(cell) for cell in column])
        feed[part.name] = values.reshape(-1, 1)
    return feed


def as_written(cell: Any) -> str:
    """A name in a table of texts."""
    return cell if isinstance(cell, str) else str(cell)


# --- C ---

READ = {
    "number": "    if (fread(&{member}, 8, 1, in) != 1)\n        return {first};\n",
    "truth": "    if (fread(&{member}, 4, 1, in) != 1)\n        return {first};\n",
    "text": (
        "    if (fread(&size, 4, 1, in) != 1)\n        return {first};\n"
        "    if (size >= 0 && fread(text_{k}, 1, (size_t)size, in) != (size_t)size)\n        return 1;\n"
        "    if (size >= 0)\n        text_{k}[size] = 0;\n"
        "    {member} = size < 0 ? 0 : text_{k};\n"
    ),
}


def c_driver(some: Sequence[Shipped]) -> str:
    """A program that reads rows from a file and writes what each model says of them."""
    heads = ["#include <stdio.h>", "#include <string.h>", "#include <stdint.h>"]
    heads += [f'#include "{one.name}.h"' for one in some]
    places = {k for one in some for k, part in enumerate(one.program.inputs) if part.kind == TEXT}
    heads += [f"static char text_{k}[5000];" for k in sorted(places)]
    functions = [_c_function(one) for one in some]
    calls = "".join(
        f'    in = fopen("{one.name}.rows", "rb");\n    out = fopen("{one.name}.answers", "wb");\n'
        f"    if (in == 0 || out == 0 || run_{one.name}(in, out) != 0)\n        return {k + 1};\n"
        f"    fclose(in);\n    fclose(out);\n"
        for k, one in enumerate(some)
    )
    main = f"int main(void)\n{{\n    FILE *in, *out;\n{calls}    return 0;\n}}\n"
    return "\n".join([*heads, *functions, main])


def _c_function(one: Shipped) -> str:
    from perceptrons.exports.c_header import CWriter
    from perceptrons.exports.c_units import takes_array

    program, prefix = one.program, one.name
    body = "    int32_t code;\n    double numbers[64];\n"
    if takes_array(program):
        body += f"    static double row[{program.width}];\n    (void)numbers;\n    for (;;) {{\n"
        body += f"    if (fread(row, 8, {program.width}, in) != {program.width})\n        return 0;\n"
        address = "row"
    else:
        body += f"    {prefix}_row row;\n    int32_t size = 0;\n    (void)numbers;\n    (void)size;\n"
        body += "    memset(&row, 0, sizeof row);\n    for (;;) {\n"
        body += "    if (fread(&code, 4, 1, in) != 1)\n        return 0;\n"
        names = CWriter(program).names
        for k, (part, name) in enumerate(zip(program.inputs, names, strict=True)):
            body += READ[part.kind].format(member=f"row.{name}", first=1, k=k)
        address = "&row"
    n_scores, n_probabilities = len(program.scores), len(program.probabilities)
    body += f"    code = {prefix}_predict({address});\n    fwrite(&code, 4, 1, out);\n"
    if n_scores == 1:
        body += f"    numbers[0] = {prefix}_score({address});\n    fwrite(numbers, 8, 1, out);\n"
    elif n_scores:
        body += f"    {prefix}_scores({address}, numbers);\n    fwrite(numbers, 8, {n_scores}, out);\n"
    if n_probabilities == 2:
        body += f"    numbers[1] = {prefix}_probability({address});\n    numbers[0] = 1.0 - numbers[1];\n"
        body += "    fwrite(numbers, 8, 2, out);\n"
    elif n_probabilities:
        body += f"    {prefix}_probabilities({address}, numbers);\n"
        body += f"    fwrite(numbers, 8, {n_probabilities}, out);\n"
    return f"static int run_{prefix}(FILE *in, FILE *out)\n{{\n{body}    }}\n}}\n"


def c_rows(one: Shipped) -> bytes:
    from perceptrons.exports.c_units import takes_array

    if takes_array(one.program):
        return np.array(one.rows, np.float64).tobytes()
    data = []
    for row in cells(one):
        data.append(struct.pack("<i", 1))
        for part, cell in zip(one.program.inputs, row, strict=True):
            data.append(_packed(part.kind, cell))
    return b"".join(data)


def _packed(kind: str, cell: Any) -> bytes:
    if kind == NUMBER:
        return struct.pack("<d", math.nan if cell is None else float(cell))
    if kind != TEXT:
        return struct.pack("<i", -1 if cell is None else int(cell))
    if cell is None:
        return struct.pack("<i", -1)
    text = as_written(cell).encode()
    return struct.pack("<i", len(text)) + text


def write_c(some: Sequence[Shipped], folder: Path, **options: Any) -> None:
    """Headers of all models, the rows of each, and one program for them all."""
    for one in some:
        export(one.model, folder / f"{one.name}.h", to="c", **options)
        (folder / f"{one.name}.rows").write_bytes(c_rows(one))
    (folder / "driver.c").write_text(c_driver(some))


def compiled_c(folder: Path, compiler: str = "gcc", *flags: str) -> None:
    command = [compiler, *WARNINGS, *flags, "driver.c", "-o", "driver", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    ran = subprocess.run(["./driver"], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, (ran.returncode, ran.stderr[:3000])


def read_c(one: Shipped, folder: Path) -> Answers:
    program = one.program
    n_scores, n_probabilities = len(program.scores), len(program.probabilities)
    kind = np.dtype([("code", "<i4"), ("scores", "<f8", n_scores), ("probabilities", "<f8", n_probabilities)])
    found = np.frombuffer((folder / f"{one.name}.answers").read_bytes(), kind)
    assert len(found) == len(one.rows)
    rejected = found["code"] == -1
    names = {-1: program.reject_label, -2: None} | dict(enumerate(program.labels))
    labels = [names[code] for code in found["code"].tolist()]
    if program.rejected is not None and program.reject_label is None:
        labels = [None if gone else label for gone, label in zip(rejected, labels, strict=True)]
    n = len(found)
    return Answers(labels, found["scores"].reshape(n, -1), found["probabilities"].reshape(n, -1), rejected)


# --- SQL ---

SQL_TYPES = {"number": "DOUBLE PRECISION", "text": "TEXT", "truth": "BOOLEAN"}


def query_of(one: Shipped, folder: Path) -> str:
    path = folder / f"{one.name}.sql"
    export(one.model, path, to="sql", keep=["row key"])
    text = path.read_bytes().decode().rstrip().removesuffix(";")
    return f'SELECT * FROM (\n{text}\n) AS answers ORDER BY "row key"'


def create(one: Shipped) -> str:
    columns = "".join(f", {_name(part.name)} {SQL_TYPES[part.kind]}" for part in one.program.inputs)
    return f'CREATE TABLE {_name(one.name)} ("row key" INTEGER{columns})'


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def table_rows(one: Shipped) -> list[tuple[Any, ...]]:
    kinds = [part.kind for part in one.program.inputs]
    return [
        (key, *(None if cell is None else _typed(kind, cell) for kind, cell in zip(kinds, row, strict=True)))
        for key, row in enumerate(cells(one))
    ]


def _typed(kind: str, cell: Any) -> Any:
    return float(cell) if kind == NUMBER else as_written(cell) if kind == TEXT else bool(cell)


def as_answers(one: Shipped, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Answers:
    """Results come behind the columns of the table, in a known order."""
    program = one.program
    start = 1 + len(program.inputs)
    assert len(rows) == len(one.rows)
    columns = [*zip(*rows, strict=True)][start:]
    labels, place = list(columns[0]), 1
    rejected = None
    if program.rejected is not None:
        rejected, place = np.array([_is_true(value) for value in columns[1]]), 2
    middle = place + len(program.scores)
    numbers = [
        np.array([[np.nan if v in (None, "") else float(v) for v in c] for c in some]).T.reshape(
            len(rows), -1
        )
        for some in (columns[place:middle], columns[middle:])
    ]
    return Answers(labels, *numbers, rejected)


def _is_true(value: Any) -> bool:
    return value in (True, 1, "t", "true")


def run_sqlite(one: Shipped, folder: Path) -> Answers:
    with sqlite3.connect(":memory:") as database:
        database.execute(create(one))
        marks = ", ".join("?" * (1 + len(one.program.inputs)))
        database.executemany(f"INSERT INTO {_name(one.name)} VALUES ({marks})", table_rows(one))
        found = database.execute(query_of(one, folder))
        names = [part[0] for part in found.description]
        answers = as_answers(one, names, found.fetchall())
    database.close()
    return answers


def run_duckdb(one: Shipped, folder: Path) -> Answers:
    import duckdb
    import pandas as pd

    with duckdb.connect() as database:
        database.execute(create(one))
        rows = table_rows(one)
        frame = pd.DataFrame(
            {
                f"column {k}": pd.Series(values, dtype=object)
                for k, values in enumerate(zip(*rows, strict=True))
            }
        )
        database.register("given", frame)
        database.execute(f"INSERT INTO {_name(one.name)} SELECT * FROM given")
        found = database.execute(query_of(one, folder))
        names = [part[0] for part in found.description]
        return as_answers(one, names, found.fetchall())


class Postgres:
    """A server of its own on a private socket, as a user that may run one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(folder, "postgres")
        self.programs = postgres_programs()

    def start(self) -> None:
        data, options = self.folder / "data", f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self._call("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--encoding=UTF8", "--locale=C")
        self._call("pg_ctl", "-D", data, "-w", "-l", self.folder / "log", "-o", options, "start")

    def stop(self) -> None:
        self._call("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def _call(self, program: str, *arguments: Any) -> None:
        command = [*self.user, str(self.programs / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

    def run(self, some: Sequence[Shipped], folder: Path) -> list[Answers]:
        """All queries in one session."""
        script = ["SET client_min_messages = warning;"]
        for one in some:
            rows = "".join("\t".join(map(_copied, row)) + "\n" for row in table_rows(one))
            script += [f"{create(one)};", f"COPY {_name(one.name)} FROM STDIN;\n{rows}\\."]
            script += [
                f"\\copy ({query_of(one, folder).replace(chr(10), ' ')}) TO STDOUT WITH (FORMAT text)"
                if False
                else f"COPY ({query_of(one, folder)}) TO STDOUT;",
                "\\echo =====",
                f"DROP TABLE {_name(one.name)};",
            ]
        command = [
            "psql",
            "-h",
            str(self.folder),
            "-U",
            "postgres",
            "-q",
            "-X",
            "-v",
            "ON_ERROR_STOP=1",
            "postgres",
        ]
        done = subprocess.run(command, input="\n".join(script), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:2000]
        parts = done.stdout.split("=====\n")[: len(some)]
        return [
            as_answers(
                one, (), [[_uncopied(cell) for cell in line.split("\t")] for line in part.split("\n")[:-1]]
            )
            for one, part in zip(some, parts, strict=True)
        ]


ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _copied(value: Any) -> str:
    if value is None:
        return "\\N"
    text = {True: "t", False: "f"}[value] if isinstance(value, bool) else str(value)
    return "".join(ESCAPES.get(sign, sign) for sign in text)


def _uncopied(text: str) -> Any:
    if text == "\\N":
        return None
    for sign, escape in [*ESCAPES.items()][1:]:
        text = text.replace(escape, sign)
    return text.replace("\\\\", "\\")


def postgres_programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else Path(shutil.which("initdb") or "/initdb").parent


def has_postgres() -> bool:
    return (postgres_programs() / "initdb").exists() and shutil.which("psql") is not None


@contextmanager
def postgres():
    with tempfile.TemporaryDirectory(prefix="perceptrons-", ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
