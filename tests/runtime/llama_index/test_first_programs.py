"""The programs that their documentation teaches first, each in processes of its own, tell the same on both libraries.

They are changed in nothing but their imports. Where a run is written down, another process goes on with it.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("first_programs")
PROGRAMS = sorted(FOLDER.glob("*.py"))

# the arguments of one process after the other, and what all of them print
SESSIONS: dict[str, tuple[str, tuple[tuple[str, ...], ...], str]] = {
    "start and stop": (
        "start_and_stop",
        ((),),
        r"""PoemJudged '0 aes\n1 aes' long
PoemJudged '0 x\n1 x\n2 x\n3 x\n4 x' long
{'topic': 'the sea', 'else': 'nothing'}
PoemAsked PoemJudged
the start event cannot be made without a topic
a field that was not given is an AttributeError
""",
    ),
    "branches and loops": (
        "branches_and_loops",
        ((),),
        """given up after 4: seaseaxyzx | reviews: 5
mountainsxyz after 3 | reviews: 4
a whole sentence after 0 | reviews: 1
100
""",
    ),
    "side by side": (
        "fan_out",
        ((),),
        """{'pages': [0, 1, 2, 3, 4, 5, 6, 7, 8], 'words': 360} | told of ['page 0', 'page 1'] 9 | at most 3
[1, 2, 4, 5, 7, 8]
['a page', 'a book']
""",
    ),
    "a person in one process": (
        "human_in_the_loop",
        ((),),
        "asks: Do you like it?\n" * 3 + "title 3 of sea\nasks: What of sea?\nsea: no\n",
    ),
    "a person who answers later, by a pair of events": (
        "human_in_the_loop",
        (("ask", "pair", "FILE"), ("answer", "pair", "FILE", "no"), ("answer", "pair", "FILE", "yes")),
        "try 1\nasks: Do you like it?\ntry 2\nasks again: title 2\ntitle 2 of sea\n",
    ),
    "a person who answers later, in the middle of a step": (
        "human_in_the_loop",
        (("ask", "wait", "FILE"), ("answer", "wait", "FILE", "deep")),
        "asks: What of sea?\nsea: deep\n",
    ),
    "state, resources, retries": (
        "state_and_retries",
        ((),),
        "[4, 2, 3] made 1\nfails failed: never works\n",
    ),
    "a process that dies": (
        "state_and_retries",
        (("begin", "FILE"), ("resume", "FILE")),
        "converts a\nconverts b\nconverts c\nconverts d\n['a', 'b', 'c', 'd']\n",
    ),
}


def play(program: Path, processes: tuple[tuple[str, ...], ...], kept: Path) -> str:
    printed = ""
    for arguments in processes:
        done = subprocess.run(
            [sys.executable, str(program), *(str(kept) if one == "FILE" else one for one in arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == (9 if arguments[:1] == ("begin",) else 0), done.stderr
        printed += done.stdout
    return printed


FEW = {"a process that dies", "state, resources, retries"}
"""What shows the most; each is a process that imports a library."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FEW else pytest.mark.full) for name in SESSIONS]
)
def test_a_first_program_on_ours(name: str, tmp_path: Path) -> None:
    stem, processes, expected = SESSIONS[name]
    text = (FOLDER / f"{stem}.py").read_text()
    program = tmp_path / f"{stem}.py"
    program.write_text(re.sub(r"^from workflows\b", "from wfc.runtime.llama_index", text, flags=re.MULTILINE))
    assert play(program, processes, tmp_path / "kept.json") == expected


@pytest.mark.full  # it judges the expectation
@pytest.mark.parametrize("name", SESSIONS)
def test_and_on_theirs(name: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("llama_index_instrumentation") is None:
        pytest.skip("llama-index-workflows is not installed")
    stem, processes, expected = SESSIONS[name]
    assert play(FOLDER / f"{stem}.py", processes, tmp_path / "kept.json") == expected


def test_each_program_is_played() -> None:
    assert {stem for stem, _, _ in SESSIONS.values()} == {path.stem for path in PROGRAMS}
