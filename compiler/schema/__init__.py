"""Validation of a document against the schema, with a spec as its result."""

from __future__ import annotations

from wfc.compiler.diagnostics import Report
from wfc.compiler.schema.expansion import validator
from wfc.compiler.schema.spec import Spec
from wfc.compiler.yaml import Document

__all__ = ["Spec", "validate"]


def validate(document: Document, report: Report) -> Spec | None:
    """Return a document as a spec, without its ill-formed parts.

    Args:
        document: The parsed document.
        report: Receives the findings, each mistake once.

    Returns:
        ``None`` if too much is wrong for meaningful findings about the rest.
    """
    data = document.data
    if not isinstance(data, dict):
        return None
    if document.whole and validator().fits(data):
        return Spec(document, data, frozenset())
    from wfc.compiler.schema.explain import explain  # only for what does not fit

    return explain(document, report)
