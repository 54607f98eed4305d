"""``wfc runs retry``, ``rewind`` and ``fork``: what is done again is told first, and nothing else is done again."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.store.opening import open_store

SHOP = """\
wfc: 1
workflow: shop
start: Asked
end: Shipped
state: {charged: {type: integer, default: 0}}
events:
  Asked: {order: string}
  Charged: {order: string}
  Shipped: {order: string, parcel: string}
tools:
  charge: {python: "till:charge", args: {order: string}, output: integer}
  ship: {python: "till:ship", args: {order: string}, output: string}
steps:
  charge:
    kind: tool
    accepts: Asked
    tool: charge
    with: {order: "${{ event.order }}"}
    save: {charged: "${{ result }}"}
    emit: {event: Charged, with: {order: "${{ event.order }}"}}
  ship:
    kind: tool
    accepts: Charged
    tool: ship
    with: {order: "${{ event.order }}"}
    emit: {event: Shipped, with: {order: "${{ event.order }}", parcel: "${{ result }}"}}
"""

TILL = '''\
"""A till that writes down what it does, and fails while there is a file `broken`."""

from pathlib import Path

HERE = Path(__file__).parent


def charge(order: str) -> int:
    note(f"charge {order}")
    return 5


def ship(order: str) -> str:
    note(f"ship {order}")
    if (HERE / "broken").exists():
        raise OSError("no parcels left")
    return f"parcel of {order}"


def note(said: str) -> None:
    with (HERE / "effects.log").open("a") as file:
        file.write(said + "\\n")
'''


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, store_address: str) -> Path:
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "till.py").write_text(TILL)
    (tmp_path / "wfc.toml").write_text('modules = ["till"]\n')
    (tmp_path / "broken").touch()
    return tmp_path


def effects(folder: Path) -> list[str]:
    """What was done outside since the last look."""
    file = folder / "effects.log"
    found = file.read_text().splitlines() if file.exists() else []
    file.write_text("")
    return found


def fail(wfc: Any, run_id: str, order: str = "tea") -> None:
    done = wfc("run", "shop.yaml", "-i", f"order={order}", "--run-id", run_id)
    assert (done.status, "no parcels left" in done.err) == (1, True)


def status(wfc: Any, run_id: str) -> str:
    found: str = json.loads(wfc("runs", "show", run_id, "--format", "json").out)["status"]
    return found


def test_a_failed_run_is_told_and_then_goes_on_with_its_failed_step(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    assert effects(shop) == ["charge tea", "ship tea"]
    (shop / "broken").unlink()
    told = wfc("runs", "retry", "one")
    assert (told.status, effects(shop), status(wfc, "one")) == (0, [], "failed")
    assert "nothing is changed: --yes does it" in told.err
    assert "ship (number 2, failed) is tried again" in told.out
    assert "no parcels left" in told.out
    assert "charge" not in told.out
    data = json.loads(wfc("runs", "retry", "one", "--format", "json").out)
    assert [one["step"] for one in data["again"]] == ["ship"]
    done = wfc("runs", "retry", "one", "--yes")
    assert (done.status, json.loads(done.out)["with"]["parcel"]) == (0, "parcel of tea")
    assert effects(shop) == ["ship tea"]
    shown = json.loads(wfc("runs", "show", "one", "--format", "json").out)
    assert (shown["status"], shown["state"]) == ("done", {"charged": 5})
    assert [(step["step"], step["attempts"]) for step in shown["steps"]] == [("charge", 1), ("ship", 2)]
    assert "the run goes on from how it was after tick" in wfc("runs", "follow", "one").out
    again = wfc("runs", "retry", "one", "--yes")
    assert (again.status, again.out, "has not failed: it is done" in again.err) == (1, "", True)


def test_what_was_given_up_is_listed_shown_and_tried_again(wfc: Any, shop: Path, store_address: str) -> None:
    (shop / "broken").unlink()
    for run_id in ("one", "two"):
        wfc("run", "shop.yaml", "-i", "order=tea", "--run-id", run_id, "--detach")
    assert "no run was given up" in wfc("runs", "retry", "--dead").err
    with contextlib.closing(open_store(store_address)) as store:  # as if it had killed ten processes
        store.write_now(
            lambda connection: connection.execute(
                "UPDATE runs SET status = 'live', recoveries = 10 WHERE run_id = 'one'"
            )
        )
    assert wfc("worker", "--until-idle").status == 0
    assert (effects(shop), status(wfc, "two")) == (["charge tea", "ship tea"], "done")
    (listed,) = map(json.loads, wfc("runs", "list", "--status", "dead", "--format", "json").out.splitlines())
    because = "given up: taken up 10 times in a row without coming any further"
    assert (listed["run"], listed["note"]) == ("one", because)
    assert f"status: dead {because}" in wfc("runs", "show", "one").out
    assert "no run has failed" in wfc("runs", "retry", "--failed").err
    assert effects(shop) == []
    done = wfc("runs", "retry", "--dead", "--failed", "--workflow", "shop", "--yes")
    assert (done.status, effects(shop), status(wfc, "one")) == (0, ["charge tea", "ship tea"], "done")


def test_all_that_have_failed_are_chosen_by_workflow_and_time(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    fail(wfc, "two", "cake")
    effects(shop)
    assert "no run has failed" in wfc("runs", "retry", "--failed", "--workflow", "other").err
    assert "no run has failed" in wfc("runs", "retry", "--failed", "--since", "0s", "--yes").err
    (shop / "broken").unlink()
    done = wfc("runs", "retry", "--failed", "--workflow", "shop", "--since", "1d", "--yes")
    assert done.status == 0, done.err
    assert effects(shop) == ["ship tea", "ship cake"]
    assert [json.loads(line)["with"]["order"] for line in done.out.splitlines()] == ["tea", "cake"]


def test_a_run_may_be_retried_with_a_mended_spec_of_the_same_steps(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    effects(shop)
    (shop / "shop.yaml").write_text(
        SHOP.replace(
            'tool: ship\n    with: {order: "${{ event.order }}"}',
            'tool: ship\n    with: {order: "big ${{ event.order }}"}',
        )
    )
    (shop / "broken").unlink()
    done = wfc("runs", "retry", "one", "--with", "shop.yaml", "--yes", "--detach")
    assert (done.status, effects(shop)) == (0, []), done.err
    assert "wfc runs resume one goes on" in done.err
    done = wfc("runs", "resume", "one")
    assert (done.status, effects(shop)) == (0, ["ship big tea"]), done.err


def test_other_steps_are_refused(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    effects(shop)
    (shop / "shop.yaml").write_text(
        SHOP.replace("  ship:\n    kind: tool\n    accepts", "  dispatch:\n    kind: tool\n    accepts")
    )
    done = wfc("runs", "retry", "one", "--with", "shop.yaml", "--yes")
    assert (done.status, done.out) == (1, "")
    assert "the step `ship` is gone, and the run is at work in it [step-removed]" in done.err
    assert (effects(shop), status(wfc, "one")) == ([], "failed")


def test_a_run_is_retried_with_a_mended_spec_whose_step_has_moved(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    effects(shop)
    mended = SHOP.replace("  ship:\n    kind: tool\n    accepts", "  dispatch:\n    kind: tool\n    accepts")
    (shop / "shop.yaml").write_text(mended + "moved: {ship: dispatch}\n")
    (shop / "broken").unlink()
    told = wfc("runs", "retry", "one", "--with", "shop.yaml")
    assert "the step `ship` is called `dispatch` now [step-renamed]" in told.out
    done = wfc("runs", "retry", "--failed", "--with", "shop.yaml", "--yes")
    assert (done.status, effects(shop)) == (0, ["ship tea"]), done.err
    shown = json.loads(wfc("runs", "show", "one", "--format", "json").out)
    assert [(step["step"], step["status"]) for step in shown["steps"]] == [("dispatch", "done")]


def test_rewinding_tells_which_effects_happen_again(wfc: Any, shop: Path) -> None:
    (shop / "broken").unlink()
    assert wfc("run", "shop.yaml", "-i", "order=tea", "--run-id", "one").status == 0
    effects(shop)
    told = wfc("runs", "rewind", "one", "--step", "ship")
    assert (told.status, effects(shop)) == (0, [])
    assert "ship (number 2, done) is done again, with its effects" in told.out
    assert "charge" not in told.out
    done = wfc("runs", "rewind", "one", "--at", "1", "--yes")
    assert (done.status, effects(shop)) == (0, ["charge tea", "ship tea"]), done.err
    assert [
        step["status"] for step in json.loads(wfc("runs", "show", "one", "--format", "json").out)["steps"]
    ] == [
        "done",
        "undone",
        "done",
    ]


def test_a_fork_is_a_run_of_its_own(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    effects(shop)
    (shop / "broken").unlink()
    done = wfc("runs", "fork", "one", "--step", "ship", "--run-id", "two", "--yes")
    assert (done.status, effects(shop)) == (0, ["ship tea"]), done.err
    assert (status(wfc, "one"), status(wfc, "two")) == ("failed", "done")
    listed = [json.loads(line)["run"] for line in wfc("runs", "list", "--format", "json").out.splitlines()]
    assert listed == ["two", "one"]


def test_what_is_asked_for_wrongly_is_said_and_changes_nothing(wfc: Any, shop: Path) -> None:
    fail(wfc, "one")
    effects(shop)
    before = wfc("runs", "show", "one", "--ticks", "--format", "json").out
    for args, code, told in (
        (["retry"], 2, "name runs, or choose them by `--failed`"),
        (["retry", "one", "--failed"], 2, "name runs, or choose them"),
        (["retry", "--since", "1d"], 2, "name runs, or choose them"),
        (["retry", "--failed", "--since", "soon"], 2, "is no length of time"),
        (["retry", "nope", "--yes"], 1, "there is no run `nope`"),
        (["retry", "one", "nope", "--yes"], 1, "there is no run `nope`"),
        (["rewind", "one", "--yes"], 2, "name the tick"),
        (["rewind", "one", "--at", "1", "--step", "ship"], 2, "name the tick"),
        (["rewind", "one", "--at", "99", "--yes"], 1, "has no tick 99"),
        (["rewind", "one", "--step", "shop", "--yes"], 1, "has no step `shop`"),
        (["fork", "one", "--at", "1", "--run-id", "one", "--yes"], 1, "has a run with the id 'one'"),
        (["fork", "nope", "--at", "1", "--yes"], 1, "there is no run `nope`"),
        (["fork", "one", "--step", "ship/turn 1", "--yes"], 1, "no agent of `ship` has had a turn"),
        (["rewind", "one", "--step", "ship/turn 1", "--yes"], 1, "from within an agent it is forked"),
    ):
        done = wfc("runs", *args)
        assert (done.status, told in done.err) == (code, True), (args, done.err)
    assert wfc("runs", "show", "one", "--ticks", "--format", "json").out == before
    assert effects(shop) == []
