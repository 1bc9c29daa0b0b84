"""Writing model files: whole or not at all, whatever fails and whenever the process is killed."""

import errno
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import perceptrons
from perceptrons import Perceptron, load, save
from perceptrons.model_file import save_load as model_file

X = np.random.default_rng(1).integers(-3, 4, (12, 3)) / 4.0


def failing(error):
    def fail(*arguments, **options):
        raise error

    return fail


class Full(io.FileIO):
    """A disk that has room for half of what is written."""

    def write(self, data):
        super().write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("where", "name", "instead"),
    [
        (os, "replace", failing(PermissionError("no"))),
        (os, "fsync", failing(OSError(errno.EIO, "no"))),
        (os, "fsync", failing(KeyboardInterrupt())),
        (os, "chmod", failing(PermissionError("no"))),
        (os, "fdopen", Full),
    ],
)
def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch, where, name, instead):
    path = tmp_path / "model.json"
    save(Perceptron().fit(X, X[:, 0] > 0), path)
    before = path.read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(where, name, instead)
        with pytest.raises((OSError, KeyboardInterrupt)):
            save(Perceptron().fit(X, X[:, 1] > 0), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_folders_that_cannot_be_synchronised(tmp_path, monkeypatch):
    real, model = os.fsync, Perceptron().fit(X, X[:, 0] > 0)

    def fsync(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, "no")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    number = errno.EINVAL  # a network drive
    save(model, tmp_path / "model.json")
    number = errno.EIO  # a failing disk
    with pytest.raises(OSError, match="no"):
        save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").converged_


def test_where_it_is_written(tmp_path):
    model, path = Perceptron().fit(X, X[:, 0] > 0), tmp_path / "model.json"
    before = os.umask(0o027)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    link = tmp_path / "link.json"
    link.symlink_to(path.name)
    save(model, link, about={"by": "link"})
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert model_file.read(path)[1] == {"by": "link"}
    with pytest.raises(IsADirectoryError, match="add a file name"):
        save(model, tmp_path)
    with pytest.raises(IsADirectoryError, match="add a file name"):
        save(model, f"{tmp_path}/new/")
    with pytest.raises(FileNotFoundError, match="no such folder to save in; create it first"):
        save(model, tmp_path / "none" / "model.json")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a device or pipe, which cannot be replaced"):
        save(model, tmp_path / "pipe")
    assert sorted(os.listdir(tmp_path)) == ["link.json", "model.json", "pipe"]


KILLS = """
import json, os, random, signal, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from perceptrons import Perceptron, load, save

folder, kills = sys.argv[1], int(sys.argv[2])
path, chance, fsync = os.path.join(folder, "model.json"), random.Random(0), os.fsync
X = np.random.default_rng(0).integers(-3, 4, (12, 40)).astype(float)
models = [Perceptron(max_epochs=2).fit(X, X[:, k] > 0) for k in (0, 1)]
save(models[0], path)

def slow(handle):  # as on a busy disk: so that kills fall between the first byte and the last step
    time.sleep(0.003)
    fsync(handle)

counts = {"kills": 0, "within": 0, "half": 0, "first": 0, "second": 0}
for _ in range(kills):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.fsync = slow
        while True:
            for model in models[::-1]:
                os.write(writer, b"(")
                save(model, path)
                os.write(writer, b")")
    os.close(writer)
    os.read(reader, 1)
    time.sleep(chance.uniform(0.0, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    last = os.read(reader, 10**6)
    os.close(reader)
    found = load(path)
    first, second = (np.array_equal(found.coef_, model.coef_) for model in models)
    assert first != second
    left = [name for name in os.listdir(folder) if name != "model.json"]
    assert len(left) <= 1 and all(name.startswith(".perceptrons-") for name in left), left
    for name in left:
        os.unlink(os.path.join(folder, name))
    counts["kills"] += 1
    counts["within"] += not last.endswith(b")")
    counts["half"] += len(left)
    counts["first" if first else "second"] += 1
print(json.dumps(counts))
"""


@pytest.mark.slow
def test_killed_while_saving(tmp_path, jit):
    kills = 60 if jit else 20
    env = {**os.environ, "PYTHONPATH": str(Path(perceptrons.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", KILLS, str(tmp_path), str(kills)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] == kills
    assert min(counts["within"], counts["half"], counts["first"], counts["second"]) > 2, counts
