"""What lies where specs are looked for may be anything, and so may its name."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
PROGRAM = [sys.executable, "-c", "import sys; from wfc.compiler.cli import main; sys.exit(main())"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this platform has no such files")


def put(path: Path, what: str) -> None:
    match what:
        case "a pipe":
            os.mkfifo(path)
        case "a socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(os.path.relpath(path))
        case "a link to a device":
            path.symlink_to("/dev/zero")
        case "a link to nothing":
            path.symlink_to("nothing")
        case "a link to itself":
            path.symlink_to(path.name)


STRANGE = ["a pipe", "a socket", "a link to a device", "a link to nothing", "a link to itself"]


@pytest.mark.parametrize("what", STRANGE)
def test_what_is_no_file_is_told_and_not_waited_for(wfc, greet: Path, what: str) -> None:
    put(greet.with_name("x.yaml"), what)
    for args in (
        ["check", "."],
        ["check", "x.yaml"],
        ["run", "x.yaml"],
        ["compile", "."],
        ["graph", "x.yaml"],
    ):
        done = wfc(*args)
        assert (done.status, done.out) == (2, "")
        assert "cannot read `x.yaml`: " in done.err


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize(
    ("name", "mentioned"),
    [
        ("shared.yaml", "imports: [./shared.yaml]"),
        ("x.yaml", "imports: [./shared.yaml]"),  # beside it
        ("words.md", "texts: {words: {file: ./words.md}}"),
        ("part.yaml", "parts: [./part.yaml]"),
    ],
)
def test_nor_where_a_spec_mentions_it(wfc, greet: Path, what: str, name: str, mentioned: str) -> None:
    put(greet.with_name(name), what)
    greet.write_text(GREET.replace("start: Asked", f"{mentioned}\nstart: Asked"))
    assert wfc("check", "greet.yaml").status == 1


@pytest.mark.parametrize("what", STRANGE)
@pytest.mark.parametrize("name", ["pyproject.toml", "wfc.toml"])
def test_nor_in_the_place_of_settings(wfc, greet: Path, what: str, name: str) -> None:
    put(greet.with_name(name), what)
    greet.write_text(GREET.replace("accepts: Asked", "accepts: Aksed"))
    assert wfc("check", "greet.yaml").status == 1


def test_what_a_shell_puts_in_a_pipe_is_read(greet: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "check", "/dev/stdin"],
        input=GREET.encode(),
        check=False,
        cwd=greet.parent,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"1 spec: no findings\n")


def test_folders_may_be_deeper_than_calls(wfc, greet: Path) -> None:
    at = os.open(greet.parent, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    assert wfc("check", ".").status == 0
    for depth in range(1_200, 0, -1):  # what cleans up after tests may be no deeper than calls
        os.rmdir(greet.parent / "/".join("d" * depth))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="to root nothing is forbidden")
def test_a_folder_that_cannot_be_read_is_told(wfc, greet: Path) -> None:
    (greet.parent / "closed").mkdir(mode=0)
    done = wfc("check", ".")
    assert (done.status, "passed over `./closed`: permission denied" in done.err) == (0, True)


def test_a_file_that_goes_while_a_folder_is_read_was_never_there(
    wfc, greet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wfc.compiler.workspace import sources

    monkeypatch.setattr(sources, "yaml_files", lambda folder, _: ["gone.yaml", "greet.yaml"])
    assert wfc("check", ".").status == 0


NAMES = [
    "\x1b[31mred.yaml",
    "a\n::error::b.yaml",
    "\x9b2J.yaml",
    "\u202eevil.yaml",
    os.fsdecode(b"\xff.yaml"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [GREET, GREET.replace("accepts: Asked", "accepts: Aksed"), "a: b\n"])
def test_a_name_cannot_steer_the_terminal(wfc, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    forms = ["full", "concise", "json", "github", "sarif", "junit"]
    for args in (
        *(["check", ".", "--format", form] for form in forms),
        ["check", "--diff", "."],
        ["check", "--fix", "."],
        *([command, name] for command in ("check", "compile", "test", "graph", "run")),
        *([command, f"no{name}"] for command in ("check", "compile", "test", "graph", "run", "explain")),
        ["run", name, "-i", f"{name}=1"],
        ["run", "greet.yaml", "--input", name],
        [name],
    ):
        done = wfc(*args)
        told = done.out + done.err
        assert done.status != 70
        assert not {"\x1b", "\x9b", "\u202e"} & {*told}
        assert "\n::error::b" not in told


# --- where the output goes


def wfc_with(redirected: str, *args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirected}', "sh", *PROGRAM, *args],
        cwd=cwd,
        check=False,
        capture_output=True,
        env={**os.environ, "WFC_NO_CACHE": "1", **env},
    )


@pytest.mark.parametrize(
    ("redirected", "args", "expected"),
    [
        (">&-", ["check", "greet.yaml"], (0, b"", b"1 spec: no findings\n")),
        pytest.param(">&-", ["run", "greet.yaml", "-i", "name=Ada"], 0, marks=pytest.mark.full),
        ("2>&-", ["check", "--format", "json", "greet.yaml"], (0, b"[]\n", b"")),
        pytest.param("2>&-", ["run", "greet.yaml", "-i", "name=Ada"], 0, marks=pytest.mark.full),
        pytest.param("2>&-", ["run", "nothing.yaml"], (2, b"", b""), marks=pytest.mark.full),
        ("<&- >&- 2>&-", ["run", "greet.yaml", "-i", "name=Ada"], (0, b"", b"")),
        pytest.param("<&-", ["run", "greet.yaml", "--input", "-"], 2, marks=pytest.mark.full),
    ],
)
def test_streams_may_be_closed(greet: Path, redirected: str, args: list[str], expected: object) -> None:
    done = wfc_with(redirected, *args, cwd=greet.parent)
    found = (done.returncode, done.stdout, done.stderr)
    assert (found if isinstance(expected, tuple) else found[0]) == expected
    assert {path.name for path in greet.parent.iterdir()} == {"greet.yaml"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this platform has no full disk at hand")
@pytest.mark.parametrize(
    ("redirected", "args"),
    [
        pytest.param(">/dev/full", ["check", "--format", "json", "greet.yaml"], marks=pytest.mark.full),
        pytest.param(">/dev/full", ["explain"], marks=pytest.mark.full),
        (">/dev/full", ["run", "greet.yaml", "-i", "name=Ada"]),
        ("2>/dev/full", ["check", "greet.yaml"]),
        pytest.param(">/dev/full 2>&1", ["check", "nothing.yaml"], marks=pytest.mark.full),
    ],
)
def test_a_full_disk_is_no_bug(greet: Path, redirected: str, args: list[str]) -> None:
    done = wfc_with(redirected, *args, cwd=greet.parent)
    assert done.returncode == 74
    told = done.stderr.decode().splitlines()
    assert told[-1:] in ([], ["wfc: the output cannot be written: No space left on device"])
    assert "Exception" not in done.stderr.decode()


def test_whoever_reads_may_go(greet: Path) -> None:
    done = wfc_with("| head -1", "explain", cwd=greet.parent)
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")
