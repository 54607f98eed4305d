"""The parts of ``wfc ci``: what each has looked at, and what it has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.slotted import dataclass, field

__all__ = ["Case", "PartReport", "State", "cases_of", "counted"]

State = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that a part has looked at.

    Args:
        about: The file that it is about.
        name: What was asked of it.
        problem: What is wrong, of which the first line says the most; empty if nothing is.
        is_finding: Whether a diagnostic of the part says the same.
    """

    about: str
    name: str
    problem: str = ""
    is_finding: bool = False


@dataclass(frozen=True, slots=True)
class PartReport:
    """What one part has found.

    Args:
        name: Such as ``check``: the command that does the same by itself.
        summary: What it has found, in a few words.
        diagnostics: Those of what it has found that have a place in a file.
        texts: The texts of these files, by path.
        told: All that it tells, where that is more than what is wrong.
        markdown: The same as lines of a comment.
    """

    name: str
    state: State
    summary: str
    cases: tuple[Case, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    markdown: tuple[str, ...] = ()

    @property
    def problems(self) -> list[Case]:
        """The cases in which something is wrong."""
        return [case for case in self.cases if case.problem]


def cases_of(name: str, paths: Sequence[str], diagnostics: Sequence[Diagnostic]) -> tuple[Case, ...]:
    """Return a case for each finding, and one for each file without any."""
    found = []
    for each in diagnostics:
        place = f"{each.path}:{each.start.line}:{each.start.column}"
        said = f"{place}: {each.severity.word}: {each.message} [{each.code}]"
        problem = f"{said}\n{each.hint}" if each.hint else said
        found.append(
            Case(each.path, f"{each.code} at {each.start.line}:{each.start.column}", problem, is_finding=True)
        )
    wrong = {each.path for each in diagnostics}
    return (*found, *(Case(path, name) for path in dict.fromkeys(paths) if path not in wrong))


def counted(number: int, one: str, several: str = "") -> str:
    """Return a number with its word, such as ``1 spec`` or ``2 specs``."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"
