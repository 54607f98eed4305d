"""Many specs are compiled by several processes; what comes out is what one makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """\
wfc: 1
workflow: {name}
imports: [./shared/texts.yaml]
start: Begun
end: Over
events: {{Begun: {{text: string}}, Over: {{of: Line}}}}
steps:
  go: {{kind: transform, accepts: Begun, emit: {{event: Over, with: {{of: {{text: "${{{{ event.text }}}}"}}}}}}}}
"""
SHARED = "wfc: 1\ntypes: {Line: {text: string}}\n"
COUNT = 17

PROGRAM = """\
import os, sys
from wfc.compiler.cli.building import side_by_side
side_by_side.processors = lambda: PROCESSORS
side_by_side.SHARE = 4
work = side_by_side.work
EXTRA
from wfc.compiler.cli import main
sys.exit(main())
"""

NOTED = """\
def side(*args):
    open(f"noted{os.getpid()}", "w").close()
    work(*args)
side_by_side.work = side
"""

HARM = {
    "none": NOTED,
    "each dies at once": "side_by_side.work = lambda *_: os._exit(1)",
    "each is killed with its work half done": """
def half(build, share, file):
    real, left = type(build).compiled, iter(share[: len(share) // 2])
    def compiled(self, source):
        if next(left, None) is None:
            file.flush()
            os.kill(os.getpid(), 9)
        return real(self, source)
    type(build).compiled = compiled
    work(build, share, file)
side_by_side.work = half
""",
    "each writes half a line": """
def cut(build, share, file):
    file.write(b'["specs/w1.yaml", ["')
    file.flush()
    os._exit(0)
side_by_side.work = cut
""",
}


def compiled(folder: Path, processors: int, extra: str, name: str) -> tuple[int, str, str, dict[str, str]]:
    """Compile all specs with a cache of one's own; return the exit status, the output, and the files made."""
    program = PROGRAM.replace("PROCESSORS", str(processors)).replace("EXTRA", extra)
    done = subprocess.run(
        [sys.executable, "-c", program, "compile", "specs", "-o", name],
        cwd=folder,
        env={**os.environ, "WFC_NO_CACHE": "", "WFC_CACHE_DIR": str(folder / f"cache-{name}")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    made = {path.name: path.read_text() for path in sorted((folder / name).glob("*"))}
    return done.returncode, done.stdout.replace(name, "OUT"), done.stderr.replace(name, "OUT"), made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "specs/shared").mkdir(parents=True)
    (tmp_path / "specs/shared/texts.yaml").write_text(SHARED)
    for number in range(COUNT):
        (tmp_path / f"specs/w{number}.yaml").write_text(SPEC.format(name=f"w{number}"))
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
@pytest.mark.parametrize("harm", HARM)
def test_several_processes_make_what_one_makes(folder: Path, harm: str) -> None:
    alone = compiled(folder, 1, NOTED, "alone")
    assert not list(folder.glob("noted*"))
    assert alone[0] == 0 and len(alone[3]) == COUNT + 2  # the shared module and the manifest
    assert compiled(folder, 3, HARM[harm], "beside") == alone
    assert len(list(folder.glob("noted*"))) == (2 if harm == "none" else 0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
def test_findings_are_those_of_one_process_in_their_order(folder: Path) -> None:
    for number in (3, 4, 9):
        path = folder / f"specs/w{number}.yaml"
        path.write_text(path.read_text().replace("event.text", "event.txt"))
    alone = compiled(folder, 1, "", "alone")
    assert alone[0] == 1 and alone[2].count("[unknown-name]") + alone[2].count("[unknown-field]") == 3
    assert alone[3] == {}
    assert compiled(folder, 3, "", "beside") == alone
