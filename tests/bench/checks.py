"""Measures `wfc check`, `compile` and `verify`, whole process, and prints a table in Markdown. Run it by hand::

    python tests/bench/checks.py              # a minute or two
    python tests/bench/checks.py --repeats 3

Each row is the best of its runs: wall time, and the time of the processor, which a busy machine disturbs less. The
cases take turns. Compiled modules are kept, as they are where somebody works with them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

WFC = str(Path(sys.executable).parent / "wfc")
ANEW = ("env", "WFC_NO_CACHE=1")


def chain(steps: int) -> str:
    """A spec of so many steps, one after the other."""
    events = "".join(f"  Event{number}: {{number: integer}}\n" for number in range(steps + 1))
    written = "".join(
        f"  step_{number}:\n    kind: transform\n    accepts: Event{number}\n    emit:\n"
        f"      - event: Event{number + 1}\n        when: event.number < {number + 100}\n"
        f"        with: {{number: '${{{{ event.number + 1 }}}}'}}\n"
        f"      - {{event: Event{steps}, with: {{number: '${{{{ event.number }}}}'}}}}\n"
        if number + 1 < steps
        else f"  step_{number}: {{kind: transform, accepts: Event{number}, emit: Event{number + 1}}}\n"
        for number in range(steps)
    )
    return (
        "wfc: 1\nworkflow: chain\ndescription: Steps in a row.\nstart: Event0\n"
        f"end: [Event{steps}]\nevents:\n{events}steps:\n{written}"
    )


def asking(steps: int, *, alike: bool = True) -> str:
    """A spec of so many `llm` steps, each with seven expressions.

    Args:
        alike: Whether all steps say the same; else no two conditions, prompts, sums and texts are equal.
    """
    own = ["" if alike else f" {number}" for number in range(steps)]
    written = "".join(
        f"""\
  step_{number}:
    kind: llm
    accepts: E{number}
    model: fast
    prompt: |
      Look{own[number]} at ${{{{ event.summary }}}} of ${{{{ inputs.id }}}} and ${{{{ state.count }}}}.
    output: {{summary: string, urgency: {{enum: [low, high]}}}}
    retry: standard
    save: {{count: "${{{{ state.count + {own[number] or 1} }}}}"}}
    emit:
      - event: Done
        when: result.urgency == "high" and state.count > {own[number] or 3}
        with: {{answer: "${{{{ result.summary | upper }}}} at{own[number]} ${{{{ config.base }}}}"}}
      - E{number + 1}
"""
        for number in range(steps)
    )
    events = "".join(
        f"  E{number}: {{summary: string, urgency: {{enum: [low, high]}}}}\n" for number in range(steps + 1)
    )
    return f"""\
wfc: 1
workflow: asking
start: Start
end: Done
config: {{base: {{type: string, default: x}}}}
models: {{fast: {{use: "openai:gpt-4o-mini"}}}}
retries: {{standard: {{max_attempts: 3}}}}
state: {{count: {{type: integer, default: 0}}}}
events:
  Start: {{id: string, body: string}}
  Done: {{answer: string}}
{events}steps:
  first:
    kind: transform
    accepts: Start
    emit: {{event: E0, with: {{summary: "${{{{ event.body }}}}", urgency: low}}}}
{written}  last:
    kind: transform
    accepts: E{steps}
    emit: {{event: Done, with: {{answer: "${{{{ event.summary }}}}"}}}}
"""


class Measured:
    """The best of what was measured so far."""

    def __init__(self) -> None:
        self.wall = self.processor = float("inf")
        self.memory = 0.0

    def add(self, command: list[str], environment: dict[str, str]) -> None:
        """Run a command once more."""
        start = time.perf_counter()
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            told = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if process.returncode:
            raise SystemExit(f"{command}: {told.decode(errors='replace')}")
        self.wall = min(self.wall, wall)
        self.processor = min(self.processor, usage.ru_utime + usage.ru_stime)
        self.memory = max(self.memory, usage.ru_maxrss / 1024)


def no_preparation() -> None:
    """Most cases need none."""


def cases(folder: Path) -> dict[str, tuple[list[str], Callable[[], None]]]:
    """What is measured: a command, and what is to be done before each run."""
    many = folder / "many"
    many.mkdir()
    for number in range(1_000):
        text = chain(10).replace("workflow: chain", f"workflow: chain_{number}")
        (many / f"spec_{number:04}.yaml").write_text(text, encoding="utf-8")
    turn = iter(range(1_000_000))

    def one_changed() -> None:
        with (many / "spec_0500.yaml").open("a", encoding="utf-8") as file:
            file.write(f"# {next(turn)}\n")

    found: dict[str, tuple[list[str], Callable[[], None]]] = {
        "`python -c pass`": ([sys.executable, "-c", "pass"], no_preparation),
        "`python -c 'import click'`": ([sys.executable, "-c", "import click"], no_preparation),
    }
    for steps, spec, kind in (
        (10, chain, "plain"),
        (10, asking, "llm"),
        (1_000, chain, "plain"),
        (1_000, asking, "llm"),
    ):
        path = folder / f"{kind}_{steps}.yaml"
        path.write_text(spec(steps), encoding="utf-8")
        named = f"{steps:,} {'`llm`' if kind == 'llm' else kind} steps"
        found[named] = ([*ANEW, WFC, "check", str(path)], no_preparation)
        found[f"{named}, unchanged"] = ([WFC, "check", str(path)], no_preparation)
    unlike = folder / "unlike.yaml"
    unlike.write_text(asking(1_000, alike=False), encoding="utf-8")
    found["1,000 `llm` steps, no two alike"] = ([*ANEW, WFC, "check", str(unlike)], no_preparation)
    large = folder / "large.yaml"
    large.write_text(chain(10_000), encoding="utf-8")
    found["10,000 plain steps"] = ([*ANEW, WFC, "check", str(large)], no_preparation)
    found["folder of 1,000 specs of ten steps, all new"] = (
        [*ANEW, WFC, "check", str(many)],
        no_preparation,
    )
    found["the same, unchanged"] = ([WFC, "check", str(many)], no_preparation)
    found["the same, one changed"] = ([WFC, "check", str(many)], one_changed)
    compiled = folder / "compiled_specs"
    shutil.copytree(many, compiled)
    found["`wfc compile` of such a folder, all new"] = (
        [*ANEW, WFC, "compile", str(compiled)],
        no_preparation,
    )
    found["the same, all current"] = ([WFC, "compile", str(compiled)], no_preparation)
    found["`wfc verify` of it"] = ([WFC, "verify", str(compiled)], no_preparation)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure `wfc check`.")
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
            "WFC_CACHE_DIR": str(folder / "cache"),
        }
        environment.pop("WFC_NO_CACHE", None)
        table = cases(folder)
        measured = {name: Measured() for name in table}
        for command, _ in table.values():  # the first one warms the disk, and fills the cache
            Measured().add(command, environment)
        for _ in range(repeats):
            for each, (command, prepare) in table.items():
                prepare()
                measured[each].add(command, environment)
    click = measured["`python -c 'import click'`"].processor
    print("| whole process | ms | of the processor | × `import click` | peak MB |\n|---|--:|--:|--:|--:|")
    for each, one in measured.items():
        wall, processor = one.wall * 1000, one.processor * 1000
        print(f"| {each} | {wall:.0f} | {processor:.0f} | {one.processor / click:.2f} | {one.memory:.0f} |")


if __name__ == "__main__":
    main()
