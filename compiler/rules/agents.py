"""Problems with agents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem, undeclared, warning
from wfc.compiler.rules.fixes import correct_name, remove_entry

__all__ = [
    "agent_said_twice",
    "agent_without_description",
    "agents_in_a_circle",
    "args_not_given",
    "asks_in_map",
    "handoff_output_differs",
    "hands_over_to_itself",
    "history_beside_thread",
    "many_replies",
    "not_in_code",
    "not_in_own_style",
    "not_its_tool",
    "not_with_thread",
    "save_outside_step",
    "style_does_not_fit",
    "tool_listed_twice",
    "tool_without_args",
    "unknown_thread",
]


@problem
def agent_said_twice(place: Place, key: str, agent: str) -> Finding:
    """A step names an agent, and says itself what an agent is.

    With `agent: NAME` a step calls an agent that `agents` declares, with its model, its tools and its bounds. Which of
    two `model` or `tools` should hold, nobody could see. Say it in the agent's declaration; or leave `agent` out,
    and all that the agent is stands in the step.
    """
    return Finding(
        "agent-said-twice",
        f"`{key}` stands beside `agent`, and belongs to the agent `{agent}`",
        place,
        f"say it under `agents`, where `{agent}` is declared",
    )


@problem
def agent_without_description(place: Place, name: str, declared: Place) -> Finding:
    """An agent is a tool of another one, or is handed over to, and nothing says what it does.

    The model that calls it or hands over knows of it what its `description` says, and the names and types of its
    `args`. Say there what it is good for, and what it should be given.
    """
    return Finding(
        "agent-without-description",
        f"nothing says what the agent `{name}` does, so no model knows when to turn to it",
        place,
        f"say it where `{name}` is declared, such as `description: Finds facts. Give it one question at a time.`",
        related=((declared, "it is declared here"),),
    )


@problem
def agents_in_a_circle(place: Place, names: Sequence[str]) -> Finding:
    """An agent is a tool of itself, by way of others.

    While an agent works as a tool of another one, that one waits. One that comes back to itself so may call itself
    for ever, each time one level deeper. Let agents hand over to each other instead (`handoffs`): then nobody
    waits, and the turns of all count together. Or take one of the agents out of the `tools` of another.
    """
    if len(set(names)) == 1:
        return Finding(
            "agents-in-a-circle",
            f"the agent `{names[0]}` is a tool of itself",
            place,
            f"take `{names[0]}` out of its own `tools`: it goes on by itself after each call, until it answers; "
            "what is to do a part of its work is another agent",
        )
    return Finding(
        "agents-in-a-circle",
        f"the agents {' → '.join(f'`{each}`' for each in names)} are tools of each other",
        place,
        f"take `{names[1]}` out of the tools of `{names[0]}`, or let it hand over: `handoffs: [{names[1]}]`",
    )


@problem
def args_not_given(place: Place, step: str, agent: str, args: str) -> Finding:
    """A step gives an agent a prompt alone, and the agent needs more than that.

    What an agent takes by `args` may stand in its `system`, in what its tools are given, and go on where it hands over.
    A step's `prompt` stands only in place of the agent's own `prompt`; give the `args` by `with`.
    """
    return Finding(
        "args-not-given",
        f"`{step}` does not give the agent `{agent}` its `args`, which more than its prompt needs",
        place,
        f"give it {args} by `with`",
    )


@problem
def hands_over_to_itself(place: Place, name: str) -> Finding:
    """An agent's `handoffs` name the agent itself.

    With a hand-over another agent goes on. Who goes on itself just takes another turn. Take it out.
    """
    return Finding(
        "hands-over-to-itself",
        f"`{name}` hands over to itself",
        place,
        "take it out",
        fix=remove_entry(place, "safe"),
    )


@problem
def handoff_output_differs(place: Place, name: str, giver: str, found: str, wanted: str) -> Finding:
    """An agent hands over to one whose answer is another one.

    After a hand-over the other agent gives the answer, which must be what was asked for. So those that hand over to
    each other declare the same `output`: a type under `types`, by its name. An agent with another output is of use as a
    tool, whose answer is told to the one that has called it.
    """
    return Finding(
        "handoff-output-differs",
        f"the answer of `{name}` is {found}, and that of `{giver}` is {wanted}",
        place,
        f"give both the same `output`, or list `{name}` under `tools`",
    )


@problem
def history_beside_thread(place: Place) -> Finding:
    """A step has a `thread` and a `history`.

    Both are what was said before: a thread is kept by itself from one step run to the next, and `history` is a list of
    messages that the spec keeps, in the state or elsewhere. Which of them comes first, nobody could see. Take one.
    """
    return Finding(
        "history-beside-thread",
        "what was said before is said twice, by `thread` and by `history`",
        place,
        "leave out one of them",
        fix=remove_entry(place, "unsafe"),
    )


@warning
def many_replies(place: Place, agent: str, most: int, *, or_more: bool = False) -> Finding:
    """An agent and the agents that are its tools may come to very many replies of models, and nothing bounds them.

    In each of its turns an agent may let several others work, at most as many at once as its `parallel_calls` say, and
    each of them has `max_turns` of its own. So the numbers multiply from level to level: 20 turns, each with 8 agents
    of 20 turns, are 3,220 replies, and with one more level there are more than half a million. It hardly ever comes to
    that; but where models do not find an end, nothing ends them before. Give the step, or the whole run, `limits` of
    `tokens` or of `cost_usd`; what agents use that are tools counts among them. Or lower `max_turns` and
    `parallel_calls`.
    """
    return Finding(
        "many-replies",
        f"the agent `{agent}`, with those that are its tools, may come to {most:,} replies of models"
        + (" or more" if or_more else ""),
        place,
        "bound it by `limits: {tokens: …}`, or lower `max_turns` and `parallel_calls` of these agents",
    )


@problem
def tool_listed_twice(place: Place, name: str, *, whole: bool = True) -> Finding:
    """An agent's `tools` or `handoffs` have one name twice.

    The model is told of each tool, and of each agent that it may hand over to, once. Take one of the two out. The
    name of a service stands for all its operations: name those that are wanted beside one that says more.
    """
    said = f"`{name}` stands in this list already"
    if whole:
        return Finding("tool-listed-twice", said, place, fix=remove_entry(place, "safe"))
    hint = "keep the entry that says more; for the other operations of a service, write their names"
    return Finding("tool-listed-twice", said, place, hint)


@problem
def not_in_code(place: Place, name: str, why: str) -> Finding:
    """An agent that writes code is given what goes with calls only.

    With `style: code` the model writes Python, in which its tools are functions. It does not hand over, and nobody
    hands over to it; the result of a tool is a value in its code, and not its answer; no tool comes first; and what it
    has said is kept in no thread. Take that out, or give the agent another `style`.
    """
    return Finding(
        "not-in-code",
        f"the agent `{name}` writes code: {why}",
        place,
        "take it out, or give the agent another `style`",
    )


@problem
def asks_in_map(place: Place, key: str) -> Finding:
    """An agent that stands in the `do` of a `map` has a tool with `approve`, `when` or `save`.

    What stands there is worked out by the step while the agent works, and many agents of one step work at once, each
    for another item. An agent under `agents` works out `approve` and `when` itself, of its `args`: declare it there,
    and give it the item by `with`. What calls have given can be in the agent's answer, and be saved by the step's own
    `save`.
    """
    hint = "declare the agent under `agents`, where it sees its `args`, and name it by `agent`"
    if key == "save":
        hint = "let the agent answer with it, and save that by the `save` of the step"
    return Finding("asks-in-map", f"a tool of an agent in the `do` of a `map` has no `{key}`", place, hint)


@problem
def style_does_not_fit(place: Place, name: str, why: str, declared: Place) -> Finding:
    """A workflow is the `style` of an agent, and does not take or give what such a workflow has to.

    It works out each reply of the agent in a run of its own. Its start event takes `messages`, a `list of Message`, and
    if it likes `tools`, a text that tells of them, `system`, an `optional string`, `turn`, an integer, and `last`,
    whether nothing may be called any more. Each of its ends has either `answer`, which the agent answers, or `calls`, a
    `list of` records with `tool` and `args`, the arguments as JSON in a text or as a record; beside `calls` it may have
    `text`. Give the workflow such events, or the agent another `style`.
    """
    return Finding(
        "style-does-not-fit",
        f"the workflow `{name}` cannot work out the replies of an agent: {why}",
        place,
        "",
        related=((declared, "its start event is declared here"),),
    )


@problem
def not_in_own_style(place: Place, name: str, key: str, why: str) -> Finding:
    """An agent whose replies a workflow works out has a key that means nothing there.

    That workflow asks models of its own, tries its own steps again and bounds their time; the agent does not hand over,
    nobody hands over to it, and what it has said is kept in no thread. Take the key out, or give the agent another
    `style`.
    """
    return Finding(
        "not-in-own-style",
        f"`{key}` means nothing for the agent `{name}`, whose replies a workflow works out: {why}",
        place,
        "take it out, or give the agent another `style`",
    )


@problem
def not_with_thread(place: Place, key: str, why: str) -> Finding:
    """A step of kind `llm` has a `thread`, and a key that is not there beside one.

    What was said in a thread is another thing each time, so that no answer of the cache would do; and an answer is
    shown as text, or when it is whole. Take the key out, or ask without a thread.
    """
    return Finding("not-with-thread", f"`{key}` is not there beside a `thread`: {why}", place, "leave it out")


@problem
def not_its_tool(place: Place, name: str, agent: str, known: Sequence[str]) -> Finding:
    """An agent is to call a tool first that is none of its tools.

    `first_tool` names the tool that the model has to call before it is offered others. Write one that stands under the
    agent's `tools`, or list it there.
    """
    return Finding(
        "not-its-tool",
        f"the agent `{agent}` has no tool `{name}`",
        place,
        closest(name, known)
        or (
            f"its tools are {', '.join(f'`{each}`' for each in known[:12])}"
            if known
            else "list it under `tools`"
        ),
        fix=correct_name(place, name, known),
    )


@problem
def save_outside_step(place: Place, tool: str) -> Finding:
    """A tool of an agent under `agents` says what is to be saved.

    What is saved belongs to the state of the run, which only a step sees. Write the agent in the step, with
    `model`, `tools` and what else it needs, or save there by `save` what its answer says.
    """
    return Finding(
        "save-outside-step",
        f"an agent under `agents` cannot save what comes of `{tool}`",
        place,
        "write the agent in the step, or let its answer say what is to be saved",
    )


@problem
def tool_without_args(place: Place, name: str, declared: Place) -> Finding:
    """An agent may use a tool that does not say what it takes.

    The model chooses the arguments, and knows of them what `args` says: their names, their types and what they mean.
    What it gives is checked against that before the tool is called. Declare `args`; if the tool takes nothing,
    write `args: {}`.
    """
    return Finding(
        "tool-without-args",
        f"tool `{name}` does not say what it takes, so no model can call it",
        place,
        "declare its `args`, such as `args: {order_id: string}`",
        related=((declared, "it is declared here"),),
    )


@problem
def unknown_thread(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step names a thread that `threads` does not declare.

    What an agent and its users have said is kept in a thread, which is declared once under `threads`, with what tells
    its talks from each other. Write the name as it is declared there, or declare the thread: `threads: {talk: {}}`.
    """
    return undeclared.unknown("unknown-thread", "thread", "threads", place, name, known)
