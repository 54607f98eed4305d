"""The quick fix that declares a missing event: where it comes in, and that the finding is gone."""

from __future__ import annotations

import pytest

from wfc.compiler.lsp.declaring import declaring
from wfc.compiler.lsp.documents import Documents

SPEC = """\
wfc: 1
workflow: w
start: Asked
end: Done
events:
  Asked: {a: string}
  Done:
    a: string  # of ours

# what is done
steps:
  s: {kind: transform, accepts: Asked, emit: [{event: Gone, when: event.a == "b"}, Done]}
  t: {kind: transform, accepts: Gone, emit: {event: Done, with: {a: x}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("", "", "    a: string  # of ours\n  Gone: {}\n\n# what is done"),
        (
            "  Done:\n    a: string  # of ours\n",
            "  Done: {a: string}\n",
            "  Done: {a: string}\n  Gone: {}\n\n",
        ),
        (
            "events:\n  Asked: {a: string}\n  Done:\n    a: string  # of ours",
            "events: {Asked: {a: string}, Done: {a: string}}",
            None,
        ),
        ("events:\n  Asked: {a: string}\n  Done:\n    a: string  # of ours\n", "", None),
    ],
)
def test_a_missing_event_is_declared(old: str, new: str, at: str | None) -> None:
    assert old in SPEC
    text = SPEC.replace(old, new) if old else SPEC
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.code == "unknown-event"]
    made = [declaring(document, each) for each in found]
    if at is None:
        assert not any(made)
        return
    assert made and made[0] is not None and made[0].title == "declare `Gone` under `events`"
    mended = text[: made[0].at] + made[0].text + text[made[0].at :]
    assert at in mended
    assert documents.findings(documents.put("/nowhere/a.yaml", mended)) == ()
