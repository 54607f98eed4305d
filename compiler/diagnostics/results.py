"""The findings of a check, with the data needed to write them in any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.slotted import dataclass

__all__ = ["Results", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """The description of a code, whether or not it was found.

    Args:
        code: Such as ``unknown-event``.
        explanation: A sentence, and after an empty line why it matters and how to mend it; empty if there is none.
        severity: That of its findings, unless the settings change it.
    """

    code: str
    explanation: str = ""
    severity: Severity = Severity.ERROR

    @property
    def summary(self) -> str:
        """The first sentence of the explanation."""
        return self.explanation.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Results:
    """Findings to be written in a format.

    Args:
        findings: In the order in which they are shown.
        texts: Path → text, for every file that was checked.
        describe: Returns the rule of a code.
        colour: Whether a terminal's colours may be used.
    """

    findings: Sequence[Diagnostic]
    texts: Mapping[str, str]
    describe: Callable[[str], Rule] = Rule
    colour: bool = False
