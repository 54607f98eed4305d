"""The programs in the pages about runs that know each other, and about steps that wait, do what the pages say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize(("page", "said"), [("runs.md", "StopEvent"), ("waiting.md", "May this go out?")])
def test_the_program_in_a_page_runs(page: str, said: str, tmp_path: Path) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    file = tmp_path / "page.py"
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "dev", str(file)], capture_output=True, text=True, check=False
    )
    # that a turn of the loop took long says only that the machine is busy
    said_besides = [
        line for line in done.stderr.splitlines() if not re.fullmatch(r"Executing .* took .* seconds", line)
    ]
    assert (done.returncode, said_besides) == (0, [])
    assert said in done.stdout
