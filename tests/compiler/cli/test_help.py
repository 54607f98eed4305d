"""``--help`` of every command, and that ``docs/cli.md`` shows it as it is."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from wfc.compiler.cli.group import COMMANDS

BLOCK = re.compile(r"(?<=```text\n)\$ wfc(?P<args>.*) --help\n(?P<text>(?:(?!```).*\n)*)(?=```)")


def every_command() -> list[str]:
    """All commands, each group followed by those in it."""
    found = []
    for name in COMMANDS:
        module = import_module(f"wfc.compiler.cli.{name}")
        found += [name, *(f"{name} {inner}" for inner in getattr(module, "COMMANDS", ()))]
    return found


def test_the_page_shows_the_help_of_every_command(wfc, golden, root: Path) -> None:
    page = (root / "docs/cli.md").read_text(encoding="utf-8")
    shown = [match["args"].strip() for match in BLOCK.finditer(page)]
    assert shown == ["", *every_command()]

    def current(match: re.Match[str]) -> str:
        return f"$ wfc{match['args']} --help\n{wfc(*match['args'].split(), '--help').out}"

    golden(root / "docs/cli.md", BLOCK.sub(current, page))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_says_what_the_command_says(wfc, name: str) -> None:
    done = wfc(name, "--help")
    assert done.status == 0
    assert done.out.startswith(f"Usage: wfc {name}")


def test_without_a_command_the_help_is_shown(wfc) -> None:
    done = wfc()
    assert done.status == 2
    assert all(name in done.out + done.err for name in COMMANDS)


def test_the_version_is_the_distributions(wfc) -> None:
    from importlib.metadata import version

    done = wfc("--version")
    assert (done.status, done.out) == (0, f"wfc {version('wfc-workflows')}\n")
