"""A run rehearsed for an author: a test of a spec plays it with its mocks, and nothing acts.

It is a program of its own: what it is to play comes as JSON on standard input, and what has happened goes to standard
output. So what a spec names runs neither in the server's process nor with its secrets.
"""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import replace
from typing import Any, Final

import click

from wfc.compiler.cli.inputs import start_event
from wfc.compiler.cli.programs import Program, load_program
from wfc.compiler.cli.spec_tests import named_test
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.errors import WorkflowError
from wfc.runtime.events import StopEvent
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.data import event_data, json_bytes, moment, outcome_data, step_data
from wfc.runtime.server.shown import told_of_event
from wfc.runtime.server.starts import read_inputs
from wfc.runtime.server.workflows import schema_of
from wfc.runtime.testing import Rehearsal, rehearse

__all__ = ["PROGRAM", "main"]

PROGRAM: Final = "from wfc.compiler.cli.authoring.rehearsing import main; main()"


def main() -> None:
    """Do what standard input asks for: play the ``test`` of a spec with ``inputs``, or without one list its tests."""
    wanted = json.load(sys.stdin)
    with contextlib.redirect_stdout(
        sys.stderr
    ):  # what modules print that a spec names is no part of what is told
        told = _told(wanted)
    sys.stdout.buffer.write(json_bytes(told))


def _told(wanted: dict[str, Any]) -> dict[str, Any]:
    try:
        program = load_program(wanted["path"])
        if program is None:
            raise click.ClickException("it has errors: mend the findings first")
        test = wanted.get("test")
        return _listed(program) if test is None else _played(program, test, wanted.get("inputs"))
    except Problem as problem:
        return {"problem": problem.detail, "errors": [one._asdict() for one in problem.errors]}
    except (click.ClickException, WorkflowError) as error:
        return {"problem": error.message if isinstance(error, click.ClickException) else str(error)}


def _listed(program: Program) -> dict[str, Any]:
    """Return the tests that may play, each with the inputs that it gives, and the schema of inputs."""
    kind = definition_of(program.workflow).plan.start_class
    cases = program.resolved.tests if program.resolved is not None else ()
    tests = [
        {"name": case.name, "inputs": event_data(start_event(kind, {}, case.start))["with"]} for case in cases
    ]
    return {"inputs": schema_of(kind), "tests": tests}


def _played(program: Program, test: str, inputs: dict[str, Any] | None) -> dict[str, Any]:
    """Return a rehearsal in the form in which runs are told."""
    case = named_test(program.resolved, test)
    if case.real:
        acting = ", ".join(f"`{step}`" for step in case.real)
        raise click.ClickException(
            f"this test lets {acting} really act, which a rehearsal must not: choose another"
        )
    if inputs is not None:
        given = read_inputs(definition_of(program.workflow).plan.start_class, inputs)
        case = replace(case, start=given.model_dump(mode="json"))
    return _as_data(rehearse(program.workflow, case, program.others))


def _as_data(found: Rehearsal) -> dict[str, Any]:
    messages = []
    for at, event in found.shown:
        if not isinstance(event, StopEvent):
            kind, data = told_of_event(event)
            messages.append({"event": kind, "data": {"at": moment(at), **data}})
    end = {"error": {"message": found.problem}} if found.end is None else outcome_data(found.end)
    return {
        "steps": [step_data(line) for line in found.steps],
        "messages": messages,
        "left_out": found.left_out,
        "state": None if found.state is None else found.state.model_dump(mode="json", by_alias=True),
        "unmet": list(found.unmet),
        **end,
    }
