"""Runs as OpenTelemetry's spans, kept by the exporter of its SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes, http_attributes
from opentelemetry.semconv.attributes import error_attributes, server_attributes
from opentelemetry.trace import SpanKind, StatusCode

from wfc.runtime import (
    Context,
    Event,
    PythonTool,
    RetryPolicy,
    Secret,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    Workflow,
    step,
)
from wfc.runtime.driver.run import Run
from wfc.runtime.testing import run_virtually
from wfc.runtime.tracing import conventions, get_dispatcher, instrument_tags, opentelemetry


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> TracerProvider:
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


@pytest.fixture
def installed(provider: TracerProvider) -> Iterator[None]:
    handler = opentelemetry.install(provider)
    yield
    get_dispatcher().remove_handler(handler)


@pytest.fixture
def recording_content(provider: TracerProvider) -> Iterator[None]:
    handler = opentelemetry.install(provider, record_content=True)
    yield
    get_dispatcher().remove_handler(handler)


class Asked(StartEvent):
    secret_word: str = "xyzzy"
    fails: int = 0


class Told(Event):
    text: str


class Inner(Workflow):
    def __init__(self, **options: Any) -> None:
        super().__init__(workflow_name="inner", **options)

    @step
    async def only(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result="inside")


class Flow(Workflow):
    def __init__(self, **options: Any) -> None:
        super().__init__(workflow_name="flow", **options)

    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1.0))
    async def first(self, ctx: Context, ev: Asked) -> Told:
        if ctx.attempt <= ev.fails:
            raise StepError("http.503", f"no answer about {ev.secret_word}", status=503)
        return Told(text=await Inner().run())

    @step
    async def second(self, ev: Told) -> StopEvent:
        return StopEvent(result=ev.text)


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def tree(exporter: InMemorySpanExporter, parent: int | None = None) -> dict[str, Any]:
    spans = sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
    return {
        span.name: tree(exporter, span.context.span_id)
        for span in spans
        if (span.parent.span_id if span.parent else None) == parent
    }


@pytest.mark.usefixtures("installed")
def test_one_trace_through_steps_attempts_and_inner_runs(exporter: InMemorySpanExporter, play: Any) -> None:
    assert play(Flow) == "inside"
    assert tree(exporter) == {
        "invoke_workflow flow": {
            "step first": {
                "attempt first 1": {"invoke_workflow inner": {"step only": {"attempt only 1": {}}}}
            },
            "step second": {"attempt second 1": {}},
        }
    }
    assert len({span.context.trace_id for span in exporter.get_finished_spans()}) == 1
    run = by_name(exporter)["invoke_workflow flow"]
    assert run.kind is SpanKind.INTERNAL and run.status.status_code is StatusCode.UNSET
    attributes = dict(run.attributes or {})
    assert len(str(attributes.pop("wfc.run.id"))) == 32
    assert attributes == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "flow",
        "wfc.step.emitted": ("StopEvent",),
    }


@pytest.mark.usefixtures("installed")
def test_errors_have_their_dotted_name_and_no_words(exporter: InMemorySpanExporter, play: Any) -> None:
    with pytest.raises(StepFailedError):
        play(Flow, fails=2)
    for name in ("attempt first 1", "attempt first 2", "step first", "invoke_workflow flow"):
        span = by_name(exporter)[name]
        assert span.status.status_code is StatusCode.ERROR and span.status.description is None
        assert (span.attributes or {})["error.type"] == "http.503"
    assert "xyzzy" not in "".join(span.to_json() for span in exporter.get_finished_spans())


@pytest.mark.usefixtures("recording_content")
def test_content_is_recorded_where_it_was_asked_for(exporter: InMemorySpanExporter, play: Any) -> None:
    with pytest.raises(StepFailedError):
        play(Flow, fails=2)
    spans = by_name(exporter)
    assert json.loads(str((spans["step first"].attributes or {})["wfc.content.event"])) == {
        "secret_word": "xyzzy",
        "fails": 2,
    }
    assert spans["attempt first 1"].status.description == "no answer about xyzzy"


@pytest.mark.usefixtures("installed")
def test_it_is_below_the_callers_span_and_above_what_a_step_opens(
    exporter: InMemorySpanExporter, provider: TracerProvider
) -> None:
    tracer = provider.get_tracer("user")

    class Busy(Workflow):
        def __init__(self, **options: Any) -> None:
            super().__init__(workflow_name="busy", **options)

        @step
        async def works(self, ev: StartEvent) -> Told:
            with tracer.start_as_current_span("query"):
                await asyncio.sleep(1)
            return Told(text="")

        @step
        def blocks(self, ev: Told) -> StopEvent:
            with tracer.start_as_current_span("compute"):
                return StopEvent()

    async def main() -> None:
        with tracer.start_as_current_span("request"), instrument_tags({"user": "ada", "odd": object()}):
            await Busy().run()

    run_virtually(main)
    assert tree(exporter) == {
        "request": {
            "invoke_workflow busy": {
                "step works": {"attempt works 1": {"query": {}}},
                "step blocks": {"attempt blocks 1": {"compute": {}}},
            }
        }
    }
    attributes = by_name(exporter)["attempt works 1"].attributes or {}
    assert attributes["wfc.tag.user"] == "ada" and "wfc.tag.odd" not in attributes


@pytest.mark.usefixtures("installed")
def test_a_trace_goes_on_after_a_restart(exporter: InMemorySpanExporter) -> None:
    async def main() -> dict[str, str]:
        first = Run(Flow(), Asked(), "one")
        first.begin()
        await first.future
        return json.loads(json.dumps(first.trace_context))  # type: ignore[no-any-return]

    carried = run_virtually(main)

    async def again() -> None:
        other = Run(Flow(), Asked(), "one", trace_parent=carried)
        other.begin()
        await other.future

    run_virtually(again)
    first, other = [span for span in exporter.get_finished_spans() if span.name == "invoke_workflow flow"]
    assert other.parent is not None and other.parent.span_id == first.context.span_id
    assert other.context.trace_id == first.context.trace_id


def test_a_dispatcher_of_one_class_traces_only_its_runs(
    exporter: InMemorySpanExporter, provider: TracerProvider, play: Any
) -> None:
    name = f"{__name__}.Inner"
    handler = opentelemetry.install(provider, name=name)
    try:
        play(Flow)
    finally:
        get_dispatcher(name).remove_handler(handler)
    assert tree(exporter) == {"invoke_workflow inner": {"step only": {"attempt only 1": {}}}}


@pytest.mark.usefixtures("installed")
def test_a_tool_is_a_span_without_what_it_was_given(
    exporter: InMemorySpanExporter, play: Any, tmp_path: Path
) -> None:
    (tmp_path / "otel_tools.py").write_text("def find(order: str) -> str:\n    return 'found ' + order\n")

    class Finder(Workflow):
        @step
        async def find(self, ctx: Context, ev: StartEvent) -> StopEvent:
            tool = PythonTool("otel_tools:find", str, beside=tmp_path)
            return StopEvent(result=await ctx.tool(tool, {"order": "A-17"}))

    assert play(Finder) == "found A-17"
    span = by_name(exporter)["execute_tool find"]
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.type": "function",
    }
    assert "A-17" not in "".join(one.to_json() for one in exporter.get_finished_spans())


def test_names_are_those_of_the_conventions() -> None:
    theirs = {
        value
        for module in (gen_ai_attributes, http_attributes, error_attributes, server_attributes)
        for value in vars(module).values()
        if isinstance(value, str)
    }
    theirs |= {one.value for one in gen_ai_attributes.GenAiOperationNameValues}
    ours = {
        getattr(conventions, name)
        for name in conventions.__all__
        if not getattr(conventions, name).startswith("wfc.")
    }
    assert ours <= theirs


@pytest.mark.usefixtures("recording_content")
def test_secrets_are_not_content(
    exporter: InMemorySpanExporter, play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "tok-1234567890-of-nobody"
    monkeypatch.setenv("DESK_TOKEN", value)
    (tmp_path / "otel_secret.py").write_text(
        "def used(order: str, token: str) -> str:\n"
        "    if order == 'bad':\n"
        "        raise ValueError('refused ' + token)\n"
        "    return 'used ' + token\n"
    )

    class Uses(Workflow):
        @step
        async def use(self, ctx: Context, ev: Asked) -> StopEvent:
            tool = PythonTool(
                "otel_secret:used", str, beside=tmp_path, secrets={"token": Secret("DESK_TOKEN")}
            )
            return StopEvent(result=await ctx.tool(tool, {"order": ev.secret_word}))

    play(Uses)
    with pytest.raises(StepFailedError):
        play(Uses, secret_word="bad")
    written = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert value not in written
    assert "[secret DESK_TOKEN]" in written
    assert '\\"order\\": \\"xyzzy\\"' in written
