"""The workflow json_texts."""

# Generated from json_texts.yaml. Edit the spec, not this file.
# sha256:f493ba8cdcb7926c4e622348d5b5edd6165e31b88b3e5309df87b13be13ad28c, output format 2

from typing import Annotated, Any, Literal, overload

from pydantic import Field
from wfc.runtime import (
    ClosedFields,
    Context,
    Duration,
    Moment,
    Number,
    Output,
    Record,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    filters,
    require_output_format,
    transform,
)
from wfc.runtime.records import File

require_output_format(2, "json_texts.yaml")

Kind = Literal["book", "pen"]


class Line(Record):
    count: int
    price: Number | None = None


class Order(Record):
    id: Annotated[str, Field(validation_alias="orderId")]
    kind: Kind
    lines: list[Line]


class Note(Record):
    text: str


class Pair1(Record):
    a: str


class Pair2(Record):
    b: str


class Came(ClosedFields, StartEvent):
    text: str
    texts: list[str]


class Read(ClosedFields, StopEvent):
    orders: list[Order]
    by_id: dict[str, Order]
    all: list[Order]
    number: Number
    kind: Kind
    maybe: str | None = None
    took: Duration
    at: Moment
    any: Any
    either: Order | int | Literal["none"]
    late: bool
    text: str


class JsonTexts(Workflow, name="json_texts", source="json_texts.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        text: str,
        texts: list[str],
    ) -> WorkflowHandler[Read]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Read]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Read]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Read]:
        """Start a run.

        Its inputs are ``text``, ``texts``.
        """
        return super().run(*args, **inputs)

    # json_texts.yaml:28
    @transform
    def read(self, event: Came) -> Read:
        return Read(
            orders=filters.from_json(event.text, list[Order]),
            by_id=filters.from_json(event.text, dict[str, Order]),
            all=[
                filters.from_json(text, Order)
                for text in filters.at_most(100_000, event.texts)
            ],
            number=filters.finite(
                filters.from_json(event.text, Output[Number](Number)) * 2,
            ),
            kind=filters.from_json(event.text, Output[Kind](Kind)),
            maybe=filters.from_json(event.text, Output[str | None](str | None)),
            took=filters.from_json(event.text, Duration),
            at=filters.from_json(event.text, Output[Moment](Moment)),
            any=filters.from_json(event.text, Output[Any](Any)),
            either=filters.from_json(
                event.text,
                Output[Order | int | Literal["none"]](Order | int | Literal["none"]),
            ),
            late=(
                filters.total(filters.from_json(event.text, list[Duration]))
                > filters.duration("1 h")
            ),
            text="".join(
                [
                    filters.from_json(event.text, Order).id,
                    ", ",
                    filters.from_json(event.text, Output[Kind](Kind)),
                    ", ",
                    (
                        "an order"
                        if isinstance(
                            filters.from_json(
                                event.text,
                                Output[Order | int | Literal["none"]](
                                    Order | int | Literal["none"],
                                ),
                            ),
                            Order,
                        )
                        else "something else"
                    ),
                    ", ",
                    filters.json(
                        filters.from_json(
                            event.text,
                            Output[Pair1 | Pair2](Pair1 | Pair2),
                        ),
                    ),
                    ", ",
                    filters.json(filters.from_json(event.text, File)),
                    ", ",
                    filters.from_json(event.text, Note).text,
                    ", ",
                    "".join(filters.from_json(event.text, Came).texts),
                ],
            ),
        )
