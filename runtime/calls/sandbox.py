"""Python that a model has written, run in a sandbox: a process of its own, without files and net, within bounds.

What it wants from outside are calls of functions. At these it stops: what is left of it is a snapshot, with which it
goes on when the results are there, in any process. Snapshots come from our own journal and from nowhere else.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.errors import MissingPackageError

try:
    import pydantic_monty as monty
except ImportError:
    raise MissingPackageError(
        "an agent that writes code needs the package pydantic-monty: pip install 'wfc-workflows[code]'"
    ) from None

__all__ = ["FunctionCall", "Stretch", "as_json", "go_on", "start"]

_LIMITS: Final = monty.ResourceLimits(
    max_feed_duration_secs=10.0,
    max_turn_duration_secs=5.0,
    max_memory=64_000_000,
    max_recursion_depth=200,
    max_suspensions=1_000,
)
"""The bounds of a piece of code, in seconds of its own work and in bytes."""

_LONGEST_ANSWER: Final = 15.0
"""The seconds after which a process that does not answer is ended."""

_LARGEST_STATE: Final = 8_000_000
"""How many bytes may be kept of what the code has put in variables."""

_MOST_PRINTED: Final = 200_000
"""How many characters are kept of what code has printed, and of an error of its own."""


class FunctionCall:
    """A call of a function that the code waits for.

    Args:
        number: By which its result is told.
        function: Its name.
        args: Those by position, and then by name, as plain data.
    """

    __slots__ = ("args", "function", "named", "number")

    def __init__(self, number: int, function: str, args: Sequence[Any], named: Mapping[str, Any]) -> None:
        self.number = number
        self.function = function
        self.args = args
        self.named = named


class Stretch:
    """What came of a stretch of code.

    Args:
        printed: What it has printed, and the value of its last line.
        error: How it has failed; empty if it has not.
        state: What is kept of it, as text: its variables, or all of it, if it waits.
        calls: What it waits for; empty: it has come to its end.
    """

    __slots__ = ("calls", "error", "printed", "state")

    def __init__(self, printed: str, error: str, state: str, calls: Sequence[FunctionCall]) -> None:
        self.printed = printed
        self.error = error
        self.state = state
        self.calls = calls


def start(code: str, functions: Iterable[str], state: str) -> Stretch:
    """Run code until it waits for calls or is over.

    Args:
        functions: The names of the functions that it may call.
        state: What is kept of the code before; empty: there was none.
    """
    known = dict.fromkeys(functions, _never_called)

    def begin(session: Any, out: Any) -> Any:
        if state:
            session.load_session(base64.b64decode(state))
        return session.feed_start(code, print_callback=out, external_lookup=known)

    return _stretch(begin, known, state)


def go_on(results: Mapping[int, tuple[bool, Any]], functions: Iterable[str], state: str) -> Stretch:
    """Let code go on that has waited for calls.

    Args:
        results: By number, whether a call has succeeded, and its result, or what is wrong.
        functions: See ``start``.
        state: What was kept of it.
    """
    known = dict.fromkeys(functions, _never_called)
    settled = {
        number: {"return_value": value} if good else {"exc_type": "RuntimeError", "message": str(value)}
        for number, (good, value) in results.items()
    }

    def begin(session: Any, out: Any) -> Any:
        waiting = session.load_snapshot(base64.b64decode(state), print_callback=out, external_lookup=known)
        return waiting.resume(settled)

    return _stretch(begin, known, "")


def _never_called(*_args: object, **_named: object) -> None:
    raise AssertionError("calls are answered by their numbers")


def _stretch(begin: Callable[[Any, Any], Any], known: Container[str], before: str) -> Stretch:
    """Return what comes of code until it waits or is over.

    Args:
        before: What is kept if that cannot be had of the code itself.
    """
    out = monty.CollectString(_MOST_PRINTED)
    with monty.Monty(request_timeout=_LONGEST_ANSWER) as pool, pool.checkout(limits=_LIMITS) as session:
        found: Any = None
        error, calls = "", list[FunctionCall]()
        try:
            found, calls = _until_it_waits(begin(session, out), known)
        except (monty.MontySyntaxError, monty.MontyRuntimeError) as failed:
            error = failed.display()
        except monty.MontyError as failed:
            error = str(failed)
        printed = out.output
        if isinstance(found, monty.MontyComplete) and found.output is not None:
            printed = (printed + _written(found.output))[:_MOST_PRINTED]
        try:
            state = found.dump() if calls else session.dump()
        except (RuntimeError, monty.MontyError):  # its process was ended
            lost = "its variables are as they were before" if before else "all variables are lost"
            return Stretch(printed, f"{error[-_MOST_PRINTED:]}\nThe code was ended; {lost}.", before, [])
    if len(state) > _LARGEST_STATE:
        said = f"what the code keeps in variables takes {len(state):,} bytes; at most {_LARGEST_STATE:,} may be kept"
        return Stretch(printed, f"MemoryError: {said}", before, [])
    return Stretch(printed, error[-_MOST_PRINTED:], base64.b64encode(state).decode(), calls)


def _until_it_waits(found: Any, known: Container[str]) -> tuple[Any, list[FunctionCall]]:
    """Return where the code stops: at its end, or where all of it waits for calls; these, too."""
    calls: dict[int, FunctionCall] = {}
    while True:
        if isinstance(found, monty.MontyComplete):
            return found, []
        if isinstance(found, monty.FutureSnapshot):
            return found, [calls[number] for number in found.pending_call_ids]
        if isinstance(found, monty.FunctionSnapshot) and found.is_os_function:
            found = found.resume_not_handled()
        elif isinstance(found, monty.FunctionSnapshot) and found.function_name in known:
            called = FunctionCall(found.call_id, str(found.function_name), found.args, found.kwargs)
            calls[found.call_id] = called
            found = found.resume({"future": ...})
        elif isinstance(found, monty.FunctionSnapshot):
            said = f"name '{found.function_name}' is not defined"
            found = found.resume({"exc_type": "NameError", "message": said})
        else:
            found = found.resume_auto()


def _written(value: object) -> str:
    """Return the value of the last line, as the model is told of it."""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: object) -> str:
    """Return what code gives as JSON: bytes in base 64, and what is no data as its text."""
    return to_json(value, fallback=str, bytes_mode="base64").decode()
