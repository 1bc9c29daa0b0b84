"""Raw files: from a folder, from a site (played by a function), kept and checked; MNIST and a9a by them."""

import gzip
import hashlib
import shutil
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest

from perceptrons.datasets import downloads, genome, images, svmlight
from perceptrons.datasets.downloads import RawFile, fetch
from perceptrons.datasets.images import mnist
from perceptrons.datasets.svmlight import a9a

TEXT = b"one line\nand another\n" * 50
RAW = RawFile(
    "The text",
    "texts/lines.gz",
    len(TEXT),
    hashlib.sha256(TEXT).hexdigest(),
    "https://example.org/a/lines.gz",
)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data home of our own, and no folder."""
    monkeypatch.delenv("PERCEPTRONS_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    return tmp_path / "home" / "perceptrons"


@pytest.fixture
def site(home, monkeypatch):
    """Play the network: `site(answer)` has every address give it, or raise it; returns what was asked."""

    def play(answer):
        def urlopen(url, timeout):
            assert timeout == downloads.PATIENCE
            asked.append(url)
            if isinstance(answer, Exception):
                raise answer
            return BytesIO(answer)

        asked = []
        monkeypatch.setattr(downloads, "urlopen", urlopen)
        return asked

    return play


@pytest.fixture
def folder(site, tmp_path, monkeypatch):
    """Write a file into the folder; whoever asks the network fails."""

    def write(data):
        path = tmp_path / "folder" / RAW.file
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        return path

    site(AssertionError("nobody should ask"))
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path / "folder"))
    return write


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_folder_comes_first(pack, folder, home):
    folder(pack(TEXT))
    assert fetch(RAW) == (TEXT, "texts/lines.gz in the folder PERCEPTRONS_DATA")
    assert not home.exists()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_download_is_kept(pack, site, home):
    asked = site(pack(TEXT))
    assert fetch(RAW) == fetch(RAW) == (TEXT, RAW.url)
    assert asked == [RAW.url]
    assert [path.name for path in home.iterdir()] == ["lines.gz"]
    assert (home / "lines.gz").read_bytes() == pack(TEXT)


def test_a_folder_without_the_file(site, tmp_path, monkeypatch):
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    asked = site(gzip.compress(TEXT))
    assert fetch(RAW).where == RAW.url
    assert asked == [RAW.url]


WHOLE = gzip.compress(TEXT)
SPOILED = {
    "another": (
        TEXT[:-2] + b"!\n",
        r"its 1,050 bytes have the digest \w{12}\.\.\., not \w{12}\.\.\. of 1,050",
    ),
    "shorter": (TEXT[:-1], "its 1,049 bytes have"),
    "longer": (TEXT + b"\n", "its more than 1,050 bytes have"),
    "longer inside": (gzip.compress(TEXT * 1000), "its more than 1,050 bytes have"),
    "empty": (b"", "its 0 bytes have"),
    "a page": (b"<html>404</html>", "its 16 bytes have"),
    "cut gzip": (WHOLE[:-12], "ended before the end-of-stream marker"),
    "gzip without its end": (WHOLE[:-4], "ended before the end-of-stream marker"),
    "broken gzip": (WHOLE[:10] + b"\xff" * 20, "invalid"),
    "no gzip": (WHOLE[:2] + TEXT, "compression method"),
    "wrong checksum": (WHOLE[:-8] + bytes(4) + WHOLE[-4:], "CRC check failed"),
}


@pytest.mark.parametrize(("spoiled", "complaint"), SPOILED.values(), ids=SPOILED)
def test_a_spoiled_file(spoiled, complaint, folder):
    path = folder(spoiled)
    with pytest.raises(ValueError, match=complaint) as caught:
        fetch(RAW)
    assert str(path) in str(caught.value)
    assert str(caught.value).startswith("The text")
    assert str(caught.value).endswith("or unset PERCEPTRONS_DATA to fetch it.")


@pytest.mark.parametrize(("spoiled", "complaint"), SPOILED.values(), ids=SPOILED)
def test_a_spoiled_download_leaves_nothing(spoiled, complaint, site, home):
    site(spoiled)
    with pytest.raises(ValueError, match=complaint) as caught:
        fetch(RAW)
    assert RAW.url in str(caught.value)
    assert str(caught.value).endswith(
        "set PERCEPTRONS_DATA to a folder that holds the file we know as texts/lines.gz."
    )
    assert list(home.iterdir()) == []
    site(gzip.compress(TEXT))
    assert fetch(RAW).data == TEXT


def test_what_was_kept_is_checked_again(site, home):
    site(gzip.compress(TEXT))
    fetch(RAW)
    (home / "lines.gz").write_bytes(gzip.compress(b"else"))
    with pytest.raises(ValueError, match=r"is not the one we know.*; delete .*lines\.gz to fetch it again"):
        fetch(RAW)


def test_a_folder_in_place_of_the_file(folder):
    path = folder(b"")
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match=r"The text cannot be read from .*lines\.gz \(.*directory.*\); put"):
        fetch(RAW)


def test_offline(site, home, tmp_path, monkeypatch):
    site(URLError("no route to host"))
    sentence = (
        r"The text cannot be loaded: {}, and https://example\.org/a/lines\.gz gave nothing \(.*no route"
    )
    with pytest.raises(OSError, match=sentence.format("PERCEPTRONS_DATA is not set")):
        fetch(RAW)
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    with pytest.raises(OSError, match=sentence.format(".* has no file texts/lines.gz")):
        fetch(RAW)
    site(EOFError())
    with pytest.raises(OSError, match=r"gave nothing \(EOFError\); go online, or set"):
        fetch(RAW)
    assert list(home.iterdir()) == []


def test_no_place_to_keep_it(site, tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "taken"))
    asked = site(TEXT)
    with pytest.raises(OSError, match=r"no download can be kept \(.*\); set SCIKIT_LEARN_DATA to a folder"):
        fetch(RAW)
    assert asked == []


def test_a_renewed_annotation(site):
    site(gzip.compress(b"##gff-version 3\n"))
    with pytest.raises(
        ValueError, match=r"NCBI renews annotations.*December 2022 is kept at github\.com.*; try again"
    ):
        fetch(genome.ANNOTATION)


def test_addresses_and_files():
    """The README of the data gives the files, the sites their addresses."""
    raws = [genome.SEQUENCE, genome.ANNOTATION, svmlight.TRAIN, svmlight.TEST]
    assert [raw.url.rpartition("/")[2] for raw in raws[:2]] == [Path(raw.file).name for raw in raws[:2]]
    assert [raw.url.rpartition("/")[2] for raw in raws[2:]] == ["a9a", "a9a.t"]
    assert all(raw.url.startswith("https://") for raw in raws)
    assert len({raw.digest for raw in [*raws, *images.FILES]}) == 8


@pytest.fixture(scope="module")
def digits():
    return mnist()


PUBLISHED = [  # MD5 of the four files, as public code gives them
    "6bbc9ace898e44ae57da46a324031adb",
    "a25bea736e30d166cdddb491f175f624",
    "2646ac647ad5339dbf082846283269ea",
    "27ae3e4e09519cfbb04c329615203637",
]


def arrays_of(found):
    return [found.train_images, found.train_labels, found.test_images, found.test_labels]


def idx(array):
    """The file of an array: two zeros, 8 for bytes, the number of axes, their lengths."""
    lengths = b"".join(length.to_bytes(4, "big") for length in array.shape)
    return bytes([0, 0, 8, array.ndim]) + lengths + array.tobytes()


@pytest.mark.data
def test_digits(digits):
    arrays = arrays_of(digits)
    assert [array.shape for array in arrays] == [(60000, 28, 28), (60000,), (10000, 28, 28), (10000,)]
    assert all(array.dtype == np.uint8 and array.flags.writeable for array in arrays)
    assert [hashlib.md5(idx(array), usedforsecurity=False).hexdigest() for array in arrays] == PUBLISHED
    train = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    test = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert [np.bincount(labels).tolist() for labels in arrays[1::2]] == [train, test]
    assert digits.digest == hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    assert "the folder PERCEPTRONS_DATA" in digits.provenance
    ink = digits.train_images.sum(axis=(1, 2), dtype=np.int64)
    assert ink[digits.train_labels == 1].mean() < 0.6 * ink[digits.train_labels == 0].mean()


@pytest.fixture
def openml(home, monkeypatch):
    """Play OpenML, with this answer or exception."""

    def play(answer):
        def fetch_openml(*, data_id, as_frame, parser):
            assert (data_id, as_frame, parser) == (554, False, "liac-arff")
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(images, "fetch_openml", fetch_openml)

    return play


def as_openml(found):
    """As OpenML gives it: whole numbers as floats, labels as texts."""
    pixels = np.concatenate([found.train_images, found.test_images]).reshape(-1, 784)
    labels = np.concatenate([found.train_labels, found.test_labels])
    return SimpleNamespace(data=pixels.astype(np.float32), target=labels.astype(str).astype(object))


@pytest.mark.data
def test_digits_from_openml(digits, openml):
    answer = as_openml(digits)
    openml(answer)
    found = mnist()
    pairs = zip(arrays_of(found), arrays_of(digits), strict=True)
    assert all(ours.dtype == np.uint8 and np.array_equal(ours, theirs) for ours, theirs in pairs)
    assert found.digest == digits.digest
    assert "OpenML (data_id=554)" in found.provenance
    answer.data[60_000, 300] += 1
    with pytest.raises(
        ValueError, match=r"MNIST from OpenML .* digest \w{12}\.\.\., not 06b0d1f124c4.*; set PERC"
    ):
        mnist()


@pytest.mark.parametrize(
    ("data", "target"),
    [(np.zeros((3, 784)), ["1"] * 3), (np.zeros((70_000, 784), np.uint8), ["one"] * 70_000)],
    ids=["few", "words"],
)
def test_other_digits_from_openml(data, target, openml):
    openml(SimpleNamespace(data=data, target=np.array(target, object)))
    with pytest.raises(
        ValueError, match=r"MNIST from OpenML \(data_id=554\) is not the one we know \(.*\); set"
    ):
        mnist()


def test_digits_offline(openml, tmp_path, monkeypatch):
    openml(URLError("no route to host"))
    with pytest.raises(
        OSError, match=r"MNIST .*: PERCEPTRONS_DATA is not set, and OpenML .*no route.*go online"
    ):
        mnist()
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    with pytest.raises(OSError, match=r"has no file mnist/train-images-idx3-ubyte\.gz, and OpenML gave no"):
        mnist()


def test_digits_of_a_folder_that_lacks_some(data, openml, tmp_path, monkeypatch):
    (tmp_path / "mnist").mkdir()
    shutil.copy(data / "mnist/t10k-labels-idx1-ubyte.gz", tmp_path / "mnist")
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    openml(EOFError())
    with pytest.raises(OSError, match=r"has no file mnist/train-images.*\(EOFError\)"):
        mnist()


@pytest.mark.data
def test_census():
    found = a9a()
    assert (found.X_train.shape, found.X_test.shape) == ((32561, 123), (16281, 123))
    assert [
        dict(zip(*np.unique(y, return_counts=True), strict=True)) for y in (found.y_train, found.y_test)
    ] == [
        {-1: 24720, 1: 7841},
        {-1: 12435, 1: 3846},
    ]
    assert set(found.X_train.data) == {1.0}
    assert np.diff(found.X_train.indptr).max() == 14
    assert (found.X_train.sum(axis=0) > 0).all()
    assert (found.X_test.sum(axis=0) > 0).sum() == 122
    assert found.y_train[0] == -1
    assert (found.X_train[0].indices + 1).tolist() == [3, 11, 14, 19, 39, 42, 55, 64, 67, 73, 75, 76, 80, 83]
    assert "sparse/a9a.t.gz in the folder" in found.provenance
    assert found.digest == hashlib.sha256(fetch(svmlight.TRAIN).data + fetch(svmlight.TEST).data).hexdigest()
