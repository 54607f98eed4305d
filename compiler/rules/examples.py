"""An example of each problem, and the same mended; kept beside the problems, for those who ask for an explanation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from wfc.compiler.slotted import dataclass

__all__ = ["Example", "example"]

WHOLE = 40
"""An example of so many lines at most is shown whole."""


@dataclass(frozen=True, slots=True)
class Example:
    """A spec with one problem, and without it.

    Args:
        failing: The spec's text.
        mended: The same with the problem gone.
    """

    failing: str
    mended: str

    def difference(self, context: int | None = None) -> Iterator[str]:
        """Lines that begin with ``- ``, ``+ `` or two spaces: gone, come, and the same.

        Args:
            context: How many lines around a change are shown; by default all of a short example.
        """
        import difflib

        before, after = self.failing.splitlines(), self.mended.splitlines()
        if context is None:
            context = len(before) + len(after) if len(before) <= WHOLE else 3
        for line in list(difflib.unified_diff(before, after, n=context, lineterm=""))[3:]:
            yield "  …" if line.startswith("@@") else f"{line[0]} {line[1:]}".rstrip()


@cache
def _examples() -> dict[str, Example]:
    import json
    from importlib.resources import files

    data = json.loads(files("wfc.compiler.rules").joinpath("examples.json").read_text(encoding="utf-8"))
    return {code: Example(*texts) for code, texts in data.items()}


def example(code: str) -> Example | None:
    """The example of a code; ``None`` where it is no text that could be shown (a file that is too large)."""
    return _examples().get(code)
