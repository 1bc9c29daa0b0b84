"""A process that fits: it reads requests from its standard input and writes answers, one at a time.

A message is its length in four bytes, then that many bytes: a line with the task, and JSON. The process lives
until its input ends; the server kills it where a fit takes too long. It opens no file that a request names,
keeps nothing between requests, and leaves Ctrl-C to the server.
"""

import json
import signal
import struct
import sys
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")
RUN, TABLE, LESSONS, WARM = "run", "table", "lessons", "warm"


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints must not be taken for an answer
    while (message := read_message(requests)) is not None:
        write_message(answers, answer(message))


def read_message(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    return source.read(*LENGTH.unpack(head)) if len(head) == LENGTH.size else None


def write_message(out: BinaryIO, text: bytes) -> None:
    out.write(LENGTH.pack(len(text)) + text)
    out.flush()


def message_of(task: str, learner: str, text: bytes) -> bytes:
    return f"{task} {learner}\n".encode() + text


def answer(message: bytes) -> bytes:
    """The answer to a message; what is wrong with the request is one sentence, under "error"."""
    head, _, text = message.partition(b"\n")
    task, _, learner = head.decode().partition(" ")
    try:
        return json.dumps(_done(task, learner, text), allow_nan=False).encode()
    except (ValueError, OverflowError) as error:
        return json.dumps({"error": " ".join(str(error).split())[:400]}).encode()


def _done(task: str, learner: str, text: bytes) -> dict[str, Any]:
    from .asked import read_json
    from .lesson import offered_lessons, run_lesson, warm
    from .pasted import read_table_text

    if task == WARM:
        warm(learner)
        return {}
    if task == LESSONS:
        return offered_lessons()
    given = read_json(text)
    return read_table_text(given) if task == TABLE else run_lesson({**given, "learner": learner})


if __name__ == "__main__":
    main()
