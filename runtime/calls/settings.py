"""The project's settings, and what the environment gives a workflow.

Settings are the table ``[tool.wfc]`` of the nearest ``pyproject.toml`` that has one, or the nearest
``wfc.toml``, searched upward from the spec's folder::

    [tool.wfc]
    modules = ["shop.*"]            # that python tools may come from, besides those beside the spec
    commands = ["npx"]              # that may be started
    config = {desk_url = "https://desk.example.com"}
    prices = {"openai:gpt-4o-mini" = {input = 0.15, output = 0.6}}  # US dollars for a million tokens
    import_tools = false            # `wfc check --import-tools` may not import them
    store = "sqlite:///runs.db"     # where runs are kept; a relative path is one from this file's folder
    tell = {program = ["notify"]}    # who is told of open questions and failed runs: see ``wfc.schemas.tell``
    hosts = {"api.shop.example" = {rate = "60 per min", at_once = 4}}  # how often hosts may be asked
    vectors = {database = "VECTORS"}  # where vectors of collections are kept, or {python = "module:store"}
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.errors import SettingsError
from wfc.runtime.values.outputs import adapter
from wfc.schemas.rates import BadRateError, read_hosts
from wfc.schemas.settings import KEYS, MAX_BYTES, SettingsFile, settings_file
from wfc.schemas.tell import BadTellError, Tell, read_tell

__all__ = ["Price", "Settings", "read_config", "settings_near"]

Config = TypeVar("Config", bound=BaseModel)

_PREFIX = "WFC_"


class Price(NamedTuple):
    """The price of a model, in US dollars for a million tokens."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Settings:
    """A project's settings.

    Args:
        path: The file they come from, or ``None`` where there is none.
        modules: Patterns such as ``shop.*`` of module names that python tools may come from.
        commands: Names or paths of commands that may be started.
        config: Values for the config of workflows, by name.
        prices: Prices of models, by ``provider:name``, for workflows that limit their cost.
        import_tools: Whether a check that is asked to may import python tools.
        store: The address of the store of runs; empty: none is named.
        tell: Who is told of what waits for people; ``None``: nobody.
        hosts: How often hosts may be asked, by host, or by host and port.
        vectors: Where vectors of collections are kept: ``database`` and the name of the environment variable with its
            address, or ``python`` and an object as ``module:name``; empty: in files.
    """

    path: Path | None = None
    modules: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    config: Mapping[str, object] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    import_tools: bool = True
    store: str = ""
    tell: Tell | None = None
    hosts: Mapping[str, CallLimit] = field(default_factory=dict)
    vectors: tuple[str, ...] = ()

    @property
    def told_from(self) -> str:
        """A description of where the settings come from."""
        return str(self.path) if self.path is not None else "there are none"

    def allows_module(self, name: str) -> bool:
        """Return whether python tools may come from this module. ``shop.*`` allows ``shop`` itself too."""
        return any(
            fnmatchcase(name, pattern) or (pattern.endswith(".*") and name == pattern[:-2])
            for pattern in self.modules
        )

    def import_module(self, name: str) -> ModuleType:
        """Import an allowed module from the folder of the settings, or else an installed one."""
        from wfc.runtime.calls.sibling_modules import sibling_module

        beside = sibling_module(self.path.parent, name) if self.path is not None else None
        return beside if beside is not None else importlib.import_module(name)


def settings_near(folder: Path) -> Settings:
    """Return the settings that apply to specs in a folder; empty settings if there is no file.

    Raises:
        SettingsError: The file cannot be read, or contains something that is not a setting.
    """
    file = settings_file(str(folder))
    return Settings() if file is None else _read(file)


@lru_cache(maxsize=64)
def _read(file: SettingsFile) -> Settings:
    path = Path(file.path)
    if file.unreadable:
        raise SettingsError(f"{path} cannot be read: {file.unreadable}")
    if len(file.raw) > MAX_BYTES:
        raise SettingsError(f"{path} is too large to be read as settings")
    try:
        data = file.table()
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    return Settings() if data is None else _settings(path, data)


def _settings(path: Path, data: object) -> Settings:
    def wrong(what: str) -> NoReturn:
        where = "[tool.wfc] of " if path.name == "pyproject.toml" else ""
        raise SettingsError(f"{where}{path}: {what}")

    if not isinstance(data, dict):
        wrong("it must be a table")
    unknown = sorted(set(data) - KEYS)
    if unknown:
        wrong(f"`{unknown[0]}` is no setting; there are {', '.join(f'`{key}`' for key in sorted(KEYS))}")
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("modules", "commands"):
        value = data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            wrong(f"`{key}` must be a list of strings")
        lists[key] = tuple(value)
    config = data.get("config", {})
    if not isinstance(config, dict):
        wrong("`config` must be a table of values by name")
    prices = data.get("prices", {})
    if not isinstance(prices, dict) or not all(_is_price(price) for price in prices.values()):
        wrong("`prices` must be a table of `{input = …, output = …}` by model, numbers that are not negative")
    import_tools = data.get("import_tools", True)
    if not isinstance(import_tools, bool):
        wrong("`import_tools` must be `true` or `false`")
    store = data.get("store", "")
    if not isinstance(store, str):
        wrong('`store` must be the address of a store, such as "sqlite:///runs.db"')
    try:
        tell = read_tell(data["tell"], lists["commands"]) if "tell" in data else None
    except BadTellError as error:
        wrong(str(error))
    try:
        hosts = read_hosts(data["hosts"]) if "hosts" in data else {}
    except BadRateError as error:
        wrong(str(error))
    vectors = data.get("vectors", {"python": ""})
    if not (
        isinstance(vectors, dict)
        and len(vectors) == 1
        and vectors.keys() <= {"database", "python"}
        and all(isinstance(value, str) and (value or "vectors" not in data) for value in vectors.values())
        and "://" not in str(vectors)
    ):
        wrong(
            '`vectors` must be `{database = "VARIABLE"}`, the environment variable with the address of a PostgreSQL '
            'database, or `{python = "module:store"}`'
        )
    return Settings(
        path,
        lists["modules"],
        lists["commands"],
        config,
        {model: Price(float(price["input"]), float(price["output"])) for model, price in prices.items()},
        import_tools,
        store,
        tell,
        {host: CallLimit(f"host {host}", *limits) for host, limits in hosts.items()},
        next(iter(vectors.items())) if "vectors" in data else (),
    )


def _is_price(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"input", "output"}
        and all(isinstance(one, int | float) and 0 <= one < float("inf") for one in value.values())
        and not any(isinstance(one, bool) for one in value.values())
    )


def read_config(config: type[Config], near: Path) -> Config:
    """Return a workflow's config: each field from the environment (``WFC_<NAME>``), or else the settings.

    Text is read as the field's type: as JSON where that is what fits, else as it is.

    Args:
        near: The spec's folder.

    Raises:
        SettingsError: A value is missing or does not fit; the message names each variable.
    """
    settings = settings_near(near)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, info in config.model_fields.items():
        key = info.alias or name
        variable = _PREFIX + key.upper()
        if variable in os.environ:
            values[key] = _from_text(os.environ[variable], info.annotation)
            sources[key] = f"the environment variable {variable}"
        elif key in settings.config:
            values[key] = settings.config[key]
            sources[key] = f"`config.{key}` in {settings.path}"
    try:
        return config.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        said = sorted({_problem(one["loc"], one["msg"], one["type"], sources, settings) for one in found})
    raise SettingsError("; ".join(said))


def _problem(
    place: tuple[int | str, ...], message: str, kind: str, sources: Mapping[str, str], settings: Settings
) -> str:
    key = str(place[0]) if place else ""
    if kind == "missing" and len(place) == 1:
        file = settings.path if settings.path is not None else "wfc.toml"
        return (
            f"the config `{key}` is missing: set the environment variable {_PREFIX}{key.upper()}, "
            f"or `config.{key}` in {file}"
        )
    where = sources.get(key, f"the default of `{key}`")
    return f"{where} does not fit: {message[:1].lower()}{message[1:]}"


def _from_text(text: str, annotation: Any) -> Any:
    """Return a variable's text as data: unchanged if that fits the type, else parsed if it is JSON."""
    if text == "" and type(None) in getattr(annotation, "__args__", ()):
        return None
    try:
        adapter(annotation).validate_python(text)
    except ValidationError:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return text
