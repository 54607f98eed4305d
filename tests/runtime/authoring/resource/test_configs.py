"""Config files as models that steps and factories ask for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from wfc.runtime import (
    Resource,
    ResourceConfig,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowValidationError,
    step,
)

Play = Callable[..., Any]


class Limits(BaseModel):
    most: int


def with_config(config: ResourceConfig) -> type[Workflow]:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, limits: Annotated[Limits, config]) -> StopEvent:
            return StopEvent(result=limits.most)

    return Flow


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "outside.json").write_text('{"most": 1}')
    folder = tmp_path / "project"
    (folder / "conf").mkdir(parents=True)
    (folder / "wfc.toml").write_text("")
    (folder / "conf" / "limits.json").write_text(json.dumps({"most": 3, "deep": {"er": {"most": 5}}}))
    (folder / "wrong.json").write_text('{"most": "many"}')
    (folder / "broken.json").write_text("{")
    (folder / "away.json").symlink_to(tmp_path / "outside.json")
    monkeypatch.chdir(folder / "conf")
    return folder


@pytest.mark.parametrize(
    ("file", "place", "most"),
    [("limits.json", None, 3), ("limits.json", "deep.er", 5), ("../conf/limits.json", None, 3)],
)
def test_a_config_file_becomes_a_model(
    project: Path, play: Play, file: str, place: str | None, most: int
) -> None:
    assert play(with_config(ResourceConfig(file, place))) == most


@pytest.mark.parametrize(
    ("file", "place", "said"),
    [
        ("none.json", None, "there is no file none.json"),
        ("limits.json", "deep.est", "no record at `deep.est`"),
        ("limits.json", "most", "no record at `most`"),
        ("../wrong.json", None, "valid integer"),
        ("../broken.json", None, "is not JSON"),
        ("../../outside.json", None, "outside of the project"),
        ("../away.json", None, "outside of the project"),
        ("/etc/x.json", None, "outside of the project"),
    ],
)
def test_a_wrong_config_file_is_told_of_before_anything_runs(
    project: Path, file: str, place: str | None, said: str
) -> None:
    flow = with_config(ResourceConfig(file, place))()
    with pytest.raises(WorkflowValidationError, match=said):
        flow.validate()
    assert flow.validate(validate_resource_configs=False) is False


def test_a_config_is_a_model_from_a_json_file() -> None:
    with pytest.raises(ValueError, match=r"limits\.toml"):
        ResourceConfig("limits.toml")

    class Flow(Workflow):
        @step
        async def start(
            self, ev: StartEvent, it: Annotated[dict[str, int], ResourceConfig("a.json")]
        ) -> StopEvent: ...

    with pytest.raises(WorkflowValidationError, match="gives a pydantic model"):
        Flow()


def test_a_factory_asks_for_a_config(project: Path, play: Play) -> None:
    def connect(limits: Annotated[Limits, ResourceConfig("limits.json")]) -> str:
        return f"db of {limits.most}"

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, db: Annotated[str, Resource(connect)]) -> StopEvent:
            return StopEvent(result=db)

    assert play(Flow) == "db of 3"
    (project / "conf" / "limits.json").unlink()
    with pytest.raises(WorkflowValidationError, match="step `start`, `limits`: there is no file"):
        Flow().validate()


def test_resources_are_tried_on_request_also_inside_an_event_loop() -> None:
    closed = []

    def works() -> Iterator[str]:
        yield "fine"
        closed.append(1)

    def fails() -> str:
        raise ConnectionError("nobody there")

    class Flow(Workflow):
        @step
        async def start(
            self, ev: StartEvent, one: Annotated[str, Resource(works)], two: Annotated[str, Resource(fails)]
        ) -> StopEvent: ...

    async def main() -> None:
        with pytest.raises(
            WorkflowValidationError, match="step `start`, `two`: ConnectionError: nobody there"
        ):
            Flow().validate(validate_resources=True)

    Flow().validate()
    asyncio.run(main())
    assert closed == [1]
