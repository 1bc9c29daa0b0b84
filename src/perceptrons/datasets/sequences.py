"""A genome's two files: its bases, in FASTA, and what is known to lie where, in GFF3 (version 1.26).

Only what `genome` needs: one sequence, of bases that are all known, and rows that do not run over its end (a
circular genome is cut open between two genes, as a rule).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

LETTERS = "acgt"  # in this order, a base and its complement add up to 3
CELLS = 9  # in a row of GFF3

Integers = np.ndarray[Any, np.dtype[np.integer[Any]]]


class Feature(NamedTuple):
    """A row of the annotation; bases are counted from 0, the end excluded."""

    kind: str
    start: int
    end: int
    strand: int  # 1, -1; 0 where it does not matter
    phase: int  # bases before the first whole codon, in the direction of reading
    pseudo: bool  # of a gene that works no more


def read_sequence(fasta: bytes) -> Integers:
    r"""The bases of one sequence, each as its place in "acgt".

    >>> read_sequence(b">example\nACG\nTTa\n").tolist()
    [0, 1, 2, 3, 3, 0]
    """
    title, *lines = fasta.split(b"\n")
    letters = b"".join(line.strip() for line in lines).lower()
    others = letters.strip(LETTERS.encode())
    if not title.startswith(b">") or not letters or others:
        raise ValueError(
            f"The sequence begins with {title[:20]!r} and has {len(letters):,} letters, among them "
            f"{others[:1]!r}, but must be a line that begins with > and then bases of {LETTERS}; give the "
            "FASTA file of one complete sequence."
        )
    places = np.zeros(256, np.uint8)
    places[list(LETTERS.encode())] = range(len(LETTERS))
    return places[np.frombuffer(letters, np.uint8)]


def read_annotation(gff: bytes, n_bases: int) -> list[Feature]:
    r"""The rows about a sequence of this number of bases.

    >>> row = b"chr\tX\tCDS\t4\t9\t.\t-\t0\tID=c1;pseudo=true"
    >>> read_annotation(b"##gff-version 3\n" + row, 9)
    [Feature(kind='CDS', start=3, end=9, strand=-1, phase=0, pseudo=True)]
    """
    rows = [line.split("\t") for line in gff.decode().splitlines() if line and line[0] != "#"]
    for row in rows:
        _check(row, rows[0][0], n_bases)
    return [_feature(*row) for row in rows]


def _check(row: Sequence[str], sequence: str, n_bases: int) -> None:
    if len(row) != CELLS or row[0] != sequence or not 1 <= int(row[3]) <= int(row[4]) <= n_bases:
        raise ValueError(
            f"The annotation has the row {row[:5]}, which is not one of {CELLS} cells about bases 1 to "
            f"{n_bases:,} of the sequence {sequence!r}; give the GFF3 file that belongs to the sequence."
        )


def _feature(
    sequence: str,
    source: str,
    kind: str,
    first: str,
    last: str,
    score: str,
    strand: str,
    phase: str,
    more: str,
) -> Feature:
    signed = {"+": 1, "-": -1}.get(strand, 0)
    pseudo = "pseudo=true" in more.split(";")
    return Feature(kind, int(first) - 1, int(last), signed, 0 if phase == "." else int(phase), pseudo)
