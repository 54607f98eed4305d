"""``wfc runs export --as-test``: a run becomes a test of its spec, which passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SPEC = """\
wfc: 1
workflow: shop
start: Asked
end: [Shipped, Refused]
receives: {Paid: {}}
state: {charged: {type: integer, default: 0}}
events:
  Asked: {order: string}
  Agreed: {order: string}
  Charged: {order: string}
  Paid: {amount: decimal}
  Priced: {order: string, amount: decimal}
  Shipped: {parcel: string, amount: decimal}
  Refused: {why: string}
tools:
  charge: {python: "till:charge", args: {order: string}, output: integer}
  ship: {python: "till:ship", args: {order: string}, output: string}
steps:
  approve:
    kind: human
    accepts: Asked
    title: Ship ${{ inputs.order }}?
    form: {ok: boolean, why: {type: string, default: ""}}
    within: 30d
    on_timeout: {event: Refused, with: {why: nobody}}
    emit:
      - {event: Agreed, when: result.ok, with: {order: "${{ event.order }}"}}
      - {event: Refused, with: {why: "${{ result.why }}"}}
  charge:
    kind: tool
    accepts: Agreed
    tool: charge
    with: {order: "${{ event.order }}"}
    retry: {max_attempts: 3, delay: 10 ms}
    save: {charged: "${{ result }}"}
    on_error: {event: Refused, with: {why: "${{ error.name }}"}}
    emit: {event: Charged, with: {order: "${{ event.order }}"}}
  pay:
    kind: wait
    accepts: Charged
    event: Paid
    within: 60d
    on_timeout: {event: Refused, with: {why: unpaid}}
    emit: {event: Priced, with: {order: "${{ event.order }}", amount: "${{ result.amount }}"}}
  ship:
    kind: tool
    accepts: Priced
    tool: ship
    with: {order: "${{ event.order }}"}
    emit: {event: Shipped, with: {parcel: "${{ result }}", amount: "${{ event.amount }}"}}
"""

TILL = """\
from pathlib import Path

HERE = Path(__file__).parent


def charge(order: str) -> int:
    left = HERE / "failures"
    if left.exists():
        count = int(left.read_text())
        left.write_text(str(count - 1))
        if count > 0:
            raise ConnectionError("busy")
    return 5


def ship(order: str) -> str:
    if (HERE / "broken").exists():
        raise OSError("no parcels left")
    return f"parcel of {order}"
"""


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop.yaml").write_text(SPEC)
    (tmp_path / "till.py").write_text(TILL)
    (tmp_path / "wfc.toml").write_text('modules = ["till"]\n')
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
    return tmp_path


def begin(wfc: Any, answer: str = '{"ok": true}') -> Any:
    """Starts a run and answers its question."""
    assert wfc("run", "shop.yaml", "-i", "order=tea", "--run-id", "one").status == 3
    return wfc("tasks", "answer", "one/approve/1", answer)


def resume(wfc: Any) -> int:
    """Lets the run go on until it is over, or rests: not before it has taken what was sent."""
    status: int = wfc("runs", "resume", "one").status
    return status


def exported(wfc: Any, shop: Path, *args: str) -> str:
    """The test made of the run, which passes as a part of the spec; and the spec has no findings that it had not."""
    done = wfc("runs", "export", "one", "--as-test", *args)
    assert done.status == 0, done.err
    (shop / "shop.yaml").write_text(f"{SPEC}tests:\n{done.out}")
    tested = wfc("test", "shop.yaml")
    assert (tested.status, "1 passed" in tested.out + tested.err) == (0, True), tested.out + tested.err
    (shop / "shop.yaml").write_text(SPEC)
    found: str = done.out
    return found


def test_actions_answers_and_events_are_in_it(wfc: Any, shop: Path) -> None:
    (shop / "failures").write_text("2")
    assert begin(wfc).status == 3
    assert wfc("send", 'Paid={"amount": "7.50"}', "--run", "one").status == 0
    assert resume(wfc) == 0
    text = exported(wfc, shop, "--name", "a good order")
    assert '  - name: "a good order"' in text
    mocks = json.loads(next(line for line in text.splitlines() if "mock:" in line).partition(": ")[2])
    assert mocks == {
        "approve": {"give": {"ok": True, "why": ""}},
        "charge": {"attempts": [{"error": "connection"}, {"error": "connection"}, 5]},
        "ship": "parcel of tea",
    }
    assert '"amount": "7.50"' in text


def test_a_handled_error_and_a_refusal_are_in_it(wfc: Any, shop: Path) -> None:
    (shop / "failures").write_text("9")
    assert begin(wfc).status == 0
    assert '"why": "connection"' in exported(wfc, shop)


def test_a_person_who_refuses_is_in_it(wfc: Any, shop: Path) -> None:
    assert begin(wfc, '{"ok": false, "why": "too dear"}').status == 0
    assert "too dear" in exported(wfc, shop)


def test_a_failure_and_a_retry_are_in_it(wfc: Any, shop: Path) -> None:
    (shop / "broken").touch()
    assert begin(wfc).status == 3
    wfc("send", 'Paid={"amount": "7.50"}', "--run", "one")
    assert resume(wfc) == 1
    assert '"fails": "python.OSError"' in exported(wfc, shop)
    (shop / "broken").unlink()
    assert wfc("runs", "retry", "one", "--yes").status == 0
    text = exported(wfc, shop)
    assert ("python.OSError" in text, '"ship": "parcel of tea"' in text) == (False, True)


def test_a_cancelled_run_is_cancelled_in_it(wfc: Any, shop: Path) -> None:
    assert wfc("run", "shop.yaml", "-i", "order=tea", "--run-id", "one").status == 3
    assert wfc("runs", "cancel", "one").status == 0
    assert "cancel:" in exported(wfc, shop)


def test_what_cannot_be_a_test_is_said(wfc: Any, shop: Path) -> None:
    assert wfc("run", "shop.yaml", "-i", "order=tea", "--run-id", "one").status == 3
    for args, code, told in (
        (["one", "--as-test"], 1, "is not over"),
        (["nope", "--as-test"], 1, "there is no run `nope`"),
        (["one", "--name", "x"], 2, "it goes with `--as-test`"),
    ):
        done = wfc("runs", "export", *args)
        assert (done.status, done.out, told in done.err) == (code, "", True), done.err


CONFIGURED = """\
wfc: 1
workflow: shop
start: Asked
end: [Cheap, Dear]
secrets: [SHOP_KEY]
config:
  most: {type: integer, default: 10}
  town: string
  note: {type: string, default: none}
events:
  Asked: {amount: integer}
  Cheap: {town: string}
  Dear: {town: string}
  Free: {amount: integer}
steps:
  judge:
    kind: transform
    accepts: Asked
    emit:
      - {event: Free, when: event.amount <= 0, with: {amount: 0}}
      - {event: Cheap, when: event.amount <= config.most, with: {town: "${{ config.town }}"}}
      - {event: Dear, with: {town: "${{ config.town }}"}}
  give_away:
    kind: http
    accepts: Free
    method: GET
    url: "https://shop.example"
    auth: {bearer: SHOP_KEY}
    output: {town: string}
    emit: {event: Cheap, with: {town: "${{ result.town }}"}}
"""


@pytest.mark.parametrize(
    ("most", "end", "note", "config"),
    [
        ("200", "Cheap", None, {"most": 200, "town": "Oslo"}),
        (None, "Dear", None, {"town": "Oslo"}),
        ("50", "Dear", "plain", {"most": 50, "town": "Oslo", "note": "plain"}),
        ("50", "Dear", "key=s3cret-value", {"most": 50, "town": "Oslo"}),
    ],
)
def test_the_config_by_which_a_run_has_gone_its_way_is_in_it_and_no_secret(
    wfc: Any,
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: str | None,
    end: str,
    note: str | None,
    config: Any,
) -> None:
    (shop / "shop.yaml").write_text(CONFIGURED)
    monkeypatch.setenv("WFC_TOWN", "Oslo")
    monkeypatch.setenv("SHOP_KEY", "s3cret-value")
    for name, value in (("WFC_MOST", most), ("WFC_NOTE", note)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert (
        wfc("run", "shop.yaml", "--store", "sqlite:///runs.db", "-i", "amount=100", "--run-id", "one").status
        == 0
    )
    done = wfc("runs", "export", "one", "--as-test")
    assert done.status == 0, done.err
    assert "s3cret" not in done.out
    line = next(line for line in done.out.splitlines() if "config:" in line)
    assert json.loads(line.partition(": ")[2]) == config
    assert f'"end": "{end}"' in done.out
    for name in ("WFC_TOWN", "WFC_MOST", "WFC_NOTE"):  # it passes on any machine
        monkeypatch.delenv(name, raising=False)
    (shop / "shop.yaml").write_text(f"{CONFIGURED}tests:\n{done.out}")
    tested = wfc("test", "shop.yaml")
    assert "1 passed" in tested.out + tested.err, tested.out + tested.err


def test_a_test_is_refused_where_the_config_is_another_one_now(
    wfc: Any, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "shop.yaml").write_text(CONFIGURED)
    monkeypatch.setenv("WFC_TOWN", "Oslo")
    monkeypatch.setenv("WFC_MOST", "200")
    assert (
        wfc("run", "shop.yaml", "--store", "sqlite:///runs.db", "-i", "amount=100", "--run-id", "one").status
        == 0
    )
    monkeypatch.setenv("WFC_MOST", "20")
    done = wfc("runs", "export", "one", "--as-test")
    assert done.status == 1
    assert "does not pass" in done.err
