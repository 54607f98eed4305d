"""What is written is written whole, on nothing that it must not touch, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfc.compiler.cli import edited_files
from wfc.compiler.workspace import writing

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
BAD = GREET.replace("accepts: Asked", "accepts: Aksed")
WAITS = """\
wfc: 1
workflow: waits
start: Asked
end: Done
events: {Asked: {}, Done: {}}
steps:
  rest:
    kind: wait
    accepts: Asked
    for: 1 h
    emit: Done
"""
START = """\
import signal, sys
signal.signal(signal.SIGINT, signal.{interrupt})
from wfc.compiler.cli import main
sys.exit(main())
"""
"""A program that Ctrl-C interrupts even where whoever runs the tests has that ignored; or one that ignores it."""
PROGRAM = [sys.executable, "-c", START.format(interrupt="default_int_handler")]

posix = pytest.mark.skipif(sys.platform == "win32", reason="this platform has no such files")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# --- check --fix


def before_writing(monkeypatch: pytest.MonkeyPatch, happens) -> None:
    """Something happens when all is ready to be written."""
    write_whole = writing.write_whole

    def interfered(*args, last=None, **named) -> None:
        def first() -> None:
            happens()
            if last is not None:
                last()

        write_whole(*args, last=first, **named)

    monkeypatch.setattr(edited_files, "write_whole", interfered)


def test_what_changes_while_it_is_checked_is_left_alone(
    wfc, greet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    greet.write_text(BAD)
    before_writing(monkeypatch, lambda: greet.write_text(BAD + "# more\n"))
    done = wfc("check", "--fix", "greet.yaml")
    assert (done.status, greet.read_text(), names(greet.parent)) == (2, BAD + "# more\n", {"greet.yaml"})
    assert "was changed while it was checked" in done.err


@posix
def test_a_file_that_becomes_a_link_is_left_alone(
    wfc, greet: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "mine.yaml"
    for path in (greet, outside):
        path.write_text(BAD)

    def swap() -> None:
        greet.unlink()
        greet.symlink_to(outside)

    before_writing(monkeypatch, swap)
    assert wfc("check", "--fix", ".").status == 2
    assert (outside.read_text(), names(outside.parent), names(greet.parent)) == (
        BAD,
        {"mine.yaml"},
        {"greet.yaml"},
    )


def test_what_goes_while_it_is_checked_does_not_come_back(
    wfc, greet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    greet.write_text(BAD)
    before_writing(monkeypatch, greet.unlink)
    assert (wfc("check", "--fix", "greet.yaml").status, names(greet.parent)) == (2, set())


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_whoever_interrupts_leaves_all_as_it_was(
    wfc, greet: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail() -> None:
        raise error

    greet.write_text(BAD)
    before_writing(monkeypatch, fail)
    assert wfc("check", "--fix", "greet.yaml").status in {2, 130}
    assert (greet.read_text(), names(greet.parent)) == (BAD, {"greet.yaml"})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="to root nothing is forbidden")
def test_a_file_that_is_not_to_be_written_is_not(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    greet.chmod(0o444)
    done = wfc("check", "--fix", "greet.yaml")
    assert (done.status, greet.read_text()) == (2, BAD)
    assert "cannot write `greet.yaml`: permission denied" in done.err


# --- compile


@posix
def test_a_link_is_replaced_and_not_followed(wfc, greet: Path) -> None:
    precious = greet.with_name("precious.txt")
    precious.write_text("mine")
    module = greet.with_name("greet_workflow.py")
    module.symlink_to(precious)
    assert wfc("compile", "greet.yaml").status == 2  # it is none of ours
    assert wfc("compile", "--force", "greet.yaml").status == 0
    assert (precious.read_text(), module.is_symlink()) == ("mine", False)


@posix
@pytest.mark.parametrize("name", ["greet_workflow.py", "wfc-manifest.json"])
@pytest.mark.parametrize("what", ["a pipe", "a folder", "a link to itself", "a link to a device"])
def test_what_is_no_file_is_not_waited_for(wfc, greet: Path, name: str, what: str) -> None:
    there = greet.with_name(name)
    match what:
        case "a pipe":
            os.mkfifo(there)
        case "a folder":
            there.mkdir()
        case "a link to itself":
            there.symlink_to(name)
        case _:
            there.symlink_to("/dev/zero")
    for args in ([], ["--force"]):
        assert wfc("compile", "greet.yaml", *args).status in {0, 2}
    assert not [each for each in names(greet.parent) if each.startswith(".wfc-")]


@pytest.mark.parametrize("name", ["greet_workflow.py", "wfc-manifest.json"])
def test_what_is_compiled_is_not_overwritten(wfc, tmp_path: Path, name: str) -> None:
    text = GREET + f"# Generated from x\n# sha256:{'0' * 64}, output format 1\n"
    (tmp_path / name).write_text(text)
    for args in ([], ["--force"], ["-o", "."]):
        assert wfc("compile", name, *args).status == 2
        assert ((tmp_path / name).read_text(), names(tmp_path)) == (text, {name})


@pytest.mark.parametrize(
    "modules",
    [
        {"../up.py": {}},
        {"a.py": "\ud800"},
        {"a.py": {"workflow": [[]] * 50}},
        {"greet_workflow.py": 7},
        {"": {}},
        {"\0": {}},
        {"a.py": {"workflow": "\ud800"}},
    ],
)
def test_a_manifest_may_hold_anything(wfc, greet: Path, modules: object) -> None:
    manifest = greet.with_name("wfc-manifest.json")
    manifest.write_text(json.dumps({"output_format": 1, "modules": modules}))
    assert wfc("compile", "greet.yaml").status == 0
    assert json.loads(manifest.read_text())["modules"].keys() == {"greet_workflow.py"}


@posix
def test_the_name_of_a_spec_need_be_no_text(wfc, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\n.yaml")
    (tmp_path / name).write_text(GREET)
    assert wfc("compile", name).status == 0
    record = json.loads((tmp_path / "wfc-manifest.json").read_text())
    assert record["modules"]["greet_workflow.py"]["source"] == name
    assert wfc("run", "greet_workflow.py", "-i", "name=Ada").status == 0


@posix
def test_a_full_disk_leaves_all_as_it_was(greet: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)); "
    command = [sys.executable, "-c", limited + PROGRAM[2]]
    for text, args in ((BAD, ["check", "--fix", "greet.yaml"]), (GREET, ["compile", "greet.yaml"])):
        greet.write_text(text)
        done = subprocess.run([*command, *args], cwd=greet.parent, capture_output=True, check=False)
        assert done.returncode == 2, done.stderr
        assert b"cannot write `" in done.stderr
        assert b": file too large" in done.stderr
        assert (greet.read_text(), names(greet.parent)) == (text, {"greet.yaml"})


# --- interrupted


def interrupted(folder: Path, args: list[str], number: int, after: float) -> tuple[int, str]:
    process = subprocess.Popen([*PROGRAM, *args], cwd=folder, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    process.send_signal(number)
    _, told = process.communicate(timeout=240)
    return process.returncode, told


@posix
@pytest.mark.parametrize(
    ("number", "interrupt", "status"),
    [
        (signal.SIGINT, "default_int_handler", 130),
        pytest.param(getattr(signal, "SIGTERM", 0), "default_int_handler", 143, marks=pytest.mark.full),
        (getattr(signal, "SIGTERM", 0), "SIG_IGN", 143),
    ],
    ids=["INT", "TERM", "TERM in the background"],
)
def test_a_run_that_is_ended_is_cancelled(tmp_path: Path, number: int, interrupt: str, status: int) -> None:
    (tmp_path / "waits.yaml").write_text(WAITS)
    program = [sys.executable, "-c", START.format(interrupt=interrupt)]
    process = subprocess.Popen(
        [*program, "run", "waits.yaml"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    told = [process.stderr.readline()]
    while "waits until" not in told[-1]:
        told.append(process.stderr.readline())
    process.send_signal(number)
    rest = process.communicate(timeout=240)[1]
    assert (process.returncode, rest) == (status, "the run was interrupted\n")


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGTERM", 0)], ids=["INT", "TERM"])
def test_no_moment_is_a_bad_one(tmp_path: Path, number: int) -> None:
    """But those before a line of ours runs: then Python itself says where it was."""
    chance = random.Random(number)  # noqa: S311
    commands = [["check", "--fix", "."], ["compile", ".", "-o", "out"], ["test", "."], ["graph", "s0.yaml"]]
    for _ in range(40):
        good = {f"s{each}.yaml": GREET.replace("greet", f"greet_{each}") for each in range(6)}
        bad = {name: text.replace("accepts: Asked", "accepts: Aksed") for name, text in good.items()}
        command = chance.choice(commands)
        before = bad if "--fix" in command else good
        for name, text in before.items():
            (tmp_path / name).write_text(text)
        status, told = interrupted(tmp_path, command, number, chance.uniform(0.1, 1.5))
        assert "wfc" not in told or "Traceback" not in told, told
        assert status in {0, 1, 130, 143, -number}
        assert all((tmp_path / name).read_text() in (good[name], bad[name]) for name in good)
        assert status < 0 or not [*tmp_path.rglob(".wfc-*")]
