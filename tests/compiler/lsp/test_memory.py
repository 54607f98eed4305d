"""What is kept between checks never shows: random edits give the findings that a whole check gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from wfc.compiler.lsp.documents import Documents
from wfc.compiler.passes import check_text
from wfc.compiler.resolve.steps.steps import resolve_step
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source

ROOT = Path(__file__).parents[3]
SPECS = sorted([*(ROOT / "specs").glob("**/*.yaml"), *(ROOT / "docs/language").glob("**/*.yaml")])


def whole(path: str, text: str) -> list[str]:
    """What `wfc check` says of a text, as one text each."""
    source = Source(path, text.encode("utf-8", "replace"))
    checked = with_severities(check_text(source.raw, path, project_of([source])))
    return [repr(each) for each in checked.diagnostics if each.path == path]


def edited(text: str, chance: Random) -> str:
    """A text with one edit, such as somebody makes who types, moves lines, and renames."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    words = [word for word in text.replace(":", " ").split() if word.isidentifier()]
    match chance.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        case 2:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        case 3:
            place = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + chance.choice("aZ _:-{}[]'\"#.$|\t") + lines[at][place:]
        case 4:
            lines[at] = lines[at].replace(chance.choice(words), chance.choice(words), 1) if words else ""
        case 5:
            other = chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            return text.replace(chance.choice(words), chance.choice(words), 1) if words else text
    return "\n".join(lines)


TYPES = "string? integer strin boolean Asked any".split()
NEW = {
    "events": "{a: TYPE}",
    "types": "{a: TYPE}",
    "config": "TYPE",
    "state": "{type: TYPE, default: null}",
    "retries": "{max_attempts: 2}",
    "models": '{use: "openai:gpt-5"}',
    "tools": '{python: "a:b", output: TYPE}',
    "texts": "some words",
    "agents": '{model: new0, prompt: "words"}',
}
"""The sections that are compared entry by entry, and an entry that may be new in each."""


def declared_anew(text: str, chance: Random) -> str:
    """A text with one edit among its declarations: an entry or a key that comes, goes, or is another one."""
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line.rstrip(":") in NEW and line.endswith(":")]
    if not begins:
        return edited(text, chance)
    begin = chance.choice(begins)
    section = lines[begin].rstrip(":")
    end = next(
        (number for number, line in enumerate(lines) if number > begin and line[:1] not in {"", " ", "#"}),
        len(lines),
    )
    at, kind = chance.randrange(begin, end), chance.choice(TYPES)
    name = f"{'New' if section in {'events', 'types'} else 'new'}{chance.randrange(3)}"
    words = [word for word in " ".join(lines[begin:end]).replace(":", " ").split() if word.isidentifier()]
    match chance.randrange(8):
        case 0:
            lines.insert(at + 1, f"  {name}: {NEW[section].replace('TYPE', kind)}")
        case 1:
            lines.insert(at + 1, f"    {name.lower()}: {kind}")
        case 2 if at > begin:
            del lines[at]
        case 3:
            lines[at] = lines[at].replace(": string", f": {kind}", 1)
        case 4:
            lines[at] = lines[at].replace("{", f"{{{name.lower()}: {kind}, ", 1)
        case 5 if end < len(lines):  # something that all of the declarations may mention, or no longer do
            lines[at] = lines[at].replace(chance.choice(words), chance.choice(words), 1)
        case 6 if at > begin:
            lines[at] += chance.choice(["", " ", "x", " and more"])
        case _:
            place = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + chance.choice("aZ?: ,") + lines[at][place:]
    return "\n".join(lines)


AFTER_TYPES = {
    "secrets": "[NEW_KEY, WORD]",
    "defaults": "{timeout: 5s, model: WORD}",
    "receives": "{WORD: {}}",
    "knowledge": "{new: {files: [WORD.md]}}",
    "threads": "{new: {key: inputs.WORD, keep: {messages: 3}}}",
    "key": "inputs.WORD",
    "when_running": "join",
    "resources": '{new: {python: "a:WORD"}}',
    "workflow": "WORD",
    "start": "WORD",
    "end": "[WORD, WORD]",
    "imports": "[WORD.yaml]",
    "deadline": "5h",
    "limits": "{steps: 100}",
    "on_error": "{event: WORD}",
    "triggers": "{often: {topic: WORD}}",
    "moved": "{steps: {WORD: WORD}}",
    "parts": "[WORD.yaml]",
}
"""The sections that are read once types and events are known, or steps are, and what may be new in each."""


def edited_after_types(text: str, chance: Random) -> str:
    """A text with one edit in such a section, which comes, goes, or is another one."""
    lines = text.split("\n")
    words = [word for word in text.replace(":", " ").split() if word.isidentifier()] or ["a"]
    begins = [number for number, line in enumerate(lines) if line.split(":")[0] in AFTER_TYPES]
    if not begins or chance.random() < 0.3:
        section = chance.choice([*AFTER_TYPES])
        new = f"{section}: {AFTER_TYPES[section].replace('WORD', chance.choice(words))}"
        at = next((number for number in begins if lines[number].startswith(f"{section}:")), None)
        if at is None:
            return "\n".join([*lines, new]) if lines[-1:] == [""] else f"{text}\n{new}\n"
        lines[at] = new if chance.random() < 0.5 else ""
        return "\n".join(lines)
    begin = chance.choice(begins)
    end = begin + 1
    while end < len(lines) and lines[end][:1] in {" ", "-"}:
        end += 1
    at = chance.randrange(begin, end)
    match chance.randrange(4):
        case 0 if at > begin:
            del lines[at]
        case 1:
            old = [word for word in lines[at].replace(":", " ").split() if word.isidentifier()]
            lines[at] = lines[at].replace(chance.choice(old), chance.choice(words), 1) if old else ""
        case _:
            place = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + chance.choice("aZ?: ,]") + lines[at][place:]
    return "\n".join(lines)


def hold(path: Path, seed: int, edits: int, edited: Callable[[str, Random], str] = edited) -> None:
    chance = Random(f"{path.name} {seed}")  # noqa: S311
    documents, good = Documents(), path.read_text()
    texts = [good]
    for _ in range(edits):
        # back to an earlier text now and then, so that most texts are nearly good
        base = chance.choice([good, good, texts[-1], chance.choice(texts)])
        texts.append(base if chance.random() < 0.2 else edited(base, chance))
        document = documents.put(str(path), texts[-1])
        if document.is_spec:
            said = [repr(each) for each in documents.findings(document)]
            assert said == whole(str(path), texts[-1]), f"{path} {seed}\n{texts[-1]}"


def test_random_edits_give_what_a_whole_check_gives() -> None:
    for number in range(6):
        hold(SPECS[Random(number).randrange(len(SPECS))], number, 5)  # noqa: S311


@pytest.mark.full
def test_random_edits_of_all_specs() -> None:
    for path in SPECS:
        hold(path, 1, 6)


def test_random_edits_of_declarations() -> None:
    for number in range(6):
        hold(SPECS[Random(number).randrange(len(SPECS))], number, 8, declared_anew)  # noqa: S311


@pytest.mark.full
def test_random_edits_of_the_declarations_of_all_specs() -> None:
    for path in SPECS:
        hold(path, 2, 12, declared_anew)


def test_random_edits_of_what_is_read_after_types() -> None:
    for number in range(6):
        hold(SPECS[Random(number).randrange(len(SPECS))], number, 8, edited_after_types)  # noqa: S311


@pytest.mark.full
def test_random_edits_of_what_is_read_after_types_in_all_specs() -> None:
    for path in SPECS:
        hold(path, 3, 12, edited_after_types)


FILES = {
    "one.yaml": "types:\n  Level: {enum: [low, high]}\n  Pair: {left: string, right: string}\nmodels:\n"
    '  fast: {use: "openai:gpt-5"}\nconfig:\n  base: string\n',
    "two.yaml": "imports: [one.yaml]\nevents:\n  Rated: {a: string, level: Level}\ntexts:\n"
    "  words: see ${{ config.base }}\nretries:\n  often: {max_attempts: 3}\n",
    "other.yaml": "types:\n  Level: {enum: [low, high, middle]}\nmodels:\n"
    '  fast: {use: "openai:gpt-6"}\n  slow: {use: "openai:gpt-5"}\nsecrets: [KEY]\n',
    "wrong.yaml": "types:\n  Level: strin\n",
    "broken.yaml": "types: [\n",
    "empty.yaml": "",
}
IMPORTING = """\
wfc: 1
workflow: w
start: Asked
end: Done
imports: [one.yaml, two.yaml]
receives:
  Found: {}
events:
  Asked: {a: string}
  Found: {a: string}
  Done: {a: string}
steps:
  find: {kind: transform, accepts: Asked, emit: Found}
  rate:
    kind: llm
    accepts: Found
    model: fast
    prompt: "{% use words %}"
    retry: often
    output: {level: Level}
    emit: Rated
  pair: {kind: transform, accepts: Rated, emit: {event: Done, with: {a: "${{ event.level }}"}}}
"""


def imported_anew(text: str, chance: Random) -> str:
    """A text with other imports, or with one edit elsewhere."""
    begin = text.find("imports: [")
    if begin < 0 or chance.random() < 0.3:
        return (edited if chance.random() < 0.5 else edited_after_types)(text, chance)
    end = text.find("\n", begin)
    names = [*FILES, "not_there.yaml", "one.yam"]
    given = ", ".join(chance.sample(names, chance.randrange(4)))
    return f"{text[:begin]}imports: [{given}]{text[end:]}"


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(each, marks=pytest.mark.full) for each in range(4, 40))]
)
def test_random_imports_give_what_a_whole_check_gives(tmp_path: Path, seed: int) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text and f"wfc: 1\n{text}")
    (tmp_path / "spec.yaml").write_text(IMPORTING)
    assert whole(str(tmp_path / "spec.yaml"), IMPORTING) == []
    hold(tmp_path / "spec.yaml", seed, 15, imported_anew)


UNSURE = """\
wfc: 1
workflow: w
start: Asked
end: Done
imports: [%s]
events:
  Asked: {q: Itm}
  Done: {r: string}
steps:
  one: {kind: transform, accepts: Asked, emit: {event: Done, with: {r: x}}}
"""
"""A type that nothing declares, which is not told while an imported file cannot be read."""


@pytest.mark.parametrize("unread", ["broken.yaml", "empty.yaml", "not_there.yaml", "on.yaml"])
@pytest.mark.parametrize("then", ["imports: [one.yaml]\n", "imports: []\n", ""])
def test_what_an_unreadable_import_hides_is_told_without_it(tmp_path: Path, unread: str, then: str) -> None:
    for name, text in {**FILES, "on.yaml": "imports: [broken.yaml]\n"}.items():
        (tmp_path / name).write_text(text and f"wfc: 1\n{text}")
    path, documents = str(tmp_path / "spec.yaml"), Documents()
    before = UNSURE % unread
    assert "unknown-type" not in {each.code for each in documents.findings(documents.put(path, before))}
    text = before.replace(f"imports: [{unread}]\n", then)
    after = documents.findings(documents.put(path, text))
    assert [repr(each) for each in after] == whole(path, text)
    assert "unknown-type" in {each.code for each in after}


SPEC = """\
wfc: 1
workflow: w
start: Asked
end: Done
config:
  base: string
state:
  count: {type: integer, default: 0}
retries:
  often: {max_attempts: 3}
models:
  fast: {use: "openai:gpt-5"}
  slow: {use: "openai:gpt-5", base_url: "${{ config.base }}"}
types:
  Level: {enum: [low, high]}
events:
  Asked: {a: string}
  Found: {a: string}
  Rated: {a: string, level: Level}
  RatedDone: {a: string}
  Done: {a: string}
steps:
  find:
    {kind: transform, accepts: Asked, emit: Found, save: {count: "${{ state.count + 1 }}"}}
  rate:
    {kind: llm, accepts: Found, model: fast, prompt: "a", retry: often, output: {level: Level}, emit: Rated}
  look:
    kind: llm
    accepts: Rated
    model: slow
    prompt: a
    output: {b: string}
    emit: {event: RatedDone, with: {a: "${{ result.b }}"}}
  end: {kind: transform, accepts: RatedDone, emit: {event: Done, with: {a: "${{ inputs.a }}"}}}
"""
ALL = ["find", "rate", "look", "end"]


@pytest.mark.parametrize(
    ("old", "new", "anew"),
    [
        ("Found: {a: string}", "Found: {a: string, b: optional string}", ["find", "rate"]),
        ("  Done: {a: string}", "  Done: {a: string, b: optional string}", ["end"]),
        ("Asked: {a: string}", "Asked: {a: string, b: optional string}", ["find", "end"]),
        ("  Done: {", "  New: {a: string}\n  Done: {", []),
        ("  Done: {a: string}", "  Done: {a: Found}", ["end"]),
        ("Rated: {a: string,", "Rated: {a: string, b: optional string,", ["rate", "look"]),
        ("[low, high]", "[low, high, middle]", ["rate", "look"]),
        ("max_attempts: 3", "max_attempts: 4", ["rate"]),
        ("  often:", "  seldom: {max_attempts: 2}\n  often:", []),
        ('fast: {use: "openai:gpt-5"}', 'fast: {use: "openai:gpt-6"}', ["rate"]),
        ('fast: {use: "openai:gpt-5"}', 'fast: {use: "openai"}', ["rate"]),
        ("base: string", "base: {type: string, default: a}", ["look"]),
        ("base: string", "base: string\n  more: optional string", []),
        ("default: 0}", "default: 1}", ["find"]),
        ("start: Asked", "description: Words.\nstart: Asked", []),
        ("start: Asked", "secrets: [KEY]\nstart: Asked", []),
        ("start: Asked", "defaults: {model: fast}\nstart: Asked", ALL),
        ("start: Asked", "threads: {rate: {key: inputs.a}}\nstart: Asked", []),
        ("start: Asked", "imports: []\nstart: Asked", []),
        ("start: Asked", "imports: [not_there.yaml]\nstart: Asked", []),
        ("end: Done", "end: [Done, RatedDone]", ["look", "end"]),
        ("start: Asked", "start: Found", ALL[:2] + ALL[3:]),
        ("workflow: w", "workflow: words", []),
        ("start: Asked", "deadline: 3h\nstart: Asked", []),
        ("start: Asked", "limits: {steps: 30}\nstart: Asked", []),
        ("start: Asked", "on_error: {event: Done, with: {a: b}}\nstart: Asked", []),
        ("start: Asked", 'triggers: {often: {schedule: "1 * * * *", with: {a: b}}}\nstart: Asked', []),
        ("start: Asked", "moved: {steps: {look: other}}\nstart: Asked", []),
        ("start: Asked", 'resources: {one: {python: "a:b"}}\nstart: Asked', []),
        ("start: Asked", "parts: [not_there.yaml]\nstart: Asked", []),
    ],
)
def test_what_does_not_mention_a_declaration_is_not_resolved_anew(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, anew: list[str]
) -> None:
    documents, resolved = Documents(), list[str]()

    def noted(name: str, *more: Any) -> Any:
        resolved.append(name)
        return resolve_step(name, *more)

    documents.findings(documents.put("a.yaml", SPEC))
    monkeypatch.setattr("wfc.compiler.lsp.memory.resolve_step", noted)
    assert SPEC.count(old) == 1
    changed = SPEC.replace(old, new)
    found = [repr(each) for each in documents.findings_now(documents.put("a.yaml", changed))]
    assert resolved == anew
    monkeypatch.undo()
    other = Documents()
    assert found == [repr(each) for each in other.findings_now(other.put("a.yaml", changed))]
