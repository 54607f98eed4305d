"""Specs that are served from the moment when their author says so, by a server that is running."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.programs import Program, load_program
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.cli.versions import add_version, keep_version, name_of
from wfc.runtime.errors import WorkflowError
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.hooked import hooks_of
from wfc.runtime.server.installation import Installation, WorkflowSource

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["Offering"]


@dataclass
class Offering:
    """What takes a saved spec among the workflows of a server.

    Args:
        source_of: Returns what is shown of what a program was made from.
        paths: The files of the workflows that are served, by their names.
    """

    engine: Engine
    place: StorePlace
    source_of: Callable[[str, Program], WorkflowSource]
    paths: dict[str, str] = field(default_factory=dict)

    def offer(self, server: Installation, principal: Principal, path: str) -> str:
        """Serve the workflow of a file, in its version of now, and return its name; runs under way keep theirs.

        Its schedules and topics start runs when the server is started again.

        Raises:
            Problem: It is not for this author, has errors, cannot run as it is written, or has the name of another
                file's workflow.
        """
        try:
            program = load_program(path)
            if program is None:
                raise Problem(422, "spec.broken", "a spec with errors is not served")
            name = name_of(program.workflow)
            if not principal.knows(name):
                raise Problem(
                    403, "role.missing", f"`{name[:100]}` is none of the workflows of {principal.name}"
                )
            known = self.paths.get(name, path)
            if os.path.realpath(known) != os.path.realpath(path):
                raise Problem(409, "workflow.exists", f"another file has a workflow of the name `{name}`")
            version = keep_version(self.engine, self.place, program, path)
            add_version(self.engine, program, version)
        except (click.ClickException, WorkflowError) as error:
            told = error.message if isinstance(error, click.ClickException) else str(error)
            raise Problem(422, "spec.not_served", told) from None
        self.paths[name] = path
        server.offered[name] = self.engine.workflow(name, version=version)
        server.sources = {**server.sources, name: self.source_of(path, program)}
        server.hooks = hooks_of(list(server.offered.values()))
        return name
