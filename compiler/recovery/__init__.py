"""Findings → the one mistake that several of them come from, found by mending it and looking again."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics import Finding
from wfc.compiler.model import Workflow
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import Document

__all__ = ["Understood", "suspect"]


@dataclass(frozen=True, slots=True)
class Understood:
    """What the passes made of a document.

    Args:
        workflow: ``None`` if nothing sensible is left.
        findings: What is not right.
    """

    document: Document
    workflow: Workflow | None
    findings: list[Finding]


def suspect(found: Understood, understand: Callable[[Document], Understood]) -> Understood:
    """The same with one finding instead of all that come from one mistake.

    Whether they do is found out by trying: a spec without the mistake must have none of them, and no others. So
    nothing that is wrong goes unsaid, and a mistake that is not understood is reported as it always was.

    Args:
        found: What is known of a spec with errors.
        understand: Puts a document through all passes.
    """
    from wfc.compiler.recovery.retelling import retell  # a good spec never needs them
    from wfc.compiler.recovery.search import search

    return retell(search(found, understand))
