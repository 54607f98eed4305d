"""Conversion of a spec's tests to the form that the runtime takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import MockAnswer as Answer
from wfc.compiler.model import ScriptedReply as Reply
from wfc.compiler.model import TestCase, Workflow
from wfc.compiler.rules import closest

if TYPE_CHECKING:
    from wfc.runtime.testing import MockAnswer, ScriptedReply, SpecTest

__all__ = ["named_test", "spec_test"]


def spec_test(case: TestCase) -> SpecTest:
    """Return a test as plain data of the runtime's own types."""
    from wfc.runtime.testing import Delivery, SpecTest

    return SpecTest(
        name=case.name,
        start=case.start,
        mock={step: tuple(mock_answer(answer) for answer in answers) for step, answers in case.mock.items()},
        real=case.real,
        clock=case.clock,
        expect=case.expect,
        deliver=tuple(Delivery(each.event, each.fields, each.after) for each in case.deliver),
        config=case.config,
        cancel=case.cancel,
        script={name: tuple(map(scripted_reply, replies)) for name, replies in case.script.items()},
        tools={tool: tuple(map(mock_answer, answers)) for tool, answers in case.tools.items()},
        people={tool: tuple(map(mock_answer, answers)) for tool, answers in case.people.items()},
    )


def mock_answer(answer: Answer) -> MockAnswer:
    """Return an answer in the form that the runtime takes."""
    from wfc.runtime.testing import MockAnswer

    return MockAnswer(
        value=answer.value,
        error=answer.error,
        status=answer.status,
        headers=answer.headers,
        body=answer.body,
        after=answer.after,
        attempts=tuple(map(mock_answer, answer.attempts)),
        asks=answer.asks,
    )


def scripted_reply(reply: Reply) -> ScriptedReply:
    """Return a reply of a model in the form that the runtime takes."""
    from wfc.runtime.testing import ScriptedReply

    return ScriptedReply(
        say=reply.say,
        give=reply.give,
        calls=reply.calls,
        code=reply.code,
        error=reply.error,
        asked=reply.asked,
        shown=reply.shown,
        offered=reply.offered,
    )


def named_test(workflow: Workflow | None, name: str) -> SpecTest:
    """Return the test with that name.

    Raises:
        click.UsageError: There is none, or what runs is no spec.
    """
    if workflow is None:
        raise click.UsageError("`--mock` takes a spec's tests: run the spec, not a module")
    for case in workflow.tests:
        if case.name == name:
            return spec_test(case)
    names = [case.name for case in workflow.tests]
    hint = closest(name, names) or (
        f"it has {', '.join(f'`{each}`' for each in names)}" if names else "it has none"
    )
    raise click.UsageError(printable(f"the spec has no test `{name}`; {hint}"))
