"""Coding windows: small genomes against the slow twin, and what is known about E. coli."""

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.datasets import genome
from perceptrons.datasets.downloads import fetch
from perceptrons.datasets.genome import CODING, NONCODING, cut, in_frame, windows
from perceptrons.datasets.sequences import LETTERS, read_annotation, read_sequence
from tests.naive import genome as naive

pytestmark = pytest.mark.slow


def fasta(sequence, length=7):
    lines = [sequence[i : i + length] for i in range(0, len(sequence), length)]
    return "\n".join([">made up", *lines, ""]).encode()


def gff(rows):
    lines = [
        "\t".join(
            [
                "made",
                "up",
                kind,
                str(first),
                str(last),
                ".",
                strand,
                str(phase),
                f"ID=x{';pseudo=true' * pseudo}",
            ]
        )
        for kind, first, last, strand, phase, pseudo in rows
    ]
    return "\n".join(["##gff-version 3", *lines, "###"]).encode()


def spelled(found):
    return ["".join(row) for row in found.X.rows()]


def twin(sequence, rows, width, n_regions):
    """What should be found: {(start, strand, class): spelling}; a non-coding window on both strands."""
    coding = {(*key, CODING): text for key, text in naive.coding(sequence, rows, width).items()}
    noncoding = {
        (start, strand, NONCODING): text
        for start, texts in naive.noncoding(
            sequence, rows, width, ("region", "origin_of_replication")
        ).items()
        for strand, text in texts.items()
    }
    return {
        key: text
        for key, text in (coding | noncoding).items()
        if naive.region(key[0], width, len(sequence), n_regions) is not None
    }


SEQUENCE = "atgccattgacgtacgttagcatcgatcgatcgggctaatcgcgatatcgcgcttaagcgca"  # 62 bases
ROWS = [
    ("region", 1, 62, "+", ".", False),
    ("gene", 3, 18, "+", ".", False),
    ("CDS", 4, 17, "+", 1, False),  # windows of 6 from base 5: 5-10, 11-16
    ("CDS", 10, 21, "-", 0, False),  # overlaps: 16-21, 10-15, read backwards
    ("CDS", 4, 10, "+", 1, False),  # a shorter form of the first: 5-10 again
    ("CDS", 33, 44, "-", 2, False),  # 37-42, read backwards
    ("CDS", 49, 54, "+", 0, True),  # pseudo: neither
    ("origin_of_replication", 23, 30, "+", ".", False),  # free all the same
]


def test_a_genome_by_hand():
    found = cut(fasta(SEQUENCE), gff(ROWS), None, seed=3, width=6, n_regions=1)
    coding = found.y == CODING
    places = list(zip(found.starts[coding].tolist(), found.strands[coding].tolist(), strict=True))
    assert places == [(4, 1), (9, -1), (10, 1), (15, -1), (36, -1)]
    texts = np.array(spelled(found))
    assert texts[coding].tolist() == ["cattga", "gtacgt", "cgtacg", "gctaac", "cgatta"]
    assert found.starts[~coding].tolist() == [
        21,
        54,
    ]  # 22-27 of 22-32, and 55-60 of 55-62; 1-2 and 45-48 short
    assert (found.groups == 0).all()


def test_windows_that_cross_a_border_are_left_out():
    found = cut(fasta("acgt" * 10), gff([("CDS", 1, 24, "+", 0, False)]), None, seed=0, width=6, n_regions=1)
    assert found.starts.tolist() == [0, 6, 12, 18, 24, 30]
    rows = [("CDS", 1, 12, "+", 0, False), ("CDS", 25, 36, "-", 0, False)]
    halves = cut(fasta("acgt" * 12), gff(rows), None, seed=0, width=6, n_regions=2)
    assert halves.starts.tolist() == [0, 6, 12, 18, 24, 30, 36, 42]
    assert halves.groups.tolist() == [0] * 4 + [1] * 4
    moved = [(kind, first + 3, last + 3, *more) for kind, first, last, *more in rows]
    halves = cut(fasta("acgt" * 12), gff(moved), None, seed=0, width=6, n_regions=2)
    assert halves.starts.tolist() == [3, 9, 15, 27, 33, 39]  # 21 to 26 lie on both sides of 24


@st.composite
def genomes(draw):
    n_bases = draw(st.integers(60, 200))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    sequence = "".join(random.choice(list(LETTERS), n_bases))
    kinds = st.sampled_from(["CDS"] * 6 + ["gene", "tRNA", "region", "origin_of_replication"])
    rows = []
    for _ in range(draw(st.integers(5, 10))):
        first = draw(st.integers(1, n_bases - 9))
        last = draw(st.integers(first, min(n_bases, first + 30)))
        kind = draw(kinds)
        phase = draw(st.integers(0, 2)) if kind == "CDS" else "."
        rows.append((kind, first, last, draw(st.sampled_from("+-")), phase, draw(st.integers(0, 4)) == 4))
    return sequence, rows


def test_every_genome_is_cut_as_by_hand():
    """Where a class is missing from a region, there is an error; that must not be the rule."""
    informative = {CODING: 0, NONCODING: 0, "refused": 0, "crossing": 0, "reverse": 0, "phase": 0}

    @settings(deadline=None, derandomize=True, max_examples=400)
    @given(genomes(), st.sampled_from([3, 6]), st.integers(1, 3), st.integers(0, 9))
    def compare(made, width, n_regions, seed):
        sequence, rows = made
        expected = twin(sequence, rows, width, n_regions)
        present = {
            (naive.region(start, width, len(sequence), n_regions), name) for start, _, name in expected
        }
        arguments = fasta(sequence), gff(rows), None
        if len(present) < 2 * n_regions:
            informative["refused"] += 1
            with pytest.raises(ValueError, match=r"holds only 0 (non)?coding windows"):
                cut(*arguments, seed=seed, width=width, n_regions=n_regions)
            return
        found = cut(*arguments, seed=seed, width=width, n_regions=n_regions)
        signs = {1: "+", -1: "-"}
        keys = [
            (start, signs[strand], name)
            for start, strand, name in zip(
                found.starts.tolist(), found.strands.tolist(), found.y.tolist(), strict=True
            )
        ]
        assert {key: expected[key] for key in keys} == dict(zip(keys, spelled(found), strict=True))
        assert {key for key in expected if key[2] == CODING} == {key for key in keys if key[2] == CODING}
        free = [start for start, _, name in keys if name == NONCODING]
        assert free == sorted({start for start, _, name in expected if name == NONCODING})
        assert len(set(keys)) == len(keys)
        assert found.groups.tolist() == [
            naive.region(start, width, len(sequence), n_regions) for start, _, _ in keys
        ]
        assert found.starts.tolist() == sorted(found.starts)
        informative[CODING] += len(keys) - len(free)
        informative[NONCODING] += len(free)
        informative["crossing"] += len(twin(sequence, rows, width, 1)) > len(expected)
        informative["reverse"] += any(strand == "-" for _, strand, name in keys if name == CODING)
        informative["phase"] += any(row[0] == "CDS" and row[4] and not row[5] for row in rows)

    compare()
    assert informative["refused"] < 250
    assert min(informative[CODING], informative[NONCODING]) > 500
    assert min(informative["crossing"], informative["reverse"], informative["phase"]) > 20


def test_a_coin_for_the_strand_and_a_seed_for_the_coin():
    free = fasta("acgt" * 1500), gff([("CDS", 1, 3, "+", 0, False)]), None
    strands = [cut(*free, seed=seed, width=3, n_regions=1).strands[1:] for seed in (0, 0, 1)]
    assert len(strands[0]) == 1999
    assert abs(strands[0].sum()) < 4 * np.sqrt(1999)
    assert (strands[0] == strands[1]).all()
    assert 0.4 < (strands[0] == strands[2]).mean() < 0.6


def test_classes_are_drawn_evenly():
    rows = [("CDS", 1 + 300 * i, 90 + 300 * i, "+", 0, False) for i in range(4)]
    made = fasta("acgtta" * 200), gff(rows)
    few = cut(*made, 80, seed=1, width=3, n_regions=4)
    for name in (CODING, NONCODING):
        assert np.bincount(few.groups[few.y == name]).tolist() == [20] * 4
    assert len({*few.starts.tolist()}) == 160
    everything = cut(*made, None, seed=1, width=3, n_regions=4)
    assert {*zip(few.starts, few.strands, strict=True)} < {
        *zip(everything.starts, everything.strands, strict=True)
    }
    assert (few.starts != cut(*made, 80, seed=2, width=3, n_regions=4).starts).any()
    assert "120 coding (120 within one of 4 regions, of which 80 are used)" in few.provenance
    with pytest.raises(
        ValueError, match="holds only 30 coding windows of width=3; use n_per_class=120 at most"
    ):
        cut(*made, 124, seed=1, width=3, n_regions=4)
    assert len(cut(*made, 120, seed=1, width=3, n_regions=4).y) == 240


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"width": 14}, "width=14 is no multiple of 3.*use 12"),
        ({"width": 0}, "width=0, but it must be an integer >= 3"),
        ({"width": 15.0}, r"width=15\.0, but it must be an integer"),
        ({"n_regions": 0}, "n_regions=0, but it must be an integer >= 1"),
        ({"seed": -1}, "seed=-1, but it must be an integer >= 0"),
        ({"n_per_class": 0}, "n_per_class=0, but it must be an integer >= 1; use None for all"),
        ({"n_per_class": 10}, "n_per_class=10 is no multiple of n_regions=4.*use 12"),
        ({"n_regions": 9, "n_per_class": 9}, "One of n_regions=9 regions holds only 0 coding windows.*fewer"),
    ],
)
def test_impossible_wishes(change, complaint):
    wishes = {"n_per_class": None, "seed": 0, "width": 6, "n_regions": 4, **change}
    with pytest.raises(ValueError, match=complaint):
        cut(fasta(SEQUENCE), gff(ROWS), **wishes)


@pytest.mark.parametrize("spoiled", [b"", b"acgt\n", b">x\n", b">x\nacgn\nacgt", b">x\nacg\n>y\nacg"])
def test_what_is_no_sequence(spoiled):
    with pytest.raises(ValueError, match="give the FASTA file of one complete sequence"):
        read_sequence(spoiled)


@pytest.mark.parametrize(
    "row",
    ["made\tup\tCDS\t1\t9\t.\t+\t0", "other\tup\tCDS\t1\t9\t.\t+\t0\t", "made\tup\tCDS\t60\t63\t.\t+\t0\t"],
)
def test_what_is_no_annotation(row):
    assert len(read_annotation(gff(ROWS), 62)) == len(ROWS)
    with pytest.raises(ValueError, match="bases 1 to 62 of the sequence 'made'; give the GFF3 file"):
        read_annotation(gff(ROWS) + b"\n" + row.encode(), 62)


@pytest.fixture(scope="module")
def files():
    return fetch(genome.SEQUENCE).data, fetch(genome.ANNOTATION).data


@pytest.fixture(scope="module")
def everything():
    return windows()


@pytest.mark.data
def test_counts_of_coli(files, everything):
    bases = read_sequence(files[0])
    rows = [row for row in read_annotation(files[1], len(bases)) if row.kind == "CDS"]
    working = [row for row in rows if not row.pseudo]
    assert (len(bases), len(rows), len(working)) == (4_641_652, 4337, 4301)
    assert sum(len(in_frame(row, 15)) for row in working) == 265_121
    assert all(row.pseudo for row in rows if (row.end - row.start) % 3)
    assert "264,859 coding (264,857 within" in everything.provenance
    assert "29,630 noncoding (29,629 within" in everything.provenance
    assert {name: int((everything.y == name).sum()) for name in (CODING, NONCODING)} == {
        CODING: 264_857,
        NONCODING: 29_629,
    }


def codons(bases, row):
    forward = bases[row.start : row.end]
    read = forward if row.strand > 0 else 3 - forward[::-1]
    return (read[row.phase :].reshape(-1, 3) @ [16, 4, 1]).tolist()


@pytest.mark.data
def test_stop_codons_end_genes(files):
    """In frame, the three stop codons stand at the end alone; except for selenocysteine, three times."""
    taa, tag, tga = stops = [16 * 3 + 4 * 0 + 0, 16 * 3 + 4 * 0 + 2, 16 * 3 + 4 * 2 + 0]
    bases = read_sequence(files[0])
    rows = [row for row in read_annotation(files[1], len(bases)) if row.kind == "CDS" and not row.pseudo]
    inner = [codon for row in rows for codon in codons(bases, row)[:-1] if codon in stops]
    assert inner == [tga] * 3
    last = [codons(bases, row)[-1] for row in rows]
    assert sum(codon in stops for codon in last) == 4298  # three are first parts of shifted frames
    assert taa in last
    assert tag in last


@pytest.mark.data
def test_windows_of_coli_are_in_frame(everything):
    """So stop codons are rare at codon boundaries, and not elsewhere."""
    texts = np.array(spelled(everything), "S15").view("S1").reshape(-1, 15)
    assert set(np.unique(texts)) == {letter.encode() for letter in LETTERS}

    def share(name, first):
        triples = [b"".join(row[first : first + 3]) for row in texts[everything.y == name][::20].tolist()]
        return np.mean([triple in (b"taa", b"tag", b"tga") for triple in triples])

    assert max(share(CODING, first) for first in (0, 3, 6)) < 0.002
    assert min(share(CODING, first) for first in (1, 2, 4, 5)) > 0.02
    assert min(share(NONCODING, first) for first in (0, 1, 2)) > 0.05


@pytest.mark.data
def test_regions_share_no_base(everything):
    starts, groups = everything.starts, everything.groups
    assert set(groups) == {0, 1, 2, 3}
    edges = [(starts[groups == group].min(), starts[groups == group].max() + 15) for group in range(4)]
    assert all(end <= start for (_, end), (start, _) in pairwise(edges))
    places = list(zip(starts.tolist(), everything.strands.tolist(), strict=True))
    assert len(set(places)) == len(places)
    assert places == sorted(places)


@pytest.mark.data
def test_no_coding_base_is_noncoding(files, everything):
    coding = np.zeros(4_641_652, bool)
    for row in read_annotation(files[1], len(coding)):
        if row.kind != "region" and row.kind != "origin_of_replication":
            coding[row.start : row.end] = True
    noncoding = everything.starts[everything.y == NONCODING]
    assert not coding[noncoding[:, None] + np.arange(15)].any()
    assert (np.diff(noncoding) >= 15).all()


@pytest.mark.data
def test_repeats_are_as_told(everything):
    """The number in the docstring: windows spelled like one in another region."""
    coding = everything.y == CODING
    places = {}
    texts = np.array(spelled(everything))[coding].tolist()
    for text, group in zip(texts, everything.groups[coding].tolist(), strict=True):
        places.setdefault(text, set()).add(group)
    assert sum(len(places[text]) > 1 for text in texts) == 4536
    assert "4,536" in genome.__doc__


@pytest.mark.data
def test_a_draw_from_coli(files, everything):
    few, again, other = windows(400, seed=5), windows(400, seed=5), windows(400, seed=6)
    assert few.X.equals(again.X)
    assert (few.y == again.y).all()
    assert few.X.columns == [f"p{j}" for j in range(1, 16)]
    assert (few.starts != other.starts).any()
    for name in (CODING, NONCODING):
        assert np.bincount(few.groups[few.y == name]).tolist() == [100] * 4
    assert few.digest == everything.digest == hashlib.sha256(files[0] + files[1]).hexdigest()
    for words in ("NC_000913.3", "Not the set of Craven & Shavlik", "of which 400 are used", genome.NAME):
        assert words in few.provenance
