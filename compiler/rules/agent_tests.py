"""Problems with what tests say of agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name

__all__ = ["empty_reply", "not_of_an_agent", "several_replies"]

_HAND_OVER: Final = "hand_over_to_"
"""How the tools begin by which models hand over."""


@problem
def not_of_an_agent(place: Place, name: str, what: str, known: Sequence[str]) -> Finding:
    """A test speaks of an agent or of a tool that nothing in the workflow uses so.

    `script` has what the models of agents reply, by the name of a step of kind `agent` or of the agent that it calls;
    `tools` what agents are given by their tools, and `people` what is said to calls that a person has to allow, by the
    names of tools. What steps of other kinds give, also those of kind `tool`, stands under `mock`.
    """
    said = {
        "agent": "no step is or calls an agent",
        "tool": "no agent here has a tool",
        "hand_over": "this agent does not hand over to an agent",
        "approval": "nobody has to allow calls of a tool",
    }[what]
    by_hand_over = what == "tool" and name.startswith(_HAND_OVER)
    return Finding(
        "not-of-an-agent",
        f"{said} `{name}`",
        place,
        (f"here a hand-over is written `hand_over: {name.removeprefix(_HAND_OVER)}`" if by_hand_over else "")
        or closest(name, known)
        or (f"there are {', '.join(f'`{each}`' for each in known[:12])}" if known else ""),
        fix=correct_name(place, name, known),
    )


@problem
def empty_reply(place: Place, *, by_person: bool = False, given: bool = False) -> Finding:
    """A reply in a `script`, or an answer under `people`, says nothing.

    A model says something, gives an answer, calls tools, or the call of it fails: `{say: TEXT}`, `{give: VALUE}`,
    `{calls: [{tool: NAME, with: {…}}]}`, `{code: PYTHON}`, `{error: NAME}`. A person who has to allow a call says
    `{decision: continue}`, `change` with other arguments under `with`, or `refuse`; fills in the form, where the call
    has one; or does not answer, `{error: timeout}`.
    """
    if by_person:
        hint = "write `decision: continue`, `change` or `refuse`, or `error: timeout` if nobody answers"
        hint += "; it stands here as it is, without `give`" * given
        return Finding("empty-reply", "this answer holds no decision", place, hint)
    return Finding(
        "empty-reply",
        "this reply says nothing",
        place,
        "write `say`, `give`, `calls` or `error`, and what comes",
    )


@problem
def several_replies(place: Place, first: str, second: str) -> Finding:
    """A reply of a model, or an answer of a tool, is two things at once.

    A model says something, gives an answer, calls tools, writes code, or fails; only `say` may stand beside `calls` or
    `code`. A tool gives something or fails. What comes one after another are several entries of the list.
    """
    return Finding(
        "several-replies",
        f"`{second}` does not stand beside `{first}`",
        place,
        "make two entries of the list of it, or take one of the two out",
    )
