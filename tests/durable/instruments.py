"""What looks on inside the processes that are killed: each tick is folded beside the run, and what is durable is noted.

All of it is written into files, one JSON object a line, since the processes that have seen it die.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from pathlib import Path
from typing import Any, Final

from folding import Fold, picture

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Tick
from wfc.runtime.store import port, sqlite
from wfc.runtime.store.batches import Appends
from wfc.runtime.store.port import Port
from wfc.runtime.store.postgresql import workers as server_workers
from wfc.runtime.store.sqlite import workers
from wfc.runtime.store.ticks import decode_tick
from wfc.runtime.store.values import Values

_APPLY: Final = port.advance

_FOLDER: list[Path] = []
_FOLDS: dict[int, tuple[Execution, Fold]] = {}  # the execution too, so that its number is not given again
_ENCODED: list[bytes] = []
_HELD: dict[
    int, tuple[Any, str, int, list[bytes]]
] = {}  # what is held too, so that its number is not given again


def install(folder: Path) -> None:
    """Look on from now on; and let even short runs have snapshots."""
    _FOLDER.append(folder)
    if lease := os.environ.get("WFC_LEASE"):
        workers.LEASE = sqlite.LEASE = server_workers.LEASE = float(lease)  # type: ignore[misc]
    if grace := os.environ.get("WFC_GRACE"):
        server_workers.GRACE = float(grace)  # type: ignore[misc]
    if os.environ.get("WFC_FOLDS") == "0":
        return
    port.SHORTEST_TAIL = 600  # type: ignore[misc]
    encode, advance = port.encode_tick, port.advance
    apply, gather, durable = Port.apply, Port.gather, Port.durable

    def encode_noted(tick: Tick, at: int, execution: Execution, values: Values) -> bytes:
        body = encode(tick, at, execution, values)
        _ENCODED[:] = [body]
        return body

    def advance_compared(execution: Execution, tick: Tick, at: int) -> None:
        if id(execution) not in _FOLDS:
            _FOLDS[id(execution)] = execution, Fold(execution)
        fold = _FOLDS[id(execution)][1]
        body = _ENCODED[0]
        advance(execution, tick, at)
        try:
            _compare(fold, execution, body)
        except Exception:
            write("differences", {"run": execution.run_id, "said": traceback.format_exc()})

    def apply_noted(self: Port, tick: Tick) -> None:
        before = self._seq
        _ENCODED.clear()
        apply(self, tick)
        if self._seq > before:  # it was handed over by itself
            _note(self, self._batch.held[-1], self._seq, [_ENCODED[0]])

    def gather_noted(self: Port, batch: Appends) -> None:
        first, bodies, before = self._seq + 1, list(self._ticks), len(batch.entries)
        gather(self, batch)
        if len(batch.entries) > before:
            _note(self, batch.enterers[-1][1], first, bodies)

    def durable_noted(self: Port, held: list[Any], lost: Any) -> None:
        _, run_id, first, bodies = _HELD.pop(id(held), (None, "", 0, []))
        if lost is None:
            for seq, body in enumerate(bodies, first):
                write("recorded", {"at": time.time_ns(), "run": run_id, "seq": seq, "body": body.decode()})
        durable(self, held, lost)

    Port.apply, Port.gather, Port.durable = apply_noted, gather_noted, durable_noted  # type: ignore[method-assign]
    port.encode_tick, port.advance = encode_noted, advance_compared


def _note(of: Port, held: list[Any], first: int, bodies: list[bytes]) -> None:
    """Remember which ticks are durable when something that is held is let go."""
    _HELD[id(held)] = held, of.lease.run_id, first, bodies


def _compare(fold: Fold, live: Execution, body: bytes) -> None:
    """Fold a tick from its JSON, and hold the fold against the run."""
    mine = fold.execution
    mine.observed = live.observed
    read, moment = decode_tick(body, mine, fold.values)
    _APPLY(mine, read, moment)
    assert fold.values.write(mine.outcome) == fold.values.write(live.outcome), body
    assert [type(one) for one in mine.effects] == [type(one) for one in live.effects], body
    starting = list(live.starting)
    mine.starting.clear()
    mine.take_effects()
    found, expected = picture(mine, fold.values), picture(live, fold.values)
    assert starting == list(live.starting)
    for name in {**found, **expected}:
        assert found.get(name) == expected.get(name), f"{name} after {body[:300]!r}"


def write(what: str, line: dict[str, Any]) -> None:
    """Write a line into the file of a kind of notes, in one call of the system."""
    handle = os.open(_FOLDER[0] / f"{what}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (json.dumps(line) + "\n").encode())
    os.close(handle)
