"""Coding windows of Escherichia coli: 15 bases each, from inside genes or from between them.

Jackson & Craven's third domain (section 4) is the set of Craven & Shavlik (1993), which is not public. Ours
is derived in its manner from the genome of E. coli K-12 MG1655 (NC_000913.3): not the authors' set.

- Coding: CDS rows, pseudogenes aside, are cut into windows side by side from their first codon on, so that
  positions 1, 4, 7, ... begin a codon. Genes on the reverse strand are read there. Two forms of a protein may
  share windows; each counts once (of 265,121, that leaves 264,859). Genes that overlap otherwise keep both.
- Non-coding: what lies outside every gene, CDS, RNA, mobile element and other feature, cut side by side. A
  coin decides on which strand a window is read, so that the strand says nothing.
- The genome is split into as many regions of equal length as there are to be folds, and a window that crosses
  a border is left out: no base of a training window is seen in testing. What occurs several times in the
  genome still does: 4,536 of the coding windows are spelled like one of another of the 4 regions.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..checks import number
from ..tables.read import Frame, Series
from .downloads import RawFile, fetch
from .sequences import LETTERS, Feature, Integers, read_annotation, read_sequence

CODING, NONCODING = "coding", "noncoding"
CODON = 3  # bases
PASSED_OVER = ("region", "origin_of_replication")  # the whole genome; where its copying begins
NAME = "GCF_000005845.2_ASM584v2_genomic"
AT_NCBI = f"https://ftp.ncbi.nlm.nih.gov/genomes/all/GCF/000/005/845/GCF_000005845.2_ASM584v2/{NAME}"
SEQUENCE = RawFile(
    "The genome of E. coli K-12",
    f"ecoli_k12/{NAME}.fna.gz",
    4_699_745,
    "53bb6a51b6e92139ced1e38f74b7938781027c52200922ff03718c2237d23bb4",
    f"{AT_NCBI}.fna.gz",
)
ANNOTATION = RawFile(
    "The annotation of E. coli K-12",
    f"ecoli_k12/{NAME}.gff.gz",
    2_651_503,
    "5cc423caba7353aeceb2a0a4144ee8cfac2fa6d2f55f39b160dc1cf8971c5c58",
    f"{AT_NCBI}.gff.gz",
    "; NCBI renews annotations, and the one of December 2022 is kept at github.com/iankorf/MCB185, in data",
)


class Places(NamedTuple):
    starts: Integers  # the lowest base of each window, on whichever strand it is read
    strands: Integers

    def at(self, chosen: Integers) -> "Places":
        return Places(self.starts[chosen], self.strands[chosen])


class Share(NamedTuple):
    """The windows of one class."""

    name: str
    n_laid: int
    n_inside: int
    drawn: Places


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of the genome, their classes, and where they are.

    >>> from perceptrons import datasets
    >>> genome = datasets.windows(4)
    >>> genome.X.columns[:3], sorted(set(genome.strands.tolist())) <= [-1, 1]
    (['p1', 'p2', 'p3'], True)
    """

    X: Frame  # p1, p2, ...: a, c, g, t
    y: np.ndarray[Any, Any]  # coding, noncoding
    groups: Integers  # the region of each window, 0, 1, ...: the folds
    starts: Integers  # its lowest base, counted from 0
    strands: Integers  # 1, or -1: read on the reverse strand
    provenance: str
    digest: str  # of sequence and annotation together


def windows(n_per_class: int | None = None, *, seed: int = 0, width: int = 15, n_regions: int = 4) -> Windows:
    """Windows of E. coli, in the order of the genome.

    Parameters
    ----------
    n_per_class : int or None, default None
        The number of windows of each class, drawn at random, the same number from each region. None takes
        all.
    seed : int, default 0
        Draws the windows.
    width : int, default 15
        The number of bases in a window, which are whole codons.
    n_regions : int, default 4
        The number of parts of the genome, of equal length.

    Examples
    --------
    >>> from perceptrons import datasets
    >>> genome = datasets.windows(100)
    >>> genome.X.shape, sorted(set(genome.y.tolist())), sorted(set(genome.groups.tolist()))
    ((200, 15), ['coding', 'noncoding'], [0, 1, 2, 3])
    """
    sequence, annotation = fetch(SEQUENCE), fetch(ANNOTATION)
    found = cut(sequence.data, annotation.data, n_per_class, seed=seed, width=width, n_regions=n_regions)
    origin = (
        f"Escherichia coli K-12 MG1655, NC_000913.3, with its RefSeq annotation. Read from {sequence.where} "
        f"and {annotation.where}. NCBI places no restriction on its use. Not the set of Craven & Shavlik "
        f"(1993), which is not public, but derived in its manner. "
    )
    return replace(found, provenance=origin + found.provenance)


def cut(
    fasta: bytes, gff: bytes, n_per_class: int | None, *, seed: int, width: int, n_regions: int
) -> Windows:
    """The windows of any genome that is one sequence."""
    _check(n_per_class, seed, width, n_regions)
    bases = read_sequence(fasta)
    features = read_annotation(gff, len(bases))
    borders = len(bases) * np.arange(n_regions + 1) // n_regions
    tossing, *drawing = np.random.default_rng(seed).spawn(3)
    coding = coding_places(features, width)
    noncoding = noncoding_places(features, len(bases), width, tossing)
    shares = (
        _share(CODING, coding, borders, width, n_per_class, drawing[0]),
        _share(NONCODING, noncoding, borders, width, n_per_class, drawing[1]),
    )
    places, y = _in_order(shares)
    X, groups = _spelled(bases, places, width), _region(places.starts, borders)
    digest = hashlib.sha256(fasta + gff).hexdigest()
    return Windows(X, y, groups, *places, _counts(shares, width, n_regions), digest)


def _check(n_per_class: int | None, seed: int, width: int, n_regions: int) -> None:
    number("seed", seed, "[0, inf)", "use 0", Integral)
    number("width", width, f"[{CODON}, inf)", "use 15", Integral)
    number("n_regions", n_regions, "[1, inf)", "use 4, for 4 folds", Integral)
    if width % CODON:
        raise ValueError(
            f"width={width} is no multiple of {CODON}, so windows side by side would begin inside codons; "
            f"use {width - width % CODON}."
        )
    if n_per_class is None:
        return
    number("n_per_class", n_per_class, "[1, inf)", "use None for all windows", Integral)
    if n_per_class % n_regions:
        raise ValueError(
            f"n_per_class={n_per_class} is no multiple of n_regions={n_regions}, so regions would not be "
            f"equal; use {n_per_class + -n_per_class % n_regions}."
        )


def coding_places(features: Iterable[Feature], width: int) -> Places:
    """Windows side by side from the first whole codon of each CDS row; each place on a strand once."""
    rows = [feature for feature in features if feature.kind == "CDS" and not feature.pseudo]
    found = {(start, row.strand) for row in rows for start in in_frame(row, width)}
    starts, strands = np.array(sorted(found), np.int64).reshape(-1, 2).T
    return Places(starts, strands)


def in_frame(row: Feature, width: int) -> range:
    """Where the windows of one row start, in the direction of reading."""
    if row.strand >= 0:
        return range(row.start + row.phase, row.end - width + 1, width)
    return range(row.end - row.phase - width, row.start - 1, -width)


def noncoding_places(
    features: Iterable[Feature], n_bases: int, width: int, random: np.random.Generator
) -> Places:
    """Windows side by side in every stretch without a feature, on strands by the toss of a coin."""
    free = np.ones(n_bases + 2, np.int8)
    free[[0, -1]] = 0  # so that every stretch has two edges
    for feature in features:
        if feature.kind not in PASSED_OVER:
            free[feature.start + 1 : feature.end + 1] = 0
    stretches = np.flatnonzero(np.diff(free)).reshape(-1, 2).tolist()
    starts = [start for first, end in stretches for start in range(first, end - width + 1, width)]
    return Places(np.array(starts, np.int64), random.choice([-1, 1], len(starts)))


def _share(
    name: str,
    laid: Places,
    borders: Integers,
    width: int,
    n_wanted: int | None,
    random: np.random.Generator,
) -> Share:
    """Of the windows that cross no border, those that are wanted."""
    first, last = _region(laid.starts, borders), _region(laid.starts + width - 1, borders)
    inside = np.flatnonzero(first == last)
    members = [inside[first[inside] == region] for region in range(len(borders) - 1)]
    least = min(map(len, members))
    most = least * len(members)
    if not least or (n_wanted or 0) > most:
        raise ValueError(
            f"One of n_regions={len(members)} regions holds only {least:,} {name} windows of width={width}; "
            + (f"use n_per_class={most} at most, not {n_wanted}." if least else "use fewer regions.")
        )
    if n_wanted is not None:
        members = [random.choice(region, n_wanted // len(members), replace=False) for region in members]
    return Share(name, len(first), len(inside), laid.at(np.concatenate(members)))


def _region(bases: Integers, borders: Integers) -> Integers:
    return np.searchsorted(borders, bases, side="right") - 1


def _in_order(shares: Sequence[Share]) -> tuple[Places, np.ndarray[Any, Any]]:
    """All windows as they lie in the genome, with their classes."""
    starts, strands = map(np.concatenate, zip(*(share.drawn for share in shares), strict=True))
    y = np.repeat([share.name for share in shares], [len(share.drawn.starts) for share in shares])
    order = np.lexsort((strands, starts))
    return Places(starts, strands).at(order), y[order]


def _spelled(bases: Integers, places: Places, width: int) -> Frame:
    """The reverse strand holds the complements, and is read backwards."""
    forward = bases[places.starts[:, None] + np.arange(width)]
    read = np.where(places.strands[:, None] < 0, len(LETTERS) - 1 - forward[:, ::-1], forward)
    letters = Series(list(LETTERS))
    return Frame({f"p{j + 1}": letters.gather(read[:, j]) for j in range(width)})


def _counts(shares: Iterable[Share], width: int, n_regions: int) -> str:
    both = " and ".join(
        f"{share.n_laid:,} {share.name} ({share.n_inside:,} within one of {n_regions} regions, of which "
        f"{len(share.drawn.starts):,} are used)"
        for share in shares
    )
    return f"Windows of {width} bases: {both}."
