"""The result of the passes for a document, and how it is had for a change of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from wfc.compiler.diagnostics import Address, Finding
from wfc.compiler.model import Workflow
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import Document

__all__ = ["Analyse", "Analysis"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of the passes for a document.

    Args:
        workflow: The resolved workflow; ``None`` if too much is wrong to resolve it.
        findings: All problems found.
    """

    document: Document
    workflow: Workflow | None
    findings: list[Finding]


class Analyse(Protocol):
    """Runs all passes on changed documents."""

    def __call__(
        self, before: Analysis, data: object, moves: Iterable[tuple[Address, Address]] = ()
    ) -> Analysis:
        """Return the analysis of a document with other data.

        It ends at the first error that was not there before, for then the change explains nothing.

        Args:
            before: The analysis of the document as it is.
            data: The new data.
            moves: As in ``Document.changed``.
        """
