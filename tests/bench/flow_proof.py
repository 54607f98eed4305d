"""How much of the processor's time the proof of large flows takes; run by hand: `python tests/bench/flow_proof.py`."""

from __future__ import annotations

import time
from collections.abc import Callable

from wfc.compiler.proof.concurrency import Concurrency
from wfc.compiler.proof.cycles import unbounded
from wfc.compiler.proof.ends import ends
from wfc.compiler.proof.nesting import misplaced
from wfc.compiler.proof.net import Net, Unit, Way
from wfc.compiler.proof.proof import prove

LAST = Way("emit", ends=True)


def step(name: str, event: str, *emits: str, or_end: bool = False) -> Unit:
    ways = (Way("emit", emits), Way("on_error", ends=True)) if or_end else (Way("emit", emits),)
    return Unit(name, "one", (event,), ways)


def in_a_row(length: int) -> Net:
    """Plain steps, one after the other."""
    steps = [step(f"s{n}", f"E{n}", f"E{n + 1}") for n in range(length)]
    return Net([*steps, Unit("last", "one", (f"E{length}",), (LAST,))], "E0", ("End",))


def joins_in_a_row(count: int) -> Net:
    """A fork, three branches that may end the run, and their join, again and again."""
    units: list[Unit] = []
    for n in range(count):
        units.append(step(f"f{n}", f"I{n}", *(f"A{n}_{k}" for k in range(3))))
        units += [step(f"x{n}_{k}", f"A{n}_{k}", f"B{n}_{k}", or_end=True) for k in range(3)]
        units.append(
            Unit(f"j{n}", "all", tuple(f"B{n}_{k}" for k in range(3)), (Way("emit", (f"I{n + 1}",)),))
        )
    return Net([*units, Unit("last", "one", (f"I{count}",), (LAST,))], "I0", ("End",))


def joins_of_one_fork(count: int) -> Net:
    """One fork, two branches of two steps for each join, and a join of all joins."""
    units = [step("f", "I", *(f"A{n}_{k}" for n in range(count) for k in (0, 1)))]
    for n in range(count):
        for k in (0, 1):
            units += [
                step(f"x{n}_{k}", f"A{n}_{k}", f"B{n}_{k}"),
                step(f"y{n}_{k}", f"B{n}_{k}", f"C{n}_{k}"),
            ]
        units.append(Unit(f"j{n}", "all", (f"C{n}_0", f"C{n}_1"), (Way("emit", (f"D{n}",)),)))
    units.append(Unit("jj", "all", tuple(f"D{n}" for n in range(count)), (LAST,)))
    return Net(units, "I", ("End",))


def joins_in_joins(depth: int) -> Net:
    """Forks within forks, two branches each."""
    units: list[Unit] = []
    work = [("I", "O", depth, "n")]
    while work:
        given, wanted, left, name = work.pop()
        if not left:
            units.append(step(f"{name}s", given, wanted))
            continue
        units.append(step(f"{name}f", given, f"{name}a", f"{name}b"))
        units.append(Unit(f"{name}j", "all", (f"{name}A", f"{name}B"), (Way("emit", (wanted,)),)))
        work += [
            (f"{name}a", f"{name}A", left - 1, f"{name}l"),
            (f"{name}b", f"{name}B", left - 1, f"{name}r"),
        ]
    return Net([*units, Unit("last", "one", ("O",), (LAST,))], "I", ("End",))


def milliseconds(make: Callable[[], Net]) -> tuple[int, float]:
    """How many steps, and the best of five."""
    best = float("inf")
    for _ in range(5):
        net = make()
        began = time.process_time()
        assert not misplaced(net)
        assert not unbounded(net)
        assert not prove(net)
        assert ends(net).stall is None
        _ = Concurrency(net).partings
        best = min(best, time.process_time() - began)
    return len(net.units) - 1, best * 1000


if __name__ == "__main__":
    for what, make in {
        "1,000 steps in a row": lambda: in_a_row(1000),
        "100 joins in a row": lambda: joins_in_a_row(100),
        "100 joins of one fork": lambda: joins_of_one_fork(100),
        "127 joins in joins": lambda: joins_in_joins(7),
    }.items():
        steps, taken = milliseconds(make)
        print(f"{what}: {steps} steps, {taken:.0f} ms")
