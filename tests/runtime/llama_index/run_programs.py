"""Runs the programs as they are written, on llama-index-workflows, and prints what they give as JSON.

The clock jumps: what comes first is said by the seconds in a program, and not by how busy a machine is.
"""

import asyncio
import itertools
import json
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from wfc.runtime.testing import run_virtually


async def told_the_time(main: Callable[[], Awaitable[Any]]) -> Any:
    """Has the calendar go with the clock, since llama-index-workflows reckons by it; each look takes a moment."""
    loop, looks = asyncio.get_running_loop(), itertools.count()
    with patch("time.time", lambda: loop.time() + next(looks) * 1e-6):
        return await main()


def run(path: Path, text: str) -> dict[str, Any]:
    """What a program gives, and the tables that it has besides."""
    names: dict[str, Any] = {"__name__": f"program_{path.stem}"}
    module = type(sys)(names["__name__"])
    sys.modules[names["__name__"]] = module  # annotations given as text are looked up there
    exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102 - our own
    try:
        given = run_virtually(lambda: told_the_time(module.main))
    except Exception as error:  # the other programs shall be compared all the same
        given = traceback.format_exception(error)
    tables = module.tables() if hasattr(module, "tables") else None
    return json.loads(json.dumps({"given": given, "expected": module.EXPECTED, "tables": tables}))


if __name__ == "__main__":
    folder = Path(__file__).parent / "programs"
    found = {path.stem: run(path, path.read_text()) for path in sorted(folder.glob("*.py"))}
    print(json.dumps(found))
