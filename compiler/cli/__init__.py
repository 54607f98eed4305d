"""The ``wfc`` command: arguments in, exit status out. Each subcommand is a module loaded on demand."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence

__all__ = ["main"]

BUG, NO_OUTPUT, INTERRUPTED, BROKEN_PIPE = 70, 74, 130, 141

RUNNING = (["run"], ["test"], ["worker"], ["serve"], ["lsp"], ["mcp"], ["draft"])
"""The commands that run workflows or serve an editor, for as long as these take; all others are short."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Why output cannot be written that goes to a file, whose name only the shell knows."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        args: The arguments; by default those of the process.
    """
    try:
        return start(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        give_up_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in FULL:
            return report_bug(error)
        give_up_output()
        say(f"wfc: the output cannot be written: {error.strerror}")
        return NO_OUTPUT
    except Exception as error:
        return report_bug(error)


def start(args: Sequence[str] | None) -> int:
    open_streams()
    for stream in (sys.stdout, sys.stderr):
        # a terminal of another encoding shows what it cannot as \\u4e2d, and does not stop us
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if args is None else args)
    status = call(given) if given[:1] in RUNNING else without_collection(call, given)
    sys.stdout.flush()
    return status


def call(args: Sequence[str]) -> int:
    status = plain_check(args)
    if status is None:
        from wfc.compiler.cli.group import run

        status = run([*args])
    return status


def open_streams() -> None:
    """Open substitutes for standard streams that were closed when the process started.

    Otherwise the next file opened would get their descriptor, and with it their output.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def give_up_output() -> None:
    """Write no more output, also at the interpreter's exit: the reader has gone, or the disk is full."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except OSError:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def without_collection(work: Callable[[Sequence[str]], int], args: Sequence[str]) -> int:
    """Disable garbage collection: there is little garbage, and collection takes a sixth of a check's time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return work(args)
    finally:
        # what there is now is not looked through either: not when this enables the collector, nor when the process ends
        gc.freeze()
        if enabled:
            gc.enable()


def plain_check(args: Sequence[str]) -> int | None:
    """Run the most frequent command, `wfc check [--format FORMAT] PATH...`, without the slow import of click.

    Returns:
        The exit status; ``None`` if click must look at the arguments: then nothing is shown yet.
    """
    form, paths = "full", list(args[1:])
    if paths[:1] == ["--format"]:
        form, paths = paths[1] if len(paths) > 1 else "", paths[2:]
    if args[:1] != ["check"] or not paths or any(each.startswith("-") for each in paths):
        return None
    from wfc.compiler.cli.checking import check
    from wfc.compiler.diagnostics.render import FORMATS
    from wfc.compiler.workspace.sources import PathError

    if form not in FORMATS:
        return None
    try:
        return check(paths, form)
    except PathError:
        return None  # click says it, and how the command is used


def report_bug(error: Exception) -> int:
    """Report briefly that an internal exception escaped, and where."""
    if os.environ.get("WFC_TRACEBACK"):
        raise error
    import traceback

    from wfc.compiler.diagnostics.escaping import printable

    where = traceback.extract_tb(error.__traceback__)[-1]
    say(printable(f"wfc: this is a bug of wfc, not of your spec: {type(error).__name__}: {error}"))
    say(printable(f"     at {where.filename}:{where.lineno} in {where.name}"))
    say("     Please report it with the spec; WFC_TRACEBACK=1 shows all of it.")
    return BUG


def say(line: str) -> None:
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        give_up_output()  # the status says it too
