"""Texts of a spec with the values of its config in them, worked out without running anything of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.expressions import Template
from wfc.compiler.expressions.syntax.template_tree import Hole, Text
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record

__all__ = ["ConfigTexts"]


@dataclass(frozen=True, slots=True)
class ConfigTexts:
    """Values of the config, as a run would have them.

    Args:
        config: What the spec declares.
        folder: That of the spec.
    """

    config: Record
    folder: str

    def text(self, template: Template) -> str:
        """Return a text.

        Raises:
            SettingsError: A value is missing.
            click.ClickException: An expression in it is more than a name under `config`.
        """
        return "".join(self.part(part, template) for part in template.parts)

    def part(self, part: object, template: Template) -> str:
        """Return one part of a text."""
        if isinstance(part, Text):
            return part.text
        if isinstance(part, Hole):
            words = template.text[part.tree.start : part.tree.end].strip()
            section, _, name = words.partition(".")
            if section == "config" and name in self.config.fields:
                return self.value(name)
        raise click.ClickException(
            printable(
                f"`{template.text}` is worked out by a run only; here a name under `config` is understood"
            )
        )

    def value(self, name: str) -> str:
        """Return a value of the config as a text: from the environment, the settings, or its default."""
        from wfc.runtime.calls.settings import settings_near
        from wfc.runtime.errors import SettingsError

        variable = f"WFC_{name.upper()}"
        if variable in os.environ:
            return os.environ[variable]
        settings, field = settings_near(Path(self.folder or ".")), self.config.fields[name]
        if name in settings.config:
            found = settings.config[name]
        elif field.has_default:
            found = field.default
        else:
            raise SettingsError(f"the config `{name}` is missing: set the environment variable {variable}")
        return found if isinstance(found, str) else json.dumps(found)
