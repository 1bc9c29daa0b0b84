"""What every estimator knows of its columns, by scikit-learn's names."""

from .arrays import Names
from .compound import IfSet
from .kinds import Count, Field

COLUMNS: dict[str, Field] = {
    "n_features_in_": Count(least=1, size="features"),
    "feature_names_in_": IfSet(Names("features")),
}
