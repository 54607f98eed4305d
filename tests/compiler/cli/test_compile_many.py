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
def half(build, share, file, parent):
    real, left = type(build).compiled, iter(share[: len(share) // 2])
    def compiled(self, source):
        if next(left, None) is None:
            file.flush()
            os.kill(os.getpid(), 9)
        return real(self, source)
    type(build).compiled = compiled
    work(build, share, file, parent)
side_by_side.work = half
""",
    "each writes half a line": """
def cut(build, share, file, parent):
    file.write(b'["specs/w1.yaml", ["')
    file.flush()
    os._exit(0)
side_by_side.work = cut
""",
    "there is no process": """
def refused():
    raise BlockingIOError(11, "Resource temporarily unavailable")
os.fork = refused
""",
    "there is no file": """
def refused():
    raise FileNotFoundError(2, "No usable temporary directory found")
side_by_side.tempfile.TemporaryFile = refused
""",
    "each raises": """
def broken(*_):
    raise KeyboardInterrupt
side_by_side.work = broken
""",
}


COUNTED = """
from wfc.compiler.cli.building.outputs import Build
real = Build.compiled
def counted(self, source):
    with open(f"counted{os.getpid()}", "a") as file:
        file.write(source.path + "\\n")
    return real(self, source)
Build.compiled = counted
"""


def compiled(
    folder: Path, processors: int, extra: str, name: str, cache: dict[str, str] | None = None
) -> tuple[int, str, str, dict[str, str]]:
    """Compile all specs with a cache of one's own; return the exit status, the output, and the files made."""
    kept = cache or {"WFC_NO_CACHE": "", "WFC_CACHE_DIR": str(folder / f"cache-{name}")}
    program = PROGRAM.replace("PROCESSORS", str(processors)).replace("EXTRA", extra)
    done = subprocess.run(
        [sys.executable, "-c", program, "compile", "specs", "-o", name],
        cwd=folder,
        env={**os.environ, **kept},
        capture_output=True,
        text=True,
        timeout=600,
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


CACHES = {
    "one": {"WFC_NO_CACHE": "", "WFC_CACHE_DIR": "cache"},
    "none": {"WFC_NO_CACHE": "1"},
    "one that cannot be": {"WFC_NO_CACHE": "", "WFC_CACHE_DIR": "specs/w0.yaml"},
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
@pytest.mark.parametrize("extra", ["", "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"])
@pytest.mark.parametrize("cache", CACHES)
def test_each_spec_is_compiled_once_whatever_becomes_of_the_cache(
    folder: Path, cache: str, extra: str
) -> None:
    path = folder / "specs/w3.yaml"
    path.write_text(path.read_text() + "  idle: {kind: end}\n")
    alone = compiled(folder, 1, "", "alone", {"WFC_NO_CACHE": "1"})
    assert compiled(folder, 3, extra + COUNTED, "beside", CACHES[cache]) == alone
    lines = [each.read_text().splitlines() for each in folder.glob("counted*")]
    assert len(lines) == 3 and max(map(len, lines)) == 6
    assert len({path for each in lines for path in each}) == sum(map(len, lines)) == COUNT + 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
def test_nobody_works_on_for_a_process_that_is_gone(folder: Path) -> None:
    dies = """
first = os.getpid()
def dies(self, source):
    import time
    while os.getpid() == first and not [each for each in os.listdir() if each.startswith("counted")]:
        time.sleep(0.01)
    if os.getpid() == first:
        os.kill(first, 9)
    built = counted(self, source)
    while os.getppid() == first:
        time.sleep(0.01)
    return built
Build.compiled = dies
"""
    assert compiled(folder, 3, COUNTED + dies, "beside")[0] == -9  # the pipes are closed: nobody is left
    assert {len(each.read_text().splitlines()) for each in folder.glob("counted*")} == {1}
