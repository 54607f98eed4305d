"""Many specs compiled by several processes, each of which takes a share of them.

A process that is forked knows what its parent has read and loaded. What it finds goes into the cache, as ever; the
texts of modules, which are not in there, come back by a file without a name.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Final

from wfc.compiler.cli.building.outputs import Build, Built
from wfc.compiler.slotted import replace
from wfc.compiler.workspace.sources import Source

__all__ = ["compiled_together"]

SHARE: Final = 50
"""The fewest specs for which a process is worth its while: some 200 ms of work."""

MOST: Final = 8


def compiled_together(build: Build, sources: Sequence[Source]) -> Iterator[Built]:
    """Yield the specs compiled, in their order; by several processes if they are many, and there are processors.

    What another process has not done, for whatever reason, is done here.
    """
    count = min(len(sources) // SHARE, processors(), MOST) if may_fork(build) else 1
    if count > 1:
        import wfc.compiler.passes  # noqa: F401 - here, and not in each process
    shares = [sources[number::count] for number in range(1, count)]
    with contextlib.ExitStack() as ended:
        others = [ended.enter_context(other_process(build, share)) for share in shares]
        own = {source.path: build.compiled(source) for source in sources[:: max(count, 1)]}
        texts = {path: found for other in others for path, found in other().items()}
    for source in sources:
        done = own.get(source.path) or with_texts(build.known(source), texts.get(source.path))
        yield done or build.compiled(source)


def may_fork(build: Build) -> bool:
    """Return whether this process can go on twice: where there are no threads, and a cache for what is found."""
    return sys.platform == "linux" and build.cache is not None and threading.active_count() == 1


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def other_process(build: Build, share: Sequence[Source]) -> Iterator[Callable[[], Mapping[str, list[str]]]]:
    """Compile a share in another process; gives what waits for it and returns the modules' texts by specs."""
    with tempfile.TemporaryFile() as file:
        process = os.fork()
        if not process:
            work(build, share, file)
        is_over = False

        def read() -> Mapping[str, list[str]]:
            nonlocal is_over
            os.waitpid(process, 0)
            is_over = True
            file.seek(0)
            with contextlib.suppress(ValueError):  # cut off in the middle of a line: so far it is whole
                return dict(map(json.loads, file))
            return {}

        try:
            yield read
        finally:
            if not is_over:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)


def work(build: Build, share: Sequence[Source], file: IO[bytes]) -> None:
    """Compile a share, write the texts of its modules, and end this process without a word."""
    try:
        for source in share:
            texts = [output.text for output in build.compiled(source).outputs]
            file.write(json.dumps((source.path, texts)).encode() + b"\n")
        file.flush()
    finally:
        os._exit(0)


def with_texts(known: Built | None, texts: Sequence[str] | None) -> Built | None:
    """Return what the cache knows of a spec together with the texts of its modules; ``None`` if either is missing."""
    if known is None or texts is None or len(texts) != len(known.outputs):
        return None
    outputs = zip(known.outputs, texts, strict=True)
    return Built(known.findings, tuple(replace(output, text=text) for output, text in outputs))
