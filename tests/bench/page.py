"""Measures the page of ``wfc serve`` in a real Chromium, and prints a table. Run it by hand::

    python tests/bench/page.py               # a few minutes
    python tests/bench/page.py --reconnects 1000

The times are by the clock, as people wait by it, so the machine should be quiet: its load is printed beside them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from checks import asking, chain
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
NAMES = ("chromium", "chromium-browser", "google-chrome")
HEAP = "performance.memory.usedJSHeapSize"


def serving(folder: Path) -> Any:
    """Serve the specs of a folder, with authors."""
    place = ROOT / "tests/compiler/cli/serving_process.py"
    found = importlib.util.spec_from_file_location("serving_process", place)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    (folder / "desk.yaml").write_text(module.DESK)
    return module.Serving(folder, ".", "--author", "--store", "sqlite:///runs.db")


def median_of(times: int, measure: Callable[[], float]) -> str:
    """Return the median of some measurements in milliseconds, with the least and the most."""
    found = sorted(measure() * 1000 for _ in range(times))
    return f"{statistics.median(found):.0f} ms ({found[0]:.0f} to {found[-1]:.0f})"


def first_screen(browser: Any, server: Any) -> float:
    """Return the seconds until somebody who comes for the first time sees the runs."""
    context = browser.new_context()
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"http://127.0.0.1:{server.port}/#k={server.token}")
    page.get_by_role("heading", name="Runs").wait_for()
    took = time.perf_counter() - began
    context.close()
    return took


def to_findings(page: Any, typed: str) -> float:
    """Return the seconds from a keystroke that spoils a text to its finding, as the page itself sees them."""
    took: float = page.evaluate(
        """(typed) => new Promise((done) => {
            const place = document.querySelector(".desk");
            const editor = document.querySelector(".editor").shadowRoot?.querySelector(".cm-content")
                || document.querySelector(".cm-content");
            const began = performance.now();
            const look = new MutationObserver(() => {
                if (!document.querySelector(".findings")) return;
                look.disconnect();
                done((performance.now() - began) / 1000);
            });
            look.observe(place, {childList: true, subtree: true});
            editor.focus();
            document.execCommand("insertText", false, typed);
        })""",
        typed,
    )
    page.keyboard.press("Control+z")
    page.get_by_text("No findings.").wait_for(timeout=60_000)
    return took


def computed(server: Any) -> float:
    """Return the seconds that the server has computed."""
    told = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


KEYSTROKES = [
    ("a name that is none in a step", "state.count >", " and state.cuont > 1"),
    ("an unknown key in a step", "kind: transform", "\n    xyz: 1"),
    ("an unknown key at the top", "", "\nxyz: 1\n"),
]
"""What is measured, behind which line it is typed (else at the end), and what is typed."""


def drawn(page: Any, workflow: str) -> float:
    """Return the seconds that the flow of a workflow takes to be fetched and shown."""
    page.evaluate("location.hash = '#/start'")
    page.get_by_role("heading", name="Start").wait_for()
    took: float = page.evaluate(
        """(workflow) => new Promise((done) => {
            const began = performance.now();
            const look = new MutationObserver(() => {
                if (!document.querySelector("figure svg .box")) return;
                look.disconnect();
                requestAnimationFrame(() => done((performance.now() - began) / 1000));
            });
            look.observe(document.getElementById("main"), {childList: true, subtree: true});
            location.hash = `#/start/${workflow}`;
        })""",
        workflow,
    )
    return took


def heap_after(page: Any, server: Any, reconnects: int) -> str:
    """Return how the memory of a page that follows a run grows while its stream is cut off again and again."""
    run = server.start("desk", 5, what="a bench")["run"]
    page.evaluate(f"location.hash = '#/runs/{run}'")
    page.locator(".status.parked").first.wait_for()
    page.evaluate(
        """(path) => {
            window.again = async (times) => {
                const {Server} = await import("/page/api.js");
                const server = new Server(`Bearer ${sessionStorage.getItem("wfc-token")}`);
                for (let number = 0; number < times; number++) {
                    const stop = new AbortController();
                    await server.follow(path, () => stop.abort(), stop.signal);
                }
            };
        }""",
        f"v1/runs/{run}/stream",
    )
    sizes = []
    for part in (reconnects // 10, reconnects - reconnects // 10):
        page.evaluate("(times) => window.again(times)", part)
        page.evaluate("window.gc()")
        sizes.append(page.evaluate(HEAP) / 1e6)
    return f"{sizes[0]:.1f} MB after a tenth, {sizes[1]:.1f} MB at the end"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--reconnects", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "long.yaml").write_text(chain(300).replace("workflow: chain", "workflow: long"))
        (folder / "typed.yaml").write_text(asking(200))
        server = serving(folder)
        try:
            rows = measured(server, options.reconnects, options.times)
        finally:
            server.kill()
    print(f"load: {os.getloadavg()[0]:.1f}\n\n| what | figure | wanted |\n|---|--:|--:|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def measured(server: Any, reconnects: int, times: int) -> list[tuple[str, str, str]]:
    """Return the rows of the table."""
    program = next(found for name in NAMES if (found := shutil.which(name)))
    with sync_playwright() as playwright:
        arguments = [*OPTIONS, "--js-flags=--expose-gc", "--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        rows = [("first screen", median_of(times, lambda: first_screen(browser, server)), "1 s")]
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/#k={server.token}")
        page.get_by_role("heading", name="Runs").wait_for()
        rows.append(
            (
                "a flow of 300 steps, fetched and drawn",
                median_of(times, lambda: drawn(page, "long")),
                "500 ms",
            )
        )
        page.evaluate("location.hash = '#/author/typed.yaml'")
        page.get_by_text("No findings.").wait_for()
        for where, place, typed in KEYSTROKES:
            page.locator(".cm-content").click()
            page.keyboard.press("Control+End")
            if place:
                page.locator(".cm-line", has_text=place).last.click()
                page.keyboard.press("End")
            before = computed(server)
            told = median_of(times, lambda typed=typed: to_findings(page, typed))  # type: ignore[misc]
            each = (computed(server) - before) * 1000 / times
            rows.append((f"{where} to its finding, at 200 steps", told, "150 ms"))
            rows.append(("… the server's computing for it and for taking it back", f"{each:.0f} ms", ""))
        grown = heap_after(page, server, reconnects)
        rows.append((f"memory of a page over {reconnects:,} reconnects", grown, "flat"))
        browser.close()
    return rows


if __name__ == "__main__":
    main()
