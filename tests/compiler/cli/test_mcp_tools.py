"""Tools of MCP servers from a spec to the result of its run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

TIME = str(Path(sys.executable).parent / "mcp-server-time")

SPEC = f"""
wfc: 1
workflow: look
start: Asked
end: [Told, Failed]
tools:
  convert:
    mcp: {{command: ["{TIME}", --local-timezone, UTC]}}
    only: [OPERATION]
    args: {{source_timezone: string, time: string, target_timezone: string}}
    output: {{time_difference: string, target: {{is_dst: boolean}}}}
    read_only: true
events:
  Asked: {{zone: string}}
  Told: {{difference: string, summer: boolean}}
  Failed: {{why: string}}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: convert
    with: {{source_timezone: UTC, time: "12:00", target_timezone: "${{{{ event.zone }}}}"}}
    timeout: 1 min
    on_error: {{errors: [tool], event: Failed, with: {{why: "${{{{ error.name }}}}: ${{{{ error.message }}}}"}}}}
    emit:
      event: Told
      with: {{difference: "${{{{ result.time_difference }}}}", summer: "${{{{ result.target.is_dst }}}}"}}
"""


@pytest.fixture
def run(wfc: Any, tmp_path: Path) -> Any:
    (tmp_path / "wfc.toml").write_text(f'commands = ["{TIME}"]')

    def run(zone: str, operation: str = "convert_time") -> Any:
        path = tmp_path / "look.yaml"
        path.write_text(SPEC.replace("OPERATION", operation))
        return wfc("run", str(path), "-i", f"zone={zone}")

    return run


@pytest.mark.full
def test_a_result_has_its_type(run: Any) -> None:
    done = run("Asia/Tokyo")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Told", "with": {"difference": "+9.0h", "summer": False}}


@pytest.mark.full
def test_what_the_server_refuses_is_taken(run: Any) -> None:
    done = run("Nowhere")
    assert done.status == 0, done.err
    why = json.loads(done.out)["with"]["why"]
    assert why.startswith("tool.failed: ")
    assert "Nowhere" in why


@pytest.mark.full
def test_a_tool_that_the_server_does_not_have_is_named(run: Any) -> None:
    why = json.loads(run("Asia/Tokyo", "convert_tim").out)["with"]["why"]
    assert why.startswith("tool.changed: ")
    assert "offers no tool `convert_tim`; it offers `get_current_time`, `convert_time`" in why


def test_a_program_that_nobody_has_allowed_is_not_started(run: Any, tmp_path: Path) -> None:
    (tmp_path / "wfc.toml").write_text("")
    done = run("Asia/Tokyo")
    assert done.status == 1
    assert "is not allowed: name it under `commands` in the settings" in done.err
