"""``wfc verify``: what is said of generated modules and manifests, and what is mended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
MODULE, MANIFEST = "greet_workflow.py", "wfc-manifest.json"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def change_manifest(folder: Path, change: Callable[[dict[str, dict[str, object]]], object]) -> None:
    record = json.loads((folder / MANIFEST).read_text())
    change(record["modules"])
    (folder / MANIFEST).write_text(json.dumps(record))


def of_another_release(folder: Path) -> None:
    """A module that an older code generator wrote: nobody has edited it, and its spec is the same."""
    import hashlib

    module = folder / MODULE
    module.write_text(module.read_text() + "\n# as another release ends its modules\n")
    digest = hashlib.sha256(module.read_bytes()).hexdigest()
    change_manifest(folder, lambda modules: modules[MODULE].update(sha256=digest))


def without_line_ends(folder: Path) -> None:
    module = folder / MODULE
    module.write_bytes(module.read_bytes().replace(b"\n", b"\r\n"))


def renamed(folder: Path) -> None:
    edit(folder / "greet.yaml", "workflow: greet", "workflow: welcome")


HARM: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "nothing": (lambda folder: None, []),
    "line ends as git gives them on Windows": (without_line_ends, []),
    "a module deleted": (lambda folder: (folder / MODULE).unlink(), [f"{MODULE}: missing"]),
    "a spec changed": (lambda folder: edit(folder / "greet.yaml", "Hello", "Good day"), [f"{MODULE}: stale"]),
    "a comment in a spec": (
        lambda folder: (folder / "greet.yaml").write_text(GREET + "# seen\n"),
        [f"{MODULE}: stale"],
    ),
    "a module edited": (lambda folder: edit(folder / MODULE, "Hello", "Hi"), [f"{MODULE}: edited"]),
    "both changed": (
        lambda folder: (edit(folder / "greet.yaml", "Hello", "Hi"), edit(folder / MODULE, "Hello", "Hi")),
        [f"{MODULE}: edited"],
    ),
    "another release": (of_another_release, [f"{MODULE}: other-release"]),
    "a manifest lost, the module current": (
        lambda folder: (folder / MANIFEST).unlink(),
        [f"{MANIFEST}: stale"],
    ),
    "a manifest lost, the spec changed": (
        lambda folder: ((folder / MANIFEST).unlink(), edit(folder / "greet.yaml", "Hello", "Hi")),
        [f"{MODULE}: unlisted"],
    ),
    "an entry of the manifest changed": (
        lambda folder: change_manifest(
            folder, lambda modules: modules[MODULE].update(source_sha256="0" * 64)
        ),
        [f"{MANIFEST}: stale"],
    ),
    "another file in its place": (
        lambda folder: (folder / MODULE).write_text("mine = 1\n"),
        [f"{MODULE}: foreign"],
    ),
    "a workflow renamed": (renamed, ["welcome_workflow.py: missing", f"{MODULE}: orphaned"]),
    "a spec deleted": (lambda folder: (folder / "greet.yaml").unlink(), [f"{MODULE}: orphaned"]),
    "a spec deleted, its module edited": (
        lambda folder: ((folder / "greet.yaml").unlink(), edit(folder / MODULE, "Hello", "Hi")),
        [f"{MODULE}: orphaned"],
    ),
    "a spec and its module deleted": (
        lambda folder: ((folder / "greet.yaml").unlink(), (folder / MODULE).unlink()),
        [f"{MANIFEST}: stale"],
    ),
}
KEPT = {
    "a module edited",
    "both changed",
    "a manifest lost, the spec changed",
    "another file in its place",
    "a spec deleted, its module edited",
}
"""Where something would be lost that a person may have written."""


@pytest.fixture(params=["beside the specs", "in another folder"])
def where(request: pytest.FixtureRequest) -> list[str]:
    return [] if request.param == "beside the specs" else ["-o", "."]


@pytest.mark.parametrize("name", HARM)
def test_each_state_is_told_and_mended_where_nothing_is_lost(
    wfc, greet: Path, tmp_path: Path, name: str, where: list[str]
) -> None:
    assert wfc("compile", "greet.yaml", *where).status == 0
    harm, expected = HARM[name]
    harm(tmp_path)
    there = {path: path.read_bytes() for path in tmp_path.glob("*.py")}
    done = wfc("verify", ".", *where)
    said = done.out.splitlines()
    assert [": ".join(line.split(": ")[:2]) for line in said] == expected
    assert done.status == bool(expected)
    assert all("; " in line for line in said)  # what to do
    assert {path: path.read_bytes() for path in tmp_path.glob("*.py")} == there

    written = wfc("verify", ".", *where, "--write")
    if name in KEPT:
        assert written.status == 1
        assert {path: path.read_bytes() for path in there} == there
        assert wfc("verify", ".", *where, "--write", "--force").status == 0
    else:
        assert (written.status, written.out) == (0, "")
    if expected:
        assert wfc("verify", ".", *where) == wfc("verify", ".", *where)
        assert wfc("verify", ".", *where).status == 0


def test_an_edited_module_is_not_compiled_over(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("compile", "greet.yaml")
    edit(tmp_path / MODULE, "Hello", "Hi")
    there = (tmp_path / MODULE).read_bytes()
    done = wfc("compile", "greet.yaml")
    assert (done.status, done.out) == (2, "")
    assert f"`{MODULE}` has been edited since wfc wrote it" in done.err
    assert (tmp_path / MODULE).read_bytes() == there
    assert wfc("compile", "greet.yaml", "--force").status == 0
    assert "Hello" in (tmp_path / MODULE).read_text()


def test_a_file_that_a_spec_uses_makes_its_module_stale(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "hello.md").write_text("Hello")
    greet.write_text(
        "wfc: 1\nworkflow: greet\nstart: Asked\nend: Done\ntexts: {hello: {file: ./hello.md}}\n"
        "events:\n  Asked: {name: string}\n  Done: {text: string}\nsteps:\n  greet:\n    kind: transform\n"
        "    accepts: Asked\n    emit: {event: Done, with: {text: '{% use hello %}'}}\n"
    )
    assert wfc("compile", "greet.yaml").status == 0, wfc("check", "greet.yaml")
    (tmp_path / "hello.md").write_text("Good day")
    done = wfc("verify", ".")
    assert done.out.startswith(f"{MODULE}: stale: `hello.md`, which the spec uses, has changed since")
    assert wfc("verify", ".", "--write").status == 0


def test_a_spec_with_errors_is_told_and_the_others_are_judged(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(GREET.replace("workflow: greet", "workflow: other"))
    wfc("compile", ".")
    edit(tmp_path / "other.yaml", "accepts: Asked", "accepts: Aksed")
    (tmp_path / MODULE).unlink()
    done = wfc("verify", ".", "--format", "json")
    assert done.status == 1
    record = json.loads(done.out)
    assert [(each["path"], each["state"]) for each in record["files"]] == [
        ("other.yaml", "broken"),
        (MODULE, "missing"),
    ]
    assert "other.yaml:13:14: error" in done.err
    assert wfc("verify", ".", "--write").status == 1
    assert (tmp_path / MODULE).exists()
    assert (tmp_path / "other_workflow.py").exists()


def test_what_is_current_is_not_compiled_again(wfc, greet: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("WFC_NO_CACHE", raising=False)
    monkeypatch.setenv("WFC_CACHE_DIR", str(tmp_path / "kept"))
    wfc("compile", "greet.yaml", "-o", "out")

    def unexpected(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("wfc.compiler.passes.compile_text", unexpected)
    assert wfc("compile", "greet.yaml", "-o", "out").out == "greet.yaml -> out/greet_workflow.py\n"
    assert wfc("verify", "greet.yaml", "-o", "out").status == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nowhere"], "cannot read `nowhere`"),
        (["greet.yaml", "--force"], "`--force` goes with `--write`"),
        (["empty"], "no spec in `empty`"),
    ],
)
def test_wrong_usage(wfc, greet: Path, tmp_path: Path, args: list[str], said: str) -> None:
    os.mkdir(tmp_path / "empty")
    done = wfc("verify", *args)
    assert done.status == 2
    assert said in done.err


def test_a_manifest_that_is_none_is_not_overwritten(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("{}")
    done = wfc("verify", "greet.yaml", "--write")
    assert done.status == 2
    assert "is not a manifest of wfc" in done.err
    assert (tmp_path / MANIFEST).read_text() == "{}"


def test_check_and_run_say_that_a_module_is_older_than_its_spec(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("compile", "greet.yaml")
    assert "earlier text" not in wfc("check", "greet.yaml").err
    edit(greet, "Hello", "Good day")
    checked = wfc("check", "greet.yaml")
    assert checked.status == 0
    assert f"{MODULE} was made from an earlier text of greet.yaml: `wfc compile greet.yaml`" in checked.err
    done = wfc("run", MODULE, "-i", "name=Ada")
    assert "Hello" in done.out
    assert f"{MODULE} was made from an earlier text of greet.yaml, and runs as it is" in done.err
    wfc("compile", "greet.yaml")
    assert "earlier text" not in wfc("check", "greet.yaml").err + wfc("run", MODULE, "-i", "name=Ada").err


def test_a_manifest_that_lists_what_wfc_did_not_write_deletes_nothing(
    wfc, greet: Path, tmp_path: Path
) -> None:
    import hashlib

    wfc("compile", "greet.yaml")
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("mine")
    entry = {"source": "gone.yaml", "sha256": hashlib.sha256(b"mine").hexdigest()}
    change_manifest(tmp_path, lambda modules: modules.update({"thesis.txt": entry}))
    done = wfc("verify", ".")
    assert done.out.startswith(f"{MANIFEST}: stale: it lists `thesis.txt`, which wfc did not write; ")
    assert wfc("verify", ".", "--write", "--force").status == 0
    assert thesis.read_text() == "mine"
    assert "thesis.txt" not in (tmp_path / MANIFEST).read_text()


@pytest.mark.parametrize("source", ["/dev/zero", "/dev/stdin", "../../../../../../../dev/zero", ".", ""])
def test_a_manifest_that_names_no_file_as_a_source_is_not_followed(
    wfc, greet: Path, tmp_path: Path, source: str
) -> None:
    wfc("compile", "greet.yaml")
    change_manifest(tmp_path, lambda modules: modules[MODULE].update(source=source))
    done = wfc("run", MODULE, "-i", "name=Ada")
    assert (done.status, "earlier text" in done.err) == (0, False)


def test_a_module_that_no_manifest_lists_is_not_compiled_over(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("compile", "greet.yaml")
    (tmp_path / MANIFEST).unlink()
    assert wfc("compile", "greet.yaml").status == 0  # it is as it would be written
    (tmp_path / MANIFEST).unlink()
    edit(greet, "Hello", "Good day")
    there = (tmp_path / MODULE).read_bytes()
    done = wfc("compile", "greet.yaml")
    assert (done.status, (tmp_path / MODULE).read_bytes()) == (2, there)
    assert "nobody can tell whether it was edited; `--force` overwrites it" in done.err
    assert wfc("compile", "greet.yaml", "--force").status == 0


def test_a_manifest_that_is_none_does_not_disturb_a_check(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("[" * 1000)
    assert wfc("check", "greet.yaml").status == 0
