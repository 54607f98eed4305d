"""The quick fix that declares a missing event: where it comes in, and that the finding is gone."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.declaring import accepting, declaring
from wfc.compiler.lsp.documents import Documents, OpenDocument

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


class Counting(Documents):
    """Documents that count their whole checks."""

    checks = 0

    def findings_in(
        self, document: OpenDocument, text: str, *, consequences: bool = False
    ) -> tuple[Diagnostic, ...]:
        self.checks += 1
        return super().findings_in(document, text, consequences=consequences)


LOST = """\
wfc: 1
workflow: w
start: Asked
end: Done
events: {Asked: {a: string}, PartFound: {a: string}, Done: {a: string}}
steps:
  s: {kind: transform, accepts: Asked, emit: {all: [PartFound, Done]}}
"""


@pytest.mark.parametrize(
    ("old", "new", "is_offered"),
    [
        ("", "", True),
        ("  s: {", "  take_part_found: {", False),  # the name is taken
        ("steps:\n  s: {kind: transform, accepts: Asked, emit: {all: [PartFound, Done]}}\n", "", False),
        ("{all: [PartFound, Done]}", "PartFound", False),  # no run would come to its end
        ("steps:\n  s: {", "steps: {s: {", False),
    ],
)
def test_an_event_that_no_step_accepts_gets_one(old: str, new: str, is_offered: bool) -> None:
    text = LOST.replace(old, new) if old else LOST
    text += "}" if "steps: {" in text else ""
    documents = Counting()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.code == "event-never-accepted"]
    checks = documents.checks
    made = [each for each in (accepting(documents, document, one) for one in found) if each is not None]
    assert bool(made) is is_offered
    assert documents.checks - checks <= len(found)
    for each in made:
        assert each.title == "add the step `take_part_found`, which accepts `PartFound`"
        mended = text[: each.at] + each.text + text[each.at :]
        assert documents.findings(documents.put("/nowhere/a.yaml", mended)) == ()
