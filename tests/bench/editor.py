"""Measures what an editor waits for, and prints a table in Markdown. Run it by hand::

    python tests/bench/editor.py

Each figure is the processor's time for one keystroke in the middle of a spec: the fresh findings of a good text, those
of a text that a keystroke has spoilt, those after a keystroke in a declaration (a retry policy that every `llm` step
names; of plain steps an event that two mention), those after one on which every step
may depend (a default time-out), completion in a text that cannot be read, and what is shown of the
word under the pointer once nobody types. The best and the middle of nine; without the protocol, which adds a few
milliseconds. A second table has an edit of each key at the top of a spec of `llm` steps that all say other things: the
best and the worst of five, of which the first has the key come in.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from checks import asking, chain

from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.hover import hover

REPEATS = 9


def measured(work: Callable[[int], None], rest: Callable[[], object] = lambda: None) -> str:
    """The best and the middle of some runs, each of which is told its number, in milliseconds.

    Args:
        rest: What is done after each, and not measured.
    """
    times = []
    for number in range(REPEATS):
        gc.collect()
        begin = time.process_time()
        work(number)
        times.append((time.process_time() - begin) * 1_000)
        rest()
    return f"{min(times):.0f} ({sorted(times)[REPEATS // 2]:.0f})"


def figures(text: str, word: str, field: str, declared: str, typed: str) -> list[str]:
    """What is measured in one spec.

    Args:
        word: Text in its middle, at the end of which somebody types.
        field: An expression in its middle.
        declared: Text in a declaration, after which ``typed`` and a number are typed.
    """
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", text)
    documents.findings(document)
    at = text.index(word) + len(word)
    begin = text.index(field, at)
    end = begin + len(field)

    def keystroke(number: int) -> None:
        documents.findings_now(documents.put("/nowhere/a.yaml", f"{text[:at]}{number}{text[at:]}"))

    def misspelt(number: int) -> None:
        spoilt = f"{text[:end]}{'x' * (number + 1)}{text[end:]}"
        assert documents.findings_now(documents.put("/nowhere/a.yaml", spoilt))

    def redeclared(number: int) -> None:
        new = text.replace(declared, declared + typed.format(number), 1)
        assert not documents.findings_now(documents.put("/nowhere/a.yaml", new))

    def defaulted(number: int) -> None:
        new = text.replace("start:", f"defaults: {{timeout: {number + 1}s}}\nstart:", 1)
        assert not documents.findings_now(documents.put("/nowhere/a.yaml", new))

    def completed(number: int) -> None:
        broken = f"{text[:end]}\n" + "x" * number + f"\n  [{text[end:]}"
        assert proposals(documents, documents.put("/nowhere/a.yaml", broken), begin + len("event."))

    def shown(_number: int) -> None:
        assert hover(documents, document, document.text.index(field, at) + len("event."))

    found = [
        measured(each, lambda: documents.findings_now(document))
        for each in (keystroke, misspelt, redeclared, defaulted, completed)
    ]
    documents.put("/nowhere/a.yaml", text).warm()  # as the server does when nobody types
    return [*found, measured(shown)]


START = "start: Start\n"
EDITS: dict[str, tuple[str, str]] = {
    "workflow": ("workflow: asking", "workflow: asking@"),
    "version": (START, "version: '@.0'\n" + START),
    "description": (START, "description: Words @.\n" + START),
    "labels": (START, "labels: {team: t@}\n" + START),
    "start": (START, "start: Sta@\n"),
    "end": ("end: Done\n", "end: [Done, E@]\n"),
    "imports": (START, "imports: [file@.yaml]\n" + START),
    "parts": (START, "parts: [part@.yaml]\n" + START),
    "secrets": (START, "secrets: [KEY@]\n" + START),
    "config": ("default: x}}", "default: x}, more@: optional string}"),
    "deadline": (START, "deadline: 1@h\n" + START),
    "models": ("gpt-4o-mini", "gpt-4o-mini@"),
    "types": (START, "types: {Level: {enum: [a, b@]}}\n" + START),
    "events": ("  E10: {", "  E10: {more@: optional string, "),
    "events: the one that starts runs": ("  Start: {", "  Start: {more@: optional string, "),
    "state": ("default: 0", "default: 1@"),
    "tools": (START, 'tools: {look@: {python: "a:b", output: string}}\n' + START),
    "retries": ("max_attempts: 3", "max_attempts: 3@"),
    "texts": (START, "texts: {words: text @}\n" + START),
    "agents": (START, "agents: {one: {model: fast, prompt: hello @}}\n" + START),
    "threads": (START, "threads: {talk: {key: inputs.id, keep: {messages: 1@}}}\n" + START),
    "knowledge": (START, "knowledge: {books: {files: [b@.md]}}\n" + START),
    "resources": (START, 'resources: {client: {python: "a:b@"}}\n' + START),
    "defaults": (START, "defaults: {timeout: 1@s}\n" + START),
    "receives": (START, "receives: {E@: {}}\n" + START),
    "key": (START, "key: inputs.id  # @\n" + START),
    "triggers": (START, "triggers: {a: {topic: t@}}\n" + START),
    "limits": (START, "limits: {steps: 1@}\n" + START),
    "on_error": (START, 'on_error: {event: Done, with: {answer: "@"}}\n' + START),
    "on_cancel": (START, 'on_cancel: {event: Done, with: {answer: "@"}}\n' + START),
    "moved": (START, "moved: {steps: {old@: step_0}}\n" + START),
    "removed": (START, "removed: {state: [old@]}\n" + START),
    "migrate": (START, "migrate: {state: {old@: string}}\n" + START),
    "tests": (START, "tests: {a: {start: {id: a, body: b@}}}\n" + START),
}
"""What is edited: a text in the spec, and what is written in its stead, with the keystroke's number for `@`."""


def edited(steps: int, old: str, new: str) -> str:
    """The best and the worst of some edits of a key, the first of which may have it come in."""
    text = asking(steps, alike=False)
    documents = Documents()
    documents.findings_now(documents.put("/nowhere/a.yaml", text))
    times = []
    for number in range(1, 6):
        now = text.replace(old, new.replace("@", str(number)), 1)
        assert now != text
        gc.collect()
        begin = time.process_time()
        documents.findings_now(documents.put("/nowhere/a.yaml", now))
        times.append((time.process_time() - begin) * 1_000)
    return f"{min(times):.0f} ({max(times):.0f})"


def main() -> None:
    gc.disable()  # as in the server
    print(
        "| steps | findings | of a mistake | of a declaration | of a default | completion | hover |\n"
        "|---|---|---|---|---|---|---|"
    )
    for steps in (200, 1_000):
        half = steps // 2
        event = f"Event{half}: {{number: integer"
        plain = figures(
            chain(steps), f"event.number < {half + 100}", "event.number", event, ", other{}: optional string"
        )
        asked = figures(asking(steps, alike=False), f"Look {half}", "event.summary", "max_attempts: 3", "{}")
        print(f"| {steps:,} plain | {' | '.join(plain)} |\n| {steps:,} `llm` | {' | '.join(asked)} |")
    print("\n| edit of | 200 | 1,000 |\n|---|--:|--:|")
    for key, (old, new) in EDITS.items():
        print(f"| `{key}` | {edited(200, old, new)} | {edited(1_000, old, new)} |", flush=True)


if __name__ == "__main__":
    main()
