"""Rules about data from outside, and whom they reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wfc.compiler.review.changes import ChangeRule, Level, SpecChange, rule
from wfc.compiler.review.pair import Pair

__all__ = ["changes_of_data"]

_ACT, _BREAK = Level.ACT, Level.BREAK
_LESS: Final = "that data reach something no more asks for no decision"


def _reaching(id: str, level: Level, explanation: str) -> ChangeRule:
    return rule(id, "security", level, explanation, no_mirror=_LESS)


_SINKS: Final[dict[str, tuple[ChangeRule, str]]] = {
    "prompt": (
        _reaching(
            "data-reaches-prompt",
            _ACT,
            """Data from outside newly reach what a model is told.

Whoever writes them can tell the model something, too. Look at what the model can do: which tools it has, and what its
answer decides.""",
        ),
        "the prompt of",
    ),
    "arguments": (
        _reaching(
            "data-reaches-tool",
            _ACT,
            """Data from outside newly reach the arguments of a tool.

Does the tool take anything that may stand there?""",
        ),
        "the arguments of the tool that",
    ),
    "address": (
        _reaching(
            "data-reaches-address",
            _BREAK,
            """Data from outside newly decide where a request goes.

Whoever writes them can send the request, and what it carries, elsewhere. Choose among addresses
that the spec names.""",
        ),
        "the address that is asked by",
    ),
    "request": (
        _reaching(
            "data-reaches-host",
            _ACT,
            """More data than before are sent to a host.

May whoever has that host have them?""",
        ),
        "what is sent by",
    ),
    "command": (
        _reaching(
            "data-reaches-program",
            _BREAK,
            """Data from outside newly reach the arguments, the input or the variables of a program.

Does the program take anything that may stand there?""",
        ),
        "the program that is started by",
    ),
    "inputs": (
        _reaching(
            "data-reaches-workflow",
            _ACT,
            "Data from outside newly reach the inputs of another workflow, and all that it does with them.",
        ),
        "the workflow that is called by",
    ),
    "message": (
        _reaching(
            "data-reaches-message",
            _ACT,
            "Data from outside newly reach a message to another run.",
        ),
        "the message that is sent by",
    ),
}


def changes_of_data(pair: Pair) -> Iterator[SpecChange]:
    """Yield the data that newly reach something; of steps that are new all that they are handed."""
    for name, sinks in pair.new["data"].items():
        before = pair.old["data"].get(name, {})
        for sink, origins in sinks.items():
            which, words = _SINKS[sink]
            for origin in origins:
                if origin in before.get(sink, ()) or _was_called(pair, origin) in before.get(sink, ()):
                    continue
                words_of_tool = f"{words} `{name}`" + (" calls" if sink == "arguments" else "")
                yield which.found(
                    pair.name,
                    f"data.{name}.{sink}.{origin}",
                    f"{origin} newly reaches {words_of_tool}",
                    after=origin,
                    new=pair.new["steps"][name]["at"],
                )


def _was_called(pair: Pair, origin: str) -> str:
    """Return what an origin was called before its step or event had another name."""
    for old, new in {**pair.steps_renamed, **pair.events_renamed}.items():
        if f"`{new}`" in origin:
            return origin.replace(f"`{new}`", f"`{old}`")
    return origin
