"""The quick fix that declares a missing event: where it comes in, and that the finding is gone."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.declaring import accepting, declared_with, declaring
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.trying import MOST_TRIED, Trial

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
  s: {kind: transform, accepts: Asked, emit: [{event: Looked, when: event.a == "b"}, Done]}
  t: {kind: transform, accepts: Looked, emit: {event: Done, with: {a: x}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("", "", "    a: string  # of ours\n  Looked: {}\n\n# what is done"),
        (
            "  Done:\n    a: string  # of ours\n",
            "  Done: {a: string}\n",
            "  Done: {a: string}\n  Looked: {}\n\n",
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
    made = [declaring(Trial(documents, document), each) for each in found]
    if at is None:
        assert not any(made)
        return
    assert made and made[0] is not None and made[0].title == "declare `Looked` under `events`"
    mended = text[: made[0].at] + made[0].text + text[made[0].at :]
    assert at in mended
    assert documents.findings(documents.put("/nowhere/a.yaml", mended)) == ()


@pytest.mark.parametrize(
    ("emit", "is_declared"),
    [("Answred2x", False), ("Looked", True), ("{event: Looked, with: {b: x}}", True)],
)
def test_an_event_is_declared_where_no_other_one_is_meant(emit: str, is_declared: bool) -> None:
    text = SPEC.replace("Done", "Answered2").replace("emit: [{event: Looked", "emit: [{event: Answered2")
    text = text.replace("accepts: Looked", "accepts: Asked").replace("{event: Answered2, with: {a: x}}", emit)
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.code == "unknown-event"]
    assert len(found) == 1, documents.findings(document)
    assert (found[0].fix is None) is is_declared
    assert (declaring(Trial(documents, document), found[0]) is not None) is (emit == "Looked")


def test_what_comes_in_has_the_ends_of_lines_of_the_text() -> None:
    made = []
    for text in (
        ASKING.replace("MORE\n", ""),
        ASKING.replace("MORE", 'models:\n  slow: {use: "openai:gpt-4o"}\ndefaults: {model: slow}'),
        SPEC,
        LOST,
    ):
        documents = Documents()
        document = documents.put("/nowhere/a.yaml", text.replace("\n", "\r\n"))
        trial = Trial(documents, document, most=20)
        for each in documents.findings(document):
            new = declaring(trial, each) or accepting(trial, each) or declared_with(trial, each)
            made += [] if new is None else [new.text]
    assert len(made) >= 4
    assert all(each.count("\n") == each.count("\r\n") > 0 for each in made)


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
    made = [
        each for each in (accepting(Trial(documents, document), one) for one in found) if each is not None
    ]
    assert bool(made) is is_offered
    assert documents.checks - checks <= 2 * len(found)  # of the text as it is, and with the step
    for each in made:
        assert each.title == "add the step `take_part_found`, which accepts `PartFound`"
        mended = text[: each.at] + each.text + text[each.at :]
        assert documents.findings(documents.put("/nowhere/a.yaml", mended)) == ()


ASKING = """\
wfc: 1
workflow: w
start: Asked
end: Done
MORE
events:
  Asked: {a: string}
  Done: {a: string}
steps:
  s: {kind: llm, accepts: Asked, model: fast, prompt: "a", output: {a: string}, emit: Done}
"""
TWO = (
    'models: {slow: {use: "openai:gpt-4o", api_key: PORTAL}, '
    'fast: {use: "openai:gpt-4o", api_key: OWN_KEY, fallback: [slow]}}'
)
FAST = 'models: {fast: {use: "openai:gpt-4o"}}'


@pytest.mark.parametrize(
    ("more", "old", "new", "mended"),
    [
        ("", "", "", '  Done: {a: string}\nmodels:\n  fast: {use: "openai:gpt-4o-mini"}\nsteps:'),
        (
            'models:\n  other: {use: "openai:gpt-4o"}\ndefaults: {model: other}',
            "",
            "",
            '  other: {use: "openai:gpt-4o"}\n  fast: {use: "openai:gpt-4o"}\n',
        ),
        ("models: {}", "", "", 'models:\n  fast: {use: "openai:gpt-4o-mini"}\nevents:'),
        ("models: {}  # none", "", "", 'models:\n  fast: {use: "openai:gpt-4o-mini"}  # none\nevents:'),
        (f"secrets: []\n{TWO.replace('PORTAL', 'OWN_KEY')}", "", "", "secrets: [OWN_KEY]\nmodels:"),
        ("", "model: fast", "model: claude", 'models:\n  claude: {use: "anthropic:claude-sonnet-4-5"}\n'),
        ("", "model: fast", "model: small_gemini", 'small_gemini: {use: "google:gemini-2.5-flash"}\n'),
        ("", "model: fast", "model: my_llama", None),  # several offer it
        ("", "model: fast", "model: graphics", 'graphics: {use: "openai:gpt-4o-mini"}\n'),
        (
            "",
            "steps:",
            "# one\n\n# two\n# three\nsteps:",
            '# one\n\nmodels:\n  fast: {use: "openai:gpt-4o-mini"}\n# two',
        ),
        ('models:\n  fasts: {use: "openai:gpt-4o"}', "", "", None),  # a slip of the keyboard
        ('models: {other: {use: "openai:gpt-4o"}}', "", "", None),  # no place in brackets
        (FAST, "output:", "retry: often, output:", "retries:\n  often: {max_attempts: 3}\nsteps:"),
        (
            "",
            'llm, accepts: Asked, model: fast, prompt: "a", output: {a: string}, emit: Done',
            'tool, tool: look, with: {b: 1}, accepts: Asked, emit: {event: Done, with: {a: "x"}}',
            'tools:\n  look: {python: "tools:look", args: {b: any}, output: any}\nsteps:',
        ),
        (
            'models: {fast: {use: "openai:gpt-4o", api_key: OWN_KEY}}',
            "",
            "",
            "secrets: [OWN_KEY]\nsteps:",
        ),
        (
            f"secrets: [PORTAL]\n{TWO}",
            "",
            "",
            "secrets: [PORTAL, OWN_KEY]",
        ),
        (
            f"secrets:\n  - PORTAL\n{TWO}",
            "",
            "",
            "secrets:\n  - PORTAL\n  - OWN_KEY\n",
        ),
    ],
)
def test_what_a_step_names_is_declared_where_nothing_is_wrong_then(
    more: str, old: str, new: str, mended: str | None
) -> None:
    text = ASKING.replace("MORE\n", f"{more}\n" if more else "")
    assert old in text
    text = text.replace(old, new)
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    found = [each for each in documents.findings(document) if each.severity.name == "ERROR"]
    made = [declared_with(Trial(documents, document), each) for each in found]
    if mended is None:
        assert not any(made)
        return
    assert made and made[0] is not None
    now = text[: made[0].at] + made[0].text + text[made[0].at + made[0].over :]
    assert mended in now
    assert all(line in now for line in text.splitlines() if not line.startswith(("secrets", "models: {}")))
    errors = documents.findings(documents.put("/nowhere/a.yaml", now))
    assert not [each for each in errors if each.severity.name == "ERROR"]


def test_few_texts_are_tried_for_one_question_and_each_once() -> None:
    steps = "".join(
        f"  s{number}: {{kind: llm, accepts: Asked, model: m{number * 'x'}q, prompt: a, emit: nothing}}\n"
        for number in range(9)
    )
    documents = Counting()
    document = documents.put("/nowhere/a.yaml", ASKING.replace("MORE\n", "") + steps)
    found = [each for each in documents.findings(document) if each.code == "unknown-model"]
    documents.findings_now(document)
    offered, checks = 0, documents.checks
    for asked in range(1, 5):
        trial = Trial(documents, document)
        offered = sum(declared_with(trial, each) is not None for each in found)
        assert documents.checks - checks == min(MOST_TRIED * asked, len(found))
    assert offered == len(found) == 10
