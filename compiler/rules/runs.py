"""Problems with runs as a whole: their exits, and names from before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem

__all__ = ["new_name_not_in_use", "old_name_in_use", "rest_cancels_more", "run_exit_does_not_end"]


@problem
def run_exit_does_not_end(place: Place, key: str, ends: Sequence[str]) -> Finding:
    """An exit of the run leads on, and does not end it.

    The `on_error`, `on_deadline` and `on_cancel` of a spec are for a run that is over: no step runs any more, so
    that nobody would take an event. They emit an end event, or `fail`. Work that has to be done after an error
    belongs into a step to which the `on_error` of another step leads. Nor do they `restart` the run: one that fails
    would begin anew and fail again, without a bound, and one that is cancelled would not be.
    """
    hint = f"emit {' or '.join(f'`{each}`' for each in ends[:3])}, or `fail` with a text" if ends else ""
    return Finding("run-exit-does-not-end", f"the run's `{key}` must end the run", place, hint)


@problem
def old_name_in_use(place: Place, name: str) -> Finding:
    """`moved` or `removed` lists a name that a step or an event still has.

    Both are for names of before: runs that were paused under an older version find their way by them. As long as
    something has the name, nothing has been moved. Take the name out of the list, or rename what has it.
    """
    return Finding("old-name-in-use", f"`{name}` is still in use, so it is no name of before", place)


@problem
def new_name_not_in_use(place: Place, name: str, known: Iterable[str]) -> Finding:
    """`moved` gives a new name that no step and no event has.

    A paused run that waits at a step of the old name would look for the new one and not find it. Write the name
    as it is now; what is gone for good belongs under `removed`.
    """
    return Finding("new-name-not-in-use", f"there is no step or event `{name}`", place, closest(name, known))


@problem
def rest_cancels_more(
    place: Place, step: str, join: str, event: str, told: str, related: tuple[tuple[Place, str], ...]
) -> Finding:
    """A join cancels the rest, and would take with it what others wait for.

    `rest: cancel` stops all work of the frame that could still lead to the join, once the join has what it needs.
    A step of that work also sends an event elsewhere: whether it comes would depend on who is faster. Let the
    branches lead to the join alone, or let them finish with `rest: finish`.
    """
    return Finding(
        "rest-cancels-more",
        f"`{join}` may cancel `{step}` before it sends `{event}`, which does not lead to `{join}`",
        place,
        f"{told}: write `rest: finish`, or send `{event}` before the branches part or after `{join}`",
        related=related,
    )
