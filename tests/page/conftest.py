"""A real server and a real browser; what goes wrong in the browser, or leaves for elsewhere, fails the test."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from playwright.sync_api import expect


def _module(name: str, path: Path) -> Any:
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None
    assert found.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


_process = _module("serving_process", Path(__file__).parents[1] / "compiler/cli/serving_process.py")
for _name in ("talking", "held", "passing_on"):
    _module(_name, Path(__file__).with_name(f"{_name}.py"))

PATIENCE = 180_000
"""Milliseconds: a machine may have much else to do."""

expect.set_options(timeout=PATIENCE)

FAILING = """\
wfc: 1
workflow: payment
start: Due
end: Paid
events:
  Due: {amount: number}
  Paid: {amount: number}
tools:
  pay: {http: {url: "http://127.0.0.1:9/pay", method: POST}}
steps:
  pay:
    kind: tool
    accepts: Due
    tool: pay
    emit: {event: Paid, with: {amount: "${{ event.amount }}"}}
"""


@pytest.fixture(scope="module")
def served() -> Callable[..., Iterator[Any]]:
    """Serves the specs of a folder, with three workflows of ours, and ends the server."""

    def serve(
        folder: Path, *arguments: str, port: int = 0, authoring: tuple[str, ...] = ("--author",)
    ) -> Iterator[Any]:
        (folder / "desk.yaml").write_text(_process.DESK)
        (folder / "count.yaml").write_text(_process.COUNT)
        (folder / "payment.yaml").write_text(FAILING)
        found = _process.Serving(
            folder, ".", *authoring, "--store", "sqlite:///runs.db", *arguments, port=port
        )
        found.folder = folder
        yield found
        found.kill()

    return serve


@pytest.fixture(scope="module")
def server(served: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield from served(tmp_path_factory.mktemp("page"))


LATE = """{
    let state = SEED;
    const chance = () => {
        state = (state + 0x6d2b79f5) | 0;
        let found = Math.imul(state ^ (state >>> 15), state | 1);
        found ^= found + Math.imul(found ^ (found >>> 7), found | 61);
        return ((found ^ (found >>> 14)) >>> 0) / 2 ** 32;
    };
    const wait = () => new Promise((done) => setTimeout(done, chance() * (chance() < 0.4 ? 40 : 750)));
    const { fetch } = window;
    window.fetch = async (address, options) => {
        await wait(); // on the way there
        const reply = await fetch(address, options);
        await wait(); // and back
        options?.signal?.throwIfAborted();
        return reply;
    };
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
        wait().then(wait).then(() => send.call(this, body));
    };
}"""
"""Makes each answer of a server come up to a second and a half late, some at once: the order of answers is any."""

SLOWER = 3
"""How many times slower the browser's processor is then."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--late", default="", metavar="SEED", help="let the page meet a slow, unsteady server and processor"
    )


class Reader:
    """Somebody before a page, and what went wrong or elsewhere meanwhile."""

    def __init__(self, browser: Any, server: Any, width: int = 1000, late: str = "", **kinds: Any) -> None:
        self.at = f"http://127.0.0.1:{server.port}/"
        self.token = server.token
        self.context = browser.new_context(viewport={"width": width, "height": 800}, **kinds)
        self.context.set_default_timeout(PATIENCE)
        if late:
            self.context.add_init_script(LATE.replace("SEED", str(crc32(late.encode()))))
        self.page = self.context.new_page()
        if late:
            processor = self.context.new_cdp_session(self.page)
            processor.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        self.wrong: list[str] = []
        self.forgiven: list[str] = []
        self.page.on("console", lambda one: self.wrong.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda one: self.wrong.append(str(one)))
        self.page.on("request", lambda one: self.look(one.url))

    def open(self, screen: str = "", *, waits: bool = True) -> Any:
        """Show a screen to somebody who may do everything.

        Args:
            waits: Whether it is there then, so that nothing is taken for it which is still that of the one before.
        """
        if not self.page.url.startswith(self.at):
            self.page.goto(f"{self.at}#k={self.token}")
            self.arrive()
        self.page.goto(f"{self.at}#/{screen}")
        if waits:
            self.arrive()
        return self.page

    def arrive(self) -> None:
        """Wait until the screen is there that the address names, after something that leads to another."""
        address = json.dumps(self.page.evaluate("location.hash"))
        self.page.locator(f"#main > div[data-shown={address}]").wait_for(state="attached")

    def follow(self, link: Any) -> None:
        """Press a link, and wait until the screen is there that it leads to."""
        address = link.get_attribute("href")
        link.click()
        self.page.wait_for_url(f"{self.at}{address}")
        self.arrive()

    def seen(self) -> str:
        """Return what there is to be read, and what has gone wrong so far."""
        return "\n".join([self.page.locator("body").inner_text(timeout=5000), *self.wrong])

    def look(self, address: str) -> None:
        if not address.startswith((self.at, "about:")):
            self.wrong.append(address)

    def forgive(self, *statuses: int) -> None:
        """Take refusals that the test has wanted for none, also those that the browser tells of later."""
        self.forgiven.extend(f"status of {status}" for status in statuses)

    def close(self) -> None:
        self.context.close()
        assert [one for one in self.wrong if not any(words in one for words in self.forgiven)] == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Add to the report of a failure what somebody would have seen."""
    report = yield
    if report.when == "call" and report.failed:
        for one in getattr(item, "readers_there", []):
            report.sections.append((f"the page {one.page.url}", one.seen()))
    return report


@pytest.fixture
def readers(browser: Any, server: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Reader]]:
    """Gives somebody before a page, as often as it is called."""
    found: list[Reader] = []
    request.node.readers_there = found
    late = request.config.getoption("late")

    def opened(width: int = 1000, of: Any = None, **kinds: Any) -> Reader:
        found.append(Reader(browser, of or server, width, late and f"{late} {request.node.name}", **kinds))
        return found[-1]

    yield opened
    for one in found:
        one.close()


@pytest.fixture
def reader(readers: Callable[..., Reader]) -> Reader:
    return readers()


@pytest.fixture(scope="session")
def vendor() -> Any:
    """``vendor.py``."""
    return _module("vendor", Path(__file__).with_name("vendor.py"))


@pytest.fixture(scope="session")
def axe(vendor: Any) -> str:
    """The checker of accessibility, as a script."""
    return str((vendor.modules() / "axe-core/axe.min.js").read_text(encoding="utf-8"))
