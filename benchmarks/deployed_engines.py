"""Ways to answer rows with one exported model, each a function of a number of rows: C, SQL, ONNX, Python."""

import ctypes
import importlib.util
import sqlite3
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from perceptrons import export

Answer = Callable[[], object]
LOOP = """#include "m.h"
void many(long n, const {cell} *rows, signed char *codes)
{{
    long i;
    for (i = 0; i < n; i++)
        codes[i] = (signed char)({call});
}}
"""
FLAGS = ["-std=c99", "-O3", "-march=native", "-shared", "-fPIC"]


def compiled(model: Any, folder: Path, width: int, packed: bool) -> Any:
    """The C function over rows of doubles, or over packed rows of bits."""
    export(model, folder / "m.h", to="c")
    words = -(-width // 64)
    call = f"m_0_packed(rows + {words} * i) > 0" if packed else f"m_predict(rows + {width} * i)"
    cell = "uint64_t" if packed else "double"
    (folder / "m.c").write_text(LOOP.format(cell=cell, call=call))
    name = folder / f"m{packed}.so"
    subprocess.run(["gcc", *FLAGS, "m.c", "-o", str(name), "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(name)).many


def in_c(many: Any, rows: np.ndarray, repeats: int = 1) -> Answer:
    codes = np.empty(len(rows), np.int8)
    given = ctypes.c_long(len(rows)), ctypes.c_void_p(rows.ctypes.data), ctypes.c_void_p(codes.ctypes.data)

    def answer() -> np.ndarray:
        for _ in range(repeats):
            many(*given)
        return codes

    return answer


def in_python(model: Any, folder: Path, rows: list[list[float]]) -> Answer:
    export(model, folder / "m.py", to="python")
    spec = importlib.util.spec_from_file_location("m", folder / "m.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    predict = module.predict
    return lambda: [predict(row) for row in rows]


def in_onnx(data: bytes, name: str, X: np.ndarray) -> Answer:
    """One thread, as everything else here."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {name: X})


def exported_onnx(model: Any, folder: Path) -> bytes:
    export(model, folder / "m.onnx", to="onnx")
    return (folder / "m.onnx").read_bytes()


def query(model: Any, folder: Path) -> str:
    export(model, folder / "m.sql", to="sql")
    text = (folder / "m.sql").read_text().rstrip().removesuffix(";")
    return f"SELECT sum(prediction) FROM ({text}) AS answers"


def in_sqlite(model: Any, folder: Path, X: np.ndarray) -> Answer:
    database = sqlite3.connect(":memory:")
    names = [f"x{k}" for k in range(X.shape[1])]
    database.execute(f"CREATE TABLE m ({', '.join(f'{name} DOUBLE PRECISION' for name in names)})")
    database.executemany(f"INSERT INTO m VALUES ({', '.join('?' * len(names))})", X.tolist())
    text = query(model, folder)
    return lambda: database.execute(text).fetchall()


def in_duckdb(model: Any, folder: Path, X: np.ndarray) -> Answer:
    import duckdb
    import pandas as pd

    database = duckdb.connect(config={"threads": 1})
    database.register("given", pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]))
    database.execute("CREATE TABLE m AS SELECT * FROM given")
    text = query(model, folder)
    return lambda: database.execute(text).fetchall()


def installed(*packages: str) -> bool:
    return all(find_spec(one) is not None for one in packages)
