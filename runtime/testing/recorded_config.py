"""The config of a test that is made of a run: as it is where the test is made, without what is secret."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from typing import Any

from pydantic import SecretBytes, SecretStr

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.calls.settings import read_config
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.errors import SettingsError

__all__ = ["config_as_data"]


def config_as_data(workflow: type[Any]) -> dict[str, Any]:
    """Return the fields of a workflow's config that are not as declared, as JSON data; none if some are missing.

    A field is left out that is secret by its class, or has the value of a secret in it that the module mentions.
    """
    kind = definition_of(workflow).config
    if kind is None:
        return {}
    try:
        config = read_config(kind, settings_folder(workflow))
    except SettingsError:
        return {}
    data, hidden = config.model_dump(mode="json", by_alias=True), _secrets_of(workflow)
    found = {}
    for name, info in kind.model_fields.items():
        value, key = getattr(config, name), info.alias or name
        if isinstance(value, SecretStr | SecretBytes) or any(secret in str(data[key]) for secret in hidden):
            continue
        if info.is_required() or value != info.get_default(call_default_factory=True):
            found[key] = data[key]
    return found


def _secrets_of(workflow: type[Any]) -> list[str]:
    """Return the values that the secrets have here which are mentioned in the module of a workflow."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[workflow.__module__]))
    except (OSError, KeyError, TypeError, SyntaxError):
        return []
    names = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == Secret.__name__
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }
    return [value for name in names if (value := os.environ.get(str(name)))]
