"""The transcript of an agent and its models, in our own form, which is kept whichever model is asked next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pydantic import Field

from wfc.runtime.events import Record
from wfc.runtime.records import File

__all__ = [
    "ANSWER_TOOL",
    "CallAnswer",
    "CallRequest",
    "OfferedTool",
    "Said",
    "TurnReply",
    "TurnRequest",
    "in_words",
    "merged",
    "request_without_calls",
    "without_calls",
]

ANSWER_TOOL: Final = "final_result"
"""The tool by which a model gives an answer that is more than a text."""


class CallRequest(Record):
    """A call that a model asks for.

    Args:
        id: What its answer refers to; unique in a transcript.
        tool: The tool, as the model was told its name.
        args: Its arguments, as the model wrote them: JSON, if it kept to what it was told.
    """

    id: str
    tool: str
    args: str


class CallAnswer(Record):
    """What a model is told of a call that it asked for."""

    id: str
    tool: str
    text: str


class Said(Record):
    """One message of a transcript.

    Args:
        role: Who says it: the user, the model, or the tools that it has called.
        text: What the user or the model says.
        calls: The calls that the model asks for.
        answers: What the tools say: one answer for each call of the message before, in its order.
        raw: The model's message as its provider's library wrote it, where it has more than text and calls.
    """

    role: Literal["user", "model", "tools"]
    text: str = ""
    calls: list[CallRequest] = Field(default_factory=list)
    answers: list[CallAnswer] = Field(default_factory=list)
    raw: str | None = None


def in_words(said: Said) -> str:
    """Return a message with its calls, or their answers, in words."""
    lines = [said.text] if said.text else []
    lines += [f"(calls {each.tool} with {each.args or '{}'})" for each in said.calls]
    lines += [f"({each.tool} gave: {each.text})" for each in said.answers]
    return "\n".join(lines)


def without_calls(said: Iterable[Said]) -> list[Said]:
    """Return a transcript whose calls and answers are told in words, for a request that offers no tools.

    Providers refuse calls in a transcript where no tools are offered.
    """
    said = list(said)
    return merged(map(_in_words, said)) if any(one.calls or one.answers for one in said) else said


def _in_words(said: Said) -> Said:
    if not (said.calls or said.answers):
        return said
    return Said(role="model" if said.role == "model" else "user", text=in_words(said))


def merged(said: Iterable[Said]) -> list[Said]:
    """Return messages of which no two in a row are texts of the same role."""
    found: list[Said] = []
    for one in said:
        last = found[-1] if found else None
        plain = last is not None and last.role == one.role and not (last.calls or one.calls)
        if last is not None and plain and one.role != "tools":
            found[-1] = last.model_copy(update={"text": f"{last.text}\n\n{one.text}", "raw": None})
        else:
            found.append(one)
    return found


class TurnReply(Record):
    """A model's reply in a turn.

    Args:
        raw: See ``Said``.
        tokens: How many the agent has used by now, with all that it has asked.
        cost_usd: What that has cost in US dollars, as far as it is known.
    """

    text: str = ""
    calls: list[CallRequest] = Field(default_factory=list)
    raw: str | None = None
    tokens: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a model is told of it: ``schema`` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a model is asked in a turn.

    Args:
        said: The messages so far.
        system: What it is told before anything else.
        tools: What it may call.
        output: The type of its answer; ``None``: a text.
        is_last: Whether it must answer now, and call nothing.
        must_call: The tool that it must call now; empty: it need not call any.
        in_parallel: Whether it may ask for several calls at once.
        shown: What of its reply is shown to watchers while it arrives: ``text``, ``thinking``.
        files: What it is shown with the prompt, which so many messages have come ``since``.
    """

    said: Sequence[Said]
    system: str | None = None
    tools: Sequence[OfferedTool] = ()
    output: Any = None
    is_last: bool = False
    must_call: str = ""
    in_parallel: bool = True
    shown: Sequence[str] = ()
    files: Sequence[File] = ()
    since: int = 0


def request_without_calls(request: TurnRequest) -> TurnRequest:
    """Return a request whose calls and answers are told in words; the place of the prompt stays known.

    Where the prompt is merged with what tools said before it, its files are shown with both.
    """
    told = without_calls(request.said)
    if len(told) == len(request.said):
        return replace(request, said=told)
    # merging goes from the first to the last, so up to the prompt it comes to the same without what follows
    until = merged(map(_in_words, request.said[: max(0, len(request.said) - request.since)]))
    return replace(request, said=told, since=len(told) - len(until))
