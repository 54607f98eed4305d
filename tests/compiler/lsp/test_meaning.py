"""What is proposed and shown in a spec of several types, and what may be done with its lines; ``^`` is the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.expressions.conditions.narrowing import TESTS
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.extras import lenses, links
from wfc.compiler.lsp.fitting_filters import TESTS_IN_WORDS
from wfc.compiler.lsp.folder import declaration_at
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.navigation import outline
from wfc.compiler.lsp.waits import waits_in_words

TEXT = """\
wfc: 1
workflow: pay
start: Asked
end: Done
imports: [./shared.yaml, ./gone.yaml, ../outside.yaml]
config: {base: {type: string, default: here, description: Where it is.}}
types:
  Person: {name: string, mail: optional Address}
  Address: {street: string, town: {type: Town}}
  Town: {code: integer}
  Line: {article: string, count: integer}
  Order: {buyer: Person, lines: {type: list of Line, min_length: 1}, notes: list of string}
retries:
  patient: {max_attempts: 4, delay: 2s, max_delay: 5s, jitter: 1s}
events:
  Asked: {order: Order}
  Done: {text: string}
steps:
  tell:
    kind: llm
    accepts: Asked
    retry: patient
    prompt: |
      To ${{ event.order.buyer.name }} of ${{ config.base }}:
      {% for line in event.order.lines %}
      - ${{ line.article }}
      {% endfor %}
      Thanks.
    emit: {event: Done, with: {text: "${{ result }}"}}
tests:
  - name: it is told
    start: {order: {}}
"""

PLACES = {
    "${{ event.order.^ }}": {"buyer", "lines", "notes"},
    "${{ event.order.buyer.^ }}": {"name", "mail"},
    "${{ event.order.buyer.mail.^ }}": {"street", "town"},
    "${{ event.order.buyer.mail.town.co^ }}": {"code"},
    "${{ event.order.lines.^ }}": set(),
    "{% for one in event.order.lines %} ${{ one.^": {"article", "count"},
    "{% for one in event.order.lines %}{% endfor %} ${{ one.^": set(),
    "{% if event.order.buyer.^ %}": {"name", "mail"},
    "{% for one in event.order.notes %} ${{ one.^": set(),
}


def opened(text: str, path: str = "/nowhere/a.yaml") -> tuple[Documents, OpenDocument]:
    documents = Documents()
    return documents, documents.put(path, text)


@pytest.mark.parametrize("marked", PLACES)
def test_fields_behind_fields_and_in_loops(marked: str) -> None:
    text = TEXT.replace("Thanks.", marked)
    offset = text.index("^")
    documents, document = opened(TEXT)
    document = documents.put(document.path, text.replace("^", ""))
    assert {each.label for each in proposals(documents, document, offset)} == PLACES[marked]


def test_a_loop_has_a_name_of_its_own() -> None:
    text = TEXT.replace("${{ line.article", "${{ ")
    documents, document = opened(text)
    found = {each.label: each for each in proposals(documents, document, text.index("- ${{ ") + 6)}
    assert found["line"].about == "An item of `event.order.lines`." and "event" in found


@pytest.mark.parametrize(
    ("words", "at", "said"),
    [
        ("event.order.buyer.name", 20, "`event.order.buyer.name`: string"),
        ("line.article", 6, "`line.article`: string"),
        ("config.base", 8, "`config.base`: string\n\nWhere it is.\n\nIf nothing else is said: `here`"),
        (
            "patient\n    prompt",
            1,
            "**retry** `patient`\n\nup to 4 attempts, after waits of 2 s, 4 s, 5 s, each up to 1 s longer: "
            "11 s of waiting in all",
        ),
    ],
)
def test_what_is_shown(words: str, at: int, said: str) -> None:
    documents, document = opened(TEXT)
    found = hover(documents, document, TEXT.index(words) + at)
    assert found is not None and found.said == said


HOVERED = """\
wfc: 1
workflow: w
start: Asked
end: Done
models: {fast: {use: "openai:gpt-5"}}
types:
  Line: {sku: {type: string, description: What it is.}, level: Level}
  Level: {enum: [low, high]}
events:
  Asked: {lines: list of Line, note: {type: string, default: none given, description: In short.}}
  Found: {line: Line, text: string}
  Done: {text: string}
steps:
  find:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Find ${{ event.note | upper }}
    output: {line: Line}
    emit:
      - event: Found
        when: event.note is not empty
        with: {line: "${{ result.line }}", text: "${{ event.note }}"}
      - {event: Done, with: {text: nothing}}
  tell: {kind: transform, accepts: Found, emit: Done}
"""


@pytest.mark.parametrize(
    ("words", "at", "said"),
    [
        (
            "Line: {sku",
            1,
            "**type** `Line`\n\n- `sku`: string: What it is.\n- `level`: Level\n\n"
            "used by `Asked.lines`, `Found.line`\n\nwhat comes of `find`",
        ),
        ("list of Line", 9, "**type** `Line`"),
        ("line: Line, text", 8, "**type** `Line`"),
        ("output: {line: Line", 16, "**type** `Line`"),
        ("level: Level", 8, "**type** `Level`\n\n`one of low, high`\n\nused by `Line.level`"),
        (
            "note: {type",
            1,
            "**field** `Asked.note`: string\n\nIn short.\n\nIf nothing else is said: `none given`\n\n"
            "`Asked.note`: read in `find`",
        ),
        (
            "text: string}\n  Done",
            1,
            "**field** `Found.text`: string\n\n`Found.text`: filled in `find`",
        ),
        ("text: nothing", 1, "`Done.text`: filled in `find`; filled by its name or its default in `tell`"),
        ("event.note |", 7, "`event.note`: string\n\nIn short."),
        ("event.note is", 7, "`Asked.note`: read in `find`"),
        ("| upper", 3, "**filter** `upper`: string → string"),
        ("| upper", 3, 'Example: `"ab" | upper` gives `"AB"`'),
        ("is not empty", 8, "**test** `is empty`\n\nWhether it is a text"),
    ],
)
def test_types_fields_filters_and_tests_are_explained(words: str, at: int, said: str) -> None:
    documents, document = opened(HOVERED)
    assert not documents.findings(document)
    found = hover(documents, document, HOVERED.index(words) + at)
    assert found is not None and said in found.said, found


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({}, "up to 3 attempts, after waits of 1 s, 2 s: 3 s of waiting in all"),
        ({"max_attempts": 1}, "one attempt, and none after it"),
        (
            {"max_attempts": 8, "backoff": 3},
            "up to 8 attempts, after waits of 1 s, 3 s, 9 s, 27 s, 1 min, …: 3 min 40 s of waiting in all",
        ),
        (
            {"max_attempts": 12, "delay": "10.1 s", "max_delay": "1 h", "backoff": 1.6},
            "up to 12 attempts, after waits of 10.1 s, 16.16 s, 25.856 s, 41.37 s, 1 min 6.191 s, …: "
            "49 min 5 s of waiting in all",
        ),
        ({"max_attempts": "${{ config.tries }}"}, ""),
        ({"delay": "soon"}, ""),
        ({"max_attempts": -1}, ""),
        ({"backoff": True}, ""),
        ({"max_attempts": 10**9}, ""),
    ],
)
def test_a_policy_in_seconds(policy: dict[str, object], said: str) -> None:
    assert waits_in_words(policy) == said


def test_what_may_be_done_with_lines() -> None:
    _, document = opened(TEXT)
    assert [(each.what, each.test, TEXT[each.start : each.end]) for each in lenses(document)] == [
        ("flow", "", "workflow"),
        ("tests", "", "tests"),
        ("test", "it is told", "it is told"),
    ]
    assert lenses(opened("wfc: [")[1]) == []


def test_links_to_files_that_are_there_and_inside(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "wfc.toml").touch()
    (tmp_path / "outside.yaml").touch()
    (inside / "shared.yaml").symlink_to(inside / "real.yaml")
    _, document = opened(TEXT, str(inside / "a.yaml"))
    assert list(links(document)) == []  # a link that leads nowhere
    (inside / "real.yaml").touch()
    assert [TEXT[each.start : each.end] for each in links(document)] == ["./shared.yaml"]
    (inside / "shared.yaml").unlink()
    (inside / "shared.yaml").symlink_to(tmp_path / "outside.yaml")
    assert list(links(document)) == []


def test_a_new_step_of_each_kind() -> None:
    text = TEXT.replace("tests:", "  n\ntests:")
    documents, document = opened(text)
    found = {each.label: each for each in proposals(documents, document, text.index("  n\n") + 3)}
    assert found["llm step"].snippet
    assert found["llm step"].insert == (
        "${1:name}:\n    kind: llm\n    accepts: ${2|Asked,Done|}\n    prompt: ${3}\n    emit: ${4}"
    )
    for label in ("tool step", "human step", "map step", "wait step"):
        assert label in found


COLLECTED = """\
wfc: 1
workflow: gather
start: Asked
end: Done
events:
  Asked: {names: list of string}
  One: {item: string}
  Two: {item: string, why: string}
  Done: {names: list of string, count: integer}
steps:
  gather:
    kind: transform
    accepts: {each: EACH}
    emit: {event: Done, with: {names: "${{ [e.item for e in events] }}", count: "${{ events | length }}"}}
"""


@pytest.mark.parametrize(
    ("each", "marked", "labels"),
    [
        ("One", "${{ events.^", set()),
        ("[One, Two]", "${{ events.^", set()),
        ("One", "${{ events.One.^", set()),
        ("[One, Two]", "${{ [e.^ for e in events] }}", {"item", "why"}),
        ("One", "${{ [e.^ for e in events] }}", {"item"}),
        ("One", "${{ [e for e in events if e.^] }}", {"item"}),
        ("One", "${{ [e for e in events] ~ e.^ }}", set()),
    ],
)
def test_a_batch_is_a_list(each: str, marked: str, labels: set[str]) -> None:
    text = COLLECTED.replace("EACH", each)
    documents, document = opened(text)
    text = text.replace("${{ [e.item for e in events] }}", marked)
    document = documents.put(document.path, text.replace("^", ""))
    assert {found.label for found in proposals(documents, document, text.index("^"))} == labels


@pytest.mark.parametrize(
    ("words", "at", "said"),
    [
        ("events] }}", 2, "as a list: `events | length`"),
        ("e in events", 0, "An item of `events`."),
        ("e.item", 3, "`e.item`: string"),
    ],
)
def test_a_batch_and_its_loops_are_shown(words: str, at: int, said: str) -> None:
    text = COLLECTED.replace("EACH", "One")
    documents, document = opened(text)
    found = hover(documents, document, text.index(words) + at)
    assert found is not None and said in found.said


def test_what_cannot_be_read_now_is_shown_as_it_was() -> None:
    documents, document = opened(TEXT)
    broken = TEXT.replace("    retry: patient\n", "    retry: {max_att\n")
    document = documents.put(document.path, broken)
    assert not document.readable
    for words, at in (("Address: {street", 2), ("config.base", 8), ("kind: llm", 1)):
        now = hover(documents, document, broken.index(words) + at)
        before = hover(*opened(TEXT), TEXT.index(words) + at)
        assert now is not None and before is not None and now.said == before.said
        assert broken[now.start : now.end] == TEXT[before.start : before.end]
    assert hover(documents, document, broken.index("{max_att\n") + 2) is None


BROKEN = [
    ("    retry: patient\n", "    retry: {max_att\n"),
    ("    kind: llm\n", "    kind: 'llm\n"),
    ("  Done: {text: string}\n", "  Done: {text: string\n"),
    ("    accepts: Asked\n", "    accepts: Asked\n   x: y\n"),
    ("tests:\n", "tests: [\n"),
    ("  - name: it is told", "  - name: it is told: now"),
]


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_a_broken_text_is_known_as_it_was_or_without_the_broken_line(
    old: str, new: str, is_new: bool
) -> None:
    broken = TEXT.replace(old, new)
    assert TEXT.count(old) == 1
    documents, document = opened(broken if is_new else TEXT)
    document = documents.put(document.path, broken)
    assert not document.readable
    found = hover(documents, document, broken.index("config.base") + 8)
    assert found is not None and "Where it is." in found.said
    assert broken[found.start : found.end] == "config.base"
    spot = declaration_at(
        documents, document, broken.index("patient") if "patient" in new else broken.index("Asked")
    )
    assert spot is not None and broken[spot.start : spot.end] in {"patient", "Asked"}
    names = [each.name for each in outline(document)]
    assert {"events", "types", "steps"} <= set(names)
    for each in outline(document):
        assert broken[each.start :].startswith(each.name)
        for entry in each.entries:
            assert broken[entry.start :].startswith(entry.name) or entry.name in old


def test_what_was_never_readable_is_known_as_it_is_now() -> None:
    broken = TEXT.replace("    kind: llm\n", "    kind: 'llm\n")
    documents, document = opened(broken.replace("Where it is.", "Where it was."))
    for said in ("Where it was.", "Where it is.", "Where it will be."):
        text = broken.replace("Where it is.", said)
        document = documents.put(document.path, text)
        assert not document.readable
        found = hover(documents, document, text.index("config.base") + 8)
        assert found is not None and said in found.said
        entries = [entry for each in outline(document) for entry in each.entries]
        assert all(text[each.start :].startswith(each.name) for each in entries)
    rest = broken[: broken.index("config:")]
    assert "config" not in [each.name for each in outline(documents.put(document.path, rest))]


LEAVING = """\
wfc: 1
workflow: w
start: Asked
end: [Done, Failed]
on_cancel: {event: Failed, with: {text: stopped}}
on_deadline: Failed
types:
  Line: {sku: string}
  Level: {enum: [Line, low], description: How much of a Line there is.}
  Thing: {one_of: [Line, Level], description: A Line or a Level.}
events:
  Asked: {text: string, type: Level, thing: {type: Thing, default: null, description: No Line.}}
  More: {extends: Asked, of: Line}
  Done: {text: string, back: Asked}
  Failed: {text: string}
steps:
  ask: {kind: human, accepts: Asked, form: {}, within: 1h, on_timeout: Failed, emit: More}
  tell: {kind: transform, accepts: More, max_runs: 2, on_limit: Failed, emit: [{event: More, when: event.text}, Done]}
  wait: {kind: transform, accepts: {all: [Asked, More], within: 1h, on_timeout: Failed}, emit: Done}
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Line: {sku", "**type** `Line`\n\n- `sku`: string\n\nused by `Thing`, `More.of`"),
        (
            "Level: {enum",
            "**type** `Level`\n\nHow much of a Line there is.\n\n`one of Line, low`\n\nused by `Thing`, `Asked.type`",
        ),
        ("Thing: {one_of", "A Line or a Level."),
        ("Thing: {one_of", "used by `Asked.thing`"),
        ("Asked}", "**event** `Asked`\n\n- `text`: string\n- `type`: Level"),
        (
            "text: string}\nsteps",
            "`Failed.text`: filled in `on_cancel`; filled by its name or its default in "
            "`ask`, `tell`, `wait`, `on_deadline`",
        ),
    ],
)
def test_types_are_used_by_fields_and_fields_are_filled_by_all_exits(words: str, said: str) -> None:
    documents, document = opened(LEAVING)
    found = hover(documents, document, LEAVING.index(words) + 1)
    assert found is not None and said in found.said, found


def test_every_test_after_is_is_explained() -> None:
    assert set(TESTS_IN_WORDS) == TESTS
