"""Nothing grows faster than the work: four times as much of one mistake takes about four times as long."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from wfc.compiler.passes import check_text

HEAD = "wfc: 1\nworkflow: x\nstart: A\nend: B\nevents: {A: {n: integer}, I: {}, B: {}}\n"
BATCH = "        - {each: {in: '[1]', as: k, event: I, with: {}, max: 3, concurrency: 1}}\n"
ENTRY = "      - event: B\n        when: event.n == 1 # often\n"
SENT = "steps:\n  s:\n    kind: transform\n    accepts: A\n    emit:\n"
GROWING: dict[str, tuple[Callable[[int], str], int]] = {
    "commas between braces": (lambda count: f"{HEAD}state: {{a: 1{',000' * count}}}\n", 4_000),
    "an event accepted again": (
        lambda count: (
            f"{HEAD}steps: {{s: {{kind: transform, accepts: {{all: [{'A, ' * count}]}}, emit: B}}}}\n"
        ),
        4_000,
    ),
    "batches one item at a time": (
        lambda count: (
            f"{HEAD}{SENT}      all:\n{BATCH * count}  t: {{kind: transform, accepts: {{each: I}}, emit: B}}\n"
        ),
        500,
    ),
    "comments behind conditions": (lambda count: f"{HEAD}{SENT}{ENTRY * count}", 1_000),
}


@pytest.mark.parametrize("name", GROWING)
def test_four_times_as_much_takes_four_times_as_long(name: str) -> None:
    written, count = GROWING[name]
    took = []
    for size in (count, 4 * count):
        text = written(size).encode()
        start = time.process_time()
        check_text(text, "spec.yaml")
        took.append(time.process_time() - start)
    assert took[1] < 8 * took[0] + 0.3, "sixteen times, where each looks at all others"
