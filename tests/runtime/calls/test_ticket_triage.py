"""`specs/ticket_triage.yaml`, run by the command line against a model service over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aimock_pytest import AIMockServer

from wfc.compiler.cli import main

KEY = "sk-triage-0123456789"
BILLING = {"category": "billing", "urgency": "low", "summary": "Charged twice."}
GOOD = {"content": json.dumps(BILLING)}
LIMITED = {"error": {"message": "Rate limited", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1}
BROKEN = {"error": {"message": "Boom", "type": "server_error"}, "status": 500}
OUTSIDE = {"content": json.dumps({**BILLING, "category": "poem"})}


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


Triage = Callable[..., Done]


@pytest.fixture
def triage(
    root: Path, aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Triage:
    """Runs the spec against the model service."""
    monkeypatch.setenv("WFC_LLM_URL", f"{aimock.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def run() -> Done:
        status = main(
            ["run", str(root / "specs/ticket_triage.yaml"), "-i", "ticket_id=T1", "-i", "body=I paid twice"]
        )
        told = capsys.readouterr()
        return Done(status, told.out, told.err)

    return run


@pytest.mark.parametrize(
    "replies",
    [[GOOD], [LIMITED, GOOD], [BROKEN, GOOD], [OUTSIDE, GOOD]],
    ids=["good", "too many requests", "broken service", "outside the schema"],
)
def test_the_answer_decides_where_a_ticket_goes(
    triage: Triage, aimock: AIMockServer, replies: list[dict[str, Any]]
) -> None:
    for index, reply in enumerate(replies):
        aimock.add_fixture({"sequenceIndex": index}, reply)
    done = triage()
    assert done.status == 0, done.err
    assert json.loads(done.out) == {
        "event": "TicketQueued",
        "with": {"ticket_id": "T1", "queue": "billing", "summary": "Charged twice."},
    }
    assert KEY not in done.out + done.err


@pytest.mark.full
def test_a_service_that_cuts_every_connection_leaves_the_ticket_to_a_person(
    triage: Triage, aimock: AIMockServer
) -> None:
    aimock.add_fixture({}, GOOD, chaos={"disconnectRate": 1})
    done = triage()
    assert done.status == 0, done.err
    assert json.loads(done.out)["event"] == "TicketEscalated"


def test_without_a_key_the_variable_is_named(triage: Triage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    done = triage()
    assert (done.status, done.out) == (1, "")
    assert "OPENAI_API_KEY" in done.err
