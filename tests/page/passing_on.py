"""Passing questions on to others."""

from __future__ import annotations

import time
from typing import Any


def pass_on(server: Any, task: str, to: str) -> None:
    """Pass a question on; return once its run has taken that, which is after it was accepted.

    Args:
        task: The path of the question.
    """
    assert server.call("POST", f"{task}/delegate", {"to": to})[0] == 202
    for _ in range(3600):
        if server.call("GET", task)[1]["assign"] == [to]:
            return
        time.sleep(0.05)
    raise AssertionError(f"{task} is not passed on")
