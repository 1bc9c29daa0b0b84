"""Scores and labels as losses take them: checked, and as signs y = ±1, one against the rest."""

import math

import torch
from torch import Tensor


def checked(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of shape (rows, neurons), at least in single precision, and class numbers; or ValueError."""
    scores, target = shaped(scores, target)
    check_numbers(scores, target)
    return scores, target


def shaped(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """The same by shapes alone; no number is looked at."""
    for name, given in (("scores", scores), ("target", target)):
        if not isinstance(given, Tensor):
            raise ValueError(
                f"{name} are of type {type(given).__name__}, but must be a tensor; use torch.tensor."
            )
    if scores.device != target.device:
        raise ValueError(
            f"scores are on {scores.device}, but target is on {target.device}; use target.to(scores.device)."
        )
    if scores.ndim == 1:
        scores = scores[:, None]
    if scores.ndim != 2 or not scores.is_floating_point():
        raise ValueError(
            f"scores are {_told(scores)}, but must be floats of shape (rows, neurons), or (rows,) of one "
            "neuron."
        )
    if target.shape != scores.shape[:1] or target.dtype not in _INTEGERS:
        raise ValueError(
            f"target is {_told(target)}, but must be integers of shape ({len(scores)},): a class number per "
            "row of scores."
        )
    if not len(target) or not scores.shape[1]:
        raise ValueError(f"scores are {_told(scores)}, of which nothing can be learnt; leave the batch out.")
    return scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores, target.long()


_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def n_classes(scores: Tensor) -> int:
    """One neuron tells two classes apart."""
    return max(scores.shape[-1], 2)


def check_numbers(scores: Tensor, target: Tensor) -> None:
    """One look on the host, so that a GPU is waited for once.

    What is compiled does not stop to look: there bad numbers end the run by an assertion, as bad labels do in
    PyTorch's own losses. What is recorded, to be replayed, cannot: there NaN makes the loss NaN.
    """
    if is_recording(scores):
        return
    known = _known(scores, target).all()
    if torch.compiler.is_compiling():
        torch._assert_async(known & scores.isfinite().all(), "labels out of range, or scores not finite")
    elif not math.isfinite(torch.where(known, scores.detach().sum(), math.nan).item()):
        refuse(scores, target)


def is_recording(tensor: Tensor) -> bool:
    """Whether operations are not carried out, but recorded for a CUDA graph."""
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def _known(scores: Tensor, target: Tensor) -> Tensor:
    return (target >= 0) & (target < n_classes(scores))


def refuse(scores: Tensor, target: Tensor) -> None:
    """Say which number is bad, if one is."""
    unknown = target[~_known(scores, target)]
    if len(unknown):
        raise ValueError(
            f"target holds {int(unknown[0])}, but class numbers go from 0 to {n_classes(scores) - 1}, since "
            f"there {'is one neuron' if scores.shape[1] == 1 else f'are {scores.shape[1]} neurons'}; number "
            "the classes so."
        )
    rows = (~scores.isfinite()).any(1)
    if not bool(rows.any()):  # it was their sum that overflowed
        return
    raise ValueError(
        f"The scores of {int(rows.sum())} of {len(rows)} rows are not finite (first: row "
        f"{int(rows.int().argmax())}), so nothing can be learnt from them; look for NaN in the inputs, or "
        "lower the learning rate."
    )


def signs(scores: Tensor, target: Tensor) -> Tensor:
    """y of each row and neuron: 1 for the neuron of the row's class, −1 for the others."""
    if scores.shape[-1] == 1:
        return (2 * target - 1)[..., None].to(scores.dtype)
    return torch.full_like(scores, -1.0).scatter_(-1, target[..., None], 1.0)


def _told(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} of shape {tuple(tensor.shape)}"
