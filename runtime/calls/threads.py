"""Threads for blocking code: nothing waits for one whose caller is gone, not even program exit."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

__all__ = ["MOST_THREADS", "in_thread"]

P = ParamSpec("P")
T = TypeVar("T")

MOST_THREADS: Final = 32
"""The maximum number of threads for blocking code in a process; further calls are queued."""


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in another thread, with this task's context variables.

    Cancelling the caller frees it at once; the function itself runs on, as no thread can be stopped.
    ``asyncio.to_thread`` would make the end of the event loop, and then that of the program, wait for it.
    """
    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_THREADS, lambda: context.run(function, *args, **kwargs))


class _DaemonThreads(Executor):
    """A pool of daemon threads, created on demand and reused; none of them keeps a process alive."""

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._threads = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._work.put((future, lambda: fn(*args, **kwargs)))
        if not self._idle.acquire(blocking=False):
            with self._lock:
                if self._threads < MOST_THREADS:
                    self._threads += 1
                    threading.Thread(target=self._serve, name="wfc-blocking", daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            future, call = self._work.get()
            if future.set_running_or_notify_cancel():
                try:
                    result = call()
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)
                    del result
            del future, call  # an idle thread keeps nothing alive
            self._idle.release()


_THREADS: Final = _DaemonThreads()
