"""The perceptron's margins in networks: losses, batches and neurons for PyTorch (Moran et al., Section 3)."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError('perceptrons.neural needs PyTorch; pip install "perceptrons[neural]".') from error

from .batches import ErrorBatches
from .clocked import ClockedReLU
from .layer import NeuronCertificate, PerceptronLayer, certify_network
from .loss import MarginLoss
from .margin_mlp import MarginMLPClassifier
from .reject import RejectLoss
from .schedules import Adaptive, Algorithm4, Growing

__all__ = [
    "Adaptive",
    "Algorithm4",
    "ClockedReLU",
    "ErrorBatches",
    "Growing",
    "MarginLoss",
    "MarginMLPClassifier",
    "NeuronCertificate",
    "PerceptronLayer",
    "RejectLoss",
    "certify_network",
]
