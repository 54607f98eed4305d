"""Names over several files: a declaration, a workflow that imports it, a part of the workflow, and strangers."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.folder import RenameError, declaration, mention_at, renamed, uses, written
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
