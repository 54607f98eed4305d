"""``wfc graph -o`` and ``wfc verify``: pictures beside specs, what is said of them, and what is mended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
MANIFEST = "wfc-manifest.json"
FORMS = {"mermaid": "greet.mmd", "dot": "greet.gv", "html": "greet.html"}
SHOUT = """\
wfc: 1
workflow: shout
start: Heard
end: Shouted
events: {Heard: {text: string}, Shouted: {text: string}}
steps:
  louder:
    kind: transform
    accepts: Heard
    emit: {event: Shouted, with: {text: "${{ event.text | upper }}"}}
"""
CALLS = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events: {Asked: {name: string}, Greeted: {text: string}}
steps:
  shout:
    kind: workflow
    accepts: Asked
    workflow: shout
    with: {text: "${{ event.name }}"}
    emit: {event: Greeted, with: {text: "${{ result.text }}"}}
"""


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def change_pictures(folder: Path, change: Callable[[dict[str, dict[str, object]]], object]) -> None:
    record = json.loads((folder / MANIFEST).read_text())
    change(record["pictures"])
    (folder / MANIFEST).write_text(json.dumps(record))


def add_to(picture: Path) -> None:
    picture.write_text(picture.read_text() + "\n")


def of_another_release(folder: Path, picture: Path) -> None:
    """A picture that other drawing code has drawn: nobody has edited it, and its spec is the same."""
    add_to(picture)
    digest = hashlib.sha256(picture.read_bytes()).hexdigest()
    change_pictures(folder, lambda pictures: pictures[picture.name].update(sha256=digest))


def moved(folder: Path) -> None:
    (folder / "greet.yaml").rename(folder / "welcome.yaml")


HARM: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "nothing": (lambda folder, picture: None, ""),
    "line ends as git gives them on Windows": (
        lambda folder, picture: picture.write_bytes(picture.read_bytes().replace(b"\n", b"\r\n")),
        "",
    ),
    "the picture deleted": (lambda folder, picture: picture.unlink(), "missing: the picture is not there"),
    "the spec changed": (
        lambda folder, picture: edit(folder / "greet.yaml", "Asked", "Called"),
        "stale: `greet.yaml` has changed since",
    ),
    "the workflow renamed": (
        lambda folder, picture: edit(folder / "greet.yaml", "workflow: greet", "workflow: welcome"),
        "stale: `greet.yaml` has changed since",
    ),
    "the spec renamed": (
        lambda folder, picture: moved(folder),
        "stale: its workflow is in `welcome.yaml` now",
    ),
    "the spec deleted": (
        lambda folder, picture: (folder / "greet.yaml").unlink(),
        "orphaned: its spec `greet.yaml` is not there",
    ),
    "the picture edited": (
        lambda folder, picture: add_to(picture),
        "edited: somebody has edited it since wfc wrote it",
    ),
    "both changed": (
        lambda folder, picture: (add_to(picture), edit(folder / "greet.yaml", "Asked", "Called")),
        "edited: somebody has edited it since wfc wrote it",
    ),
    "the spec deleted, the picture edited": (
        lambda folder, picture: (add_to(picture), (folder / "greet.yaml").unlink()),
        "orphaned: its spec `greet.yaml` is not there, and somebody has edited it",
    ),
    "another release": (of_another_release, "other-release: another release of wfc drew it"),
    "another file in its place": (
        lambda folder, picture: picture.write_text("mine\n"),
        "foreign: wfc did not write this file",
    ),
}
KEPT = {
    "the picture edited",
    "both changed",
    "the spec deleted, the picture edited",
    "another file in its place",
}
"""Where something would be lost that a person may have written."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HARM)
def test_each_state_is_told_and_mended_where_nothing_is_lost(
    wfc, greet: Path, tmp_path: Path, name: str, form: str
) -> None:
    picture = tmp_path / FORMS[form]
    assert wfc("graph", "greet.yaml", "-o", picture.name).out == f"greet.yaml -> {picture.name}\n"
    harm, expected = HARM[name]
    harm(tmp_path, picture)
    there = picture.read_bytes() if picture.exists() else None
    done = wfc("verify", ".")
    told = [line.split("; ")[0] for line in done.out.splitlines()]
    assert told == ([f"{picture.name}: {expected}"] if expected else [])
    assert all("; " in line for line in done.out.splitlines())  # what to do
    assert ("--force" in done.out) == (name in KEPT)
    assert done.status == bool(expected)
    assert (picture.read_bytes() if picture.exists() else None) == there

    written = wfc("verify", ".", "--write")
    if name in KEPT:
        assert written.status == 1
        assert picture.read_bytes() == there
        assert wfc("verify", ".", "--write", "--force").status == 0
    else:
        assert (written.status, written.out) == (0, "")
    assert (picture.exists(), wfc("verify", ".").status) == ("the spec deleted" not in name, 0)


@pytest.mark.parametrize("command", [("graph", "greet.yaml", "-o", "greet.mmd"), ("compile", "greet.yaml")])
def test_a_picture_that_was_edited_is_not_drawn_over(
    wfc, greet: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    picture = tmp_path / "greet.mmd"
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    drawn = picture.read_bytes()
    add_to(picture)
    edited = picture.read_bytes()
    done = wfc(*command)
    assert (done.status, done.out) == (2, "")
    assert "`greet.mmd` has been edited since wfc wrote it" in done.err
    assert picture.read_bytes() == edited
    assert wfc(*command, "--force").status == 0
    assert picture.read_bytes() == drawn


@pytest.mark.parametrize(
    ("text", "said"),
    [("mine\n", "`greet.mmd` was not written by wfc"), ("", "`greet.mmd` was not written by wfc")],
)
def test_a_file_of_somebody_else_is_not_drawn_over(
    wfc, greet: Path, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "greet.mmd").write_text(text)
    done = wfc("graph", "greet.yaml", "-o", "greet.mmd")
    assert (done.status, said in done.err) == (2, True)
    assert (tmp_path / "greet.mmd").read_text() == text


def test_a_picture_that_no_manifest_lists_is_not_drawn_over(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    (tmp_path / MANIFEST).unlink()
    assert wfc("graph", "greet.yaml", "-o", "greet.mmd").status == 0  # it is as it would be drawn
    (tmp_path / MANIFEST).unlink()
    edit(greet, "Asked", "Called")
    done = wfc("graph", "greet.yaml", "-o", "greet.mmd")
    assert done.status == 2
    assert "nobody can tell whether it was edited" in done.err


@pytest.mark.parametrize("first_is_there", [True, False], ids=["there", "gone"])
def test_the_picture_of_another_spec_is_not_taken_over(
    wfc, greet: Path, tmp_path: Path, first_is_there: bool
) -> None:
    (tmp_path / "shout.yaml").write_text(SHOUT)
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    drawn = (tmp_path / "greet.mmd").read_bytes()
    assert wfc("graph", "./greet.yaml", "-o", "./greet.mmd").status == 0
    if not first_is_there:
        greet.unlink()
    done = wfc("graph", "shout.yaml", "-o", "greet.mmd")
    if first_is_there:
        said = "`greet.mmd` is the picture of `greet.yaml`; `--force` overwrites it"
        assert (done.status, said in done.err) == (2, True)
        assert (tmp_path / "greet.mmd").read_bytes() == drawn
        assert wfc("graph", "shout.yaml", "-o", "greet.mmd", "--force").status == 0
    assert "Shouted" in (tmp_path / "greet.mmd").read_text()


@pytest.mark.parametrize(
    ("args", "missing"),
    [
        ((".",), ["sub/shout_workflow.py"]),
        (("sub",), ["sub/shout_workflow.py"]),
        (("greet.yaml",), []),
        (("greet.yaml", "-o", "gen"), ["gen/greet_workflow.py"]),
        ((".", "-o", "gen"), ["gen/greet_workflow.py", "gen/shout_workflow.py"]),
        ((".", "-o", "."), ["greet_workflow.py", "shout_workflow.py"]),
    ],
)
def test_no_module_is_missed_where_its_folder_keeps_pictures_alone(
    wfc, greet: Path, tmp_path: Path, args: tuple[str, ...], missing: list[str]
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/shout.yaml").write_text(SHOUT)
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    done = wfc("verify", *args)
    assert [line.split(": missing: ")[0] for line in done.out.splitlines()] == missing
    assert done.status == (1 if missing else 0)


def test_compile_draws_anew_what_the_manifest_lists(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("graph", "greet.yaml", "-o", "pictures/greet.mmd")
    edit(greet, "Asked", "Called")
    done = wfc("compile", ".")
    assert done.out == "greet.yaml -> greet_workflow.py\ngreet.yaml -> pictures/greet.mmd\n"
    assert "Called" in (tmp_path / "pictures" / "greet.mmd").read_text()
    assert wfc("verify", ".").err == "1 module and 1 picture are current\n"
    (tmp_path / "pictures" / "greet.mmd").unlink()
    (tmp_path / "other.yaml").write_text(SHOUT)
    assert (
        wfc("compile", "other.yaml", "-o", "pictures").status == 0
    )  # an entry stays that is of another spec
    assert wfc("verify", "greet.yaml", "pictures").out.startswith("pictures/greet.mmd: missing: ")


def test_a_page_is_stale_when_what_it_opens_has_changed(wfc, greet: Path, tmp_path: Path) -> None:
    greet.write_text(CALLS)
    (tmp_path / "shout.yaml").write_text(SHOUT)
    wfc("graph", "greet.yaml", "-o", "greet.html")
    assert wfc("verify", ".").status == 0
    edit(tmp_path / "shout.yaml", "louder", "as_loud_as_can_be")
    done = wfc("verify", ".")
    assert done.out.startswith("greet.html: stale: `shout.yaml`, which the spec uses, has changed since")
    assert wfc("verify", ".", "--write").status == 0
    assert "as_loud_as_can_be" in (tmp_path / "greet.html").read_text()


def test_a_picture_is_the_same_from_wherever_it_is_drawn(
    wfc, greet: Path, tmp_path: Path, monkeypatch
) -> None:
    greet.write_text(CALLS)
    (tmp_path / "shout.yaml").write_text(SHOUT)
    (tmp_path / "deep").mkdir()
    wfc("graph", str(greet), "-o", str(tmp_path / "deep" / "a.html"))
    monkeypatch.chdir(tmp_path / "deep")
    assert wfc("verify", "..").status == 0
    wfc("graph", "../greet.yaml", "-o", "b.html")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-o", "greet.png"], "let it end with .mmd, .mermaid, .dot, .gv, .html, .htm"),
        (["-o", "greet.yaml"], "let it end with .mmd, .mermaid, .dot, .gv, .html, .htm"),
        (["-o", "greet.mmd", "--format", "dot"], "let it end with .dot, .gv"),
        (["-o", "greet.mmd", "--diff", "HEAD"], "what can be drawn anew from the spec alone"),
        (["-o", "greet.mmd", "--run", "one"], "what can be drawn anew from the spec alone"),
        (["--force"], "`--force` goes with `--output`"),
    ],
)
def test_wrong_usage(wfc, greet: Path, args: list[str], said: str) -> None:
    text = greet.read_text()
    done = wfc("graph", "greet.yaml", *args)
    assert (done.status, said in " ".join(done.err.split())) == (2, True), done.err
    assert greet.read_text() == text


def test_a_spec_with_errors_leaves_its_picture(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    there = (tmp_path / "greet.mmd").read_bytes()
    edit(greet, "accepts: Asked", "accepts: Aksed")
    assert wfc("graph", "greet.yaml", "-o", "greet.mmd").status == 1
    assert wfc("verify", ".", "--write", "--force").out.splitlines()[0].startswith("greet.yaml: broken: ")
    assert (tmp_path / "greet.mmd").read_bytes() == there


def test_check_says_that_a_picture_is_older_than_its_spec(wfc, greet: Path) -> None:
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    edit(greet, "Hello", "Good day")
    done = wfc("check", "greet.yaml")
    assert done.status == 0
    assert (
        "greet.mmd was made from an earlier text of greet.yaml: `wfc verify greet.yaml --write`" in done.err
    )


def test_what_is_current_is_not_drawn_again(wfc, greet: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("WFC_NO_CACHE", raising=False)
    monkeypatch.setenv("WFC_CACHE_DIR", str(tmp_path / "kept"))
    wfc("graph", "greet.yaml", "-o", "greet.html")
    wfc("compile", "greet.yaml")

    def unexpected(*_: object, **__: object) -> None:
        raise AssertionError("drawn again")

    monkeypatch.setattr("wfc.compiler.cli.building.pictures.drawn_text", unexpected)
    assert wfc("verify", "greet.yaml").status == 0
    assert wfc("compile", "greet.yaml").status == 0


@pytest.mark.parametrize("name", ["two\nlines.yaml", "a --> b.yaml", "é.yaml", "%%{init}.yaml"])
@pytest.mark.parametrize("form", FORMS)
def test_a_strange_name_of_a_spec_ends_no_comment(
    wfc, greet: Path, tmp_path: Path, name: str, form: str
) -> None:
    greet.rename(tmp_path / name)
    assert wfc("graph", name, "-o", FORMS[form]).status == 0
    assert wfc("verify", ".").status == 0
    head = (tmp_path / FORMS[form]).read_text().split("\n")[form == "html" :][:3]
    assert head[1].split(" ", 2)[1].startswith("sha256:")
    if form == "html":
        assert [line.count("-->") for line in head] == [1, 1, 0]


def test_a_manifest_of_a_liar_loses_nobody_a_file(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("graph", "greet.yaml", "-o", "greet.mmd")
    (tmp_path / "thesis.txt").write_text("mine")
    lie = {"workflow": "greet", "form": "mermaid", "source": "gone.yaml", "sha256": "0" * 64}
    change_pictures(
        tmp_path, lambda pictures: pictures.update({"thesis.txt": lie, "x.mmd": {**lie, "form": "?"}})
    )
    assert wfc("verify", ".", "--write", "--force").status in (0, 1)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
