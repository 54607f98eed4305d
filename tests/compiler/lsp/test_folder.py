"""Names over several files: a declaration, a workflow that imports it, a part of the workflow, and strangers."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.folder import RenameError, declaration, mention_at, renamed, uses, written
from wfc.compiler.lsp.hover import hover
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load

SHARED = """\
wfc: 1
events:
  Asked: {order: string, amount: integer}
  Paid: {order: string, receipt: string}
"""
FLOW = """\
wfc: 1
workflow: pay
start: Asked
end: [Paid, Refused]
imports: [./shared.yaml]
parts: [./desk.yaml]
state: {count: {type: integer, default: 0}}
events:
  Refused: {why: string}
  Checked: {order: string, "amount": integer}
steps:
  look:
    kind: transform
    accepts: Asked
    save: {count: "${{ state.count + 1 }}"}
    emit:
      - {event: Refused, when: event.amount > 100 and state.count < 9, with: {why: "${{ event.amount }} is too much"}}
      - event: Checked
        with: {amount: "${{ event.amount }}"}
tests:
  - name: small
    start: {order: A1, amount: 3}
    expect: {end: Paid, with: {receipt: r of 3}}
"""
DESK = """\
wfc: 1
part: desk
accepts: [Checked]
emits: [Paid]
steps:
  pay:
    kind: transform
    accepts: Checked
    emit: {event: Paid, with: {receipt: "r of ${{ event.amount }}"}}
"""
OTHER = "wfc: 1\nworkflow: other\nstart: Asked\nend: Paid\nevents: {Asked: {order: string}, Paid: {order: string}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "wfc.toml").touch()
    for name, text in {"shared": SHARED, "flow": FLOW, "desk": DESK}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    for number in range(3):
        steps = "steps: {pay: {kind: transform, accepts: Asked, emit: Paid}}\n"
        (tmp_path / f"other_{number}.yaml").write_text(OTHER.replace("other", f"other_{number}") + steps)
    return tmp_path


def at(folder: Path, name: str, words: str, more: int = 0):
    """The documents, the one of a file, and the name that stands at some words in it."""
    documents = Documents()
    path = folder / f"{name}.yaml"
    document = documents.put(str(path), path.read_text())
    found = mention_at(document, document.text.index(words) + more)
    assert found is not None, words
    return documents, document, found


def where(folder: Path, spots) -> list[tuple[str, str]]:
    """The lines of spots, by file."""
    return [
        (Path(each.path).stem, each.text[each.text.rfind("\n", 0, each.start) + 1 :].split("\n")[0].strip())
        for each in spots
    ]


def codes(folder: Path) -> dict[str, list[str]]:
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        source = load(str(path))
        checked = check_text(source.raw, source.path, project_of([source]))
        found[path.name] = [each.message for each in checked.diagnostics]
    return found


def test_the_folder_is_good(folder: Path) -> None:
    assert not any(codes(folder).values())


RENAMES = {
    "an imported event": ("flow", "Paid, Refused", "Paid", "Settled", {"shared": 1, "flow": 2, "desk": 2}),
    "from the part": ("desk", "Paid, with", "Paid", "Settled", {"shared": 1, "flow": 2, "desk": 2}),
    "from the declaration": ("shared", "Paid", "Paid", "Settled", {"shared": 1, "flow": 2, "desk": 2}),
    "an event of the workflow": ("desk", "Checked]", "Checked", "Seen", {"flow": 2, "desk": 2}),
    "a field of the state": ("flow", "count < 9", "count", "seen", {"flow": 4}),
    "a field of an event": ("flow", "amount > 100", "amount", "sum", {"shared": 1, "flow": 4}),
    "a field that a part uses": ("desk", "amount }}", "amount", "sum", {"flow": 2, "desk": 1}),
    "a field in a test": ("flow", "receipt: r of", "receipt", "slip", {"shared": 1, "flow": 1, "desk": 1}),
    "a step": ("flow", "look:", "look", "decide", {"flow": 1}),
}


@pytest.mark.parametrize("case", RENAMES)
def test_rename_over_three_files(case: str, folder: Path) -> None:
    name, words, old, new, counts = RENAMES[case]
    documents, document, found = at(folder, name, words)
    places = renamed(documents, document, found, new)
    assert {Path(path).stem: len(spots) for path, (_, spots) in places.items()} == counts
    for path, (text, spots) in places.items():
        assert {text[each.start : each.end] for each in spots} == {old}
        Path(path).write_text(written(text, spots, new))
    assert not any(codes(folder).values())
    documents, document, again = at(folder, name, words.replace(old, new))
    assert renamed(documents, document, again, old).keys() == places.keys()


def test_references_and_definition(folder: Path) -> None:
    documents, document, found = at(folder, "desk", "Paid, with")
    assert where(folder, [declaration(documents, document, found)]) == [
        ("shared", "Paid: {order: string, receipt: string}")
    ]
    assert [each for each, _ in where(folder, uses(documents, document, found))] == [
        *("desk", "desk", "flow", "flow", "shared")
    ]


def test_what_is_not_saved_counts(folder: Path) -> None:
    documents, document, found = at(folder, "flow", "Paid, Refused")
    documents.put(str(folder / "desk.yaml"), DESK + "# Paid, not saved\n")
    text, _ = renamed(documents, document, found, "Settled")[str(folder / "desk.yaml")]
    assert text.endswith("not saved\n")


def test_what_would_change_the_meaning_is_refused(folder: Path) -> None:
    documents, document, found = at(folder, "shared", "order: string, amount")
    with pytest.raises(RenameError, match=r"it would not be the same: .*`order`.*\(flow\.yaml\)"):
        renamed(documents, document, found, "number")
    documents, document, found = at(folder, "shared", "Paid")
    with pytest.raises(RenameError, match="there is `Refused` already, in flow"):
        renamed(documents, document, found, "Refused")


def test_links_that_lead_out_are_passed_over(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "far.yaml").write_text(FLOW.replace("./shared.yaml", f"{folder}/shared.yaml"))
    (folder / "link.yaml").symlink_to(outside / "far.yaml")
    documents, document, found = at(folder, "shared", "Paid")
    files = {Path(path).stem for path in renamed(documents, document, found, "Settled")}
    assert files == {"shared", "flow", "desk"}


CALLED = """\
wfc: 1
workflow: looking
start: Sought
end: [Found, Lost]
receives: {Hint: {key: topic}}
key: inputs.topic
events:
  Sought: {topic: string}
  Found: {summary: string}
  Lost: {}
  Hint: {topic: string, text: string}
steps:
  look:
    kind: wait
    accepts: Sought
    event: Hint
    within: 1 day
    on_timeout: Lost
    emit: {event: Found, with: {summary: "All about ${{ event.topic }}: ${{ result.text }}"}}
"""
CALLING = """\
wfc: 1
workflow: asking
start: Asked
end: [Answered, Found]
events:
  Asked: {question: string}
  Answered: {text: string}
  Found: {why: string}
steps:
  look_up:
    kind: workflow
    accepts: Asked
    workflow: looking
    with: {topic: "${{ event.question }}"}
    on_error: {event: Found, with: {why: failed}}
    emit:
      - {event: Found, when: result is Lost, with: {why: lost}}
      - {event: Answered, with: {text: "${{ result.summary }}"}}
tests:
  - name: it is found
    start: {question: pens}
    mock: {look_up: {event: Found, with: {summary: all}}}
    expect: {end: Answered, with: {text: all}}
  - name: it is not
    start: {question: pens}
    mock: {look_up: {event: Lost}}
    expect: {end: Found}
"""
SENDING = """\
wfc: 1
workflow: hinting
start: Known
end: Told
events:
  Known: {topic: string}
  Hint: {topic: string, text: string}
  Told: {}
steps:
  tell:
    kind: send
    accepts: Known
    to: looking
    to_key: event.topic
    event: Hint
    with: {text: a hint}
    emit: Told
"""
COLLECTION = """\
wfc: 1
workflow: reading
start: Asked
end: Answered
events: {Asked: {question: string}, Seen: {count: integer}, Answered: {text: string}}
models: {fast: {use: "openai:gpt-4o-mini"}}
knowledge:
  manuals: {files: "*.md"}
steps:
  look:
    kind: retrieve
    accepts: Asked
    knowledge: [manuals]
    query: "${{ event.question }}"
    emit: {event: Seen, with: {count: "${{ result | length }}"}}
  answer:
    kind: agent
    accepts: Seen
    model: fast
    prompt: "Of ${{ event.count }} places: ${{ inputs.question }}"
    tools: [manuals.search]
    output: {text: string}
    emit: {event: Answered, with: {text: "${{ result.text }}"}}
"""
FURTHER = CALLING.replace("workflow: asking", "workflow: further").replace(
    "workflow: looking", "workflow: {from: event.question, only: [looking, looking_too]}"
)
TOO = CALLED.replace("workflow: looking", "workflow: looking_too")


@pytest.fixture
def callers(tmp_path: Path) -> Path:
    (tmp_path / "wfc.toml").touch()
    texts = {"looking": CALLED, "asking": CALLING, "hinting": SENDING, "reading": COLLECTION}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


CALLS = {
    "an end": ("looking", "Found, Lost", "Found", "Met", {"looking": 3, "asking": 1}),
    "an end, from a test of a caller": (
        "asking",
        "Found, with: {summary",
        "Found",
        "Met",
        {"looking": 3, "asking": 1},
    ),
    "an end that a caller looks for": ("asking", "Lost, with", "Lost", "Away", {"looking": 3, "asking": 2}),
    "an event of a caller that has the name of an end": (
        "asking",
        "Found: {why",
        "Found",
        "Gone",
        {"asking": 5},
    ),
    "a field of an end": ("looking", "summary: string", "summary", "text", {"looking": 2, "asking": 2}),
    "a field of an end, from a caller": (
        "asking",
        "summary }}",
        "summary",
        "said",
        {"looking": 2, "asking": 2},
    ),
    "a field of the start": (
        "looking",
        "topic: string}\n  Found",
        "topic",
        "about",
        {"looking": 3, "asking": 1},
    ),
    "the start": ("looking", "Sought\nend", "Sought", "Begun", {"looking": 3}),
    "the workflow": ("looking", "looking", "looking", "seeking", {"looking": 1, "asking": 1, "hinting": 1}),
    "the workflow, from who sends": (
        "hinting",
        "looking",
        "looking",
        "seeking",
        {"looking": 1, "asking": 1, "hinting": 1},
    ),
    "what it receives": ("looking", "Hint: {key", "Hint", "Clue", {"looking": 3, "hinting": 2}),
    "what it receives, from who sends": ("hinting", "Hint\n", "Hint", "Clue", {"looking": 3, "hinting": 2}),
    "a field of what it receives": ("hinting", "text: string", "text", "said", {"looking": 2, "hinting": 2}),
    "a collection": ("reading", "manuals: {", "manuals", "books", {"reading": 3}),
    "a collection, from an agent": ("reading", "manuals.search", "manuals", "books", {"reading": 3}),
}


@pytest.mark.parametrize("case", CALLS)
def test_rename_reaches_who_calls(case: str, callers: Path) -> None:
    name, words, old, new, counts = CALLS[case]
    before = codes(callers)
    assert not any(before.values()), before
    documents, document, found = at(callers, name, words)
    places = renamed(documents, document, found, new)
    assert {Path(path).stem: len(spots) for path, (_, spots) in places.items()} == counts
    for path, (text, spots) in places.items():
        assert {text[each.start : each.end] for each in spots} == {old}
        Path(path).write_text(written(text, spots, new))
    assert not any(codes(callers).values())


def test_what_is_of_two_workflows_is_not_renamed_in_one(callers: Path) -> None:
    (callers / "further.yaml").write_text(FURTHER)
    (callers / "looking_too.yaml").write_text(TOO)
    documents, document, found = at(callers, "looking", "Lost]")
    with pytest.raises(RenameError, match="it would not be the same"):
        renamed(documents, document, found, "Away")
    documents, document, found = at(callers, "looking", "looking")
    places = renamed(documents, document, found, "seeking")
    assert {Path(path).stem for path in places} == {"looking", "asking", "hinting", "further"}
    documents, document, found = at(callers, "looking", "looking")
    with pytest.raises(RenameError, match="there is `looking_too` already, in looking_too"):
        renamed(documents, document, found, "looking_too")


def test_definition_of_what_is_called(callers: Path) -> None:
    for words, line in (
        ("looking\n", "workflow: looking"),
        ("Lost, with", "Lost: {}"),
        ("summary }}", "Found: {summary: string}"),
        ("topic:", "Sought: {topic: string}"),
    ):
        documents, document, found = at(callers, "asking", words)
        spot = declaration(documents, document, found)
        assert spot is not None, words
        assert where(callers, [spot]) == [("looking", line)]


def test_who_sends_under_a_topic_is_reached(callers: Path) -> None:
    receiver = CALLED.replace("{Hint: {key: topic}}", "{Hint: {topic: news}}").replace(
        "key: inputs.topic\n", ""
    )
    (callers / "looking.yaml").write_text(receiver)
    sender = SENDING.replace("to: looking\n    to_key: event.topic", "topic: news")
    (callers / "hinting.yaml").write_text(sender)
    (callers / "stranger.yaml").write_text(
        sender.replace("topic: news", "topic: other").replace("workflow: hinting", "workflow: stranger")
    )
    documents, document, found = at(callers, "hinting", "Hint\n")
    places = renamed(documents, document, found, "Clue")
    assert {Path(path).stem: len(spots) for path, (_, spots) in places.items()} == {
        "looking": 3,
        "hinting": 2,
    }


def test_what_is_shown_and_offered_of_workflows_and_collections(callers: Path) -> None:
    shown = {
        ("asking", "looking\n"): "**workflow** `looking`\n\n`Sought` → `Found`, `Lost`",
        ("reading", "manuals]"): "**collection** `manuals`\n\n`{files}`",
        ("reading", "manuals.search"): "**collection** `manuals`\n\n`{files}`",
    }
    offered = {
        ("asking", "workflow: looking", len("workflow: ")): {"looking", "hinting", "reading"},
        ("reading", "knowledge: [manuals", len("knowledge: [")): {"manuals"},
        ("reading", "tools: [manuals.search", len("tools: [")): {"manuals"},
    }
    for (name, words), said in shown.items():
        documents, document, _ = at(callers, name, words)
        found = hover(documents, document, document.text.index(words) + 1)
        assert found is not None and found.said == said
    for (name, words, further), wanted in offered.items():
        documents, document, _ = at(callers, name, words, further)
        labels = {each.label for each in proposals(documents, document, document.text.index(words) + further)}
        assert wanted <= labels, (words, labels)


KINDS = """\
wfc: 1
types:
  Bed: {enum: [Wide, Narrow]}
  Room: {number: integer, bed: Bed, spare: {type: optional Bed, description: Bed or no Bed}}
  Hall: {seats: integer}
  Place: {one_of: [Room, Hall]}
events:
  Shown: {room: Room, description: string}
"""
LODGING = """\
wfc: 1
workflow: lodging
start: Wanted
end: [Given, Shown]
imports: [./kinds.yaml]
parts: [./porter.yaml]
models: {fast: {use: "openai:gpt-4o-mini"}}
state: {last: {type: optional Room}}
tools:
  find: {http: {method: GET, url: "https://rooms.test/free"}, args: {bed: Bed}, output: list of Room}
events:
  Wanted: {bed: Bed, places: map of Place, place: Place, seen: list of Shown, description: optional Bed}
  Found: {"rooms": "list of Room", place: Place}
  Left: {}
  Given: {text: string}
steps:
  look:
    kind: tool
    accepts: Wanted
    tool: find
    with: {bed: "${{ event.bed }}"}
    emit: {event: Found, with: {rooms: "${{ result }}", place: "${{ event.place }}"}}
  choose:
    kind: llm
    accepts: Found
    model: fast
    prompt: Which Room, or Hall, of ${{ event.rooms | length }}?
    output: {best: Room, others: list of Room}
    save: {last: "${{ result.best }}"}
    emit:
      - {event: Shown, when: event.place is Room, with: {room: "${{ result.best }}", description: the Room}}
      - Left
"""
PORTER = """\
wfc: 1
part: porter
accepts: [Left]
emits: [Given]
steps:
  hand:
    kind: llm
    accepts: Left
    model: fast
    prompt: Which Room?
    output: {room: Room}
    emit: {event: Given, with: {text: "Room ${{ result.room.number }}"}}
"""
STRANGER = """\
wfc: 1
workflow: far
start: A
end: B
types: {Room: {size: integer}}
events: {A: {room: Room}, More: {extends: A, error: string, description: {type: string, default: none}}, B: {}}
steps:
  a: {kind: transform, accepts: A, emit: {event: More, with: {error: none}}}
  b: {kind: transform, accepts: More, emit: B}
"""

TYPES = {
    "a record": ("kinds", "Room: {", "Room", "Chamber", {"kinds": 3, "lodging": 6, "porter": 1}),
    "from a part": ("porter", "Room}", "Room", "Chamber", {"kinds": 3, "lodging": 6, "porter": 1}),
    "from the state": (
        "lodging",
        "Room}}\ntools",
        "Room",
        "Chamber",
        {"kinds": 3, "lodging": 6, "porter": 1},
    ),
    "from a condition": ("lodging", "Room, with", "Room", "Chamber", {"kinds": 3, "lodging": 6, "porter": 1}),
    "an enumeration": ("lodging", "Bed, places", "Bed", "Bunk", {"kinds": 3, "lodging": 3}),
    "a choice": ("kinds", "Place", "Place", "Spot", {"kinds": 1, "lodging": 3}),
    "an event that another extends": ("far", "A, error", "A", "Asked", {"far": 4}),
    "a field called error": ("far", "error: none", "error", "why", {"far": 2}),
    "a field called description": (
        "kinds",
        "description: string",
        "description",
        "about",
        {"kinds": 1, "lodging": 1},
    ),
    "an event that a field is of": ("lodging", "Shown, desc", "Shown", "Seen", {"kinds": 1, "lodging": 3}),
}


@pytest.fixture
def lodging(tmp_path: Path) -> Path:
    (tmp_path / "wfc.toml").touch()
    texts = {"kinds": KINDS, "lodging": LODGING, "porter": PORTER, "far": STRANGER}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


@pytest.mark.parametrize("case", TYPES)
def test_a_type_is_renamed_wherever_it_is_said(case: str, lodging: Path) -> None:
    name, words, old, new, counts = TYPES[case]
    before = codes(lodging)
    assert not any(before.values()), before
    documents, document, found = at(lodging, name, words)
    places = renamed(documents, document, found, new)
    assert {Path(path).stem: len(spots) for path, (_, spots) in places.items()} == counts
    for path, (text, spots) in places.items():
        assert {text[each.start : each.end] for each in spots} == {old}
        Path(path).write_text(written(text, spots, new))
    assert not any(codes(lodging).values())
    assert "Bed or no Bed" in (lodging / "kinds.yaml").read_text()  # what is told of a field is no type
    assert ": the Room}" in (lodging / "lodging.yaml").read_text()


def test_fields_called_as_keys_are_elsewhere_are_fields(lodging: Path) -> None:
    documents, document, _ = at(lodging, "kinds", "Shown")
    found = hover(documents, document, document.text.index("Shown"))
    assert found is not None
    assert found.said == "**event** `Shown`\n\n- `room`: Room\n- `description`: string"
    documents, document, _ = at(lodging, "far", "A\n")
    offered = {each.label: each for each in proposals(documents, document, document.text.index("A\nend"))}
    assert offered["More"].about == ""
    assert offered["More"].detail


def test_what_is_given_to_a_workflow_is_told(callers: Path) -> None:
    documents, document, _ = at(callers, "asking", "topic:")
    found = hover(documents, document, document.text.index("topic:") + 1)
    assert found is not None
    assert found.said.startswith("**field** `Sought.topic`: string")
    assert "read in `look`" in found.said


def test_a_type_and_an_event_share_their_names(lodging: Path) -> None:
    documents, document, found = at(lodging, "kinds", "Hall: {")
    for taken in ("Room", "Shown"):
        with pytest.raises(RenameError, match=f"there is `{taken}` already, in kinds"):
            renamed(documents, document, found, taken)
    documents, document, found = at(lodging, "lodging", "Room, others")
    spot = declaration(documents, document, found)
    assert spot is not None
    assert where(lodging, [spot])[0][0] == "kinds"
    assert spot.text[spot.start :].startswith("Room: {number")
