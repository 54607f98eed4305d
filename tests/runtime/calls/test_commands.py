"""Commands as real processes, hostile ones too."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls import commands
from wfc.runtime.calls.commands import call_command
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.errors import SettingsError, StepError
from wfc.runtime.values.filters import argument

PYTHON = sys.executable
KEY = "a-key-not-for-anybodys-eyes"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX'")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose settings allow Python and a few other programs, and whose temporary folders are looked after."""
    (tmp_path / "wfc.toml").write_text(
        f'commands = ["{PYTHON}", "cat", "true", "./tool", "no-such-program"]\n'
    )
    monkeypatch.setenv("KEY", KEY)
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    yield tmp_path
    assert not list(made.iterdir())


Start = Callable[..., Any]


@pytest.fixture
def start(folder: Path) -> Start:
    """Runs Python code as a command."""

    def starter(code: str, *args: str, seconds: float = 20, **options: Any) -> Any:
        async def main() -> Any:
            async with asyncio.timeout(seconds):
                return await call_command([PYTHON, "-c", code, *args], beside=folder, **options)

        return asyncio.run(main())

    return starter


def failed(start: Start, code: str, *args: str, **options: Any) -> StepError:
    with pytest.raises(StepError) as caught:
        start(code, *args, **options)
    return caught.value


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    if not Path("/proc/self/stat").exists():
        return True
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it is gone by now
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def dies(number: int) -> bool:
    end = time.monotonic() + 240
    while is_alive(number):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# --- what goes in and comes out


@pytest.mark.parametrize(
    ("printed", "output", "result"),
    [
        ("hello\n", str, "hello"),
        ("hello\n\n", str, "hello\n"),
        ("", str, ""),
        ("ü\r\n", str, "ü"),
        ("a\nb\n", list[str], ["a", "b"]),
        ("a\r\n\nb", list[str], ["a", "", "b"]),
        ("", list[str], []),
        ("3\n", int, 3),
        ('{"a": [1]}', Any, {"a": [1]}),
        ("[1, 2]", list[int], [1, 2]),
    ],
)
def test_output(start: Start, printed: str, output: Any, result: object) -> None:
    code = f"import sys; sys.stdout.buffer.write({printed.encode()!r})"
    assert start(code, output=output) == result


@pytest.mark.parametrize(
    ("printed", "output"), [(b"x", int), (b"\xff", str), (b"", int), (b'"1"', int), (b"{", Any)]
)
def test_other_output_than_declared(start: Start, printed: bytes, output: Any) -> None:
    code = f"import sys; sys.stdout.buffer.write({printed!r})"
    assert failed(start, code, output=output).name == "command.invalid_output"


@pytest.mark.parametrize(
    "text", ["$(touch x); `ls` | cat > y && z", "'\"\\ \n\t*?~", "", "-x", "--", "ü\u2028"]
)
def test_arguments_and_stdin_arrive_as_they_are(start: Start, text: str) -> None:
    code = "import sys, json; print(json.dumps([sys.argv[1:], sys.stdin.read()]))"
    assert start(code, text, "b", stdin=text, output=Any) == [[text, "b"], text]


def test_it_sees_an_empty_home_and_little_else(start: Start) -> None:
    seen_there = "dict(os.environ), os.getcwd(), os.listdir('.'), os.getsid(0) == os.getpid()"
    code = f"import os, json; print(json.dumps([{seen_there}]))"
    seen, where, files, apart = start(code, output=Any, env={"A": "b", "SECRET": Secret("KEY")})
    seen.pop("LC_CTYPE", None)  # Python's own
    assert seen == {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": where,
        "A": "b",
        "SECRET": "[secret KEY]",
    }
    assert (files, apart, Path(where).exists()) == ([], True, False)


def test_a_secret_is_shown_nowhere(start: Start) -> None:
    code = "import os, sys; print(os.environ['K'], file=sys.stderr); sys.exit(3)"
    assert KEY not in repr(failed(start, code, env={"K": Secret("KEY")}))
    with pytest.raises(SettingsError, match="NO_SUCH_KEY"):
        start("", env={"K": Secret("NO_SUCH_KEY")})


# --- what may be started


@pytest.mark.parametrize("program", ["ls", "/bin/cat", "tool", "../cat", "", "true "])
def test_only_what_the_settings_allow_is_started(folder: Path, program: str) -> None:
    with pytest.raises(SettingsError, match="not allowed"):
        asyncio.run(call_command([program], beside=folder))


def test_programs_are_found_in_the_path_and_beside_the_settings(folder: Path) -> None:
    (folder / "tool").write_text("#!/bin/sh\necho mine\n")
    (folder / "tool").chmod(0o755)
    (folder / "deep").mkdir()
    assert asyncio.run(call_command(["./tool"], beside=folder / "deep")) == "mine"
    assert asyncio.run(call_command(["cat"], beside=folder, stdin="x")) == "x"
    with pytest.raises(SettingsError, match="not installed"):
        asyncio.run(call_command(["no-such-program"], beside=folder))


@pytest.mark.parametrize("text", ["-x", "--output=/etc/passwd", "-"])
def test_data_makes_no_option(text: str) -> None:
    with pytest.raises(StepError) as caught:
        argument(text)
    assert caught.value.name == "command.arguments"
    assert argument(f" {text}") == f" {text}"


@pytest.mark.parametrize("text", ["a\0b", "x" * 3_000_000, "\udc80\ud800"])
def test_what_is_no_argument_is_refused(start: Start, text: str) -> None:
    assert failed(start, "pass", text).name == "command.arguments"


# --- how it ends


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        ("import sys; sys.exit(1)", "command.1", "ended with 1"),
        ("import sys; print('why', file=sys.stderr); sys.exit(127)", "command.127", "why"),
        ("import os; os.kill(os.getpid(), 9)", "command.killed", "signal 9"),
        ("import os; os.kill(os.getpid(), 15)", "command.killed", "signal 15"),
        ("import sys; sys.stderr.write('x' * 10_000_000); sys.exit(4)", "command.4", "xxx"),
    ],
)
def test_failures(start: Start, code: str, name: str, said: str) -> None:
    error = failed(start, code)
    assert error.name == name
    assert said in error.message
    assert len(error.message) < 1000
    assert error.matches("command")


def test_one_that_prints_without_end_is_killed(
    start: Start, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    code = f"""
import os, sys
open({str(folder / "number")!r}, "w").write(str(os.getpid()))
piece = b"x" * 2**20
for _ in range(1024):
    sys.stdout.buffer.write(piece)
"""
    began = time.monotonic()
    assert failed(start, code).name == "command.too_large"
    assert time.monotonic() - began < 10
    assert dies(int((folder / "number").read_text()))


def test_one_that_closes_its_input_early(start: Start) -> None:
    assert start("import os; os.close(0); print('done')", stdin="x" * 5_000_000) == "done"


def test_one_that_reads_nothing_and_prints_much_at_once(start: Start) -> None:
    code = "import sys; sys.stdout.write('y' * 3_000_000); sys.stdout.flush(); print(len(sys.stdin.read()))"
    assert start(code, stdin="x" * 3_000_000) == "y" * 3_000_000 + "3000000"


STUBBORN = """
import os, signal, sys, time, json
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
open(sys.argv[1], "w").write(json.dumps([os.getpid(), child]))
"""


@pytest.mark.parametrize(
    "after", [pytest.param("time.sleep(600)", marks=pytest.mark.full), "sys.exit(0)", "os._exit(7)"]
)
def test_one_that_forks_and_hangs(start: Start, folder: Path, after: str) -> None:
    place = folder / "numbers"
    if after.startswith("time"):
        with pytest.raises(TimeoutError):
            start(STUBBORN + after, str(place), seconds=5)
    elif after.startswith("sys"):
        assert start(STUBBORN + after, str(place)) == ""
    else:
        assert failed(start, STUBBORN + after, str(place)).name == "command.7"
    assert all(dies(number) for number in json.loads(place.read_text()))


def test_one_that_leaves_the_group_holds_nothing_up(start: Start, folder: Path) -> None:
    code = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    open(sys.argv[1], "w").write(str(os.getpid()))
    time.sleep(30)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""
    began = time.monotonic()
    assert failed(start, code, str(folder / "number")).name == "command.killed"
    assert time.monotonic() - began < 10
    os.kill(int((folder / "number").read_text()), 9)


def test_cancelling_kills_it(folder: Path) -> None:
    place = folder / "numbers"

    async def main() -> None:
        call = asyncio.create_task(
            call_command([PYTHON, "-c", STUBBORN + "time.sleep(600)", str(place)], beside=folder)
        )
        while not place.exists() or not place.read_text():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())
    assert all(dies(number) for number in json.loads(place.read_text()))


def test_many_at_once(folder: Path) -> None:
    async def main() -> list[Any]:
        calls = (call_command(["cat"], beside=folder, stdin=str(one)) for one in range(20))
        return await asyncio.gather(*calls)

    assert asyncio.run(main()) == [str(one) for one in range(20)]


def test_the_limit_is_what_it_says() -> None:
    assert commands.LARGEST_OUTPUT == 16 * 2**20
