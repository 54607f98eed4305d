"""The result of the passes for a document."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding
from wfc.compiler.model import Workflow
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import Document

__all__ = ["Analysis"]


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
