"""The style ``react``: tools are offered and called in plain text, for models that know no calls of functions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from wfc.runtime.agents.turns import LONGEST_TOLD
from wfc.runtime.calls.transcripts import CallRequest, OfferedTool, Said, TurnReply, TurnRequest
from wfc.runtime.values.outputs import Wanted, plain_type

__all__ = ["KEEP_TO_THE_FORM", "in_words", "read_marks"]

_MARK: Final = re.compile(
    r"^[ \t*]*(Thought|Action Input|Action|Observation|Answer)[ \t*]*:[ \t*]*", re.MULTILINE
)
"""What a line begins with that says what follows; some models print it bold."""

_FENCE: Final = re.compile(r"\A\s*```(?:json)?\s*|\s*```\s*\Z")

_LOOSE: Final = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*")|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<comma>,)(?=\s*[}\]])"""
    r"""|\b(?P<word>True|False|None)\b""",
    re.DOTALL,
)
"""What small models write otherwise than JSON has it: single quotes, a comma at the end, words of Python."""

_WORDS: Final = {"True": "true", "False": "false", "None": "null"}

KEEP_TO_THE_FORM: Final = (
    "This is neither an action nor an answer. Write `Thought:`, and then either `Action:` with the name of a tool and"
    " `Action Input:` with its arguments as JSON, or `Answer:` with the answer."
)

_PROTOCOL: Final = """\
You can use tools. Each of your messages has one of these two forms.

To use a tool:
Thought: what you think, and why
Action: the name of one tool
Action Input: its arguments as one JSON object

To give the answer, when you know it:
Thought: what you think
Answer: {answer}

After an action you are told its result as an observation; never write one yourself. These are the tools:
{tools}"""


def in_words(request: TurnRequest) -> TurnRequest:
    """Return a request whose tools, calls and results are told in plain text."""
    answer = "the answer"
    kind = plain_type(request.output)
    if kind not in (None, str):
        answer = f"the answer as JSON of this schema: {json.dumps(Wanted(kind).schema)}"
    told = _PROTOCOL.format(answer=answer, tools="\n".join(map(_told, request.tools)) or "(none)")
    if request.is_last:
        told += "\nUse no tool any more: give the answer now."
    if request.must_call:
        told += f"\nBegin with the tool {request.must_call}."
    system = told if request.system is None else f"{request.system}\n\n{told}"
    return replace(request, said=list(_said(request.said)), system=system, tools=(), output=None)


def _told(tool: OfferedTool) -> str:
    description = f": {tool.description}" if tool.description else ""
    return f"- {tool.name}{description}\n  arguments: {json.dumps(tool.schema, ensure_ascii=False)}"


def _said(said: Sequence[Said]) -> Iterator[Said]:
    """Yield a transcript in which calls and their results are texts."""
    for one in said:
        lines = [one.text] if one.text else []
        lines += [f"Action: {each.tool}\nAction Input: {each.args or '{}'}" for each in one.calls]
        lines += [f"Observation: {each.text}" for each in one.answers]
        yield Said(role="model" if one.role == "model" else "user", text="\n".join(lines))


def read_marks(reply: TurnReply, turn: int) -> TurnReply | None:
    """Return a reply with the call that it asks for in words, or with nothing but its answer; ``None``: it has neither.

    Only what the model itself says is read, and what it makes up of results is left out: the first action counts, or an
    answer before it.
    """
    if reply.calls:  # which nobody has offered
        named = [
            each.model_copy(update={"id": f"action_{turn}_{number}"})
            for number, each in enumerate(reply.calls, 1)
        ]
        return reply.model_copy(update={"calls": named, "raw": None})
    text = reply.text[:LONGEST_TOLD]
    marks = list(_MARK.finditer(text))
    action = ""
    for place, mark in enumerate(marks):
        ends = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        part = text[mark.end() : ends].strip()
        if mark[1] == "Answer" and not action:
            return reply.model_copy(update={"text": text[mark.end() :].strip(), "raw": None})
        if mark[1] == "Observation":
            break
        if mark[1] == "Action" and not action:
            action, begins = part.strip("`\"' "), mark.start()
        elif mark[1] == "Action Input" and action:
            return _calling(reply, text[:begins], action, part, turn)
    if action:  # a tool without arguments
        return _calling(reply, text[:begins], action, "{}", turn)
    return None


def _calling(reply: TurnReply, before: str, tool: str, args: str, turn: int) -> TurnReply:
    call = CallRequest(id=f"action_{turn}", tool=tool, args=_as_json(_FENCE.sub("", args)))
    return reply.model_copy(update={"text": before.strip(), "calls": [call], "raw": None})


def _as_json(text: str) -> str:
    """Return arguments as JSON, if they are nearly that; else as they are."""
    try:
        return json.dumps(json.JSONDecoder().raw_decode(text.lstrip())[0], ensure_ascii=False)
    except (ValueError, RecursionError):
        return _LOOSE.sub(_mended, text)


def _mended(found: re.Match[str]) -> str:
    if found["double"] is not None:
        return found[0]
    if found["single"] is not None:
        inside = found["single"].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', r"\"", inside) + '"'
    return _WORDS.get(found[0], "")
