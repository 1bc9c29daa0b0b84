"""The model a report is about: what takes the rows, what knows the columns, what learned."""

from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from ..learners import may_reject
from ..tables.literal_encoder import LiteralEncoder
from ..tables.table_encoder import TableEncoder


class Subject(NamedTuple):
    """A fitted model in its parts."""

    model: Any  # takes rows as they are
    encoder: Any  # of the columns of tables; None if the model takes numbers alone
    learner: Any  # the last step

    def encode(self, X: Any) -> Any:
        """Rows as the learner takes them."""
        return X if self.learner is self.model else self.model[:-1].transform(X)

    @property
    def scorer(self) -> Any:
        """What has scores: the learner, or the one it calibrates."""
        return getattr(self.learner, "estimator_", self.learner)

    @property
    def classes(self) -> list[Any]:
        return self.learner.classes_.tolist()  # type: ignore[no-any-return]

    @property
    def rejects(self) -> bool:
        return may_reject(self.learner)

    def coordinates(self) -> list[str]:
        """The names of what the learner's weights belong to."""
        if self.encoder is not None:
            return [*map(str, self.encoder.get_feature_names_out())]
        steps = self.model[:-1] if hasattr(self.model, "steps") and len(self.model.steps) > 1 else None
        if steps is not None and hasattr(steps, "get_feature_names_out"):
            return [*map(str, steps.get_feature_names_out())]
        names = getattr(self.learner, "feature_names_in_", None)
        return [*map(str, names)] if names is not None else [f"x{j}" for j in range(self._width())]

    def _width(self) -> int:
        return int(getattr(self.scorer, "n_features_in_", 0))


def subject_of(model: Any) -> Subject:
    """A classifier, or a pipeline that ends with one."""
    steps = [step for _, step in getattr(model, "steps", [("", model)])]
    learner = steps[-1]
    if not hasattr(learner, "predict"):
        raise ValueError(f"{type(learner).__name__} does not predict classes; pass a fitted classifier.")
    check_is_fitted(learner)
    encoder = getattr(learner, "encoder_", None)
    if len(steps) == 2 and isinstance(steps[0], TableEncoder | LiteralEncoder):
        encoder = steps[0]
    return Subject(model, encoder, learner)
