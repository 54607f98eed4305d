"""The browser for tests of pages: Chromium as the system has it, which ``tests/run.py --all`` installs on Debian."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any, Final

import pytest

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
MISSING: Final = (
    "there is no Chromium here: `apt-get install chromium` as root on Debian, which `tests/run.py --all` does"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Gives a browser of Playwright, one for the tests of a module; without Chromium they are skipped.

    Playwright keeps an event loop in the thread until it is ended, in which no other test could have one of its own.
    """
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()
