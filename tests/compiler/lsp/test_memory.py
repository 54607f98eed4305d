"""What is kept between checks never shows: random edits give the findings that a whole check gives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from wfc.compiler.lsp.documents import Documents
from wfc.compiler.passes import check_text
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


def hold(path: Path, seed: int, edits: int) -> None:
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
