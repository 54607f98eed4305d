"""How long the commands of reviewers take, whole processes: `python tests/bench/review.py`.

Each figure is the best of some runs: the time that has passed, and the time of the processor, which says more on a busy
machine. Modules are kept as bytecode, as an installation has them.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

WFC = shutil.which("wfc", path=Path(sys.executable).parent) or "wfc"
STEPS, SPECS, RUNS = 1_000, 1_000, 3

STEP = """\
  s{n}:
    kind: llm
    accepts: E{n}
    model: small
    prompt: "{words} ${{{{ event.text }}}}"
    output: {{text: string}}
    timeout: 20 s
    emit: {{event: E{next}, with: {{text: "${{{{ result.text }}}}"}}}}
"""


MIXED = [
    """\
  s{n}:
    kind: agent
    accepts: E{n}
    model: small
    prompt: "Settle it: ${{{{ event.text }}}}"
    tools: [look]
    emit: {{event: E{next}, with: {{text: "${{{{ result }}}}"}}}}
""",
    """\
  s{n}:
    kind: map
    accepts: E{n}
    in: event.text | split(" ")
    as: word
    max: 100
    do: {{kind: llm, model: small, prompt: "Explain ${{{{ word }}}}"}}
    emit: {{event: E{next}, with: {{text: "${{{{ result | join(', ') }}}}"}}}}
""",
    """\
  s{n}:
    kind: retrieve
    accepts: E{n}
    knowledge: texts
    query: "${{{{ event.text }}}}"
    save: {{found: "${{{{ result }}}}"}}
    emit: {{event: E{next}, with: {{text: "${{{{ event.text }}}}"}}}}
""",
]
"""Steps whose plans are more than a call: agents, one call for each of some items, passages that are found."""

MIXED_HEAD = """\
tools: {look: {python: "shop:look", args: {what: string}, output: string, read_only: true, description: Look it up.}}
knowledge: {texts: {files: ["texts/*.md"]}}
state: {found: {type: list of Passage, default: []}}
"""


def workflow(
    steps: int, name: str = "long", words: str = "Say it again:", kinds: Sequence[str] = (STEP,)
) -> str:
    events = "".join(f"  E{n}: {{text: string}}\n" for n in range(steps + 1))
    body = "".join(kinds[n % len(kinds)].format(n=n, next=n + 1, words=words) for n in range(steps))
    head = f"wfc: 1\nworkflow: {name}\nstart: E0\nend: E{steps}\nmodels: {{small: {{use: openai:gpt-4o-mini}}}}\n"
    return f"{head}events:\n{events}steps:\n{body}"


def spent(*arguments: str, folder: Path, before: Callable[[], object] | None = None) -> str:
    """Run a command some times, and return the least time that passed, and that its processor took."""
    passed, used = [], []
    for _ in range(RUNS):
        if before is not None:
            before()
        start, was = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*arguments], cwd=folder, capture_output=True, check=False)
        passed.append(time.perf_counter() - start)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(now.ru_utime + now.ru_stime - was.ru_utime - was.ru_stime)
        assert done.returncode in (0, 1), done.stderr.decode()
        assert b"Traceback" not in done.stderr, done.stderr.decode()
    return f"{min(passed):6.2f} s passed, {min(used):6.2f} s of the processor"


def git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{who}_{what}": "bench" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **who, **own}, capture_output=True, check=True
    )


def two_versions(folder: Path) -> None:
    old = workflow(STEPS)
    changes = {
        "a prompt": old.replace("Say it again:", "Say it once more:", 1),
        "a time-out": old.replace("timeout: 20 s", "timeout: 30 s", 1),
        "a step": old.replace("  s500:", "  other:"),
        "every prompt": workflow(STEPS, words="Repeat this:"),
    }
    (folder / "old.yaml").write_text(old, encoding="utf-8")
    for name, text in changes.items():
        assert text != old
        (folder / "new.yaml").write_text(text, encoding="utf-8")
        told = spent(WFC, "diff", "old.yaml", "new.yaml", folder=folder)
        print(f"diff of {STEPS} steps, {name + ' differs':26} {told}")


def two_mixed_versions(folder: Path) -> None:
    (folder / "texts").mkdir()
    (folder / "texts" / "one.md").write_text("One.\n", encoding="utf-8")
    for name, steps in (("old", STEPS - 1), ("new", STEPS)):
        text = workflow(steps, kinds=MIXED).replace("events:\n", f"{MIXED_HEAD}events:\n")
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        subprocess.run([WFC, "check", f"{name}.yaml"], cwd=folder, check=True, capture_output=True)
    told = spent(WFC, "diff", "old.yaml", "new.yaml", folder=folder)
    print(f"diff of {STEPS} agents, maps and searches, one more {told}")


def many_specs(folder: Path) -> None:
    specs = folder / "specs"
    specs.mkdir()
    for n in range(SPECS):
        (specs / f"w{n}.yaml").write_text(workflow(5, f"w{n}"), encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    one = specs / "w500.yaml"
    one.write_text(one.read_text("utf-8").replace("Say it again:", "Say it once more:", 1), encoding="utf-8")
    print(f"diff of {SPECS} specs, a prompt differs         {spent(WFC, 'diff', folder=folder)}")
    one.write_text(workflow(4, "w500"), encoding="utf-8")
    print(f"diff of {SPECS} specs, a step is gone           {spent(WFC, 'diff', folder=folder)}")

    turns = iter(range(1_000_000))

    def fresh() -> None:
        """Set what was written aside, and do not delete it: file systems are slow where much was just deleted."""
        old = folder / f"old{next(turns)}"
        old.mkdir()
        for name in ("cache", "build"):
            if (folder / name).exists():
                (folder / name).rename(old / name)

    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    print(
        f"check of {SPECS} specs                          {spent(WFC, 'check', 'specs', folder=folder, before=fresh)}"
    )
    compiled = spent(WFC, "compile", "specs", "-o", "build", folder=folder, before=fresh)
    print(f"compile of {SPECS} new specs                    {compiled}")
    again = spent(WFC, "compile", "specs", "-o", "build", folder=folder)
    print(f"compile of {SPECS} unchanged specs              {again}")
    verified = spent(WFC, "verify", "specs", "-o", "build", folder=folder)
    print(f"verify of {SPECS} unchanged specs               {verified}")


if __name__ == "__main__":
    print(f"load: {os.getloadavg()[0]:.1f}")
    bytecode = tempfile.mkdtemp()
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
    with tempfile.TemporaryDirectory() as made:
        two_versions(Path(made))
    with tempfile.TemporaryDirectory() as made:
        two_mixed_versions(Path(made))
    with tempfile.TemporaryDirectory() as made:
        many_specs(Path(made))
    shutil.rmtree(bytecode)
