"""``wfc check --fix``: what is written, what is not, and what is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GREET = (Path(__file__).parents[1] / "greet.yaml").read_text()
BAD = GREET.replace("accepts: Asked", "accepts: Aksed   # the question")


def test_a_safe_fix_is_written_and_told(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "--fix", "greet.yaml")
    assert (done.status, done.out) == (0, "")
    assert greet.read_text() == BAD.replace("Aksed", "Asked")
    assert done.err == (
        "greet.yaml:13:14: fixed: there is no event `Aksed`: write `Asked` [unknown-event]\n1 spec: no findings\n"
    )


def test_without_it_nothing_is_written_and_the_summary_says_what_could_be(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "greet.yaml")
    assert greet.read_text() == BAD
    assert done.err == "1 spec: 1 error; 1 can be fixed with `wfc check --fix`\n"


def test_an_unsafe_fix_wants_to_be_asked_for(wfc, greet: Path) -> None:
    text = GREET.replace("workflow: greet", "workflow: greet\ndeadline: 2m")
    greet.write_text(text)
    done = wfc("check", "--fix", "greet.yaml")
    assert done.status == 1
    assert greet.read_text() == text
    assert done.err == "1 spec: 1 error; 1 can be fixed with `wfc check --fix --unsafe`\n"
    assert wfc("check", "--fix", "--unsafe", "greet.yaml").status == 0
    assert "deadline: 2 min\n" in greet.read_text()


def test_the_difference_is_shown_and_nothing_is_written(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    done = wfc("check", "--diff", "greet.yaml")
    assert done.status == 1
    assert greet.read_text() == BAD
    assert "-    accepts: Aksed   # the question\n+    accepts: Asked   # the question\n" in done.out


def test_byte_order_mark_and_line_endings_stay(wfc, greet: Path) -> None:
    raw = b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode()
    greet.write_bytes(raw)
    assert wfc("check", "--fix", "greet.yaml").status == 0
    assert greet.read_bytes() == raw.replace(b"Aksed", b"Asked")


def test_what_a_fix_brings_to_light_is_fixed_too(wfc, greet: Path) -> None:
    greet.write_text(BAD.replace("kind:", "kidn:"))
    assert wfc("check", "--fix", "greet.yaml").status == 0
    assert greet.read_text() == BAD.replace("Aksed", "Asked")


def test_a_good_file_is_not_touched(wfc, greet: Path) -> None:
    before = greet.stat()
    assert wfc("check", "--fix", "greet.yaml").status == 0
    assert (greet.stat().st_mtime_ns, greet.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_the_rights_of_a_file_stay(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    greet.chmod(0o640)
    wfc("check", "--fix", "greet.yaml")
    assert greet.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in greet.parent.iterdir()] == ["greet.yaml"]


def test_a_link_out_of_the_folder_is_not_followed(wfc, tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside.yaml", tmp_path / "specs"
    outside.write_text(BAD)
    inside.mkdir()
    (inside / "linked.yaml").symlink_to(outside)
    done = wfc("check", "--fix", "specs")
    assert done.status == 1
    assert outside.read_text() == BAD
    assert "leads outside" in done.err
    wfc("check", "--fix", os.path.join("specs", "linked.yaml"))  # named, it is what was given
    assert outside.read_text() == BAD.replace("Aksed", "Asked")
    assert (inside / "linked.yaml").is_symlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="to root nothing is forbidden")
def test_a_folder_that_cannot_be_written_is_wrong_usage(wfc, greet: Path) -> None:
    greet.write_text(BAD)
    greet.parent.chmod(0o500)
    done = wfc("check", "--fix", "greet.yaml")
    greet.parent.chmod(0o700)
    assert done.status == 2
    assert greet.read_text() == BAD


def test_unsafe_alone_is_wrong_usage(wfc, greet: Path) -> None:
    assert wfc("check", "--unsafe", "greet.yaml").status == 2
