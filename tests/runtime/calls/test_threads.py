"""Blocking code in threads: whom it keeps waiting, and whom not."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from wfc.runtime.calls.threads import MOST_THREADS, in_thread

WHO = contextvars.ContextVar("WHO", default="nobody")

LEAVES_A_THREAD = """
import asyncio, time
from wfc.runtime.calls.threads import in_thread

async def main():
    try:
        async with asyncio.timeout(0.01):
            await in_thread(time.sleep, 3600)
    except TimeoutError:
        print("freed")

asyncio.run(main())
"""


def test_a_program_ends_although_blocking_code_goes_on() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVES_A_THREAD], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("freed\n", "", 0)


def test_arguments_results_and_context_variables_go_along() -> None:
    async def main() -> tuple[str, int]:
        WHO.set("Ada")
        return await in_thread(lambda greeting, times: (greeting + WHO.get()) * times, "hi ", times=2), 0

    assert asyncio.run(main()) == ("hi Adahi Ada", 0)


def test_what_is_raised_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(in_thread(fail))


def test_the_number_of_threads_is_bounded_and_all_work_is_done() -> None:
    lock = threading.Lock()
    running = most = 0

    def work(number: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.001)
        with lock:
            running -= 1
        return number

    async def main() -> list[int]:
        return await asyncio.gather(*(in_thread(work, number) for number in range(10 * MOST_THREADS)))

    assert asyncio.run(main()) == list(range(10 * MOST_THREADS))
    assert 1 < most <= MOST_THREADS
