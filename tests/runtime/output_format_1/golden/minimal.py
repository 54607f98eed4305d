"""The workflow greet."""

# Generated from minimal.yaml. Edit the spec, not this file.
# sha256:aa46e439e9acf753520f19d0bf8e129688c52d422389c6dd578be1643bb572ea, output format 1

from wfc.runtime import (
    StartEvent,
    StopEvent,
    Workflow,
    require_output_format,
    transform,
)

require_output_format(1, "minimal.yaml")


class Asked(StartEvent, closed=True):
    name: str


class Greeted(StopEvent, closed=True):
    text: str


class Greet(Workflow, name="greet", source="minimal.yaml"):
    # minimal.yaml:9
    @transform
    def greet(self, event: Asked) -> Greeted:
        return Greeted(text=f"Hello {event.name}")
