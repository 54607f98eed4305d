"""What is large, deep or hostile keeps the bounds, and memory stays as it is however long somebody types."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

import pytest

from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.extras import lenses, links
from wfc.compiler.lsp.folder import RenameError, mention_at, renamed, uses
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.moved_files import respelt
from wfc.compiler.lsp.navigation import outline
from wfc.compiler.lsp.project_files import MOST_FILES

pytestmark = pytest.mark.full

T = TypeVar("T")

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


CALLS = "{kind: workflow, workflow: w42, with: {a: x}, accepts: Asked, emit: {event: Done, with: {a: x}}}"


@pytest.mark.slow
def test_a_project_of_ten_thousand_files(tmp_path: Path) -> None:
    """Start, findings, references and a rename, each within its bound: by the processor, on a busy machine."""
    (tmp_path / "wfc.toml").touch()
    for number in range(MOST_FILES - 1):
        folder = tmp_path / f"d{number // 100:03}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number:05}.yaml").write_text(SPEC.format(number))
    plain = SPEC.format("a")
    calling = plain[: plain.index("{kind")] + CALLS + "}\n"
    path = tmp_path / "a.yaml"
    path.write_text(plain)
    documents = Documents()

    def taken(most: float, work: Callable[[], T]) -> T:
        begin = time.process_time()
        found = work()
        assert time.process_time() - begin < most
        return found

    def typed(text: str) -> None:
        documents.findings_now(documents.put(str(path), text))

    document = documents.put(str(path), calling)
    assert [each.code for each in taken(3, lambda: documents.findings(document))] == []
    taken(0.5, lambda: [typed(f"{calling}#{number}") for number in range(5)])
    event, called = (mention_at(document, document.text.index(word)) for word in ("Asked", "w42"))
    assert event is not None and called is not None
    other = str(tmp_path / "d000/f00042.yaml")
    assert {each.path for each in taken(1, lambda: uses(documents, document, event))} == {str(path)}
    assert {each.path for each in taken(1, lambda: uses(documents, document, called))} == {str(path), other}
    assert taken(3, lambda: renamed(documents, document, event, "Wanted")).keys() == {str(path)}
    assert taken(3, lambda: renamed(documents, document, called, "forty_two")).keys() == {str(path), other}
    moved = taken(1, lambda: respelt(documents, {other: str(tmp_path / "g.yaml")}))
    assert moved == {}
    assert documents.files.size < 3_000_000
    (tmp_path / "z.yaml").write_text(SPEC.format("z"))
    documents.files_changed()
    with pytest.raises(RenameError, match="more than 10,000"):
        renamed(documents, document, event, "Wanted")


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
