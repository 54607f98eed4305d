"""Commands that steps start: programs that settings name and the user agrees to, each in an empty folder of its own."""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import os
import re
import shlex
import shutil
import signal
import tempfile
from asyncio.subprocess import SubprocessStreamProtocol
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.calls.trust import FOR_ALL, is_agreed
from wfc.runtime.errors import SettingsError, StepError
from wfc.runtime.tracing import conventions, span_inside
from wfc.runtime.values.outputs import InvalidOutput, from_json, plain_type

__all__ = ["call_command"]

LARGEST_OUTPUT: Final = 16 * 1024 * 1024
"""The maximum size of what a command may print, in bytes; one that prints more is killed."""

LARGEST_COMPLAINT: Final = 64 * 1024
LONGEST_SHOWN: Final = 300
PIECE: Final = 64 * 1024

GRACE: Final = 1.0
"""How many seconds a command has to end when it is told to, before it is killed."""

PASSED_ON: Final = ("PATH", "LANG")


async def call_command(
    command: Sequence[str],
    *,
    beside: Path,
    stdin: str | None = None,
    env: Mapping[str, str | Secret] | None = None,
    output: Any = str,
) -> Any:
    """Start a program and wait for its end; return what it has printed.

    Args:
        command: The program, as the settings allow it, and its arguments.
        beside: The folder whose settings hold.
        stdin: What it reads; nothing without.
        env: Further variables of its environment.
        output: ``str`` for its text, ``list[str]`` for its lines, any other type for JSON.

    Raises:
        StepError: ``command.<status>``, ``command.killed``, ``command.too_large``, ``command.invalid_output``,
            ``command.arguments``.
        SettingsError: The program is not allowed, not agreed to or not there, or a secret is missing.
    """
    program = command[0]
    with span_inside("tool", program, lambda: _about(program)) as span:
        revealed = Revealed()
        started = PreparedCommand(
            executable(program, beside), list(command), stdin, environment(env or {}, revealed), revealed
        )
        result = read_output(await started.printed(), program, plain_type(output), revealed)
        if span is not None:
            span.result = result
        return result


def _about(program: str) -> dict[str, object]:
    return {
        conventions.OPERATION: conventions.EXECUTE_TOOL,
        conventions.TOOL_NAME: program,
        conventions.TOOL_TYPE: "function",
    }


def executable(program: str, beside: Path) -> str:
    """Return the path of an allowed program.

    Raises:
        SettingsError: It is not allowed, the user has not agreed to it, or it is not there.
    """
    settings = settings_near(beside)
    if program not in settings.commands:
        raise SettingsError(
            f"the command `{program}` is not allowed: name it under `commands` in the settings ({settings.told_from})"
        )
    folder = settings.path.parent if settings.path is not None else beside
    if not is_agreed(program, folder):
        raise SettingsError(
            f"nobody has agreed that `{program}` is started here, as {settings.told_from} proposes: "
            f"`wfc trust {shlex.quote(str(folder))}` agrees, or {FOR_ALL}=1 where nobody sits"
        )
    found = shutil.which(str(folder / program) if os.path.dirname(program) else program)
    if found is None:
        raise SettingsError(f"the command `{program}` is not installed here")
    return os.path.abspath(found)


def environment(env: Mapping[str, str | Secret], revealed: Revealed) -> dict[str, str]:
    """Return the variables that a command gets: those that the spec gives it, and where programs are."""
    found = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return found | {
        name: revealed.read(each) if isinstance(each, Secret) else each for name, each in env.items()
    }


def read_output(content: bytes, program: str, output: Any, revealed: Revealed) -> Any:
    """Return what a command has printed as its type."""
    content = revealed.hide_in_result(content)
    if output is not str and output != list[str]:
        try:
            return from_json(output, content, extra_fields=True, outside=True)
        except InvalidOutput as error:
            said = revealed.hide(str(error))
        raise StepError("command.invalid_output", f"`{program}` printed something else than declared: {said}")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise StepError("command.invalid_output", f"`{program}` printed bytes that are no UTF-8") from None
    text = re.sub(r"\r?\n\Z", "", text)
    if output is str:
        return text
    return re.split(r"\r?\n", text) if text else []


class Watched(SubprocessStreamProtocol):
    """Tells when a process itself has ended, whoever still holds its output open."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=limit, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        """Note the end."""
        super().process_exited()
        self.exited.set()


class Process(asyncio.subprocess.Process):
    """A process whose end is that of itself."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, protocol: Watched, loop: asyncio.AbstractEventLoop
    ) -> None:
        super().__init__(transport, protocol, loop)
        self._exited = protocol.exited

    async def ended(self) -> int:
        """Return its status when it has ended."""
        await self._exited.wait()
        assert self.returncode is not None
        return self.returncode


@dataclass(frozen=True, slots=True)
class PreparedCommand:
    """A command.

    Args:
        path: Of the program.
        command: Its name and its arguments.
    """

    path: str
    command: list[str]
    stdin: str | None
    env: Mapping[str, str]
    revealed: Revealed

    async def printed(self) -> bytes:
        """Start it; return what it has printed once it has ended.

        Raises:
            StepError: It could not be started, failed, was killed, or printed too much.
        """
        async with empty_folder() as home, self.running(home) as process:
            asking = asyncio.create_task(feed(process, self.stdin))
            complaint = asyncio.create_task(read_start(process.stderr))
            printing = asyncio.create_task(read_all(process.stdout))
            try:
                status = await self.ended(process, printing)
                await end_group(process)  # what it has left behind might hold its output open
                done, _ = await asyncio.wait([printing, complaint], timeout=GRACE)
                content = printing.result() if printing in done else None
                said = complaint.result() if complaint in done else b""
            finally:
                for task in (asking, complaint, printing):
                    task.cancel()
        if content is None:
            raise StepError(
                "command.killed", f"`{self.command[0]}` left programs behind that hold its output open"
            )
        if status != 0:
            raise self.failure(status, said)
        return content

    async def ended(self, process: Process, printing: asyncio.Task[bytes]) -> int:
        """Return its status when it has ended.

        Raises:
            StepError: It printed too much.
        """
        ending = asyncio.create_task(process.ended())
        try:
            await asyncio.wait([ending, printing], return_when=asyncio.FIRST_COMPLETED)
            if printing.done() and (error := printing.exception()) is not None:
                raise StepError("command.too_large", f"`{self.command[0]}` printed more than {error}")
            return await ending
        finally:
            ending.cancel()

    @asynccontextmanager
    async def running(self, home: str) -> AsyncIterator[Process]:
        """Start it; end it with all that it has started.

        Raises:
            StepError: It cannot be started.
        """
        loop = asyncio.get_running_loop()
        try:
            transport, protocol = await loop.subprocess_exec(
                lambda: Watched(limit=PIECE, loop=loop),
                *self.command,
                executable=self.path,
                stdin=asyncio.subprocess.PIPE if self.stdin is not None else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=home,
                env={**self.env, "HOME": home},
                start_new_session=True,
            )
        except (ValueError, OSError) as error:
            said = self.revealed.hide(str(error))
            raise StepError(
                "command.arguments", f"`{self.command[0]}` cannot be started so: {said}"
            ) from None
        process = Process(transport, protocol, loop)
        try:
            yield process
        finally:
            try:
                await end_group(process)
            finally:
                transport.close()  # what has left the group may hold the pipes open

    def failure(self, status: int, said: bytes) -> StepError:
        """Return the error of a command that has not ended well."""
        text = self.revealed.hide(said.decode("utf-8", "replace")).strip()[:LONGEST_SHOWN]
        shown = f": {text}" if text else ""
        if status < 0:
            return StepError("command.killed", f"`{self.command[0]}` was ended by signal {-status}{shown}")
        return StepError(f"command.{status}", f"`{self.command[0]}` ended with {status}{shown}")


@asynccontextmanager
async def empty_folder() -> AsyncIterator[str]:
    """Make a folder that is there for a moment."""
    folder = tempfile.mkdtemp(prefix="wfc-command-")
    try:
        yield folder
    finally:
        await asyncio.shield(in_thread(shutil.rmtree, folder, ignore_errors=True))


async def feed(process: Process, text: str | None) -> None:
    """Write what a command reads, which may close its input early."""
    if process.stdin is None or text is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(text.encode("utf-8"))
        await process.stdin.drain()
    process.stdin.close()


class TooLargeError(Exception):
    """A command has printed too much; the message says how much there may be."""


async def read_all(stream: asyncio.StreamReader | None) -> bytes:
    """Return all that a command prints."""
    parts: list[bytes] = []
    size = 0
    while stream is not None and (part := await stream.read(PIECE)):
        size += len(part)
        if size > LARGEST_OUTPUT:
            raise TooLargeError(f"{LARGEST_OUTPUT // 2**20} MB")
        parts.append(part)
    return b"".join(parts)


async def read_start(stream: asyncio.StreamReader | None) -> bytes:
    """Return the beginning of what a command complains of, and let the rest go."""
    kept = b""
    while stream is not None and (part := await stream.read(PIECE)):
        kept = (kept + part)[:LARGEST_COMPLAINT] if len(kept) < LARGEST_COMPLAINT else kept
    return kept


async def end_group(process: Process) -> None:
    """End a command with all that it has started: ask first, then kill."""
    try:
        if process.returncode is None:
            signal_group(process, signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await process.ended()
    finally:  # also what a command that has ended left in its group
        signal_group(process, signal.SIGKILL)
    if process.returncode is None:
        await process.ended()


def signal_group(process: Process, what: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, what)
