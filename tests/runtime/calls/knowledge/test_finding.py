"""Paths with wildcards find the files of a folder, and nothing outside it."""

from __future__ import annotations

import fnmatch
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.knowledge import finding
from wfc.runtime.calls.knowledge.finding import find_files
from wfc.runtime.errors import StepError

FILES = ("a.md", "b.txt", "x/a.md", "x/y/a.md", "x/y/b.md", "x/.hidden/c.md", ".d.md", "[z].md")


def paths(folder: Path, *patterns: str) -> list[str]:
    return [each.path for each in find_files(folder, patterns)]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a.md", ["a.md"]),
        ("./*.md", ["[z].md", "a.md"]),
        ("**/*.md", ["[z].md", "a.md", "x/a.md", "x/y/a.md", "x/y/b.md"]),
        ("./**/a.md", ["a.md", "x/a.md", "x/y/a.md"]),
        ("x/**", ["x/a.md", "x/y/a.md", "x/y/b.md"]),
        ("x/**/*", ["x/a.md", "x/y/a.md", "x/y/b.md"]),
        ("*/a.md", ["x/a.md"]),
        ("**/y/*.md", ["x/y/a.md", "x/y/b.md"]),
        ("?.md", ["a.md"]),
        ("[z].md", ["[z].md"]),
        (".*.md", [".d.md"]),
        ("x/.hidden/*.md", ["x/.hidden/c.md"]),
        ("none/*.md", []),
        ("**/**/b.*", ["b.txt", "x/y/b.md"]),
    ],
)
def test_what_a_path_stands_for(write: Any, pattern: str, found: list[str]) -> None:
    assert paths(write(dict.fromkeys(FILES, "x")), pattern) == found


def test_a_file_that_fits_twice_is_there_once(write: Any) -> None:
    assert paths(write({"a.md": "x"}), "*.md", "**/a*") == ["a.md"]


def test_nothing_outside_the_folder_is_read(write: Any, tmp_path: Path) -> None:
    folder = write({"a.md": "x"})
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "others").mkdir()
    (tmp_path / "others/b.md").write_text("theirs")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "linked").symlink_to(tmp_path / "others")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    found = {each.path: each.why_not for each in find_files(folder, ("**/*.md", "linked/*.md"))}
    assert found.pop("gone.md").startswith("cannot be read: ")
    assert found == {"a.md": "", "inside.md": "", "link.md": "a link that leads out of the folder"}


def test_a_pipe_is_no_file(write: Any) -> None:
    folder = write({"a.md": "x"})
    os.mkfifo(folder / "pipe.md")
    assert paths(folder, "*.md") == ["a.md"]


def test_there_is_a_bound(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "MOST_FILES", 2)
    with pytest.raises(StepError, match="more than 2 files fit") as caught:
        find_files(write(dict.fromkeys("abc", "x")), ("*",))
    assert caught.value.name == "knowledge.too_many_files"


def expected(path: str, pattern: str) -> bool:
    """Say by recursion over the names, slowly, whether a path fits."""

    def fits(names: list[str], parts: list[str]) -> bool:
        if not parts:
            return not names
        if parts[0] == "**":
            return fits(names, parts[1:]) or (bool(names) and fits(names[1:], parts))
        return (
            bool(names)
            and re.fullmatch(fnmatch.translate(parts[0]), names[0]) is not None
            and fits(names[1:], parts[1:])
        )

    return fits(path.split("/"), pattern.split("/"))


def test_any_pattern_finds_what_it_says() -> None:
    chance = random.Random(7)  # noqa: S311 - it decides what a test does
    for _ in range(800):
        path = "/".join(
            "".join(chance.choices("ab", k=chance.randint(1, 4))) for _ in range(chance.randint(1, 4))
        )
        parts = [
            "**"
            if chance.random() < 0.3
            else "".join(chance.choices("ab*?", k=chance.randint(1, 4))).replace("**", "*")
            for _ in range(chance.randint(1, 4))
        ]
        if parts[-1] == "**":
            parts.append("*")
        assert bool(finding._matcher(parts)(path)) == expected(path, "/".join(parts)), (path, parts)


def test_no_pattern_takes_long() -> None:
    many = finding._matcher(["**", "a*a*a*a*a*a*a*a*a*b"] * 20)
    assert not many("/".join(["a" * 200] * 60))
