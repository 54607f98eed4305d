"""Measures the memory engine of this tree against that of another revision, in pairs that take turns. Run it by hand::

    python tests/bench/revisions.py REVISION              # about three minutes
    python tests/bench/revisions.py REVISION --pairs 2    # to see that it works

Each pair is the same work done by both, one after the other, in two processes that go on; the order changes from pair
to pair, and after five pairs there are new processes. Counted is the time of the processor. Printed is for each work
the median of what this tree takes by what the other takes, and the middle half.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SIZES = {
    "ping_pong": 20_000,
    "fan_out_list": 10_000,
    "fan_out_send": 10_000,
    "backlog": 10_000,
    "runs": 3_000,
}
AFTER = 5
"""The pairs after which there are new processes."""


@contextlib.contextmanager
def tree_of(revision: str | None) -> Iterator[Path]:
    """The folder from which ``wfc`` is imported as it is in a revision; ``None``: as it is here."""
    with tempfile.TemporaryDirectory() as folder:
        tree = ROOT
        if revision is not None:
            tree = Path(folder) / "tree"
            subprocess.run(
                ["git", "worktree", "add", "--detach", tree, revision],
                cwd=ROOT,
                check=True,
                capture_output=True,
            )
        package = Path(folder) / "import" / "wfc"
        package.mkdir(parents=True)
        for house in ("compiler", "runtime", "schemas"):
            (package / house).symlink_to(tree / house)
        try:
            yield package.parent
        finally:
            if revision is not None:
                subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)


class Contestant:
    """A process that does work when it is told to."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(path), "PYTHONHASHSEED": "0"},
        )
        origin = self._read()
        assert origin.startswith(str(path)), f"{origin} is not of {path}"

    def _read(self) -> str:
        assert self._process.stdout is not None
        return str(json.loads(self._process.stdout.readline()))

    def seconds(self, work: str) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{work}\n")
        self._process.stdin.flush()
        return float(self._read())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


async def done(work: str) -> float:
    import ours

    gc.collect()
    began = time.process_time()
    made = getattr(ours, work)(SIZES[work])
    if hasattr(made, "__anext__"):
        async for _ in made:
            pass
    else:
        await made
    return time.process_time() - began


def child() -> None:
    import wfc.runtime

    print(json.dumps(str(wfc.runtime.__file__)), flush=True)
    for line in sys.stdin:
        print(json.dumps(asyncio.run(done(line.strip()))), flush=True)


def compared(paths: tuple[Path, Path], pairs: int) -> dict[str, list[float]]:
    """What this tree takes by what the other takes, of each work and pair."""
    found: dict[str, list[float]] = {work: [] for work in SIZES}
    for first in range(0, pairs, AFTER):
        here, there = (Contestant(path) for path in paths)
        for work, ratios in found.items():
            for one in (here, there, here, there):
                one.seconds(work)  # to be warm
            for number in range(first, min(first + AFTER, pairs)):
                order = (here, there) if number % 2 else (there, here)
                taken = {one: one.seconds(work) for one in order}
                ratios.append(taken[here] / taken[there])
        here.close()
        there.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure the memory engine against that of another revision."
    )
    parser.add_argument("revision", nargs="?")
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child()
        return
    if given.revision is None:
        parser.error("which revision?")
    with tree_of(None) as here, tree_of(given.revision) as there:
        found = compared((here, there), given.pairs)
    print(f"| this tree by {given.revision}, {given.pairs} pairs | median | middle half |\n|---|--:|--:|")
    for work, ratios in found.items():
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(f"| `{work}`, {SIZES[work]:,} | {middle:.3f} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
