"""The server of a store is stopped as a crash would, and started anew: under workers, and while runs recover."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from durable_flows import FLOWS
from playing import Nursery, nursery_in
from postgres_server import Server, running
from stores import DATABASE

pytestmark = pytest.mark.full

NAMES = ("loop", "batch", "fan", "again", "budget", "whole")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server of its own, which writes as it does for users: it loses no commit."""
    with running(is_safe=True) as found:
        yield found


@pytest.fixture
def nursery(server: Server, tmp_path: Path) -> Iterator[Nursery]:
    (tmp_path / DATABASE).write_text(server.new_database())
    with nursery_in(tmp_path, "postgresql", WFC_GRACE="0.1") as found:
        yield found


def enqueue_all(nursery: Nursery) -> None:
    for name in NAMES:
        assert not nursery.wait(nursery.ask("enqueue", flow=name, run_id=name))


def wait_for_calls(nursery: Nursery, most: int) -> None:
    """Waits until runs have made so many further calls, or nothing is called any more."""
    seen, until = len(nursery.judge.noted("effects")), time.monotonic() + 1.0
    while len(nursery.judge.noted("effects")) < seen + most and time.monotonic() < until:
        time.sleep(0.01)


def judge_all(nursery: Nursery, interrupted: int) -> None:
    for name in NAMES:
        nursery.judge.judge(FLOWS[name], name, interrupted)


def test_workers_go_on_when_the_server_is_there_again(server: Server, nursery: Nursery) -> None:
    """Each stop interrupts what both workers have under way; nothing is lost, and nothing kept is done again."""
    enqueue_all(nursery)
    workers = [nursery.ask("work", flows=NAMES) for _ in range(2)]
    for _ in range(3):
        wait_for_calls(nursery, 12)
        server.stop_at_once()
        time.sleep(0.3)
        server.start()
    for worker in workers:
        assert not nursery.wait(worker)
    judge_all(nursery, 3 * 2)


def test_a_recovery_that_the_server_interrupts_begins_again(server: Server, nursery: Nursery) -> None:
    """Workers die in turns with the server, which is away while the next one looks for what they had."""
    chance = random.Random("restarts")  # noqa: S311 - the same each time
    enqueue_all(nursery)
    interrupted = 0
    for _ in range(4):
        worker = nursery.ask("work", flows=NAMES)
        wait_for_calls(nursery, 5)
        os.kill(worker, signal.SIGKILL)
        interrupted += nursery.wait(worker)
        recovering = nursery.ask("work", flows=NAMES)
        time.sleep(chance.uniform(0.05, 0.5))
        server.stop_at_once()
        time.sleep(chance.uniform(0.0, 0.3))
        server.start()
        os.kill(recovering, signal.SIGKILL)
        interrupted += 1 + nursery.wait(recovering)
    assert not nursery.wait(nursery.ask("work", flows=NAMES))
    judge_all(nursery, interrupted)
