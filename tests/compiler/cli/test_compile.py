"""``wfc compile``: which files it writes, and which it leaves alone."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()


def test_a_module_and_a_manifest_are_written_beside_the_spec(wfc, greet: Path, tmp_path: Path) -> None:
    done = wfc("compile", "greet.yaml")
    assert (done.status, done.out, done.err) == (0, "greet.yaml -> greet_workflow.py\n", "")
    module = (tmp_path / "greet_workflow.py").read_bytes()
    assert b"class Greet(Workflow" in module
    assert json.loads((tmp_path / "wfc-manifest.json").read_text()) == {
        "output_format": 2,
        "modules": {
            "greet_workflow.py": {
                "workflow": "greet",
                "source": "greet.yaml",
                "source_sha256": hashlib.sha256(greet.read_bytes()).hexdigest(),
                "sha256": hashlib.sha256(module).hexdigest(),
            }
        },
    }
    assert sorted(os.listdir(tmp_path)) == ["greet.yaml", "greet_workflow.py", "wfc-manifest.json"]


def test_another_folder_is_made_and_paths_are_relative_to_it(wfc, greet: Path, tmp_path: Path) -> None:
    assert wfc("compile", "greet.yaml", "-o", "out/deep").status == 0
    record = json.loads((tmp_path / "out/deep/wfc-manifest.json").read_text())
    assert record["modules"]["greet_workflow.py"]["source"] == "../../greet.yaml"
    assert "# Generated from ../../greet.yaml." in (tmp_path / "out/deep/greet_workflow.py").read_text()


def test_it_does_not_matter_from_where_it_is_called(wfc, greet: Path, tmp_path: Path, monkeypatch) -> None:
    wfc("compile", "greet.yaml", "-o", "out")
    first = (tmp_path / "out/greet_workflow.py").read_bytes()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    wfc("compile", str(greet), "-o", "../out")
    assert (tmp_path / "out/greet_workflow.py").read_bytes() == first


def test_the_manifest_keeps_what_was_compiled_before_and_is_still_there(
    wfc, greet: Path, tmp_path: Path
) -> None:
    for name in ("part", "welcome"):
        (tmp_path / f"{name}.yaml").write_text(GREET.replace("workflow: greet", f"workflow: {name}"))
    wfc("compile", "welcome.yaml")
    wfc("compile", "part.yaml")
    wfc("compile", "greet.yaml")
    (tmp_path / "part_workflow.py").unlink()
    wfc("compile", "greet.yaml")
    record = json.loads((tmp_path / "wfc-manifest.json").read_text())
    assert list(record["modules"]) == ["greet_workflow.py", "welcome_workflow.py"]


def test_compiling_again_changes_no_file(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("compile", "greet.yaml")
    before = (tmp_path / "greet_workflow.py").stat().st_mtime_ns
    assert wfc("compile", "greet.yaml").status == 0
    assert (tmp_path / "greet_workflow.py").stat().st_mtime_ns == before


def test_nothing_is_written_if_one_spec_has_an_error(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "worse.yaml").write_text(GREET.replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("compile", ".")
    assert done.status == 1
    assert done.out == ""
    assert "worse.yaml:13:14: error:" in done.err
    assert sorted(os.listdir(tmp_path)) == ["greet.yaml", "worse.yaml"]


@pytest.mark.parametrize("name", ["greet_workflow.py", "wfc-manifest.json"])
def test_what_wfc_did_not_write_stays_unless_forced(wfc, greet: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine = 1\n")
    done = wfc("compile", "greet.yaml")
    assert done.status == 2
    assert "--force" in done.err
    assert (tmp_path / name).read_text() == "mine = 1\n"
    assert len(os.listdir(tmp_path)) == 2
    assert wfc("compile", "greet.yaml", "--force").status == 0
    assert "mine" not in (tmp_path / name).read_text()


def test_a_module_of_an_earlier_spec_is_written_anew(wfc, greet: Path, tmp_path: Path) -> None:
    wfc("compile", "greet.yaml")
    greet.write_text(GREET.replace("Hello", "Good day"))
    assert wfc("compile", "greet.yaml").status == 0
    assert "Good day" in (tmp_path / "greet_workflow.py").read_text()


def test_two_specs_of_one_name_do_not_overwrite_each_other(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "twin.yaml").write_text(GREET)
    done = wfc("compile", "greet.yaml", "twin.yaml")
    assert done.status == 1
    assert "twin.yaml:2:11: error: another spec is called `greet` too" in done.err
    assert "greet.yaml:2:11: the first one" in done.err
    assert not (tmp_path / "greet_workflow.py").exists()
    assert wfc("compile", "greet.yaml").status == 0


@pytest.mark.parametrize(
    ("first", "more", "is_taken"),
    [
        (GREET, (), False),
        (GREET, ("--force",), True),
        (GREET.replace("workflow: greet", "workflow: welcome"), (), True),  # it has got another name since
        ("no spec\n", (), True),
        (None, (), True),  # it was moved
    ],
)
def test_the_module_of_a_spec_is_not_taken_over_by_another_of_its_name(
    wfc, greet: Path, tmp_path: Path, first: str | None, more: tuple[str, ...], is_taken: bool
) -> None:
    wfc("compile", "greet.yaml", "-o", "made")
    module = tmp_path / "made/greet_workflow.py"
    before = module.read_bytes()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/twin.yaml").write_text(GREET.replace("Hello", "Good day"))
    greet.unlink() if first is None else greet.write_text(first)
    done = wfc("compile", "other/twin.yaml", "-o", "made", *more)
    assert done.status == (0 if is_taken else 2), done.err
    assert (module.read_bytes() == before) != is_taken
    if not is_taken:
        told = (
            "`made/greet_workflow.py` is the module of `greet.yaml`, whose workflow has the name `greet` as that of "
            "`other/twin.yaml` has; rename one of them, or let `--force` overwrite it"
        )
        assert told in done.err


@pytest.mark.parametrize("output", ["greet.yaml", "greet.yaml/deep"])
def test_a_folder_that_cannot_be_is_wrong_usage(wfc, greet: Path, output: str) -> None:
    done = wfc("compile", "greet.yaml", "-o", output)
    assert done.status == 2
    assert "cannot" in done.err


def test_a_module_is_as_readable_as_any_new_file(wfc, greet: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    wfc("compile", "greet.yaml")
    assert stat.S_IMODE((tmp_path / "greet_workflow.py").stat().st_mode) == stat.S_IMODE(
        (tmp_path / "plain").stat().st_mode
    )
