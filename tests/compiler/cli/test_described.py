"""What the server's own description allows, and what is just beside it, is sent to it: nothing is an error of ours."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)

# a stream that never ends
LEFT_OUT = ("stream_changes",)

# what a run may be waited for, up to a minute, is cut down to a second at the most, if it is a number
HOOKS = """
import schemathesis

@schemathesis.hook
def map_query(context, query):
    wait = (query or {}).get("wait")
    return {**query, "wait": min(wait, 1)} if isinstance(wait, int) else query
"""


@pytest.mark.full
def test_no_request_after_the_description_is_an_error_of_ours(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("st")
    if not program.exists():
        pytest.skip("pip install schemathesis")
    (tmp_path / "desk.yaml").write_text(_process.DESK)
    (tmp_path / "count.yaml").write_text(_process.COUNT)
    (tmp_path / "shorter_waits.py").write_text(HOOKS)
    server = _process.Serving(tmp_path, ".", "--author", "--store", "sqlite:///runs.db")
    try:
        server.start("desk", 10, what="tea")
        out = [word for name in LEFT_OUT for word in ("--exclude-operation-id", name)]
        options = (
            "--checks not_a_server_error --phases fuzzing --max-examples 4 --seed 1 --request-timeout 120"
        )
        at = f"http://127.0.0.1:{server.port}/v1/openapi.json"
        done = subprocess.run(
            [program, "run", at, *options.split(), *out, "--header", f"Authorization: Bearer {server.token}"],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "shorter_waits", "PYTHONPATH": str(tmp_path)},
        )
        assert done.returncode == 0, done.stdout[-3000:]
        found = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
        assert found is not None and found[1] == found[2]
        assert int(found[1]) > 100
        assert server.call("GET", "/v1/me")[0] == 200
    finally:
        server.kill()
