"""The specs that are installed with this package, each with the files that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import read

__all__ = ["Pattern", "patterns"]

FOLDER: Final = Path(__file__).parents[3] / "specs"
"""It lies beside the compiler, in the source as where that is installed."""

SCHEMA: Final = re.compile(r"\A# yaml-language-server: [^\n]*\n(?:#\n)?")
CALLS: Final = frozenset({"workflow", "to"})
"""The keys of steps that name another workflow."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A spec to start from.

    Args:
        name: Of its file and of its workflow.
        path: Of its file.
        description: What the workflow does, in its own words.
        kinds: Of its steps.
    """

    name: str
    path: Path
    description: str
    kinds: tuple[str, ...] = ()

    def files(self) -> dict[str, str]:
        """Return the texts of its spec, which is the first, and of what this needs, by their paths in one folder."""
        found: dict[str, str] = {}
        waiting = [self.path]
        while waiting:
            path = waiting.pop(0)
            name = path.relative_to(self.path.parent).as_posix()
            if name not in found:
                text = path.read_text(encoding="utf-8")
                found[name] = SCHEMA.sub("", text)
                waiting += needed(path, text)
        return found

    def named(self, name: str) -> dict[str, str]:
        """Return its files with its workflow under another name, also where a step names it."""
        (path, text), *others = self.files().items()
        text = re.sub(rf"(?m)^workflow: {self.name}$", f"workflow: {name}", text, count=1)
        keys = "|".join(sorted(CALLS))
        named = re.compile(rf"(?m)(?<=[ {{])({keys}): {self.name}(?=[ ,}}\n])")
        found = {path.replace(self.name, name): text, **dict(others)}
        return {each: named.sub(rf"\1: {name}", said) for each, said in found.items()}


@cache
def patterns() -> dict[str, Pattern]:
    """Return all that there are, by name."""
    found = {}
    for path in sorted([*FOLDER.glob("*.yaml"), *FOLDER.glob("*/*.yaml")]):
        data = data_of(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and data.get("workflow") == path.stem:
            steps = data.get("steps", {}).values()
            kinds = tuple(sorted({str(one.get("kind", "python")) for one in steps}))
            found[path.stem] = Pattern(path.stem, path, str(data.get("description", "")).strip(), kinds)
    return found


def data_of(text: str) -> Any:
    return read(text.encode(), "", lambda _: None).data


def needed(path: Path, text: str) -> Iterator[Path]:
    """Yield the files that a file needs: specs that it imports or calls, and modules with the data beside them."""
    if path.suffix == ".py":
        yield from sorted(each for each in path.parent.glob(f"{path.stem}*.txt"))
    if path.suffix != ".yaml":
        return
    data = data_of(text)
    names = [*data.get("imports", ()), *data.get("parts", ())]
    for step in data.get("steps", {}).values():
        names += [f"{step[key]}.yaml" for key in CALLS & step.keys() if isinstance(step[key], str)]
    for tool in data.get("tools", {}).values():
        names.append(f"{str(tool.get('python', '')).partition(':')[0]}.py")
    for name in names:
        other = (path.parent / name).resolve()
        if other.is_file() and other.is_relative_to(FOLDER.resolve()):
            yield path.parent / other.name
