"""Files that get other paths: what names them, and what they name, is written otherwise, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.folder import RenameError
from wfc.compiler.lsp.moved_files import file_named_at, new_place, respelt

FILES = {
    "flow.yaml": "wfc: 1\nworkflow: pay\nstart: Asked\nend: Paid\n"
    "imports: [./shared.yaml]\nparts: ['./parts/desk.yaml']\nsteps: {}\nevents:\n  Asked: {order: string}\n",
    "shared.yaml": "wfc: 1\nevents:\n  Paid: {order: string}\n",
    "parts/desk.yaml": "wfc: 1\npart: desk\naccepts: [Asked]\nemits: [Paid]\n"
    "steps:\n  pay: {kind: transform, accepts: Asked, emit: Paid}\n",
    "other.yaml": "wfc: 1\nworkflow: other\nstart: A\nend: B\nimports: [./shared.yaml, ./missing.yaml]\n"
    "events: {A: {order: string}, B: {order: string}}\nsteps: {s: {kind: transform, accepts: A, emit: B}}\n",
}


@pytest.mark.parametrize("new", ["it's.yaml", "a #b.yaml", "a, b.yaml", "ö b.yaml"])
def test_names_that_need_quotes_get_them(tmp_path: Path, new: str) -> None:
    (tmp_path / "wfc.toml").touch()
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    documents = Documents()
    documents.put(str(tmp_path / "flow.yaml"), FILES["flow.yaml"])
    moved = {
        str(tmp_path / "shared.yaml"): str(tmp_path / new),
        str(tmp_path / "parts"): str(tmp_path / new[:3]),
    }
    text, changes = respelt(documents, moved)[str(tmp_path / "flow.yaml")]
    for each in sorted(changes, key=lambda each: -each.start):
        text = text[: each.start] + each.text + text[each.end :]
    data = yaml.safe_load(text)
    assert (data["imports"], data["parts"]) == ([f"./{new}"], [f"./{new[:3]}/desk.yaml"])


@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ({"shared.yaml": "common.yaml"}, {"flow.yaml": ["./common.yaml"], "other.yaml": ["./common.yaml"]}),
        (
            {"shared.yaml": "lib/shared.yaml"},
            {"flow.yaml": ["./lib/shared.yaml"], "other.yaml": ["./lib/shared.yaml"]},
        ),
        ({"parts": "pieces"}, {"flow.yaml": ["'./pieces/desk.yaml'"]}),
        ({"flow.yaml": "deep/flow.yaml"}, {"flow.yaml": ["../shared.yaml", "'../parts/desk.yaml'"]}),
        ({"flow.yaml": "deep/flow.yaml", "parts": "deep/parts"}, {"flow.yaml": ["../shared.yaml"]}),
        ({"missing.yaml": "found.yaml"}, {}),
    ],
)
def test_names_of_files_follow(tmp_path: Path, moved: dict[str, str], said: dict[str, list[str]]) -> None:
    (tmp_path / "wfc.toml").touch()
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    documents = Documents()
    before = documents.findings(documents.put(str(tmp_path / "flow.yaml"), FILES["flow.yaml"]))
    paths = {str(tmp_path / old): str(tmp_path / new) for old, new in moved.items()}
    found = respelt(documents, paths)
    told = {str(Path(path).relative_to(tmp_path)): changes for path, (_, changes) in found.items()}
    assert {name: sorted(each.text for each in changes) for name, changes in told.items()} == {
        name: sorted(each) for name, each in said.items()
    }
    for path, (text, changes) in found.items():
        for each in sorted(changes, key=lambda each: -each.start):
            text = text[: each.start] + each.text + text[each.end :]  # noqa: PLW2901
        Path(path).write_text(text)
    for old, new in moved.items():
        if (tmp_path / old).exists():
            (tmp_path / new).parent.mkdir(exist_ok=True)
            (tmp_path / old).rename(tmp_path / new)
    flow = tmp_path / moved.get("flow.yaml", "flow.yaml")
    fresh = Documents()
    after = fresh.findings(fresh.put(str(flow), flow.read_text()))
    assert [each.code for each in after] == [each.code for each in before]


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("./lib/common.yaml", ""),
        ("other.yaml", "there is `other.yaml` already"),
        ("../outside.yaml", "out of the project"),
        ("/tmp/a.yaml", "a path within the project"),
        ("", "a path within the project"),
    ],
)
def test_a_file_is_renamed_at_its_name(tmp_path: Path, new: str, why: str) -> None:
    (tmp_path / "wfc.toml").touch()
    for name in ("flow.yaml", "shared.yaml", "other.yaml"):
        (tmp_path / name).write_text(FILES[name])
    documents, text = Documents(), FILES["flow.yaml"]
    document = documents.put(str(tmp_path / "flow.yaml"), text)
    node = file_named_at(document, text.index("shared"))
    assert node is not None and node.node.value == "./shared.yaml"
    assert file_named_at(document, text.index("desk")) is None  # it is not there
    if why:
        with pytest.raises(RenameError, match=why):
            new_place(document, node, new)
        return
    old, place = new_place(document, node, new)
    assert (old, place) == (str(tmp_path / "shared.yaml"), str(tmp_path / "lib/common.yaml"))
    found = respelt(documents, {old: place})
    assert {each.text for _, changes in found.values() for each in changes} == {"./lib/common.yaml"}
    assert len(found) == 2
