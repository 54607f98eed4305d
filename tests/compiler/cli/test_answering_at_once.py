"""Several people who answer one question at the same moment: each answer is recorded, whoever has the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from wfc.runtime import Engine

SPEC = """\
wfc: 1
workflow: vote
start: Asked
end: Agreed
events: {Asked: {what: string}, Agreed: {n: integer}}
steps:
  poll:
    kind: human
    accepts: Asked
    title: Do you agree to ${{ event.what }}?
    form: {agree: boolean}
    quorum: 4
    within: 1 day
    on_timeout: {event: Agreed, with: {n: 0}}
    emit: {event: Agreed, with: {n: "${{ result | length }}"}}
"""
WFC = "import sys; from wfc.compiler.cli import main; sys.exit(main(sys.argv[1:]))"
PEOPLE = "ann", "bob", "eve", "joe"


def test_answers_of_several_people_at_once_are_all_recorded(wfc: Any, tmp_path: Path) -> None:
    (tmp_path / "vote.yaml").write_text(SPEC, encoding="utf-8")
    store = f"sqlite:///{tmp_path}/runs.db"
    for number in range(2):
        run = f"v{number}"
        begun = wfc("run", str(tmp_path / "vote.yaml"), "-i", "what=tea", "--run-id", run, "--store", store)
        assert begun.status == 3, begun
        command = [sys.executable, "-c", WFC, "tasks", "answer", f"{run}/poll/1", "-i", "agree=yes"]
        answering = [
            subprocess.Popen(
                [*command, "--store", store],
                env={**os.environ, "LOGNAME": person},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for person in PEOPLE
        ]
        told = [one.communicate(timeout=240) for one in answering]
        assert all(one.returncode in (0, 3) for one in answering), told
        engine = Engine(store)
        (task,) = engine.tasks(run_id=run, is_open=False)
        status = engine.show(run).status
        engine.close()
        assert sorted((task.answered_by or "").split(",")) == [f"user:{person}" for person in PEOPLE]
        assert status == "done", told
