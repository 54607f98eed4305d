"""Figures of a worker and its store in the text format of Prometheus, served on this machine alone."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from wfc.runtime.driver.engine.retold import RetoldRuns
from wfc.runtime.driver.engine.working import WorkerNote
from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql import counting

__all__ = ["WorkerMetrics", "served"]

LOOPBACK: Final = "127.0.0.1"
CONTENT: Final = "text/plain; version=0.0.4; charset=utf-8"


class WorkerMetrics:
    """What a worker has done since it began, and what its store holds now."""

    def __init__(self, engine: RetoldRuns) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._notes: Counter[tuple[str, str]] = Counter()
        self._under_way: set[str] = set()
        self._began = time.time()

    def note(self, note: WorkerNote) -> None:
        """Count something that has happened to a run."""
        if not note.run_id:
            return
        with self._lock:
            self._notes[note.workflow, note.what] += 1
            if note.what == "begins":
                self._under_way.add(note.run_id)
            else:
                self._under_way.discard(note.run_id)

    def text(self) -> str:
        """Return all figures.

        Raises:
            StoreError: The store cannot be read.
        """
        found = self._engine.store.select(partial(counting.counts, now=time.time_ns()))
        commits, seconds = self._engine.store.commits
        waiting = self._engine.turns.waiting()
        with self._lock:
            notes, under_way = sorted(self._notes.items()), len(self._under_way)
        lines = [
            *_head("wfc_worker_start_time_seconds", "gauge", "When the worker began."),
            f"wfc_worker_start_time_seconds {self._began:.3f}",
            *_head("wfc_worker_runs_under_way", "gauge", "Runs that this worker works on."),
            f"wfc_worker_runs_under_way {under_way}",
            *_head("wfc_worker_runs_total", "counter", "What has happened to runs in this worker."),
            *(
                f'wfc_worker_runs_total{{workflow="{_escaped(workflow)}",what="{_escaped(what)}"}} {count}'
                for (workflow, what), count in notes
            ),
            *_head("wfc_worker_calls_waiting", "gauge", "Calls that wait for their turn, by what is called."),
            *(f'wfc_worker_calls_waiting{{name="{_escaped(name)}"}} {count}' for name, count in waiting),
            *_head("wfc_worker_commits_total", "counter", "Commits of this worker to the store."),
            f"wfc_worker_commits_total {commits}",
            *_head("wfc_worker_commit_seconds_total", "counter", "The time that these commits took."),
            f"wfc_worker_commit_seconds_total {seconds:.6f}",
            *_head(
                "wfc_worker_commit_delay_seconds",
                "gauge",
                "How long the last commit took, or the next one does.",
            ),
            f"wfc_worker_commit_delay_seconds {self._engine.store.delay:.6f}",
            *_head("wfc_store_runs", "gauge", "Runs in the store."),
            *(
                f'wfc_store_runs{{workflow="{_escaped(workflow)}",status="{_escaped(status)}"}} {count}'
                for workflow, status, count in found.runs
            ),
            *_head("wfc_store_tasks", "gauge", "Open questions to people, by whether their time is over."),
            f'wfc_store_tasks{{overdue="false"}} {found.open_tasks - found.overdue_tasks}',
            f'wfc_store_tasks{{overdue="true"}} {found.overdue_tasks}',
            *_head("wfc_store_messages", "gauge", "Messages to people that are neither sent nor dropped."),
            f'wfc_store_messages{{state="waiting"}} {found.waiting_messages}',
            f'wfc_store_messages{{state="given up"}} {found.given_up_messages}',
        ]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@contextlib.contextmanager
def served(metrics: WorkerMetrics, port: int) -> Iterator[int]:
    """Serve figures at ``/metrics`` of a port of this machine; yield the port, which the system chooses if it is 0.

    Raises:
        OSError: The port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            """Answer a request."""
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404)
                return
            try:
                body = metrics.text().encode("utf-8", "backslashreplace")
            except StoreError:
                self.send_error(503)
                return
            self.send_response(200)
            self.send_header("Content-Type", CONTENT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: each scrape would be a line."""

    server = ThreadingHTTPServer((LOOPBACK, port), Handler)
    thread = threading.Thread(target=server.serve_forever, name="wfc-metrics", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
