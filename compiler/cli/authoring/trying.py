"""What runs or compares specs for their authors: in a process of its own, bounded in time and in what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from wfc.compiler.cli.authoring import rehearsing
from wfc.runtime.server.calls import FieldProblem, Problem

__all__ = ["Trials"]

ENDS_IN: Final = 60.0
"""The seconds that tests have."""

LONGEST: Final = 2_000_000
"""The bytes of what a process says that are told."""

WAITING: Final = 10
"""How many such processes are under way or wait for their turn."""

_PROGRAM: Final = "import sys; from wfc.compiler.cli import main; sys.exit(main())"
_KEPT: Final = ("PATH", "HOME", "LANG", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "VIRTUAL_ENV")
"""What such a process gets of our surroundings: no token and no secret."""


class Trials:
    """Trials of specs in a folder, one at a time, so that authors slow no runs.

    Args:
        root: The folder.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._one_by_one = asyncio.Lock()
        self._waiting = 0

    async def tested(self, path: str) -> dict[str, Any]:
        """Run the tests of a saved spec, offline and with its mocks, and return how each went.

        Raises:
            Problem: They take too long, or too many are under way.
        """
        with tempfile.TemporaryDirectory() as folder:
            told = os.path.join(folder, "told.json")
            left_out = [word for part in ("check", "policy", "verify", "diff") for word in ("--skip", part)]
            status, said = await self._wfc("ci", path, *left_out, "--json", told)
            tests = await asyncio.to_thread(_tests_in, Path(told))
        return {"passed": status == 0, "tests": tests, "said": said}

    async def rehearsed(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Play a test of a saved spec, or list its tests: see ``rehearsing``.

        Raises:
            Problem: It cannot be played, takes too long, or too many are under way.
        """
        _, said = await self._started(
            rehearsing.PROGRAM, given=json.dumps(wanted).encode(), with_errors=False
        )
        try:
            told: dict[str, Any] = json.loads(said)
        except ValueError:
            said_too_much = f"what happens in it is more than {LONGEST // 1_000_000} MB of text"
            reason = (
                said_too_much
                if len(said) >= LONGEST
                else "the process that plays it has ended without a word"
            )
            raise Problem(422, "rehearsal.failed", f"it cannot be played: {reason}") from None
        if "problem" in told:
            errors = tuple(FieldProblem(**one) for one in told.get("errors", ()))
            raise Problem(422, "rehearsal.failed", told["problem"], errors=errors)
        return told

    async def compared(self, old: str, new: str) -> Any:
        """Return what a change between two revisions of git means, as `wfc diff --format json` says it.

        Raises:
            Problem: It cannot be told.
        """
        status, said = await self._wfc("diff", old, new, ".", "--format", "json", with_errors=False)
        try:
            return json.loads(said)
        except ValueError:
            told = f"the change cannot be compared (status {status}): {said[:300]}"
            raise Problem(422, "proposal.diff", told) from None

    async def _wfc(self, *arguments: str, with_errors: bool = True) -> tuple[int, str]:
        """Return the exit status of a command of ours in a folder, and what it has said."""
        return await self._started(_PROGRAM, *arguments, with_errors=with_errors)

    async def _started(
        self, program: str, *arguments: str, given: bytes = b"", with_errors: bool = True
    ) -> tuple[int, str]:
        """Return the exit status of a program in a process of its own in the folder, and what it has said.

        Args:
            given: What it reads from standard input.
            with_errors: Whether what it says on standard error is told, too.

        Raises:
            Problem: It takes too long, or others have not ended.
        """
        async with self._turn():
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # what lies in that folder is not to be taken for anything else
                "-c",
                program,
                *arguments,
                cwd=self._root,
                env={name: os.environ[name] for name in _KEPT if name in os.environ},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if with_errors else asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                async with asyncio.timeout(ENDS_IN):
                    process.stdin.write(given)
                    process.stdin.close()  # what it does not read is dropped
                    said = await _bounded(process.stdout)
                    await process.wait()
            except TimeoutError:
                raise Problem(408, "tests.slow", f"it has not ended within {ENDS_IN:.0f} seconds") from None
            finally:
                _end(process)
                await process.wait()
        return process.returncode or 0, said.decode("utf-8", "replace")

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for one's turn.

        Raises:
            Problem: Too many wait.
        """
        if self._waiting >= WAITING:
            raise Problem(429, "tests.full", "too many tests are under way", headers={"Retry-After": "5"})
        self._waiting += 1
        try:
            async with self._one_by_one:
                yield
        finally:
            self._waiting -= 1


def _tests_in(report: Path) -> list[dict[str, Any]]:
    """Return the tests that a report tells of; none, if it was not written."""
    try:
        parts = json.loads(report.read_text(encoding="utf-8"))["parts"]
    except (OSError, ValueError):
        return []
    cases = [case for part in parts if part["name"] == "test" for case in part["cases"]]
    return [{"name": one["name"], "passed": not one["problem"], "problem": one["problem"]} for one in cases]


async def _bounded(stream: asyncio.StreamReader) -> bytes:
    """Return what a process says, the beginning of it where it says too much; all of it is read."""
    found = bytearray()
    while part := await stream.read(65_536):
        found += part[: max(LONGEST - len(found), 0)]
    return bytes(found)


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process, and what it has started."""
    if process.returncode is None or os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
