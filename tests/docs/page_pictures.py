"""Makes the pictures of the server's page in `docs/`: `python tests/docs/page_pictures.py`.

A server serves a shop whose bank does not answer, and a question of each of two patterns; Chromium takes the pictures:
what failed alike (`page_runs.png`), a run that waits (`page_run.png`), an answer that is refused (`page_inbox.png`),
and a spec in the editor with the help for a word (`page_author.png`).
"""

from __future__ import annotations

import http.server
import importlib.util
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SIZE = {"width": 1200, "height": 760}

ORDER = """\
wfc: 1
workflow: order
description: Reserve the goods, take the money, send a receipt.
start: Ordered
end: Paid
events:
  Ordered: {customer: string, amount: number}
  Reserved: {amount: number}
  Paid: {receipt: string}
tools:
  reserve: {http: {url: "ADDRESS/reserve", method: POST}}
  pay: {http: {url: "ADDRESS/pay", method: POST}}
steps:
  reserve:
    kind: tool
    accepts: Ordered
    tool: reserve
    emit: {event: Reserved, with: {amount: "${{ event.amount }}"}}
  pay:
    kind: tool
    accepts: Reserved
    tool: pay
    emit: {event: Paid, with: {receipt: sent}}
"""


class Bank(http.server.BaseHTTPRequestHandler):
    """Reserves goods, and takes no money today."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(503 if self.path == "/pay" else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def serving_in(folder: Path) -> Any:
    path = ROOT / "tests/compiler/cli/serving_process.py"
    found = importlib.util.spec_from_file_location("serving_process", path)
    assert found is not None and found.loader is not None
    sys.modules["serving_process"] = module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.Serving(folder, ".", "--author", "--store", "sqlite:///runs.db")


def take(page: Any, at: str, server: Any) -> None:
    """Take the pictures, one after the other."""

    def picture(name: str) -> None:
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / f"docs/page_{name}.png")

    for number in range(6):
        server.start("order", 60, customer=f"customer {number}", amount=10 * number + 9)
    asked = server.start("reply_approval", 60, customer="Ada", draft="Dear Ada, it is on its way.")
    page.goto(f"{at}#k={server.token}")
    page.get_by_text("http.503 at pay: 6 runs since").wait_for()
    picture("runs")
    page.get_by_role("link", name=asked["run"][:12]).click()
    page.locator("figure svg .lit").first.wait_for()
    picture("run")
    page.get_by_role("link", name="Questions: 1").click()
    page.get_by_role("link", name="Send this reply to Ada?").click()
    page.get_by_role("button", name="Answer it myself").click()
    page.get_by_label("Decision").select_option("reject")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.locator("[aria-invalid]").first.wait_for()
    picture("inbox")
    page.goto(f"{at}#/author/expense_claim.yaml")
    page.get_by_text("No findings.").wait_for()
    page.locator("figure svg text").first.wait_for()
    page.locator(".cm-line").get_by_text("description").first.hover()
    page.locator(".cm-tooltip .said").wait_for()
    picture("author")


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    bank = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bank)
    threading.Thread(target=bank.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        (folder / "order.yaml").write_text(
            ORDER.replace("ADDRESS", f"http://127.0.0.1:{bank.server_port}"), encoding="utf-8"
        )
        for name in ("reply_approval", "expense_claim"):
            _, _, text = (ROOT / f"specs/{name}.yaml").read_text(encoding="utf-8").partition("\n#\n")
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        server = serving_in(folder)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.set_default_timeout(60_000)
        try:
            take(page, f"http://127.0.0.1:{server.port}/", server)
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main()
