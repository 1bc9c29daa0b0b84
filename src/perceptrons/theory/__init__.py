"""What can be proved: bounds and certificates. Arrays in, numbers out; NumPy and SciPy only."""

from . import bounds, curves, held_out, occam, online, pac_bayes, projection, statements
from .certificate import Certificate, margin_interval
from .combination import Combination
from .cones import Solvable, Unsolvable, farkas
from .convex import Oracle, ball, box, polytope
from .games import GameSolution, solve_game
from .hull import BestMargin, best_margin
from .influences import influences
from .kernel_separation import KernelNear, KernelSeparated
from .separation import Near, Separated, separate
from .strategies import SparseStrategy, sparse_strategy

__all__ = [
    "BestMargin",
    "Certificate",
    "Combination",
    "GameSolution",
    "KernelNear",
    "KernelSeparated",
    "Near",
    "Oracle",
    "Separated",
    "Solvable",
    "SparseStrategy",
    "Unsolvable",
    "ball",
    "best_margin",
    "bounds",
    "box",
    "curves",
    "farkas",
    "held_out",
    "influences",
    "margin_interval",
    "occam",
    "online",
    "pac_bayes",
    "polytope",
    "projection",
    "separate",
    "solve_game",
    "sparse_strategy",
    "statements",
]
