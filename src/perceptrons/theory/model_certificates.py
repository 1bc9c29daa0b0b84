"""What is certified about a whole model: from rows it was trained on, and from new ones.

Frozen dataclasses, which print as three sentences. A bound that is not below the error of always answering
the larger class says nothing, and no sentence promises it.
"""

from dataclasses import dataclass

from .certificate import Certificate
from .held_out import rows_needed
from .sentences import Sentences, percent, percent_down, percent_up, sure_of
from .statements import OF_DRAWN, OF_MODEL, SCALED, WEIGHTED, HeldOut, Statement, says_something

MANY = 1e6  # rows that nobody counts by hand
ROOM = 0.5  # of the error of always answering the larger class: what more rows are to promise


@dataclass(frozen=True, repr=False)
class NewRowsCertificate(Sentences):
    """What rows that the model was not trained on prove about it.

    Attributes
    ----------
    model : the name of its class.
    n_rows, n_wrong, n_rejected : rows counted, those answered wrongly, those not answered.
    confidence : of each statement by itself; the chances to fail of several add up.
    shares : tuple of `HeldOut`: of the answers the wrong ones, of all rows the rejected, and the wrong of
        each class, each between two exact binomial limits (Clopper and Pearson).
    risk, risk_bound : the mean cost of a row, and what it is at most (Hoeffding and Bentkus); None for a
        model that has no costs.
    larger_class, majority_error : always answering this class is wrong on this share of the rows.
    n_known : how many of the rows that the model remembers are among these; 0 unless rows repeat.
    holdback, seed : which rows were held back before training; None if the rows were given.
    """

    model: str
    n_rows: int
    n_wrong: int
    n_rejected: int
    confidence: float
    shares: tuple[HeldOut, ...]
    risk: float | None
    risk_bound: float | None
    larger_class: str
    majority_error: float
    n_known: int = 0
    holdback: float | None = None
    seed: int | None = None

    @property
    def bound(self) -> float:
        """At most this share of answers on new rows is wrong."""
        return self.shares[0].high

    @property
    def says_nothing(self) -> bool:
        """Whether the bound is not below the error of always answering the larger class."""
        return not self.bound < self.majority_error

    def sentences(self) -> list[str]:
        return [self._counted(), self._promised(), self._of_classes() + self._known()]

    def _counted(self) -> str:
        n_answered = self.n_rows - self.n_rejected
        what = "that were held back" if self.holdback is not None else "it was not trained on"
        if not self.n_rejected:
            return f"{self.model} is wrong on {self.n_wrong:,} of {self.n_rows:,} rows {what}."
        answered = f"{self.model} answers {n_answered:,} of {self.n_rows:,} rows {what}"
        return f"{answered}, and {self.n_wrong:,} of its answers are wrong."

    def _promised(self) -> str:
        answers = "answers on new rows are" if self.n_rejected else "new rows are answered"
        always = f"always answering {self.larger_class} is wrong on {percent(self.majority_error)}"
        if not self.says_nothing:
            end = "wrong" if self.n_rejected else "wrongly"
            promise = f"at most {percent_up(self.bound)} of {answers} {end}"
            return f"With a confidence of {sure_of(self.confidence)}, {promise}; {always}."
        if self.n_rejected == self.n_rows:
            return "It has answered none, so that nothing can be said of its answers."
        might = f"{percent_up(self.bound)} might be wrong"
        return f"That promises nothing: {might}, and {always}.{self._needed()}"

    def _needed(self) -> str:
        rate = self.n_wrong / max(self.n_rows - self.n_rejected, 1)
        if not 0.0 < self.majority_error < 1.0 or rate >= self.majority_error:
            return ""
        rows = rows_needed(self.majority_error, 1.0 - self.confidence, rate)
        return f" About {rows:,} rows like these would promise something." if rows < MANY else ""

    def _of_classes(self) -> str:
        known = [one for one in self.shares[2:] if one.n_rows]
        if not known:
            return f"It rejects at least {percent_down(self.shares[1].low)} of new rows."
        said = [f"{percent_up(one.high)} of {one.name}" for one in known]
        return f"Of the rows of each class, at most: {', '.join(said)}; each limit holds by itself."

    def _known(self) -> str:
        if not self.n_known:
            return ""
        rows = "a row" if self.n_known == 1 else f"{self.n_known} rows"
        return f" Rows that equal {rows} of its training are counted, as rows here repeat one another."


@dataclass(frozen=True, repr=False)
class TrainingCertificate(Sentences):
    """What can be proved about a model from the rows it was trained on, without keeping any back.

    Attributes
    ----------
    model, n_rows, n_wrong, n_rejected, confidence, larger_class, majority_error : as of `NewRowsCertificate`,
        on training rows; rejected rows that would be wrong are counted in `n_wrong`.
    statements : tuple of `Statement`, one per bound, the smallest first, then those that do not apply and
        why. All hold at once with this confidence.
    margins : tuple of `Certificate`, one per weight vector: what the margin family proves about these rows.
    promises : tuple of texts, what the model itself promises.
    weights_alone : whether the model was saved without its certificate, so that `margins` cannot be.
    """

    model: str
    n_rows: int
    n_wrong: int
    n_rejected: int
    confidence: float
    statements: tuple[Statement, ...]
    larger_class: str
    majority_error: float
    margins: tuple[Certificate, ...] = ()
    promises: tuple[str, ...] = ()
    weights_alone: bool = False

    @property
    def best(self) -> Statement | None:
        """The smallest bound on the error of the model itself, if it says something."""
        return self._best(OF_MODEL)

    @property
    def of_drawn(self) -> Statement | None:
        """The bound on the error of a vector drawn from the first pass, if it says something; see `draw`."""
        return self._best(OF_DRAWN)

    @property
    def says_nothing(self) -> bool:
        """Whether no bound on the model is below the error of always answering the larger class."""
        return self.best is None

    @property
    def margin(self) -> Certificate | list[Certificate] | None:
        """What the margin family proves about these rows: one for two classes, a list for more."""
        return self.margins[0] if len(self.margins) == 1 else list(self.margins) or None

    def _best(self, about: str) -> Statement | None:
        fitting = [one for one in self.statements if one.about == about]
        return next((one for one in fitting if says_something(one, self.majority_error)), None)

    def sentences(self) -> list[str]:
        return [self._counted(), self._promised(), *(self.promises or (self._advice(),))]

    def _counted(self) -> str:
        wrong = f"{self.model} is wrong on {self.n_wrong:,} of its {self.n_rows:,} training rows"
        if self.n_rejected:
            wrong += ", those that it rejects included"
        if self.weights_alone:
            return f"{wrong}; of its margin nothing is proved: it was saved or streamed without its proof."
        if len(self.margins) != 1:
            return f"{wrong}."
        one = self.margins[0]
        if one.separable is False:
            return f"{wrong}; it is proved that no hyperplane separates them."
        limit = "" if one.margin_bound is None else f"no hyperplane has a margin above {one.margin_bound:.3g}"
        if one.separable:
            both = f"its margin is {one.margin:.3g}" + (f", and {limit}" if limit else "")
            return f"{wrong}; {both}."
        return f"{wrong}; {limit}." if limit else f"{wrong}."

    def _promised(self) -> str:
        always = f"always answering {self.larger_class} is wrong on {percent(self.majority_error)}"
        best = self.best
        if best is not None and best.value is not None:
            most = f"at most {percent_up(best.value)} of new rows are answered wrongly ({best.name})"
            return f"With a confidence of {sure_of(self.confidence)}, {most}; {always}."
        bounds = [one for one in self.statements if one.about == OF_MODEL and one.value is not None]
        if not bounds:
            return f"These rows alone promise nothing about new ones: {self._why_not()}."
        least = f"{percent_up(bounds[0].value or 0.0)} ({bounds[0].name})"
        return f"These rows alone promise nothing about new ones: the best bound is {least}, and {always}."

    def _why_not(self) -> str:
        """What keeps all bounds away, if it is the same."""
        reasons = [one.why_not or "" for one in self.statements if one.about == OF_MODEL]
        general = [one for one in reasons if one in (SCALED, WEIGHTED)]
        return general[0] if general else "no bound applies to this model"

    def _advice(self) -> str:
        drawn = self.of_drawn
        if drawn is not None and drawn.value is not None:
            most = percent_up(drawn.value)
            return f"A vector drawn from its first pass is wrong on at most {most} of new rows: see draw."
        return "Rows kept back promise more (holdback=0.2), and so do rows that it has not seen."


@dataclass(frozen=True, repr=False)
class DrawnCertificate(Sentences):
    """What is proved about a model drawn from those met in one pass over the rows, see `draw`.

    Attributes
    ----------
    model : the name of its class.
    n_rows, n_counted, n_wrong : rows of the pass, those whose answers were counted, and the wrong ones.
    confidence : of the bound.
    bound : the mean error on new rows of the models that answered is at most this.
    larger_class, majority_error : always answering this class is wrong on this share of the rows.
    seed : which order the rows were met in, and which model was drawn.
    """

    model: str
    n_rows: int
    n_counted: int
    n_wrong: int
    confidence: float
    bound: float
    larger_class: str
    majority_error: float
    seed: int

    @property
    def says_nothing(self) -> bool:
        """Whether the bound is not below the error of always answering the larger class."""
        return not self.bound < self.majority_error

    def sentences(self) -> list[str]:
        always = f"always answering {self.larger_class} is wrong on {percent(self.majority_error)}"
        counted = (
            f"Of {self.n_counted:,} rows, each answered by a {self.model} learned from others before it, "
            f"{self.n_wrong:,} were answered wrongly."
        )
        if self.says_nothing:
            return [counted, f"That promises nothing: the bound is {percent_up(self.bound)}, and {always}."]
        most = f"at most {percent_up(self.bound)} of new rows"
        sure = f"With a confidence of {sure_of(self.confidence)}, these models are wrong on {most} on average"
        return [
            counted,
            f"{sure}; {always}.",
            "This model was drawn from them at random: the bound is about the draw.",
        ]
