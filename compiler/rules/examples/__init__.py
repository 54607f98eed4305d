"""An example of each problem, in the files of this folder; they are read only for explanations, tests and pages.

``CODE.yaml`` is the smallest spec that has the problem and nothing else (``CODE.toml`` for settings, ``CODE.policy``
for a policy, a folder ``CODE`` where one file is not enough); what is too large to keep, ``large.py`` makes.
``CODE-mended.yaml`` (or ``.toml``, ``.policy``, or a folder ``CODE-mended``) is the same without the problem; it is
not there where the fix of the finding mends the example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.fixes import apply_fixes, fix_until_stable
from wfc.compiler.rules.examples.large import LARGE
from wfc.compiler.slotted import dataclass

__all__ = ["Checked", "Example", "difference", "examples"]

SHOWN_WHOLE = 40
"""An example of so many lines at most is shown whole."""


class Checked(Protocol):
    """What a check gives."""

    @property
    def text(self) -> str:
        """The text that was checked."""

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """What was found in it."""


@dataclass(frozen=True, slots=True)
class Example:
    """A spec, or settings, with one problem.

    Args:
        code: The problem's.
        path: A file; or a folder of files that belong together.
    """

    code: str
    path: Path

    @property
    def mended_path(self) -> Path | None:
        """What was mended by hand; ``None`` where the fix of the finding mends the example."""
        suffix = ".yaml" if self.code in LARGE else self.path.suffix
        path = self.path.with_name(f"{self.code}-mended{suffix}")
        return path if path.exists() else None

    def read(self) -> bytes:
        """Return the bytes of an example of one file."""
        return LARGE[self.code]() if self.path.suffix == ".py" else self.path.read_bytes()

    def printable_text(self) -> str | None:
        """Return the text; ``None`` if a page or a terminal cannot show it."""
        if self.path.is_dir() or self.code in LARGE:
            return None
        try:
            text = self.path.read_bytes().decode()
        except UnicodeDecodeError:
            return None
        plain = all(letter.isprintable() or letter == "\n" for letter in text)
        return text if plain and text.endswith("\n") and text.strip() else None

    def mend(self, check: Callable[[bytes], Checked]) -> bytes:
        """Return an example of one file without its problem.

        Args:
            check: Checks a spec, to know the fix of its finding.
        """
        if self.mended_path is not None:
            return self.mended_path.read_bytes()
        checked = check(self.read())
        text, _ = apply_fixes(checked.text, checked.diagnostics, ("safe", "unsafe", "display"))

        def find(changed: str) -> Sequence[Diagnostic]:
            return check(changed.encode()).diagnostics

        return fix_until_stable(text, find(text), find, unsafe=True).text.encode()


@cache
def examples() -> dict[str, Example]:
    """Return all examples by code."""
    folder = Path(__file__).parent
    found = {code: Example(code, folder / "large.py") for code in LARGE}
    for path in folder.glob("[!_]*"):
        if path.suffix != ".py" and not path.stem.endswith("-mended"):
            found[path.stem] = Example(path.stem, path)
    return dict(sorted(found.items()))


def difference(before: str, after: str) -> Iterator[str]:
    """Generate lines that begin with ``- ``, ``+ `` or two spaces: removed, added, and the same."""
    import difflib

    old, new = before.splitlines(), after.splitlines()
    context = len(old) + len(new) if len(old) <= SHOWN_WHOLE else 3
    for line in list(difflib.unified_diff(old, new, n=context, lineterm=""))[3:]:
        yield "  …" if line.startswith("@@") else f"{line[0]} {line[1:]}".rstrip()
