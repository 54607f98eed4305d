"""The picture of VS Code in `docs/editors.md`: VS Code itself with a spec and its flow beside the text.

    python docs/vscode_picture.py

A person looks at it afterwards; no test compares it, for it depends on the versions of VS Code and Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

HERE: Final = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tests.chromium import PROGRAMS  # noqa: E402
from tests.editors.vscode.workbench import (  # noqa: E402
    Workbench,
    installed,
    packed,
    serving,
    virtual_environment,
)

SPEC: Final = HERE.parent / "specs/ticket_triage.yaml"
SIZE: Final = {"width": 1200, "height": 680}
ASKED: Final = "        when: result."
"""In the spec, what is before the place at which it is asked what fits."""


def main() -> None:
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        place = Path(name)
        folder = place / "tickets"
        folder.mkdir()
        shutil.copy(SPEC, folder)
        virtual_environment(folder, place / "started")
        with serving(installed(), place / "data", packed(), is_trusted=True) as address:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE)
            bench = Workbench(page, address, folder)
            bench.open(SPEC.name)
            bench.lens("show the flow")
            frame = bench.flow()
            bench.press("Control+b")
            frame.locator("g.box", has_text="classify").first.click(position={"x": 12, "y": 12})
            bench.until(lambda: "(" not in bench.position() and bench.line() > 1, "the line of the step")
            before = SPEC.read_text().partition(ASKED)[0]
            bench.go_to(before.count("\n") + 1, len(ASKED) + 1)
            bench.press("Control+Space")
            bench.offered()
            bench.settled()
            page.screenshot(path=HERE / "vscode.png")
            browser.close()


if __name__ == "__main__":
    main()
