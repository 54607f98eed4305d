"""The workflow greet."""

# Generated from minimal.yaml. Edit the spec, not this file.
# sha256:aa46e439e9acf753520f19d0bf8e129688c52d422389c6dd578be1643bb572ea, output format 2

from typing import Any, overload

from wfc.runtime import (
    ClosedFields,
    Context,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowHandler,
    require_output_format,
    transform,
)

require_output_format(2, "minimal.yaml")


class Asked(ClosedFields, StartEvent):
    name: str


class Greeted(ClosedFields, StopEvent):
    text: str


class Greet(Workflow, name="greet", source="minimal.yaml"):
    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *,
        name: str,
    ) -> WorkflowHandler[Greeted]:
        """Start a run with these inputs."""

    @overload
    def run(
        self,
        ctx: Context[Any] | None = None,
        *,
        start_event: StartEvent,
        run_id: str | None = None,
    ) -> WorkflowHandler[Greeted]:
        """Start a run with an event."""

    @overload
    def run(
        self,
        ctx: Context[Any],
        *,
        run_id: str | None = None,
    ) -> WorkflowHandler[Greeted]:
        """Go on with a context."""

    def run(self, *args: Any, **inputs: Any) -> WorkflowHandler[Greeted]:
        """Start a run.

        Its inputs are ``name``.
        """
        return super().run(*args, **inputs)

    # minimal.yaml:9
    @transform
    def greet(self, event: Asked) -> Greeted:
        return Greeted(text=f"Hello {event.name}")
