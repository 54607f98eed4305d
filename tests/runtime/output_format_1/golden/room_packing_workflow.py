"""Pack the things of one room into boxes, and say how many there are."""

# Generated from room_packing.yaml. Edit the spec, not this file.
# sha256:6b460980cd1e012a5d7efba4d7e64e3812358c51a7fcaae2db5134adafd7db61, output format 1

from typing import Annotated

from pydantic import Field
from wfc.runtime import (
    Event,
    Inputs,
    RunConfig,
    RunState,
    StartEvent,
    StopEvent,
    Workflow,
    require_output_format,
    transform,
)

require_output_format(1, "room_packing.yaml")


class PackingBegan(StartEvent, closed=True):
    room: str


class BoxFull(Event, closed=True):
    pass


class RoomPacked(StopEvent, closed=True):
    boxes: int


class TapeGone(StopEvent, closed=True):
    pass


class Config(RunConfig):
    tape_for: Annotated[
        int,
        Field(description="How many boxes can be closed with the tape that is there."),
    ] = 30


class State(RunState):
    boxes: int = 0


class RoomPacking(
    Workflow,
    name="room_packing",
    config=Config,
    source="room_packing.yaml",
):
    """Pack the things of one room into boxes, and say how many there are."""

    # room_packing.yaml:27
    @transform
    def pack_box(
        self,
        event: PackingBegan | BoxFull,
        inputs: Inputs[PackingBegan],
        state: State,
    ) -> RoomPacked | BoxFull:
        boxes = state.boxes + 1
        emitted: RoomPacked | BoxFull
        if boxes >= len(inputs.room):
            emitted = RoomPacked(boxes=boxes)
        else:
            emitted = BoxFull()
        state.boxes = boxes
        return emitted

    @pack_box.on_limit
    def pack_box_over_limit(self) -> TapeGone:
        return TapeGone()

    @pack_box.max_runs
    def pack_box_max_runs(self, config: Config) -> int:
        return config.tape_for
