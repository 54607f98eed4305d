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


def declared_anew(text: str, chance: Random) -> str:
    """A text with one edit among its events: a field that comes, goes, is another one, and so does a whole event."""
    lines = text.split("\n")
    begin = next((number for number, line in enumerate(lines) if line.startswith("events:")), None)
    if begin is None:
        return edited(text, chance)
    end = next(
        (number for number, line in enumerate(lines) if number > begin and line[:1] not in {"", " ", "#"}),
        len(lines),
    )
    at = chance.randrange(begin, end)
    new = f"New{chance.randrange(3)}"
    types = "string? integer strin boolean Asked any".split()
    match chance.randrange(6):
        case 0:
            lines.insert(at + 1, f"  {new}: {{a: {chance.choice(types)}}}")
        case 1:
            lines.insert(at + 1, f"    {new.lower()}: {chance.choice(types)}")
        case 2 if at > begin:
            del lines[at]
        case 3:
            lines[at] = lines[at].replace(": string", f": {chance.choice(types)}", 1)
        case 4:
            lines[at] = lines[at].replace("{", f"{{{new.lower()}: {chance.choice(types)}, ", 1)
        case _:
            place = chance.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + chance.choice("aZ?: ,") + lines[at][place:]
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


def test_random_edits_of_events() -> None:
    for number in range(6):
        hold(SPECS[Random(number).randrange(len(SPECS))], number, 8, declared_anew)  # noqa: S311


@pytest.mark.full
def test_random_edits_of_the_events_of_all_specs() -> None:
    for path in SPECS:
        hold(path, 2, 8, declared_anew)


SPEC = """\
wfc: 1
workflow: w
start: Asked
end: Done
events:
  Asked: {a: string}
  Found: {a: string}
  Done: {a: string}
steps:
  find: {kind: transform, accepts: Asked, emit: Found}
  end: {kind: transform, accepts: Found, emit: {event: Done, with: {a: "${{ inputs.a }}"}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "anew"),
    [
        ("Found: {a: string}", "Found: {a: string, b: string?}", ["find", "end"]),
        ("Done: {a: string}", "Done: {a: string, b: string?}", ["end"]),
        ("Asked: {a: string}", "Asked: {a: string, b: string?}", ["find", "end"]),
        ("  Done: {", "  New: {a: string}\n  Done: {", []),
        ("Done: {a: string}", "Done: {a: Found}", ["end"]),
        ("start: Asked", "config: {a: string?}\nstart: Asked", ["find", "end"]),
    ],
)
def test_what_does_not_mention_an_event_is_not_resolved_anew(
    monkeypatch: pytest.MonkeyPatch, old: str, new: str, anew: list[str]
) -> None:
    documents, resolved = Documents(), list[str]()

    def noted(name: str, *more: Any) -> Any:
        resolved.append(name)
        return resolve_step(name, *more)

    documents.findings(documents.put("a.yaml", SPEC))
    monkeypatch.setattr("wfc.compiler.lsp.memory.resolve_step", noted)
    assert old in SPEC
    documents.findings_now(documents.put("a.yaml", SPEC.replace(old, new)))
    assert resolved == anew
