"""Settings of a project, and the config that the environment gives a workflow."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field

from wfc.runtime.calls.settings import read_config, settings_near
from wfc.runtime.errors import SettingsError
from wfc.runtime.events import RunConfig


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wfc.toml", 'modules = ["shop.*"]\ncommands = ["npx"]\nconfig = {desk_url = "https://desk"}\n'),
        ("pyproject.toml", '[tool.wfc]\nmodules = ["shop.*"]\ncommands = ["npx"]\nconfig = {desk_url = "https://desk"}\n'),
    ],
)  # fmt: skip
def test_settings_are_found_upward(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # without ours: not the place
    found = settings_near(deep)
    assert (found.modules, found.commands, found.config) == (
        ("shop.*",),
        ("npx",),
        {"desk_url": "https://desk"},
    )
    assert found.path == tmp_path / name
    assert found.allows_module("shop.orders")
    assert found.allows_module("shop")
    assert not found.allows_module("shopping")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modules = 1", "`modules` must be a list"),
        ("modules = ['']", "`modules` must be a list"),
        ("module = ['a']", "`module` is no setting"),
        ("config = []", "`config` must be a table"),
        ("prices = 1", "`prices` must be a table"),
        ("prices = {m = {input = 1}}", "`prices` must be a table"),
        ("prices = {m = {input = 1, output = -1}}", "`prices` must be a table"),
        ("commands = [1]", "`commands` must be a list"),
        ("a = ", "is not TOML"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_wrong_settings_are_told_with_their_file(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = tmp_path / "wfc.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError, match=said) as caught:
        settings_near(tmp_path)
    assert str(file) in str(caught.value)


class Config(RunConfig):
    desk_url: str
    tries: int = Field(default=3, ge=1)
    fast: bool = False
    tags: list[str] = Field(default_factory=list)
    mood: Literal["good", "bad"] | None = None
    pause: timedelta | None = None
    class_: str = Field(default="a", alias="class")


def test_the_environment_comes_before_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wfc.toml").write_text('config = {desk_url = "file", tries = 5, other_workflow = 1}')
    assert read_config(Config, tmp_path) == Config(desk_url="file", tries=5)
    for name, text in {
        "DESK_URL": "[not json]",
        "TRIES": "7",
        "FAST": "true",
        "TAGS": '["a"]',
        "MOOD": "",
        "PAUSE": "PT2S",
        "CLASS": "b",
    }.items():
        monkeypatch.setenv(f"WFC_{name}", text)
    assert read_config(Config, tmp_path).model_dump(by_alias=True) == {
        "desk_url": "[not json]",
        "tries": 7,
        "fast": True,
        "tags": ["a"],
        "mood": None,
        "pause": timedelta(seconds=2),
        "class": "b",
    }


def test_a_missing_value_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"`desk_url` is missing: set the environment variable WFC_DESK_URL"
    ):
        read_config(Config, tmp_path)


@pytest.mark.parametrize(
    ("variable", "text"), [("TRIES", "0"), ("TRIES", "many"), ("TAGS", "a"), ("MOOD", "fair")]
)
def test_a_value_that_does_not_fit_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, text: str
) -> None:
    monkeypatch.setenv("WFC_DESK_URL", "x")
    monkeypatch.setenv(f"WFC_{variable}", text)
    with pytest.raises(SettingsError, match=f"WFC_{variable} does not fit"):
        read_config(Config, tmp_path)
