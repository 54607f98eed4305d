"""What a shell is offered for an argument, besides files: names of runs, questions, workflows, steps and codes.

Whatever goes wrong here offers nothing: who presses Tab is not to be told of a store that cannot be opened.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final

import click

from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from wfc.runtime import Engine

__all__ = ["breaks_option", "codes", "run_argument", "run_ids", "steps", "task_ids", "workflows"]

MOST: Final = 200
"""How many runs, or questions, are offered at most: the newest runs, and the oldest questions."""

PATIENCE: Final = 1.0
"""For how many seconds a store is awaited that does not answer."""


def offered(
    find: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Make names, each with what is said of it, the answer to a shell: those that begin as what was typed does."""

    @wraps(find)
    def answer(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        try:
            found = dict(find(given(ctx, param)))
        except Exception:
            return []
        fit = (name for name in found if name.startswith(incomplete) and name == printable(name))
        return [
            CompletionItem(name, help=printable(found[name])) for name in fit if not re.search(r"\s", name)
        ]

    return answer


def given(ctx: click.Context, param: click.Parameter) -> Mapping[str, Any]:
    """Return what the command line has given so far.

    An option at its end that has no value yet is left out: click reads nothing else where there is one.
    """
    words: list[str] = ctx.find_root().obj
    if not words or words[-1] not in param.opts:
        return ctx.params
    rest = words[len(ctx.command_path.split()) - 1 : -1]
    return ctx.command.make_context(ctx.info_name, rest, parent=ctx.parent, resilient_parsing=True).params


@contextmanager
def engine_of(given: Mapping[str, Any]) -> Iterator[Engine]:
    """Open the store that the command line names, or that would be found without."""
    from wfc.compiler.cli.stores import open_engine, place_of
    from wfc.runtime.store.opening import read_address

    place = place_of(given.get("store"))
    if read_address(place.address, place.folder).server:
        import wfc.runtime.store.postgresql  # noqa: F401 - takes its time, which is not the server's
    engine = _in_time(lambda: open_engine(place, is_new_allowed=False))
    try:
        yield engine
    finally:
        engine.close()


def _in_time(find: Callable[[], Engine]) -> Engine:
    """Return what is found soon enough: the process that answers a shell does not wait for the rest of it.

    Raises:
        TimeoutError: It is not, or cannot be found.
    """
    found: Future[Engine | None] = Future()

    def look() -> None:
        engine = None
        with suppress(Exception):
            engine = find()
        if found.set_running_or_notify_cancel():
            found.set_result(engine)
        elif engine is not None:
            engine.close()  # nobody waits for it any more

    threading.Thread(target=look, daemon=True).start()
    try:
        engine = found.result(PATIENCE)
    except TimeoutError:
        engine = None if found.cancel() else found.result()
    if engine is None:
        raise TimeoutError
    return engine


@offered
def run_ids(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the newest runs of the store."""
    with engine_of(given) as engine:
        return [(row.run_id, f"{row.workflow}, {row.status}") for row in engine.list_runs(most=MOST)]


@offered
def task_ids(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the open questions of the store."""
    with engine_of(given) as engine:
        return [(task.task_id, " ".join(task.title.split())) for task in engine.tasks(most=MOST)]


@offered
def workflows(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the workflows that have runs in the store, as far as its newest runs tell."""
    with engine_of(given) as engine:
        return [(row.workflow, "") for row in engine.list_runs(most=MOST)]


@offered
def steps(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the steps of the spec, or of the run's workflow, that the command line has named so far."""
    if run := given.get("run"):
        return steps_of_run(given, run)
    from wfc.compiler.limits import MAX_BYTES
    from wfc.compiler.workspace.reading import read_or_reason
    from wfc.compiler.yaml import read

    raw = read_or_reason(given["program"], MAX_BYTES + 1)
    assert isinstance(raw, bytes)
    data: Any = read(raw, "", lambda _: None).data
    return [
        (name, str(step.get("kind", ""))) for name, step in data["steps"].items() if isinstance(step, dict)
    ]


def steps_of_run(given: Mapping[str, Any], run: str) -> list[tuple[str, str]]:
    """Return the steps of the plan that is kept with the run, so that no code is imported for it."""
    from wfc.runtime.store.sql.selecting import beginning

    with engine_of(given) as engine:
        begun = engine.store.select(partial(beginning, run_id=run))
    if begun is None or not begun.plan:
        return []
    return [(name, "") for name in json.loads(begun.plan)["order"] if not name.endswith("[]")]  # of items


@offered
def codes(_: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the codes of findings and of changes."""
    from wfc.compiler.review.comparing import all_rules
    from wfc.compiler.rules import PROBLEMS
    from wfc.compiler.rules.catalogue import load

    load()
    return [(code, "") for code in (*PROBLEMS, *all_rules())]


run_argument = click.argument("run", shell_complete=run_ids)

breaks_option = click.option(
    "--break",
    "breaks",
    metavar="PLACE",
    shell_complete=steps,
    multiple=True,
    help="Halt before this step, or in an agent.",
)
