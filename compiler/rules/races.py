"""Problems with what runs side by side, or several times: races, and keys that do not change."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import warning
from wfc.compiler.rules.phrases import joined

__all__ = ["race_between_ends", "race_on_state", "race_with_the_end", "repeated_idempotency_key"]


@warning
def race_on_state(
    place: Place,
    step: str,
    field: str,
    others: tuple[str, ...],
    told: str,
    reads: bool,
    related: tuple[tuple[Place, str], ...],
    merges: tuple[str, ...] = ("last",),
) -> Finding:
    """Steps that run side by side use one state field, and at least one of them saves it.

    Which of them comes first depends on timing, so that two runs with the same data could end differently.
    If a step *reads* what another may be saving, carry the value to it in the event, or read it in a step that runs
    after a join which waits for the one that saves. What a join with `rest: cancel` has cancelled saves nothing any
    more. If several *save* one field, save different fields, let the steps run one after the other, or save only sums
    (`${{ state.count + 1 }}`): those of whole numbers, decimals and lengths of time come out the same in any order, if
    the field has no bounds. Or say under `state` how saves are put together: `merge: append` puts lists one after the
    other, `merge: {by: id}` replaces records of the same `id`, and `merge: last` says that the last one is to win.
    """
    if reads:
        message, advice = _read_beside(step, field, others)
        return Finding("race-on-state", message, place, f"{told}: {advice}", related=related)
    message = (
        f"several runs of `{step}` side by side save `state.{field}`, and the last one wins"
        if others == (step,)
        else f"`{step}` and `{others[0]}` run side by side and both save `state.{field}`"
    )
    return Finding(
        "race-on-state",
        message,
        place,
        f"{told}: say under `state` how the saves of `{field}` go together, such as "
        f"{joined((f'merge: {each}' for each in merges), 'or')}, "
        "or carry the values in events and save them in the step that joins the branches",
        related=related,
    )


def _read_beside(step: str, field: str, savers: tuple[str, ...]) -> tuple[str, str]:
    """Return what is wrong with a step that reads a field while others may be saving it, and what to do."""
    named = [f"`{name}`" for name in savers[:3]]
    if len(savers) > len(named):
        named.append(f"{len(savers) - len(named)} more")
    others = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    message = (
        f"several runs of `{step}` side by side read and save `state.{field}`"
        if savers == (step,)
        else f"`{step}` reads `state.{field}` while {others} may be saving it"
    )
    return message, f"carry the value in the event, or read it after a join that waits for {others}"


@warning
def race_between_ends(
    place: Place, one: str, other: str, told: str, related: tuple[tuple[Place, str], ...]
) -> Finding:
    """Steps that run side by side can both end the run.

    The first end event wins, and the work of the other branch is dropped. Which one that is depends on timing. Join the
    branches before the run ends, or say that the race is meant with `rest: finish` on a join.
    """
    message = (
        f"several runs of `{one}` side by side can each end the run, and the first one wins"
        if one == other
        else f"`{one}` and `{other}` run side by side and both can end the run: the first one wins"
    )
    join = "`accepts: {all: […]}`, or `{any: […]}` if the first of them is to count"
    if one == other:
        join = (
            "`accepts: {each: …}` if they come of a batch, and if of several branches `{all: […]}`, or `{any: […]}` "
            "where the first is to count"
        )
    return Finding(
        "race-between-ends",
        message,
        place,
        f"{told}: join the branches before the run ends, with a step that {join}",
        related=related,
    )


@warning
def race_with_the_end(
    place: Place,
    step: str,
    other: str,
    told: str,
    related: tuple[tuple[Place, str], ...],
    *,
    late: bool,
    first: bool = False,
    reminds_of: str = "",
) -> Finding:
    """The run can end while a step in another branch is changing something outside.

    When the run ends, what still runs is cancelled, and nobody knows whether the call took effect. Join the
    branches before the run ends, or write `read_only: true` on a tool that changes nothing. Whoever is to be reminded
    of a question is so by its `remind: 1h`, which needs no step and ends with the answer. What may be cut off is said
    by `# wfc: ignore[race-with-the-end] because …`.

    The way of an error joins as any other does. Where one item of a batch that fails is to end the run, let the step
    emit an event for what went well and another for what did not, such as `emit: Charged` and `on_error: NotCharged`.
    A step that `accepts: {each: [Charged, NotCharged]}` waits for all items, and chooses the end by what has come:
    `when: "([e for e in events if e is NotCharged] | length) > 0"`.
    """
    # Args: late: whether the one joins the other, but for a time; first: whether it waits for the first of them only;
    # reminds_of: a question beside which the other waits for a time, if it does.
    join = (
        f"`{other}` goes on without it once its time is up; if that is meant, say so by "
        "`# wfc: ignore[race-with-the-end] because …`"
        if late
        else f"`{other}` does not wait for all of them: let it, or say by `rest` what becomes of the others"
        if first
        else f"if it reminds of `{reminds_of}`, write `remind: 1h` there and no step for it; else join the branches "
        "before the run ends"
        if reminds_of
        else "join the branches before the run ends"
    )
    cut = "" if late else ", or, if it may be cut off, `# wfc: ignore[race-with-the-end] because …`"
    return Finding(
        "race-with-the-end",
        f"`{other}` can end the run while `{step}` is still acting",
        place,
        f"{told}: {join}, or say `read_only: true` of a tool that changes nothing{cut}",
        related=related,
    )


@warning
def repeated_idempotency_key(place: Place, step: str, told: str, batch: bool) -> Finding:
    """An `idempotency_key` is the same each time a step runs, although it runs several times.

    The key tells a service that two requests are the same, so that it acts once. This step runs once for each item or
    each round of a loop with the same key: the service would ignore all but the first. Use something in it that
    changes, such as a field of the event.
    """
    times = "for each item of a batch" if batch else "in each round of a loop"
    return Finding(
        "repeated-idempotency-key",
        f"`{step}` runs {times}, each time with the same key",
        place,
        f"{told}: use a field of `event` in the key, or a state field that counts the rounds",
    )
