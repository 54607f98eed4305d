"""Large files are refused unread, or read within bounds of memory and time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.loading import documents
from wfc.runtime.calls.knowledge.splitting import cut

SCRIPT = """
import json, resource, sys
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import is_current, update
from wfc.runtime.calls.knowledge.searching import index_of, search
texts = Knowledge("texts", ["./*"], sys.argv[1])
done = update(texts, index_of(texts))
told = {
    "passages": done.passages,
    "left_out": done.left_out,
    "is_current": is_current(texts, index_of(texts)),
    "found": [each.source for each in search([texts], "tea")],
    "most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
}
print(json.dumps(told))
"""


def indexed(folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_file_of_a_gigabyte_is_left_out_unread(folder: Path, write: Any) -> None:
    write({"ok.txt": "Tea is made with hot water."})
    alone = indexed(folder)
    endings = ["txt", "md", "pdf", "csv", "jsonl", "json", "html", "docx", "xlsx", "py"]
    for each in endings:
        with open(folder / f"big.{each}", "wb") as file:
            file.write(b"%PDF-1.7\n" if each == "pdf" else b"tea,milk\n")
            file.truncate(2**30)  # of which the disk has next to nothing
    told = indexed(folder)
    assert told["left_out"] == {f"big.{each}": "it is larger than 50 MB" for each in endings}
    assert (told["passages"], told["found"], told["is_current"]) == (1, ["ok.txt"], True)
    assert told["most"] < alone["most"] + 20, (told, alone)


LINES = {
    "txt": "The pump of the machine runs dry, and the lamp is red.\n\n",
    "md": "# Pump\n\nIt runs dry.\n\n",
    "jsonl": '{"part": "pump", "place": "left of the tank"}\n',
    "csv": "pump,left of the tank,because it has always been there and nobody has asked\n",
}


@pytest.mark.full
@pytest.mark.parametrize("ending", LINES)
def test_the_memory_for_a_file_is_a_few_times_its_size(folder: Path, write: Any, ending: str) -> None:
    write({"ok.txt": "Tea is made with hot water."})
    alone = indexed(folder)
    line = LINES[ending]
    write({f"large.{ending}": line * (6_000_000 // len(line))})
    told = indexed(folder)
    assert told["passages"] > 1000 and told["left_out"] == {} and told["is_current"]
    assert told["most"] < alone["most"] + 6 * 12, (told, alone)


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        *LINES.items(),
        ("md", "word " * 5 + "\n\n"),
        ("md", "| a | b |\n|---|---|\n" + "| c | d |\n" * 30 + "\n"),
        ("md", "```\n# no heading\n```\n\n"),
        pytest.param("txt", "x", marks=pytest.mark.full),
        pytest.param("md", "x", marks=pytest.mark.full),
    ],
)
def test_a_text_is_cut_in_time_that_grows_with_its_length(ending: str, line: str) -> None:
    texts = Knowledge("texts", ["./*"], ".", by="markdown" if ending == "md" else "size")

    def seconds(length: int) -> float:
        text = line * (length // len(line))
        begun = time.process_time()
        (document, *_) = documents("md" if ending == "md" else "txt", text.encode())
        found = [*cut(document, texts)]
        taken = time.process_time() - begun
        assert all(text[each.start : each.start + len(each.text)] == each.text for each in found)
        assert sum(len(each.text) for each in found) > 0.7 * len(text.strip())
        assert all(len(each.text) <= texts.size for each in found)
        return taken

    once = min(seconds(150_000) for _ in range(3))
    longest = min(seconds(1_200_000) for _ in range(3))
    assert longest < 30 * once + 0.1  # by the square it would be 64 times
