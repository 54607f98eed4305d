"""Python tools: where their modules come from, how they are called, and what becomes of what they give."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

import pytest

from wfc.runtime import Context, Item, Items, PythonResource, StartEvent, StopEvent, Workflow, pause
from wfc.runtime.calls.bindings import PythonTool, Secret
from wfc.runtime.calls.python_tools import call_tool
from wfc.runtime.errors import SettingsError, StepError
from wfc.runtime.events import Event, Record, RunState


class Order(Record):
    id: str
    total: Decimal


class State(RunState):
    count: int = 3


class Host:
    """A context that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.threads: set[int] = set()

    def report(self, text: str) -> None:
        self.threads.add(threading.get_ident())
        self.told.append(text)

    def write_event_to_stream(self, ev: Event | None) -> None:
        self.threads.add(threading.get_ident())
        self.told.append(ev)

    def state_now(self) -> Any:
        return State()


Call = Callable[..., Any]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def writer(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return writer


def call(function: str, beside: Path, output: Any = Any, host: Host | None = None, **args: Any) -> Any:
    secrets = args.pop("secrets", {})
    tool: PythonTool[Any] = PythonTool(function, output=output, beside=beside, secrets=secrets)
    return asyncio.run(call_tool(host or Host(), tool, args))


Write = Callable[[str, str], Path]


def test_a_function_beside_the_spec_is_called(write: Write, tmp_path: Path) -> None:
    write("orders.py", "def find(order_id): return {'id': order_id, 'total': '1.50'}\n")
    assert call("orders:find", tmp_path / "spec.yaml", Order, order_id="A") == Order(
        id="A", total=Decimal("1.50")
    )
    assert "orders" not in sys.modules
    assert str(tmp_path) not in sys.path


def test_an_async_function_is_awaited(write: Write, tmp_path: Path) -> None:
    write("orders.py", "import asyncio\nasync def find(n):\n    await asyncio.sleep(0)\n    return n + 1\n")
    assert call("orders:find", tmp_path, int, n=1) == 2


def test_a_plain_function_runs_in_a_thread(write: Write, tmp_path: Path) -> None:
    write("where.py", "import threading\ndef thread(): return threading.get_ident()\n")
    assert call("where:thread", tmp_path, int) != threading.get_ident()


def test_arguments_are_plain_data(write: Write, tmp_path: Path) -> None:
    write("kinds.py", "def of(**given): return {k: type(v).__name__ for k, v in given.items()}\n")
    order = Order(id="A", total=Decimal(1))
    kinds = call("kinds:of", tmp_path, order=order, orders=[order], at=datetime.now(UTC), none=None)
    assert kinds == {"order": "dict", "orders": "list", "at": "datetime", "none": "NoneType"}


@pytest.mark.parametrize(
    ("given", "output", "value"),
    [
        ("'good'", Literal["good", "bad"], "good"),
        ("Decimal('1.5')", Decimal, Decimal("1.5")),
        ("datetime(2026, 1, 2, tzinfo=UTC)", datetime, datetime(2026, 1, 2, tzinfo=UTC)),
        ("(1, 2)", list[int], [1, 2]),
        ("[Made('A', Decimal(2))]", list[Order], [Order(id="A", total=Decimal(2))]),
        ("None", type(None), None),
        ("{'a': (1,)}", Any, {"a": [1]}),
    ],
)
def test_a_result_is_held_against_its_type(
    write: Write, tmp_path: Path, given: str, output: Any, value: object
) -> None:
    write(
        "give.py",
        f"""\
        from dataclasses import dataclass
        from datetime import UTC, datetime
        from decimal import Decimal

        @dataclass
        class Made:
            id: str
            total: Decimal

        def it():
            return {given}
        """,
    )
    assert call("give:it", tmp_path, output) == value


@pytest.mark.parametrize(
    ("given", "output"),
    [("1", str), ("'1'", int), ("True", int), ("'poem'", Literal["a"]), ("{'id': 'A'}", Order), ("object()", str),
     ("None", str), ("float('nan')", int), ("{'id': 'A', 'total': '1', 'more': 1}", Order)],
)  # fmt: skip
def test_a_result_of_another_type_is_told(write: Write, tmp_path: Path, given: str, output: Any) -> None:
    write("give.py", f"def it(): return {given}\n")
    with pytest.raises(StepError, match="give:it") as caught:
        call("give:it", tmp_path, output)
    assert caught.value.name == "tool.invalid_output"
    assert caught.value.matches("tool")


@pytest.mark.parametrize(
    ("raised", "names"),
    [
        ("ValueError('no such order')", ["python.ValueError", "python", "tool", "python.Exception"]),
        ("FileNotFoundError('no such order')", ["python.FileNotFoundError", "python.OSError"]),
        ("Mine('no such order')", ["python.Mine", "tool"]),
        ("ConnectionResetError('no such order')", ["connection", "python.ConnectionResetError"]),
        ("TimeoutError('no such order')", ["timeout"]),
        ("StopIteration('no such order')", ["python.StopIteration"]),
        ("SystemExit('no such order')", ["python.SystemExit", "tool"]),
        ("__import__('asyncio').CancelledError('no such order')", ["python.CancelledError", "tool"]),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_what_a_tool_raises_is_a_python_error(
    write: Write, tmp_path: Path, raised: str, names: list[str], kind: str
) -> None:
    if kind == "async def" and "StopIteration" in raised:
        pytest.skip("a coroutine cannot raise it")
    write("give.py", f"class Mine(Exception): pass\n{kind} it(): raise {raised}\n")
    with pytest.raises(StepError, match="no such order") as caught:
        call("give:it", tmp_path)
    assert all(caught.value.matches(name) for name in names)
    assert caught.value.__cause__ is not None  # its traceback is worth having


def test_a_context_tells_the_watcher_and_shows_the_state(write: Write, tmp_path: Path) -> None:
    write(
        "slow.py",
        "def work(context, n):\n    context.report(f'at {n}')\n    return context.state['count'] + n\n",
    )
    host = Host()
    assert call("slow:work", tmp_path, int, host, n=1) == 4
    assert host.told == ["at 1"]
    assert host.threads == {threading.get_ident()}


def test_a_secret_arrives_and_stays_out_of_everything_else(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_KEY", "value-nobody-may-see")
    write(
        "shop.py",
        """\
        def open(key, context, fail=False):
            context.report("with " + key)
            if fail:
                raise ValueError("bad key " + key)
            return {"key": key, "length": len(key)}
        """,
    )
    host, secrets = Host(), {"key": Secret("SHOP_KEY")}
    assert call("shop:open", tmp_path, host=host, secrets=secrets) == {
        "key": "[secret SHOP_KEY]",
        "length": 20,
    }
    assert host.told == ["with [secret SHOP_KEY]"]
    with pytest.raises(StepError, match=r"bad key \[secret SHOP_KEY\]") as caught:
        call("shop:open", tmp_path, secrets=secrets, fail=True)
    assert caught.value.__cause__ is None


def test_a_missing_secret_names_its_variable(write: Write, tmp_path: Path) -> None:
    write("shop.py", "def open(key): ...\n")
    with pytest.raises(SettingsError, match="NO_SUCH_KEY"):
        call("shop:open", tmp_path, secrets={"key": Secret("NO_SUCH_KEY")})


def test_packages_and_neighbours_import_each_other(write: Write, tmp_path: Path) -> None:
    write("shop/__init__.py", "")
    write("shop/db.py", "NAME = 'db'\n")
    write(
        "shop/orders.py",
        """\
        import helper_of_shop
        import shop.db
        from shop import db
        from shop.db import NAME
        from . import db as near

        def find():
            import second_helper as late
            return [NAME, db.NAME, near.NAME, shop.db.NAME, helper_of_shop.NAME, late.NAME]
        """,
    )
    write("helper_of_shop.py", "NAME = 'helper'\n")
    write("second_helper.py", "NAME = 'late'\n")
    assert call("shop.orders:find", tmp_path) == ["db", "db", "db", "db", "helper", "late"]
    assert not {"shop", "shop.db", "helper_of_shop", "second_helper"} & set(sys.modules)


def test_folders_do_not_see_each_others_modules(write: Write, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(f"{folder}/tools.py", "from names import NAME\ndef name(): return NAME\n")
        write(f"{folder}/names.py", f"NAME = {folder!r}\n")
    assert [call("tools:name", tmp_path / folder) for folder in ("one", "two")] == ["one", "two"]


def test_a_module_beside_never_hides_an_installed_one(write: Write, tmp_path: Path) -> None:
    write("json.py", "raise RuntimeError('hidden')\n")
    write("pydantic.py", "raise RuntimeError('hidden')\n")
    write("tools.py", "import json, pydantic\ndef dump(): return json.dumps([]) + pydantic.__name__\n")
    assert call("tools:dump", tmp_path) == "[]pydantic"


def test_a_module_is_loaded_once(write: Write, tmp_path: Path) -> None:
    write("counter.py", "COUNT = []\ndef up():\n    COUNT.append(1)\n    return len(COUNT)\n")
    assert [call("counter:up", tmp_path) for _ in range(3)] == [1, 2, 3]


def test_settings_allow_modules_from_elsewhere(write: Write, tmp_path: Path) -> None:
    spec = write("specs/spec.yaml", "")
    with pytest.raises(SettingsError, match=r'modules = \["textwrap"\]'):
        call("textwrap:dedent", spec, text=" a")
    write("pyproject.toml", '[tool.wfc]\nmodules = ["textwrap", "shop.*"]\n')
    assert call("textwrap:dedent", spec, text=" a") == "a"
    write("shop/orders.py", "def find(): return 1\n")
    assert call("shop.orders:find", spec) == 1
    with pytest.raises(SettingsError, match="no module `shopping`"):
        call("shopping:find", spec)


def test_a_module_that_leaves_the_program_is_told(write: Write, tmp_path: Path) -> None:
    write("leaves.py", "raise SystemExit(0)\n")
    with pytest.raises(SettingsError, match="`leaves` cannot be loaded: SystemExit: 0"):
        call("leaves:find", tmp_path)


@pytest.mark.parametrize(
    "function",
    ["os:system", "os.path:join", "builtins:eval", "..secret:find", "/etc/passwd:x", "a/b:c", "orders", "orders:",
     ":find", "orders:find.more", "missing:find", "orders:missing", "orders:NAME", "orders.more:find", "_pytest:x"],
)  # fmt: skip
def test_nothing_else_is_loaded(write: Write, tmp_path: Path, function: str) -> None:
    write("orders.py", "NAME = 'x'\ndef find(): ...\n")
    write("../secret.py", "raise RuntimeError\n")
    with pytest.raises(SettingsError):
        call(function, tmp_path / "spec.yaml")


@pytest.mark.parametrize(
    "text", ["raise ValueError('at load')", "def broken(", "import no_such_package_at_all"]
)
def test_a_module_that_does_not_load_says_why(write: Write, tmp_path: Path, text: str) -> None:
    write("orders.py", text)
    with pytest.raises(SettingsError, match="`orders` cannot be loaded"):
        call("orders:find", tmp_path)


def test_arguments_that_do_not_fit_are_told(write: Write, tmp_path: Path) -> None:
    write("orders.py", "def find(order_id): ...\n")
    with pytest.raises(StepError, match="order") as caught:
        call("orders:find", tmp_path, order="A")
    assert caught.value.name == "tool.arguments"


class Wanted(StartEvent):
    times: int = 3


def test_tools_get_resources_that_are_made_once_a_run_and_closed(write: Write, tmp_path: Path) -> None:
    write(
        "shop.py",
        """
        import asyncio

        made = []

        async def connect():
            await asyncio.sleep(0.01)
            made.append([])
            yield made[-1]
            made[-1].append("closed")

        async def find(n, db, other="none"):
            db.append(n)
            return other

        async def alone(n):
            return "none"

        def seen():
            return made
        """,
    )
    db = PythonResource("shop:connect", beside=str(tmp_path))

    def tool(name: str) -> PythonTool[Any]:
        return PythonTool(f"shop:{name}", output=str, beside=tmp_path, resources={"db": db, "unused": db})

    class Shopping(Workflow):
        @pause
        def work(self, event: Wanted) -> Items[int]:
            return Items(range(event.times))

        @work.item(num_workers=8)
        async def work_item(self, ctx: Context, event: Wanted, item: Item[int]) -> str:
            await ctx.tool(tool("alone"), {"n": item})
            return await ctx.tool(tool("find"), {"n": item})

        @work.then
        def after_work(self, event: Wanted, result: list[str]) -> StopEvent:
            return StopEvent(result=result)

    async def main() -> Any:
        results = [await Shopping().run(), await Shopping().run(times=1)]
        return results, await call_tool(Host(), PythonTool("shop:seen", beside=tmp_path), {})

    results, made = asyncio.run(main())
    assert results == [["none"] * 3, ["none"]]
    assert [sorted(one[:-1]) for one in made] == [[0, 1, 2], [0]]
    assert [one[-1] for one in made] == ["closed", "closed"]
