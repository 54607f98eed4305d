"""Subclasses have steps, helpers and attributes of any name but those that every workflow has."""

from workflows import Workflow, step
from workflows.events import Event, StartEvent, StopEvent


class Prepared(Event):
    rows: int


class Checked(Event):
    rows: int


class Attributes(Workflow):
    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.engine = "sqlite://"
        self.table = "orders"
        self.timeout = "soon"
        self.prepare = len
        self.resource_manager = {"kept": 1}

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(
            result=[self.engine, self.table, self.timeout, self.prepare("abc"), self.resource_manager]
        )


class Steps(Workflow):
    @step
    async def prepare(self, ev: StartEvent) -> Prepared:
        return Prepared(rows=2)

    @step
    async def table(self, ev: Prepared) -> Checked:
        return Checked(rows=ev.rows + 1)

    @step
    async def engine(self, ev: Checked) -> StopEvent:
        return StopEvent(result=ev.rows)


class Helpers(Workflow):
    def table(self, name: str) -> str:
        return f"table {name}"

    def prepare(self, text: str) -> str:
        return text.strip()

    def engine(self) -> str:
        return "engine"

    def timeout(self, seconds: int) -> int:
        return seconds * 2

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=[self.table("a"), self.prepare(" b "), self.engine(), self.timeout(3)])


async def main() -> object:
    return [
        await Attributes(timeout=5).run(),
        await Steps(timeout=5).run(),
        await Helpers(timeout=5).run(),
    ]


EXPECTED = [
    ["sqlite://", "orders", "soon", 3, {"kept": 1}],
    3,
    ["table a", "b", "engine", 6],
]
