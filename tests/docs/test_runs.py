"""The program in the page about runs that know each other does what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "runs.md"


def test_the_program_in_the_page_runs(tmp_path: Path) -> None:
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S))
    file = tmp_path / "page.py"
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "dev", str(file)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "StopEvent" in done.stdout
