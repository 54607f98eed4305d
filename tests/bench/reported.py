"""How much `wfc diff` tells of random edits: `python tests/bench/reported.py --edits 500 --seed 1`.

Of edits that mean nothing (another layout, other quotes, another order, comments, other names of retries) nothing is to
be told. Of one that changes one key a reviewer wants to be told one thing, or two: the table says how often how many
are told. An edit that does not check is thrown away.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wfc.compiler.cli.reviewing.comparison import compare_sides
from wfc.compiler.cli.reviewing.foretelling import foretell_runs
from wfc.compiler.cli.reviewing.sides import DiskSide
from wfc.compiler.review.changes import SpecChange
from wfc.compiler.yaml import read

__all__ = ["SPECS", "as_text", "copied", "data_of", "edited", "rewritten", "told"]

ROOT = Path(__file__).parents[2]
SPECS = sorted([*(ROOT / "specs").glob("*.yaml"), *(ROOT / "docs/language").glob("*.yaml")])
_SHUFFLED = ("events", "types", "steps", "tools", "models", "retries", "agents")
"""Sections in which the order says nothing."""


def copied(folder: Path) -> None:
    """Copy the specs, twice, so that each finds those that it calls."""
    for side in ("old", "new"):
        shutil.copytree(ROOT / "specs", folder / side)
        shutil.copytree(ROOT / "docs/language", folder / side, dirs_exist_ok=True)


def data_of(path: Path) -> Any:
    document = read(path.read_bytes(), str(path), lambda finding: None)
    assert document is not None
    return document.data


def rewritten(data: Any, chance: random.Random) -> str:
    """Return a spec that means the same: as JSON or with comments, in another order, with other local names."""
    found = dict(shuffled(data, chance))
    for section in _SHUFFLED:
        if isinstance(found.get(section), dict):
            found[section] = dict(shuffled(found[section], chance))
    if isinstance(found.get("steps"), dict):
        found["steps"] = {
            name: dict(shuffled(step, chance)) if isinstance(step, dict) else step
            for name, step in found["steps"].items()
        }
    for name in list(found.get("retries", {})):
        found = renamed(found, name)
    lines = [
        f"{json.dumps(key)}: {json.dumps(each, ensure_ascii=chance.random() < 0.5)}"
        for key, each in found.items()
    ]
    return "".join(
        f"# {chance.random()}\n{line}\n\n" if chance.random() < 0.5 else f"{line}\n" for line in lines
    )


def shuffled(data: dict[str, Any], chance: random.Random) -> list[tuple[str, Any]]:
    found = list(data.items())
    chance.shuffle(found)
    return found


def renamed(data: Any, name: str) -> Any:
    """Return a spec in which a declared retry has another name."""
    found = {
        **data,
        "retries": {f"{key}_2" if key == name else key: each for key, each in data["retries"].items()},
    }
    for holder in [found.get("defaults"), *found["steps"].values()]:
        if isinstance(holder, dict) and holder.get("retry") == name:
            holder["retry"] = f"{name}_2"
    return found


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, each in inside:
        yield (*path, key)
        yield from leaves(each, (*path, key))


def edited(data: Any, chance: random.Random) -> tuple[str, Any] | None:
    """Return what a random edit of one key is called, and the spec with it; ``None`` if nothing came of it."""
    found = json.loads(json.dumps(data))
    path = chance.choice([each for each in leaves(found) if each[0] not in ("wfc", "workflow", "tests")])
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    key, old = path[-1], holder[path[-1]]
    new = changed(old, chance)
    what = ".".join(map(str, path))
    if new is None:
        del holder[key]
        return f"- {what}", found
    if new == old:
        return None
    holder[key] = new
    return f"~ {what}: {old} -> {new}", found


def changed(value: Any, chance: random.Random) -> Any:
    """Return another value of the same sort; ``None``: the key is taken away."""
    if chance.random() < 0.35 or isinstance(value, dict | list) or value is None:
        return None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 2 + 1
    text = str(value)
    number = re.search(r"\d+", text)
    if number is not None and chance.random() < 0.7:
        return f"{text[: number.start()]}{int(number[0]) + 1}{text[number.end() :]}"
    for one, other in (("==", "!="), (">=", ">"), (" > ", " < "), (" and ", " or ")):
        if one in text:
            return text.replace(one, other, 1)
    return f"{text} more" if " " in text and "$" not in text else text


def told(old: str, new: str, folder: Path, name: str) -> list[SpecChange] | None:
    """Return what is told of two texts of a spec; ``None`` if one of them does not check."""
    paths = []
    for side, text in (("old", old), ("new", new)):
        path = folder / side / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append([str(path)])
    found = compare_sides(DiskSide("old", paths[0]), DiskSide("new", paths[1]))
    if any(found.broken):
        Path(paths[1][0]).write_text(old, encoding="utf-8")
        return None
    foretell_runs(found)
    Path(paths[1][0]).write_text(old, encoding="utf-8")  # as other specs know it
    return found.changes


def as_text(data: Any) -> str:
    return "".join(f"{json.dumps(key)}: {json.dumps(each)}\n" for key, each in data.items())


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--edits", type=int, default=500)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--show", type=int, default=4, help="from how many findings on an edit is shown")
    given = reader.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - edits, no secrets
    counts: Counter[int] = Counter()
    loud = same = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        copied(folder)
        for path in SPECS:
            data = data_of(path)
            if not isinstance(data, dict) or "workflow" not in data:
                continue
            found = told(as_text(data), rewritten(json.loads(json.dumps(data)), chance), folder, path.name)
            if found is not None:
                same += 1
                loud += bool(found)
                if found:
                    print(f"{path.name}: means the same: {[each.told for each in found]}")
        print(f"{same} specs rewritten with the same meaning, of {loud} something is told")
        while sum(counts.values()) < given.edits:
            path = chance.choice(SPECS)
            data = data_of(path)
            made_of = edited(data, chance) if isinstance(data, dict) and "workflow" in data else None
            found = None if made_of is None else told(as_text(data), as_text(made_of[1]), folder, path.name)
            if found is None or made_of is None:
                continue
            counts[len(found)] += 1
            if len(found) >= given.show or not found:
                print(f"{len(found)} {path.name} {made_of[0][:150]}: {' '.join(each.rule for each in found)}")
    total = sum(counts.values())
    for number, times in sorted(counts.items()):
        print(f"{number:3} told: {times:5} edits, {100 * times / total:4.1f} %")


if __name__ == "__main__":
    main()
