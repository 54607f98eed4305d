"""What rules of a policy are asked of: the types that their expressions see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.review.changes import AUDIENCES, Level
from wfc.compiler.types import (
    BOOLEAN,
    DURATION,
    INTEGER,
    STRING,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
)

__all__ = ["CHANGE", "ORIGIN", "REACHED", "STEP", "SUBJECTS", "WAY", "WORKFLOW"]

TEXTS: Final = ListOf(STRING)
KIND: Final = Enumeration(tuple(STEP_KINDS))
ACTION: Final = Enumeration(("nothing", *(name for name, kind in STEP_KINDS.items() if kind.nodes)))
FORM: Final = Enumeration(("all", "any", "each"))
METHOD: Final = Enumeration(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))
BINDING: Final = Enumeration(("python", "http", "command", "mcp", "workflow"))
EXIT: Final = Enumeration(("emit", "on_error", "on_limit", "on_timeout"))


def record(called: str, /, **fields: tuple[Type, str]) -> Record:
    """Return a type with described fields."""
    made = Record(called)
    made.fields.update(
        (each, Field(each, type, description=description)) for each, (type, description) in fields.items()
    )
    return made


REACHED: Final[dict[str, tuple[Type, str]]] = {
    "models": (TEXTS, "The models that are asked, fallbacks too, such as `openai:gpt-4o`."),
    "tools": (TEXTS, "The names of the tools that are called, or that an agent may call."),
    "functions": (TEXTS, "The Python functions that are called, such as `shop:pay_back`."),
    "programs": (TEXTS, "The programs that are started."),
    "hosts": (TEXTS, "The hosts that are called; with the expression in it where it is made from data."),
    "secrets": (TEXTS, "The names of the secrets that are handed out."),
    "people": (TEXTS, "Who is asked, as written."),
    "workflows": (TEXTS, "The workflows that are called."),
    "messages": (TEXTS, "The topics and workflows to which events are sent."),
}

ORIGIN: Final = record(
    "Origin",
    to=(STRING, "What gets the data."),
    origins=(TEXTS, "Where they come from, in words, such as ``the input `name` ``."),
)

STEP: Final = record(
    "Step",
    name=(STRING, "Its name."),
    kind=(KIND, "Its kind."),
    does=(ACTION, "What it does: what its kind says; for a `map`, what it does for each item."),
    description=(STRING, "Its description; may be empty."),
    accepts=(TEXTS, "The events that it accepts."),
    join=(Optional(FORM), "How it joins them; null if each starts it by itself."),
    emits=(TEXTS, "The events that it may emit, by any exit."),
    exits=(TEXTS, "The exits that it has, such as `emit` and `on_error`."),
    method=(Optional(METHOD), "The method of an `http` step."),
    timeout=(Optional(DURATION), "Its time-out for one attempt."),
    within=(Optional(DURATION), "How long it waits at most."),
    attempts=(Optional(INTEGER), "How often it is tried at most; 1 without `retry`, null if data say it."),
    repeats=(BOOLEAN, "Whether it may be tried more than once."),
    max_runs=(Optional(INTEGER), "How often it may run; null if there is no bound, or data say it."),
    concurrency=(Optional(INTEGER), "How many of it run at once; null if data say it."),
    bounded=(BOOLEAN, "Whether it has `max_runs`."),
    has_key=(BOOLEAN, "Whether it has an `idempotency_key`."),
    cached=(BOOLEAN, "Whether its results are kept for others."),
    read_only=(BOOLEAN, "Whether all that it calls is said to change nothing."),
    approved=(TEXTS, "Those of the tools of an agent for each call of which a person is asked."),
    data=(ListOf(ORIGIN), "What data it hands out, and where they come from."),
    **REACHED,
)

WORKFLOW: Final = record(
    "Workflow",
    name=(STRING, "Its name."),
    path=(STRING, "The path of its spec."),
    description=(STRING, "Its description; may be empty."),
    version=(Optional(STRING), "Its version."),
    labels=(MapOf(STRING), "Its labels."),
    start=(STRING, "Its start event."),
    end=(TEXTS, "Its end events."),
    events=(TEXTS, "The names of all events."),
    deadline=(Optional(DURATION), "How long a run may take; null if there is no bound, or data say it."),
    has_deadline=(BOOLEAN, "Whether it has a deadline."),
    has_key=(BOOLEAN, "Whether its runs have a key."),
    limits=(TEXTS, "The bounds of a whole run that it has, such as `cost_usd`."),
    state=(TEXTS, "The names of the fields of its state."),
    config=(TEXTS, "The names of its settings."),
    declared_secrets=(TEXTS, "The secrets that it may read."),
    triggers=(TEXTS, "The names of what starts runs by itself."),
    tests=(INTEGER, "How many tests it has."),
    tested_ends=(TEXTS, "The end events that some test expects."),
    suppressed=(TEXTS, "The codes of findings that a comment asks not to mind."),
    imports=(TEXTS, "The files that it imports."),
    steps=(ListOf(STEP), "Its steps."),
    **REACHED,
)

MODEL: Final = record(
    "Model",
    name=(STRING, "Its name in the spec, or what it stands for if it has none."),
    use=(STRING, "What is used, such as `openai:gpt-4o`."),
    host=(Optional(STRING), "The host of its `base_url`."),
    secret=(Optional(STRING), "The name of the secret that is its key."),
    fallback=(TEXTS, "The names of the models that are asked if it fails."),
    settings=(TEXTS, "The names of its settings."),
)

TOOL: Final = record(
    "Tool",
    name=(STRING, "Its name."),
    binding=(BINDING, "What it is."),
    function=(Optional(STRING), "The Python function that it is."),
    program=(Optional(STRING), "The program that it starts."),
    method=(Optional(METHOD), "The method of its request."),
    read_only=(BOOLEAN, "Whether it is said to change nothing."),
    timeout=(Optional(DURATION), "Its time-out."),
    description=(STRING, "Its description; may be empty."),
)

NAMED: Final = record(
    "Named", name=(STRING, "The host, or the name of the secret."), steps=(TEXTS, "Who uses it.")
)

TEST: Final = record(
    "Test",
    name=(STRING, "Its name."),
    end=(Optional(STRING), "The end event that it expects."),
    mocked=(TEXTS, "The steps that it mocks."),
    real=(TEXTS, "The steps that it really runs."),
)

CHANGE: Final = record(
    "Change",
    rule=(STRING, "The id of its rule, such as `approval-removed`; `wfc explain` lists them."),
    audience=(Enumeration(tuple(AUDIENCES)), "Whom it touches; `runs` are those that are paused."),
    level=(Enumeration(tuple(each.word for each in reversed(Level))), "How grave it is."),
    message=(STRING, "The sentence that `wfc diff` tells."),
    workflow=(STRING, "The name of the workflow, in the later version where there is one."),
    about=(STRING, "What has changed, by names, such as `steps.pay.timeout`."),
    before=(STRING, "What stood there; empty if nothing did."),
    after=(STRING, "What stands there; empty if nothing does."),
    approved=(BOOLEAN, "Whether somebody has approved it, in `wfc-approvals.txt`."),
    fingerprint=(STRING, "What it is known by."),
)

WAY: Final = record(
    "Way",
    exit=(EXIT, "The key under which it is written."),
    events=(TEXTS, "The events that it emits; end events, which lead nowhere, are not among them."),
)

SUBJECTS: Final[Mapping[str, Record]] = {
    "workflow": WORKFLOW,
    "step": STEP,
    "model": MODEL,
    "tool": TOOL,
    "host": NAMED,
    "secret": NAMED,
    "test": TEST,
    "change": CHANGE,
}
"""What rules are asked of, by the word after `each`; expressions know it by the same word."""
