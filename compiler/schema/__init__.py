"""Document → Spec: whether the data has the shape that the schema describes, and where not."""

from __future__ import annotations

from wfc.compiler.diagnostics import Report
from wfc.compiler.schema.expansion import validator
from wfc.compiler.schema.spec import Spec
from wfc.compiler.yaml import Document

__all__ = ["Spec", "validate"]


def validate(document: Document, report: Report) -> Spec | None:
    """A document as a spec, without what is ill-shaped.

    Args:
        document: What was read.
        report: Takes what is ill-shaped, each mistake once.

    Returns:
        ``None`` if so much is wrong that nothing sensible could be said about the rest.
    """
    data = document.data
    if not isinstance(data, dict):
        return None
    if document.whole and validator().fits(data):
        return Spec(document, data, frozenset())
    from wfc.compiler.schema.explain import explain  # only for what does not fit

    return explain(document, report)
