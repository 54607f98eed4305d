"""The style ``code``: the model writes Python, in which its tools are functions, and is told what that has printed."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.agents.events import CodeRun, JudgedReply, ToolCallResult
from wfc.runtime.agents.turns import LONGEST_TOLD, MOST_CALLS, bounded, judge, wanted_calls
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.calls.transcripts import CallRequest, OfferedTool, TurnReply, TurnRequest

__all__ = [
    "RUN_PYTHON",
    "as_code",
    "code_in",
    "go_on_with",
    "judge_code",
    "printed_by_now",
    "start_code",
    "told_of_code",
]

RUN_PYTHON: Final = "run_python"
"""The tool by which a model runs code."""

_LONGEST_SHOWN: Final = 20_000

_MOST_PRINTED: Final = 200_000
"""How many characters are kept of what a piece of code prints, however often it waits for calls."""

_ONE_AT_A_TIME = f"Not run: call `{RUN_PYTHON}` once in a reply, and nothing beside it."
_NO_CODE = f"Not run: `{RUN_PYTHON}` takes a record with the text `code`."
_NO_OTHER = f"Not made: there is only `{RUN_PYTHON}`; call functions in its code."
_OTHERS_FIRST = "Not taken, since code stands beside it: look at what it gives, and give the answer alone."
_TOO_MANY = f"not made: at most {MOST_CALLS} calls go on at once"

_PROTOCOL: Final = f"""\
You work by writing Python. Call `{RUN_PYTHON}` with code; you are told what it has printed, and the value of its last
line. Variables and functions stay from one call to the next. The code runs in a sandbox with a part of Python: no
files, no network, no packages; of the standard library there are json, re, math, datetime, collections, itertools,
functools, decimal and asyncio. Await these functions, several at once by `asyncio.gather`; there is nothing else
outside:

"""


def as_code(request: TurnRequest, agent: Agent) -> TurnRequest:
    """Return a request whose tools are told as functions of Python."""
    told = _PROTOCOL + ("\n\n".join(_signatures(agent, request.tools)) or "(none)")
    system = told if request.system is None else f"{request.system}\n\n{told}"
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The code."}},
        "required": ["code"],
        "additionalProperties": False,
    }
    tool = OfferedTool(RUN_PYTHON, "Runs Python in a sandbox, and tells what it has printed.", schema)
    return replace(request, system=system, tools=[tool])


def _functions(agent: Agent) -> dict[str, str]:
    """Return the names of its tools as functions of Python, each with the name that other agents' models are told."""
    found: dict[str, str] = {}
    for name in agent.by_name:
        own = re.sub(r"\W", "_", name)
        own = f"_{own}" if own[:1].isdigit() or keyword.iskeyword(own) else own
        while own in found:
            own += "_"
        found[own] = name
    return found


def _signatures(agent: Agent, tools: Iterable[OfferedTool]) -> Iterator[str]:
    functions = {name: own for own, name in _functions(agent).items()}
    for offered in tools:
        wanted = set(offered.schema.get("required", ()))
        args = [
            f"{name}: {_type(one)}{'' if name in wanted else ' = None'}"
            for name, one in offered.schema.get("properties", {}).items()
        ]
        lines = [f"async def {functions[offered.name]}({', '.join(args)}):"]
        if offered.description:
            lines.append(f"    {json.dumps(offered.description, ensure_ascii=False)}")
        yield "\n".join([*lines, "    ..."])


def _type(schema: Mapping[str, Any]) -> str:
    """Return the type of an argument, in short; what is more than that stands as a JSON Schema."""
    plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    told = {key: one for key, one in schema.items() if key not in {"title", "default"}}
    if set(told) <= {"type", "description"} and told.get("type") in plain:
        named = plain[told["type"]]
        return (
            f"{named!s}"
            if "description" not in told
            else f"Annotated[{named}, {json.dumps(told['description'])}]"
        )
    return f"Annotated[Any, {json.dumps(told, ensure_ascii=False)}]"


def judge_code(agent: Agent, reply: TurnReply, unmet: Callable[[Any], Sequence[str]]) -> JudgedReply:
    """Return what a reply comes to: an answer, or one piece of code to run."""
    wanted = wanted_calls(reply)
    if not wanted:
        return judge(agent, reply, unmet)
    told: dict[str, str] = {}
    runs = False
    for each in reply.calls:
        if each not in wanted:
            told[each.id] = _OTHERS_FIRST
        elif each.tool != RUN_PYTHON:
            told[each.id] = _NO_OTHER
        elif code_in(each) is None:
            told[each.id] = _NO_CODE
        elif runs:
            told[each.id] = _ONE_AT_A_TIME
        else:
            runs = True
    return JudgedReply(reply=bounded(reply), told=told)


def code_in(call: CallRequest) -> str | None:
    """Return the code of a call; ``None`` if it has none."""
    if len(call.args) > LONGEST_TOLD:
        return None
    try:
        code = json.loads(call.args or "{}").get("code")
    except (ValueError, RecursionError, AttributeError):
        return None
    return code if isinstance(code, str) else None


async def start_code(agent: Agent, code: str, call: str, state: str) -> CodeRun:
    """Run code until it waits for calls of tools, or is over.

    Args:
        call: The call of the model by which it is run.
        state: What is kept of the code before.
    """
    from wfc.runtime.calls import sandbox

    return _as_run(agent, call, await in_thread(sandbox.start, code, list(_functions(agent)), state))


async def go_on_with(
    agent: Agent, call: str, waits: Mapping[str, int], results: Sequence[ToolCallResult], state: str
) -> CodeRun:
    """Let code go on with the results of the calls that it has waited for.

    Args:
        waits: What the sandbox knows these calls by.
    """
    from wfc.runtime.calls import sandbox

    told = dict.fromkeys(waits.values(), (False, _TOO_MANY))
    for each in results:
        good = each.outcome in {"done", "changed"} and each.value is not None
        told[waits[each.id]] = (True, json.loads(each.value)) if good and each.value else (False, each.text)
    return _as_run(agent, call, await in_thread(sandbox.go_on, told, list(_functions(agent)), state))


def _as_run(agent: Agent, call: str, stretch: Any) -> CodeRun:
    from wfc.runtime.calls import sandbox

    functions = _functions(agent)
    waits = {f"{call}.{each.number}": each.number for each in stretch.calls}
    calls = [
        CallRequest(
            id=f"{call}.{each.number}",
            tool=functions[each.function],
            args=sandbox.as_json(_named(agent.by_name[functions[each.function]], each)),
        )
        for each in stretch.calls[:MOST_CALLS]
    ]
    return CodeRun(
        printed=stretch.printed, error=stretch.error, state=stretch.state, calls=calls, waits=waits
    )


def _named(tool: AgentTool, call: Any) -> dict[str, Any]:
    """Return the arguments of a call by their names."""
    names = list(tool.schema()["properties"])
    found = dict(
        zip(
            [*names, *(f"argument {at}" for at in range(len(names), len(call.args)))], call.args, strict=False
        )
    )
    return {**found, **call.named}


def printed_by_now(before: str, more: str) -> str:
    """Return what a piece of code has printed by now, as much of it as is kept."""
    return (before + more)[:_MOST_PRINTED]


def told_of_code(printed: str, error: str) -> str:
    """Return what the model is told of code that is over."""
    if len(printed) > _LONGEST_SHOWN:
        printed = (
            f"{printed[:_LONGEST_SHOWN]}\n… cut: these are {_LONGEST_SHOWN:,} of {len(printed):,} characters"
        )
    return "\n".join(each for each in (printed, error[-_LONGEST_SHOWN:]) if each) or "(nothing was printed)"
