"""``wfc fmt``: which files are written, and what is said."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
UGLY = GREET.replace("    accepts: Asked", "    accepts:    'Asked'   # in")
GOOD = GREET.replace("    accepts: Asked", '    accepts: "Asked"      # in')


@pytest.fixture
def piped(wfc, monkeypatch: pytest.MonkeyPatch):
    def call(raw: bytes, *args: str) -> tuple[int, bytes, bytes]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdout", out)
        done = wfc("fmt", "-", *args)
        out.flush()
        return done.status, out.buffer.getvalue(), done.err.encode()

    return call


def test_a_file_is_written_once(wfc, greet: Path) -> None:
    greet.write_text(UGLY)
    done = wfc("fmt", "greet.yaml")
    assert (done.status, done.out, done.err) == (0, "", "1 file: 1 formatted\n")
    assert greet.read_text() == GOOD
    stamp = greet.stat().st_mtime_ns
    assert wfc("fmt").err == "1 file: 1 left as it is\n"
    assert greet.stat().st_mtime_ns == stamp


def test_check_and_diff_write_nothing(wfc, greet: Path) -> None:
    greet.write_text(UGLY)
    done = wfc("fmt", "--check", ".")
    assert (done.status, done.out, done.err) == (
        1,
        "greet.yaml: would be formatted\n",
        "1 file: 1 would be formatted\n",
    )
    done = wfc("fmt", "--diff", ".")
    assert done.status == 1 and '+    accepts: "Asked"      # in\n' in done.out
    assert greet.read_text() == UGLY
    greet.write_text(GOOD)
    assert [wfc("fmt", option).status for option in ("--check", "--diff")] == [0, 0]


def test_broken_files_stay_and_the_others_are_written(wfc, greet: Path) -> None:
    greet.write_text(UGLY)
    broken = {
        "tab.yaml": b"wfc: 1\nsteps:\n\ta: 1\n",
        "cut.yaml": b"wfc: [1\n",
        "other.yaml": "wfc: 1\nworkflow: é".encode("latin-1"),
        "twice.yaml": b"wfc: 1\nwfc: 2\n",
        "large.yaml": b"wfc: 1\n" + b"# x\n" * 1_100_000,
    }
    for name, raw in broken.items():
        Path(name).write_bytes(raw)
    done = wfc("fmt")
    assert done.status == 1
    assert done.err.endswith("6 files: 1 formatted, 5 not formatted\n")
    assert all(f"{name}:" in done.err for name in broken)
    assert greet.read_text() == GOOD
    assert {name: Path(name).read_bytes() for name in broken} == broken


def test_a_file_without_canonical_form_is_told(wfc) -> None:
    Path("old.yaml").write_bytes(b"wfc: 1\rworkflow: x\n")
    done = wfc("fmt", "old.yaml")
    assert done.status == 1
    assert done.err.startswith("old.yaml:1:7: not formatted: a lone carriage return (U+000D) stands in it\n")


def test_byte_order_mark_and_line_endings_stay(wfc, greet: Path) -> None:
    greet.write_bytes(b"\xef\xbb\xbf" + UGLY.replace("\n", "\r\n").encode())
    assert wfc("fmt", "greet.yaml").status == 0
    assert greet.read_bytes() == b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()


def test_standard_input(piped) -> None:
    assert piped(UGLY.encode()) == (0, GOOD.encode(), b"1 file: 1 formatted\n")
    assert piped(GOOD.encode())[:2] == (0, GOOD.encode())
    status, out, err = piped(b"wfc: [1\n")
    assert (status, out) == (1, b"") and b"syntax-error" in err
    assert piped(UGLY.encode(), "--check")[:2] == (1, b"-: would be formatted\n")


def test_nothing_outside_is_written(wfc, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "greet.yaml").write_text(UGLY)
    Path("inside").mkdir()
    os.symlink(outside / "greet.yaml", "inside/link.yaml")
    done = wfc("fmt", "inside")
    assert "inside/link.yaml: not formatted: it is a link that leads outside of what was given" in done.err
    assert (outside / "greet.yaml").read_text() == UGLY


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written(wfc, greet: Path) -> None:
    greet.write_text(UGLY)
    greet.chmod(0o400)
    assert wfc("fmt").status == 2


def test_wrong_usage(wfc) -> None:
    assert wfc("fmt", "-", "other.yaml").status == 2
    assert wfc("fmt", "missing.yaml").status == 2
