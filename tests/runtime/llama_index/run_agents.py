"""Plays the programs with agents as they are, and prints what each of them has printed as JSON.

``python run_agents.py ours begin FOLDER`` lets each talk, have a first turn, and stop where it asks a person;
``… resume FOLDER`` goes on with what is in the folder in another process; ``theirs`` does so on llama-index-workflows.
On ours the first process also writes the snapshots of `agent_snapshots.py`, and the second goes on from them.
"""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

if sys.argv[1] == "ours":
    from wfc.runtime.integrations import llama_index

    llama_index.install()

SESSIONS = {
    "begin": (("talk",), ("first", "turns"), ("ask", "person"), ("ask", "refusal")),
    "resume": (("second", "turns"), ("answer", "person", "yes"), ("answer", "refusal", "no")),
}
SNAPSHOTS = [f"{what}:{name}" for what in ("turn", "wait") for name in ("function_agent", "agent_workflow")]
SNAPSHOTS.append("wait:workflow")
ASKING_NOBODY = {"code_act_agent"}  # its tools may not take the context by which a person is asked

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def play(program: Path, folder: Path, what: str, kept: str = "", *more: str) -> str:
    file = [str(folder / f"{program.stem}-{kept}.json")] if kept else []
    sys.argv = [str(program), what, *file, *more]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(program), run_name="__main__")
    return printed.getvalue()


def main(phase: str, folder: Path) -> dict[str, str]:
    return {
        f"{program.stem} {' '.join(session)}": play(program, folder, *session)
        for program in sorted((HERE / "first_agents").glob("*.py"))
        for session in SESSIONS[phase]
        if program.stem not in ASKING_NOBODY or session[0] not in {"ask", "answer"}
    }


def play_snapshots(phase: str, kept: Path) -> str:
    """Write the snapshots of some agents and of a workflow that waits, or go on from them."""
    what = {"begin": ["write", *SNAPSHOTS], "resume": ["resume"]}[phase]
    sys.argv = [str(HERE / "agent_snapshots.py"), "ours", *what]
    printed = io.StringIO()
    sys.stdin = io.StringIO(kept.read_text(encoding="utf-8") if phase == "resume" else "")
    with contextlib.redirect_stdout(printed):
        runpy.run_path(sys.argv[0], run_name="__main__")
    if phase == "begin":
        kept.write_text(printed.getvalue(), encoding="utf-8")
    return printed.getvalue()


def print_all(whose: str, phase: str, folder: Path) -> None:
    found = main(phase, folder)
    if whose == "ours":
        found["snapshots"] = play_snapshots(phase, folder / "snapshots.json")
    print(json.dumps(found))


print_all(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
