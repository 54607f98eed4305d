"""What the passes have made of a document."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding
from wfc.compiler.model import Workflow
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import Document

__all__ = ["Analysis"]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the passes have made of a document.

    Args:
        workflow: ``None`` if nothing sensible is left.
        findings: What is not right.
    """

    document: Document
    workflow: Workflow | None
    findings: list[Finding]
