"""A playground in a process of its own, and requests to it that a browser would not send."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

SOURCES = Path(__file__).resolve().parents[2] / "src"


class Playground(NamedTuple):
    url: str
    port: int
    process: subprocess.Popen
    said: list[str]


@contextmanager
def playground(*options: str, **environment: str) -> Iterator[Playground]:
    """Killed in the end, whatever happens, and its two processes with it: they end with their input."""
    command = [sys.executable, "-W", "error", "-m", "perceptrons", "play", "--no-open", *options]
    env = {**os.environ, "PYTHONPATH": str(SOURCES), **environment}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=env, **pipes)
    try:
        said = []
        while not said or "Ctrl-C" not in said[-1]:
            line = process.stdout.readline()
            if not line:
                raise AssertionError("".join(said) + process.stderr.read())
            said.append(line)
        url = re.search(r"http://\S+", "".join(said))[0]
        yield Playground(url, int(re.search(r":(\d+)/", url)[1]), process, said)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


def say(port: int, *parts: bytes, wait: float = 30.0) -> bytes:
    """What the server answers to these bytes, until it closes the connection or is silent."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as line:
        got = b""
        try:
            for part in parts:
                line.sendall(part)
            while more := line.recv(65536):
                got += more
        except (ConnectionResetError, BrokenPipeError, TimeoutError):
            pass  # it has heard enough, or waits for more
        return got


def memory(pid: int) -> int:
    """Bytes of a process that are in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in text.split()]
