"""Questions about specs, each answered by a process of its own, with bounds on time, memory and what it knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wfc.compiler.cli.import_tools.processes import end
from wfc.schemas.spans import span

__all__ = ["ask"]

SECONDS: Final = 60.0
"""How long an answer may take."""
MOST_BYTES: Final = 10_000_000
"""How long a question may be."""

KEPT: Final = frozenset(
    "PATH HOME LANG LC_ALL LC_CTYPE TMPDIR TEMP TMP SYSTEMROOT PYTHONPATH PYTHONHASHSEED VIRTUAL_ENV APPDATA"
    " XDG_CONFIG_HOME".split()
)
"""The variables that the process is given: no secrets, and nothing by which programs are trusted."""


def ask(folder: Path, tool: str, arguments: Mapping[str, Any], seconds: float = SECONDS) -> dict[str, Any]:
    """Return what a tool says of a spec in a folder: its answer, or ``{"error": …}``.

    Args:
        tool: A name in ``looking.TOOLS``.
        arguments: As its function takes them.
        seconds: How long it may take.
    """
    request = json.dumps([tool, dict(arguments)]).encode()
    if len(request) > MOST_BYTES:
        return {"error": f"that is more than {MOST_BYTES} bytes"}
    process = subprocess.Popen(
        # `-P`: what lies in that folder is not to be taken for anything else
        [sys.executable, "-P", "-m", "wfc.compiler.cli.drafting.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**{name: value for name, value in os.environ.items() if name in KEPT}, "WFC_NO_CACHE": "1"},
        start_new_session=True,
    )
    with process:
        try:
            raw, _ = process.communicate(request, timeout=seconds)
        except subprocess.TimeoutExpired:
            return {"error": f"it takes longer than {span(seconds)}"}
        finally:
            end(process)
    try:
        found = json.loads(raw)
    except ValueError:
        return {"error": f"the process that looks at it ends with status {process.returncode} and no answer"}
    return found if isinstance(found, dict) else {"error": "the process that looks at it gives no answer"}
