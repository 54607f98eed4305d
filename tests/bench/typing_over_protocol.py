"""Measures the language server as an editor meets it, a process over stdio, and `wfc fmt`. Run it by hand::

    python tests/bench/typing_over_protocol.py                  # two minutes
    python tests/bench/typing_over_protocol.py --keystrokes 10000

Somebody types a word in the middle of a spec, a character each time. From the moment at which the editor has written a
keystroke to the pipe it is counted how long it takes until the findings of that very version have come, or until the
completion, or what is shown of a word. That is the clock, with all that the protocol adds, and with the pause that the
server leaves before it checks; beside it stands the time of the processor that the server's process has taken.
"""

from __future__ import annotations

import argparse
import json
import queue
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from checks import WFC, asking, chain

ROOT = Path(__file__).parents[2]
WORD = "a_word_that_nobody_declares"
FOLDER = tempfile.mkdtemp(prefix="wfc-bench-")
URI = f"file://{FOLDER}/a.yaml"
REST = 1.0
"""So many seconds without a keystroke the server has got ready for the next question."""


class Editor:
    """An editor without a screen: it writes what the protocol says, and a thread notes when what has come."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([WFC, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.came: queue.Queue[tuple[float, dict[str, Any]]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.number = self.version = 0
        self.ask("initialize", {"processId": None, "rootUri": f"file://{FOLDER}", "capabilities": {}})
        self.tell("initialized", {})

    def _read(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            length = int(line.removeprefix(b"Content-Length:"))
            while self.process.stdout.readline().strip():
                pass  # further lines of the head
            said = self.process.stdout.read(length)
            self.came.put((time.perf_counter(), json.loads(said)))

    def _write(self, message: dict[str, Any]) -> float:
        said = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        begin = time.perf_counter()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(said), said))
        self.process.stdin.flush()
        return begin

    def tell(self, method: str, params: dict[str, Any]) -> float:
        return self._write({"method": method, "params": params})

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> tuple[float, dict[str, Any]]:
        while True:
            at, said = self.came.get(timeout=60)
            if wanted(said):
                return at, said

    def ask(self, method: str, params: dict[str, Any]) -> tuple[float, Any]:
        """Ask; return how long the answer took, and the answer."""
        self.number += 1
        begin = self._write({"id": self.number, "method": method, "params": params})
        at, said = self.until(lambda each: each.get("id") == self.number)
        return at - begin, said["result"]

    def show(self, text: str) -> float:
        """Give the editor's text to the server; return when."""
        self.version += 1
        document = {"uri": URI, "languageId": "yaml", "version": self.version, "text": text}
        if self.version == 1:
            return self.tell("textDocument/didOpen", {"textDocument": document})
        return self.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": URI, "version": self.version}, "contentChanges": [{"text": text}]},
        )

    def findings(self, text: str) -> tuple[float, list[Any]]:
        """Give a text; return how long its findings took to come, and which they are."""
        begin = self.show(text)
        at, said = self.until(
            lambda each: (
                each.get("method") == "textDocument/publishDiagnostics"
                and each["params"].get("version") == self.version
            )
        )
        return at - begin, said["params"]["diagnostics"]

    def at(self, method: str, text: str, offset: int) -> tuple[float, Any]:
        before = text[:offset]
        place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": URI}, "position": place})

    def processor(self) -> float:
        """The seconds of the processor that the server has taken; Linux counts them in nanoseconds."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    def memory(self) -> float:
        """The MB that the server takes of the system now."""
        said = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(said.partition("VmRSS:")[2].split()[0]) / 1024

    def end(self) -> None:
        self.ask("shutdown", {})
        self.tell("exit", {})
        self.process.wait(30)


class Times:
    """What several keystrokes took, by the clock and of the processor."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.clock: list[float] = []
        self.computing: list[float] = []

    def add(self, work: Callable[[], tuple[float, Any]]) -> Any:
        before = self.editor.processor()
        took, said = work()
        self.clock.append(took * 1_000)
        self.computing.append((self.editor.processor() - before) * 1_000)
        return said

    def __str__(self) -> str:
        clock = sorted(self.clock)
        return f"{statistics.median(clock):.0f} ({clock[-1]:.0f}); {statistics.median(self.computing):.0f}"


def figures(text: str, word: str, field: str, declared: str) -> list[str]:
    """What somebody waits for in one spec.

    Args:
        word: Text in its middle, at the end of which somebody types.
        field: An expression in its middle.
        declared: A declaration of a field, whose type somebody changes.
    """
    editor = Editor()
    found = editor.findings(text)[1]
    assert not found, found
    time.sleep(REST)
    good, wrong, declaring, completed, shown = (Times(editor) for _ in range(5))
    at = text.index(word) + len(word)
    for number in range(len(WORD)):
        typed = "1" * (number % 3 + 1)
        assert not good.add(lambda typed=typed: editor.findings(text[:at] + typed + text[at:]))
    begin = text.index(field, at)
    end = begin + len(field)
    for number in range(1, len(WORD)):
        spoilt = text[:end] + WORD[:number] + text[end:]
        assert wrong.add(lambda spoilt=spoilt: editor.findings(spoilt))
    open_at = text.index(declared) + len(declared)
    for number in range(8):
        changed = text[:open_at] + "?"[: number % 2] + text[open_at:]
        declaring.add(lambda changed=changed: editor.findings(changed))
    editor.findings(text)
    for number in range(1, len(WORD)):
        broken = text[:end] + "\n" + WORD[:number] + "\n  [" + text[end:]

        def proposed(broken: str = broken) -> tuple[float, Any]:
            editor.show(broken)
            return editor.at("completion", broken, begin + len("event."))

        assert completed.add(proposed)
    editor.findings(text)
    time.sleep(REST)
    for _ in range(9):
        assert shown.add(lambda: editor.at("hover", text, begin + len("event.")))
    editor.end()
    return [str(each) for each in (good, wrong, declaring, completed, shown)]


def typing(keystrokes: int) -> None:
    """Type a spec from empty again and again, with completion at each place; print what the server takes of memory."""
    text = (ROOT / "specs/ticket_triage.yaml").read_text(encoding="utf-8")
    editor = Editor()
    print(f"MB of the server, a spec of {len(text):,} characters typed from empty again and again:")
    for number in range(keystrokes):
        at = number % len(text) + 1
        editor.findings(text[:at])
        editor.at("completion", text[:at], at)
        if (number + 1) % (keystrokes // 5) == 0:
            print(f"{editor.memory():.0f} after {number + 1:,} keystrokes", flush=True)
    editor.end()


def fmt(text: str) -> tuple[float, str]:
    """Format a text, the whole process; return the seconds of the processor, and what came."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = subprocess.run([WFC, "fmt", "-"], input=text, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, made


def formatting() -> None:
    """Print what `wfc fmt` of 10,000 lines takes: of a text in another form, and of one that is as it should be."""
    text = asking(670).replace("accepts: ", "accepts:   ").replace("kind: ", "kind:  ")
    made = fmt(text)[1]
    assert made != text and fmt(made)[1] == made
    for name, given in (("in another form", text), ("in its form", made)):
        times = sorted(fmt(given)[0] for _ in range(5))
        said = f"{times[0]:.2f} s of the processor ({times[2]:.2f})"
        print(f"`wfc fmt` of {given.count(chr(10)):,} lines {name}: {said}")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--keystrokes", type=int, default=0, help="only this: look at the memory meanwhile")
    keystrokes = options.parse_args().keystrokes
    if keystrokes:
        typing(keystrokes)
        return
    print("Milliseconds by the clock, the middle (and the worst); of the processor, the middle")
    print("| steps | findings | of a mistake | of a declaration | completion | hover |")
    print("|---|---|---|---|---|---|")
    for steps in (200, 1_000):
        half = steps // 2
        plain = figures(
            chain(steps), f"event.number < {half + 100}", "event.number", f"Event{half}: {{number: integer"
        )
        asked = figures(
            asking(steps, alike=False), f"Look {half}", "event.summary", f"E{half}: {{summary: string"
        )
        print(f"| {steps:,} plain | {' | '.join(plain)} |\n| {steps:,} `llm` | {' | '.join(asked)} |")
    formatting()


if __name__ == "__main__":
    main()
