"""The config of tests, which must not depend on the machine that they run on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from wfc.runtime.calls.settings import read_config
from wfc.runtime.errors import SettingsError
from wfc.runtime.values.outputs import problems

__all__ = ["config_for_tests", "config_with"]

Config = TypeVar("Config", bound=BaseModel)

_MADE_UP = (
    '"https://service.invalid"',
    '"test"',
    "1",
    "0",
    "1.5",
    "false",
    "[]",
    "{}",
    '"1"',
    '"2026-01-01"',
    '"2026-01-01T00:00:00Z"',
    '"PT1S"',
)


def config_for_tests(
    config: type[Config], near: Path, *, real: bool, given: Mapping[str, object] | None = None
) -> Config:
    """Return a config with the declared defaults, independent of the environment.

    Args:
        near: The spec's folder.
        real: Whether some steps perform their real action: then fields without a default come from
            the environment or the settings, as in a real run; otherwise their values are made up.
        given: Values that the test itself sets, as JSON data.

    Raises:
        SettingsError: A value is missing, or none can be made up that fits.
    """
    given = given or {}
    required: dict[str, FieldInfo] = {
        name: info
        for name, info in config.model_fields.items()
        if info.is_required() and (info.alias or name) not in given
    }
    if real and required:
        values = _as_in_a_run(config, required, near)
    else:
        values = {info.alias or name: _made_up(info.alias or name, info) for name, info in required.items()}
    return _validated(config, {**values, **given})


def config_with(config: type[Config], near: Path, given: Mapping[str, object]) -> Config:
    """Return a config as a run has it, with some values of a test in the place of its own.

    Raises:
        SettingsError: A value is missing, or does not fit.
    """
    fields = {name: info for name, info in config.model_fields.items() if (info.alias or name) not in given}
    return _validated(config, {**_as_in_a_run(config, fields, near), **given})


def _as_in_a_run(config: type[Config], fields: Mapping[str, FieldInfo], near: Path) -> dict[str, Any]:
    """Return the values of some fields of a config from the environment and the settings, or by default."""
    typed: Any = {name: (info.annotation, info) for name, info in fields.items()}
    found = read_config(create_model("Some", __base__=config.__base__, **typed), near)
    return found.model_dump(by_alias=True)


def _validated(config: type[Config], values: Mapping[str, object]) -> Config:
    try:
        return config.model_validate(values)
    except ValidationError as error:
        raise SettingsError(f"the test's `config` does not fit: {problems(error)}") from None


def _made_up(name: str, info: FieldInfo) -> Any:
    annotation: Any = info.annotation
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    constrained: Any = Annotated[(annotation, *info.metadata)] if info.metadata else annotation
    adapter: TypeAdapter[Any] = TypeAdapter(constrained)
    for text in _MADE_UP:
        try:
            return adapter.validate_json(text)
        except ValidationError:
            continue
    raise SettingsError(f"the config `{name}` has no default, and no value can be made up for a test")
