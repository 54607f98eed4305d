"""What is large, deep or hostile keeps the bounds, and memory stays as it is however long somebody types."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from random import Random

import pytest

from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.extras import lenses, links
from wfc.compiler.lsp.folder import MOST_FILES, RenameError, mention_at, renamed, uses
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.navigation import outline

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[3]
SPEC = """\
wfc: 1
workflow: w{}
start: Asked
end: Done
events: {{Asked: {{a: string}}, Done: {{a: string}}}}
steps: {{s: {{kind: transform, accepts: Asked, emit: Done}}}}
"""
BOMB = "wfc: 1\na: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"b{number}: &b{number} [{','.join(['*' + (f'b{number - 1}' if number else 'a')] * 9)}]\n"
    for number in range(9)
)
HOSTILE = {
    "large": "wfc: 1\nworkflow: big\n" + "a: [1, 2, {b: c}]\n" * 220_000,
    "one line": "wfc: 1\nworkflow: " + "a" * 4_000_000,
    "deep": "wfc: 1\nworkflow: " + "[" * 100_000,
    "deep blocks": "wfc: 1\n" + "".join(f"{' ' * depth}a:\n" for depth in range(1_500)),
    "a bomb": BOMB,
    "no text": "wfc: 1\nworkflow: \0\ud800\n",
    "expressions": "wfc: 1\nsteps:\n  a:\n    prompt: " + "${{ event." * 50_000,
    "brackets": 'wfc: 1\nsteps:\n  a:\n    prompt: "${{ ' + "[" * 40_000 + '"\n',
    "loops in brackets": 'wfc: 1\nsteps:\n  a:\n    prompt: "${{ '
    + "".join(f"[for a{number + 1} in a{number}.x " for number in range(900))
    + "a900.",
    "loops in loops": "wfc: 1\nsteps:\n  a:\n    prompt: "
    + "".join(f"{{% for a{number + 1} in a{number}.x %}}" for number in range(600))
    + "${{ a600.",
    "loops": "wfc: 1\nsteps:\n  a:\n    prompt: " + "{% for a in a.a %}" * 20_000 + "${{ a.",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_each_answer_is_bounded(case: str) -> None:
    text = HOSTILE[case]
    documents = Documents()
    begin = time.process_time()
    document = documents.put("/nowhere/a.yaml", text)
    documents.findings(document)
    for at in (len(text), len(text) // 2, 20):
        proposals(documents, document, at)
        hover(documents, document, at)
        mention_at(document, at)
    outline(document), lenses(document), list(links(document))
    assert time.process_time() - begin < 10


def test_a_folder_of_many_files(tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").touch()
    for number in range(MOST_FILES + 1):
        (tmp_path / f"f{number:05}.yaml").write_text(SPEC.format(number))
    documents = Documents()
    path = tmp_path / "f00001.yaml"
    document = documents.put(str(path), path.read_text())
    name = mention_at(document, document.text.index("Asked"))
    assert name is not None
    begin = time.process_time()
    assert len(uses(documents, document, name)) == 3
    with pytest.raises(RenameError, match="more than 2,000"):
        renamed(documents, document, name, "Wanted")
    (tmp_path / "f02000.yaml").unlink()
    with pytest.raises(RenameError, match="more than 60 files"):
        renamed(documents, document, name, "Wanted")
    assert time.process_time() - begin < 20


def test_memory_stays_as_it_is() -> None:
    good = (ROOT / "specs/ticket_triage.yaml").read_text()
    chance, documents, text = Random(1), Documents(), good  # noqa: S311

    def objects(keystrokes: int) -> int:
        nonlocal text
        for number in range(keystrokes):
            at = chance.randrange(len(text))
            text = (
                text[:at] + chance.choice('ab :\n{}$"') + text[at:]
                if chance.random() < 0.6
                else text[:at] + text[at + 1 :]
            )
            text = good if number % 7 == 0 else text
            document = documents.put("/nowhere/a.yaml", text)
            documents.findings_now(document)
            proposals(documents, document, at)
        documents.findings(documents.put("/nowhere/a.yaml", good))
        gc.collect()
        return len(gc.get_objects())

    before = objects(1_200)  # what is kept of entries that were edited, within its bound
    assert objects(1_200) < before + 1_200  # less than one object for each keystroke
