"""Spoilt specs through the whole compiler: no traceback, no second of processor time, no heap of memory.

    python tests/fuzz/fuzz.py --inputs 100000 --seed 1 --processes 2

Each input is made from the seed and its number alone; `--show NUMBER` prints it. What is found is printed at once, and
its input is kept in a folder.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from spoiling import Larder, Spoilt

from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.diagnostics.render import render
from wfc.compiler.passes import compile_text
from wfc.compiler.workspace.compiled import Compiled
from wfc.compiler.workspace.project import NoFiles, Project, Unit
from wfc.compiler.yaml import read

SECONDS = 1.0
"""Of processor time, for one input."""
SLOW = " s of processor time"
MEGABYTES = 150
"""By how much one input may raise the process's peak of memory."""
GIVEN_UP = 60.0
"""Seconds by the clock on the wall; after that the process is ended, whatever it is doing."""


@dataclass(frozen=True)
class Outcome:
    """What became of one input.

    Args:
        trouble: What is wrong, or empty.
        seconds: Of processor time.
        codes: What was found in it.
    """

    trouble: str
    seconds: float
    codes: tuple[str, ...] = ()


def tried(given: Spoilt) -> Outcome:
    """One input through everything; what is slow once more, since a busy machine makes all of it slow for a moment."""
    outcome = looked_at(given)
    if outcome.seconds > SECONDS and outcome.trouble.endswith(SLOW):
        outcome = looked_at(given)
    return outcome


def looked_at(given: Spoilt) -> Outcome:
    memory = peak()
    begin = time.process_time()
    codes: tuple[str, ...] = ()
    try:
        project = Project(given if len(given.files) > 1 else NoFiles())
        made = compile_text(given.files[given.path], given.path, project=project)
        codes = tuple(finding.code for finding in made.diagnostics)
        trouble = broken_promise(made) or silence(made, project.units[given.path])
    except Exception:
        trouble = traceback.format_exc()
    seconds = time.process_time() - begin
    if not trouble and seconds > SECONDS:
        trouble = f"{seconds:.2f}{SLOW}"
    if not trouble and peak() - memory > MEGABYTES:
        trouble = f"{peak() - memory:.0f} MB more memory"
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the next peak counts anew
    return Outcome(trouble, seconds, codes)


def broken_promise(made: Compiled) -> str:
    """What a compile must hold whatever it was given, and does not; or an empty text."""
    texts = {made.path: made.text, **made.texts}
    for finding in made.diagnostics:
        size = len(texts[finding.path])
        if not 0 <= finding.start.offset <= finding.end.offset <= size:
            return f"{finding.code} stands outside the text: {finding.start} to {finding.end} of {size}"
    if bool(made.python) is not (made.workflow is not None and not made.failed):
        return f"failed: {made.failed}, and {len(made.python)} characters of Python"
    render(list(made.diagnostics), texts)
    own = [finding for finding in made.diagnostics if finding.path == made.path]
    mended, _ = apply_fixes(made.text, own, ("safe", "unsafe", "display"))
    read(mended.encode(), made.path, lambda _: None)  # whatever it is now, it can be looked at
    if made.python:
        ast.parse(made.python)
    return ""


def silence(made: Compiled, unit: Unit) -> str:
    """What nothing is made of, and nothing is said about."""
    if made.workflow is None and unit.kind in {"workflow", "nothing"} and not made.failed:
        return "there is neither a workflow nor an error"
    return ""


def peak() -> float:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- in processes


def work(larder: Larder, seed: int, numbers: range, at: Any, answers: Any) -> None:
    """Try some numbers, saying which one is in hand, in case the process does not live to tell of it."""
    warnings.simplefilter("ignore")  # such as `SyntaxWarning` of the Python that is parsed
    counted: dict[str, int] = {}
    slowest, used = (0.0, -1), 0.0
    for done, number in enumerate(numbers):
        at.value = number
        outcome = tried(larder.spoilt(seed, number))
        used += outcome.seconds
        slowest = max(slowest, (outcome.seconds, number))
        for code in set(outcome.codes) or {"none"}:
            counted[code] = counted.get(code, 0) + 1
        if outcome.trouble:
            answers.put(("trouble", number, outcome.trouble))
        if done % 500 == 499:
            answers.put(("done", 500, 0))
    answers.put(("done", len(numbers) % 500, 0))
    answers.put(("end", counted, (*slowest, used, peak())))


@dataclass
class Tally:
    """What is known so far."""

    done: int
    troubles: list[tuple[int, str]]
    counted: dict[str, int]
    slowest: tuple[float, int]
    seconds: float
    megabytes: float

    def take(self, answer: tuple[str, Any, Any]) -> None:
        """Add what a process says."""
        what, one, other = answer
        if what == "done":
            self.done += one
        elif what == "trouble":
            self.troubles.append((one, other))
        else:
            for code, count in one.items():
                self.counted[code] = self.counted.get(code, 0) + count
            seconds, number, used, megabytes = other
            self.slowest = max(self.slowest, (seconds, number))
            self.seconds += used
            self.megabytes = max(self.megabytes, megabytes)


@dataclass
class Worker:
    """A process at work.

    Args:
        at: The number in hand.
        numbers: All that it is to try.
        seen: The number that it had in hand when it was last looked at, and since when.
    """

    process: Any
    at: Any
    numbers: range
    seen: tuple[int, float] = (-1, 0.0)

    def watch(self) -> None:
        """End it if it does not come to an end with one input."""
        now, number = time.monotonic(), self.at.value
        if number != self.seen[0]:
            self.seen = (number, now)
        elif now - self.seen[1] > GIVEN_UP:
            self.process.kill()


def fuzz(seed: int, first: int, inputs: int, processes: int) -> Iterator[Tally]:
    """Try so many inputs; gives the tally now and then, and at the end."""
    larder, forks = Larder(), multiprocessing.get_context("fork")
    tally = Tally(0, [], {}, (0.0, -1), 0.0, 0.0)
    answers = forks.Queue()

    def begun(numbers: range) -> Worker:
        at = forks.Value("q", numbers.start)
        process = forks.Process(target=work, args=(larder, seed, numbers, at, answers), daemon=True)
        process.start()
        return Worker(process, at, numbers)

    working = [begun(range(first + k, first + inputs, processes)) for k in range(processes)]
    while working:
        still = []
        for worker in working:
            worker.process.join(0.2)
            if worker.process.is_alive():
                worker.watch()
                still.append(worker)
            elif worker.process.exitcode:
                trouble = f"the process ended with {worker.process.exitcode}"
                tally.troubles.append((worker.at.value, trouble))
                still.append(begun(range(worker.at.value + processes, worker.numbers.stop, processes)))
        working = still
        while not answers.empty():
            tally.take(answers.get())
        yield tally
    time.sleep(0.2)
    while not answers.empty():
        tally.take(answers.get())
    yield tally


def keep(folder: Path, given: Spoilt) -> Path:
    """Write an input's files, the one that is compiled first."""
    for path in (given.path, *given.files):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(given.files[path])
    return folder / given.path


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--keep", type=Path, default=Path("fuzz-found"), help="the folder for inputs with trouble"
    )
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print one input, and do nothing else")
    chosen = parser.parse_args()
    if chosen.show is not None:
        given = Larder().spoilt(chosen.seed, chosen.show)
        for path, raw in given.files.items():
            sys.stdout.buffer.write(raw if len(given.files) == 1 else f"--- {path}\n".encode() + raw)
        return 0
    begin, told, shown = time.monotonic(), 0.0, 0
    larder = Larder()
    tally = Tally(0, [], {}, (0.0, -1), 0.0, 0.0)
    for tally in fuzz(chosen.seed, chosen.first, chosen.inputs, chosen.processes):
        for number, trouble in tally.troubles[shown:]:
            kept = keep(chosen.keep / f"{chosen.seed}-{number}", larder.spoilt(chosen.seed, number))
            print(f"--- input {number}, kept in {kept}\n{trouble}", flush=True)
        shown = len(tally.troubles)
        if time.monotonic() - told > 30:
            told = time.monotonic()
            print(f"{tally.done} inputs, {told - begin:.0f} s, {shown} troubles", flush=True)
    good = tally.counted.get("none", 0)
    print(f"{tally.done} inputs of seed {chosen.seed} from {chosen.first} on: {len(tally.troubles)} troubles")
    print(f"{good} of them without a finding, {len(tally.counted) - 1} different codes in the rest")
    print(
        f"{tally.seconds:.0f} s of processor time; the slowest, {tally.slowest[1]}, took {tally.slowest[0]:.2f} s"
    )
    print(f"memory at most {tally.megabytes:.0f} MB; {time.monotonic() - begin:.0f} s in all")
    return 1 if tally.troubles else 0


if __name__ == "__main__":
    raise SystemExit(main())
