"""Queries for functions' signatures, run in separate processes whose output is not trusted."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from wfc.schemas.spans import span

__all__ = ["Function", "ask"]

SECONDS: Final = 20.0
"""How long the import of one module may take."""
MOST_BYTES: Final = 1_000_000
"""How long an answer may be."""
AT_ONCE: Final = 4

Described = Mapping[str, Any]
"""``{"parameters": …, "returns": …}``; ``{}`` where nothing is known; ``{"error": …}``."""


class Function(NamedTuple):
    """A function of a module: ``module:function``, and the folder that is searched for the module first."""

    python: str
    folder: str


def ask(functions: Iterable[Function], seconds: float = SECONDS) -> dict[Function, Described]:
    """Return the signatures of functions, importing each module in a process of its own.

    Args:
        seconds: How long the import of one module may take.
    """
    modules: dict[tuple[str, str], list[Function]] = {}
    for each in dict.fromkeys(functions):
        modules.setdefault((each.folder, each.python.partition(":")[0]), []).append(each)
    found: dict[Function, Described] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for answers in pool.map(lambda group: ask_one(group, seconds), modules.values()):
            found |= answers
    return found


def ask_one(functions: list[Function], seconds: float) -> dict[Function, Described]:
    """Return the same for the functions of one module."""
    with tempfile.TemporaryDirectory(prefix="wfc-") as folder:
        request, answer = os.path.join(folder, "request"), os.path.join(folder, "answer")
        with open(request, "w", encoding="utf-8") as file:
            wanted = {"folder": functions[0].folder, "functions": [each.python for each in functions]}
            json.dump(wanted, file)
        failed = run(request, answer, seconds)
        read = answers_in(answer, len(functions)) if not failed else None
    if read is None:
        said = failed or "the process that imports it ends without an answer"
        return {each: {"error": said} for each in functions}
    return dict(zip(functions, read, strict=True))


def run(request: str, answer: str, seconds: float) -> str:
    """Run a process that answers a request, and return the reason if that failed."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603  this is what was asked for
        # `-P`: what lies in the folder where the check runs is not to be taken for anything else
        [sys.executable, "-P", "-m", "wfc.compiler.cli.import_tools.probe", request, answer],
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return f"its import takes longer than {span(seconds)}"
    finally:
        end(process)
    return "" if status == 0 else f"the process that imports it ends with status {status}"


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process and the processes that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def answers_in(path: str, count: int) -> list[Described] | None:
    """Return the answers of a process, as far as they are well-formed."""
    try:
        with open(path, "rb") as file:
            raw = file.read(MOST_BYTES + 1)
        read = json.loads(raw) if len(raw) <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(read, list) or len(read) != count or not all(isinstance(each, dict) for each in read):
        return None
    return read
