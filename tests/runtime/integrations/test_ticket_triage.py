"""`specs/ticket_triage.yaml`, run by the command line against a model service over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aimock_pytest import AIMockServer

KEY = "sk-triage-0123456789"
BILLING = {"category": "billing", "urgency": "low", "summary": "Charged twice."}
GOOD = {"content": json.dumps(BILLING)}
LIMITED = {"error": {"message": "Rate limited", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1}
BROKEN = {"error": {"message": "Boom", "type": "server_error"}, "status": 500}
OUTSIDE = {"content": json.dumps({**BILLING, "category": "poem"})}


def triage(root: Path, aimock: AIMockServer, key: str | None = KEY) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    kept |= {"WFC_LLM_URL": f"{aimock.url}/v1"} | ({} if key is None else {"OPENAI_API_KEY": key})
    program = "import sys; from wfc.compiler.cli import main; sys.exit(main(sys.argv[1:]))"
    spec = str(root / "specs/ticket_triage.yaml")
    command = [sys.executable, "-c", program, "run", spec, "-i", "ticket_id=T1", "-i", "body=I paid twice"]
    return subprocess.run(command, env=kept, capture_output=True, encoding="utf-8", check=False, timeout=120)


@pytest.mark.parametrize(
    "replies",
    [[GOOD], [LIMITED, GOOD], [BROKEN, GOOD], [OUTSIDE, GOOD]],
    ids=["good", "too many requests", "broken service", "outside the schema"],
)
def test_the_answer_decides_where_a_ticket_goes(
    root: Path, aimock: AIMockServer, replies: list[dict[str, Any]]
) -> None:
    for index, reply in enumerate(replies):
        aimock.add_fixture({"sequenceIndex": index}, reply)
    done = triage(root, aimock)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "event": "TicketQueued",
        "with": {"ticket_id": "T1", "queue": "billing", "summary": "Charged twice."},
    }
    assert KEY not in done.stdout + done.stderr


def test_a_service_that_cuts_every_connection_leaves_the_ticket_to_a_person(
    root: Path, aimock: AIMockServer
) -> None:
    aimock.add_fixture({}, GOOD, chaos={"disconnectRate": 1})
    done = triage(root, aimock)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["event"] == "TicketEscalated"


def test_without_a_key_the_variable_is_named(root: Path, aimock: AIMockServer) -> None:
    done = triage(root, aimock, key=None)
    assert (done.returncode, done.stdout) == (1, "")
    assert "OPENAI_API_KEY" in done.stderr
