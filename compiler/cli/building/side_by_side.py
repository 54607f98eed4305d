"""Many specs compiled by several processes, each of which takes a share of them.

A process that is forked knows what its parent has read and loaded. What it finds comes back by a file without a name,
so that it matters to nobody whether there is a cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from signal import SIGKILL
from typing import IO, Final

from wfc.compiler.cli.building.outputs import Build, Built, read_output
from wfc.compiler.slotted import replace
from wfc.compiler.workspace.cache.entries import decode, encode
from wfc.compiler.workspace.sources import Source

__all__ = ["compiled_together"]

SHARE: Final = 50
"""The fewest specs for which a process is worth its while: some 200 ms of work."""

MOST: Final = 8


def compiled_together(build: Build, sources: Sequence[Source]) -> Iterator[Built]:
    """Yield the specs compiled, in their order; by several processes if they are many, and there are processors.

    What another process has not done, for whatever reason, is done here.
    """
    count = min(len(sources) // SHARE, processors(), MOST) if may_fork() else 1
    if count > 1:
        import wfc.compiler.passes  # noqa: F401 - here, and not in each process
    with contextlib.ExitStack() as ended:
        others = []
        for number in range(1, count):
            with contextlib.suppress(OSError):  # no more processes, or no room for a file
                others.append(ended.enter_context(other_process(build, sources[number::count])))
        done = {source.path: build.compiled(source) for source in sources[:: max(count, 1)]}
        for other in others:
            done |= other()
    for source in sources:
        yield done.get(source.path) or build.compiled(source)


def may_fork() -> bool:
    """Return whether this process can be forked: on Linux, and only while it has no other threads."""
    return sys.platform == "linux" and threading.active_count() == 1


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def other_process(build: Build, share: Sequence[Source]) -> Iterator[Callable[[], Mapping[str, Built]]]:
    """Compile a share in another process; gives what waits for it and returns what it has done by specs.

    Raises:
        OSError: There can be no file, or no process.
    """
    with tempfile.TemporaryFile() as file:
        parent = os.getpid()
        process = os.fork()
        if not process:
            try:
                work(build, share, file, parent)
            finally:  # without a word: neither what waits to be printed nor an error is this process's to say
                os._exit(0)
        is_over = False

        def read() -> Mapping[str, Built]:
            nonlocal is_over
            wait_for(process)
            is_over = True
            file.seek(0)
            return dict(results(build, share, file))

        try:
            yield read
        finally:
            if not is_over:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, SIGKILL)
                wait_for(process)


def wait_for(process: int) -> None:
    """Wait for a process; where a parent of ours has said that nobody asks how children end, there is no answer."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def work(build: Build, share: Sequence[Source], file: IO[bytes], parent: int) -> None:
    """Compile a share and write what is found; nobody wants it any more when the parent is gone."""
    for source in share:
        if os.getppid() != parent:
            return
        built = build.compiled(source)
        with contextlib.suppress(TypeError):  # it is nothing that can be told, and is done again
            found = encode(built.findings, source.raw, source.path).decode()
            line = json.dumps((source.path, found, [each.text for each in built.outputs]))
            file.write(line.encode() + b"\n")
    file.flush()


def results(build: Build, share: Sequence[Source], file: IO[bytes]) -> Iterator[tuple[str, Built]]:
    """Yield what another process has written, as far as it has come."""
    sources = {source.path: source for source in share}
    for line in file:
        try:
            path, found, texts = json.loads(line)
        except ValueError:
            return  # it was ended in the middle of a line
        source = sources[path]
        result = decode(found.encode(), source.raw, path)
        if result is not None:
            folder = build.folder_for(source)
            named = zip(result.modules, texts, strict=True)
            outputs = tuple(replace(read_output(folder, each), text=text) for each, text in named)
            yield path, Built(result, outputs)
