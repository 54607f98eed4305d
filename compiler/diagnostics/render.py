"""The formats in which findings can be written, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final

from wfc.compiler.diagnostics import Diagnostic, text
from wfc.compiler.diagnostics.results import Results, Rule
from wfc.compiler.slotted import dataclass

__all__ = ["FORMATS", "Format", "render"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format in which findings can be written.

    Args:
        name: What ``--format`` calls it.
        write: Writes findings so; by default the ``render`` of the module in ``formats`` that has the format's
            name, which is imported only when somebody asks for the format.
        summary: Whether a summary on the error stream goes with it.
        suppressed: Whether it always shows suppressed findings, too.
    """

    name: str
    write: Callable[[Results], str] | None = None
    summary: bool = False
    suppressed: bool = False

    def render(self, results: Results) -> str:
        """Return findings as text."""
        write = self.write or import_module(f"wfc.compiler.diagnostics.formats.{self.name}").render
        return str(write(results))


FORMATS: Final[Mapping[str, Format]] = {
    each.name: each
    for each in (
        Format("full", text.full, summary=True),
        Format("concise", text.concise, summary=True),
        Format("json"),
        Format("github", summary=True),
        Format("sarif", suppressed=True),
        Format("junit"),
    )
}
"""Name → format. To add one, write a module of its name in ``formats`` and enter it here."""


def render(
    findings: Sequence[Diagnostic],
    texts: Mapping[str, str],
    *,
    form: str = "full",
    colour: bool = False,
    describe: Callable[[str], Rule] = Rule,
) -> str:
    """Return findings as text in one of the ``FORMATS``; the other arguments are those of ``Results``."""
    return FORMATS[form].render(Results(findings, texts, describe, colour))
