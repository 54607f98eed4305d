"""A style of one's own: each reply of an agent is a run of a workflow, which is told what was said, and which tools
there are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wfc.runtime.agents.definition import WorkflowStyle
from wfc.runtime.calls.transcripts import (
    CallRequest,
    OfferedTool,
    TurnReply,
    TurnRequest,
    merged,
    without_calls,
)
from wfc.runtime.errors import StepError
from wfc.runtime.values.outputs import plain_type

__all__ = ["given_to_workflow", "reply_of_workflow"]


def given_to_workflow(style: WorkflowStyle, request: TurnRequest, turn: int) -> dict[str, Any]:
    """Return what a workflow begins with that is to work out the next reply, as JSON data."""
    given: dict[str, Any] = {
        "messages": [
            {"role": "assistant" if one.role == "model" else "user", "content": one.text}
            for one in merged(without_calls(request.said))
        ],
        "tools": "\n".join(map(_told, _first_alone(request))),
        "system": request.system,
        "turn": turn,
        "last": request.is_last,
    }
    return {name: given[name] for name in style.takes}


def _first_alone(request: TurnRequest) -> Sequence[OfferedTool]:
    """Return the tools that may be called: none in the last turn, and one if it comes first."""
    if request.is_last:
        return ()
    return [each for each in request.tools if request.must_call in ("", each.name)]


def _told(tool: OfferedTool) -> str:
    said = f": {tool.description}" if tool.description else ""
    return f"- {tool.name}{said}\n  arguments: {json.dumps(tool.schema, ensure_ascii=False)}"


def reply_of_workflow(style: WorkflowStyle, end: Any, output: Any, turn: int) -> TurnReply:
    """Return the reply that an end event of a workflow stands for.

    Args:
        end: Its fields as JSON data, with its name where there are several ends.
        output: The type of the agent's answer.

    Raises:
        StepError: ``agent.style``: It has neither calls nor an answer.
    """
    fields = end
    if isinstance(end, Mapping) and end.keys() == {"event", "with"}:
        fields = end["with"]
    if not isinstance(fields, Mapping) or not {"calls", "answer"} & fields.keys():
        said = f"the workflow `{style.workflow}` has ended with neither `answer` nor `calls`"
        raise StepError("agent.style", said)
    text = str(fields.get("text") or "")
    if "calls" in fields:
        listed = fields["calls"]
        wanted = listed if isinstance(listed, list) else []
        calls = [_call(each, f"call_{turn}_{number}") for number, each in enumerate(wanted, 1)]
        return TurnReply(text=text, calls=[each for each in calls if each is not None])
    answer = fields["answer"]
    is_text = plain_type(output) in (None, str)
    return TurnReply(text=str(answer) if is_text else json.dumps(answer, ensure_ascii=False))


def _call(said: Any, known_as: str) -> CallRequest | None:
    """Return a call as a workflow says it: a tool, and its arguments as a record or as JSON in a text."""
    if not isinstance(said, Mapping):
        return None
    args = said.get("args")
    written = args if isinstance(args, str) else json.dumps({} if args is None else args)
    return CallRequest(id=known_as, tool=str(said.get("tool", "")), args=written)
