"""Names of columns as identifiers of other languages: plain letters, no two alike, none that is taken."""

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable

MOST = 48  # letters of an identifier
_C_WORDS = """
alignas alignof and and_eq arm asm assert atomic auto avr bitand bitor bool break case catch char class
compl complex concept const constexpr continue decltype default delete do double dynamic_cast else enum
errno explicit export extern false far far16 float for friend goto hpux huge i386 if imaginary inline int
interrupt isfinite isinf isnan linux long main mips mutable namespace near new noexcept noreturn not
not_eq nullptr offsetof operator or or_eq pascal private protected public register reinterpret_cast
requires restrict return sgi short signed signgam sizeof sparc static static_assert static_cast stderr
stdin stdout struct sun switch template this thread_local throw true try typedef typeid typename typeof
union unix unsigned using vax virtual void volatile wchar_t while xor xor_eq
"""
C_WORDS = frozenset(_C_WORDS.split())  # of C, of C++, and names that systems define
PYTHON_WORDS = frozenset(
    {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "row", "x", "math", "re", "bisect_right"}
)


def identifier(name: str) -> str:
    """A lower-case identifier that reminds of the name: `Größe (cm)` is grosse_cm."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    word = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:MOST].strip("_") or "column"
    return f"x_{word}" if word[0].isdigit() else word


def distinct(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """An identifier for each name, in their order."""
    used, found = set(taken), []
    for name in names:
        word = own = identifier(name)
        number = 2
        while own in used:
            own, number = f"{word}_{number}", number + 1
        used.add(own)
        found.append(own)
    return found
