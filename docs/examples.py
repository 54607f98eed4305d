"""The examples of problems: `tests/errors/CODE.yaml`, and each mended, by hand or by the fix that its finding has."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Final

from wfc.compiler.diagnostics.fixes import applied, fixed
from wfc.compiler.passes import check_text
from wfc.compiler.rules import PROBLEMS
from wfc.compiler.rules.catalogue import load

__all__ = ["EXAMPLES", "content", "mended", "of", "packed", "shown"]

FOLDER: Final = Path(__file__).parent.parent / "tests/errors"
MENDED: Final = ".mended"
ALL: Final = ("safe", "unsafe", "display")


def is_example(path: Path) -> bool:
    if MENDED in path.name or path.name.startswith((".", "_")):
        return False
    return path.is_dir() or path.name.endswith(".yaml.py") or path.suffix not in {".py", ".txt", ".pyc", ""}


EXAMPLES: Final = {path.name.partition(".")[0]: path for path in sorted(FOLDER.iterdir()) if is_example(path)}
"""Code → a spec; or a folder of files that belong together; or a program that makes a spec too large to keep."""


def of(code: str) -> Path:
    """The example of a code."""
    return EXAMPLES[code]


def content(path: Path) -> bytes:
    """The bytes of an example of one file."""
    return runpy.run_path(str(path))["SPEC"] if path.suffix == ".py" else path.read_bytes()


def mended_by_hand(code: str) -> Path | None:
    """What lies beside the example as its mended form: `CODE.mended.yaml`, or a folder `CODE.mended`."""
    path = EXAMPLES[code]
    name = f"{code}{MENDED}" + ("" if path.is_dir() else "".join(path.suffixes).removesuffix(".py"))
    there = path.with_name(name)
    return there if there.exists() else None


def mended(code: str) -> bytes:
    """The example without its problem: as it was mended by hand, or else by the fix of its finding."""
    by_hand = mended_by_hand(code)
    if by_hand is not None:
        return by_hand.read_bytes()
    checked = check_text(content(EXAMPLES[code]), f"{code}.yaml")
    text, _ = applied(checked.text, checked.diagnostics, ALL)

    def check(changed: str):  # type: ignore[no-untyped-def]
        return check_text(changed.encode(), f"{code}.yaml").diagnostics

    return fixed(text, check(text), check, unsafe=True).text.encode()


def shown(path: Path) -> str | None:
    """The text of an example, if it is one that a page or a terminal can show."""
    if path.is_dir() or path.suffix == ".py":
        return None
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    plain = all(letter.isprintable() or letter == "\n" for letter in text)
    return text if plain and text.endswith("\n") and text.strip() else None


def packed() -> str:
    """All examples that can be shown, each with its mended form, as they are kept beside the problems."""
    load()
    found = {}
    for code in sorted(PROBLEMS):
        failing = shown(EXAMPLES[code])
        if failing is not None:
            found[code] = [failing, mended(code).decode()]
    return json.dumps(found, indent=0, ensure_ascii=False) + "\n"
