"""The code of stored runs: what a program consists of, kept in a file beside the project under its digest.

A store names a version by its digest alone, and what has that digest is looked up in the project's own folder: nothing
that is read from a store names code to load. Paths in it are from the folder in which `.wfc` is, so that a project has
the same versions wherever it lies: on each machine that shares a store.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.programs import KeptModules, Program, load_modules, load_program
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine, Workflow

__all__ = ["add_version", "keep_version", "kept_texts", "load_version"]

DIGEST = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[^\W\d]\w{0,99}")


def keep_version(engine: Engine, place: StorePlace, program: Program, path: str) -> str:
    """Keep the code of a program, so that its runs can go on later, and let an engine know its version; return that.

    Args:
        path: What the program was loaded from.

    Raises:
        click.ClickException: The code cannot be kept.
    """
    from wfc.runtime.values.own_folder import make_folder

    body = written(program, path, base_of(place))
    digest = hashlib.sha256(body).hexdigest()
    file = place.versions / name_of(program.workflow) / f"{digest}.json"
    try:
        if not file.exists():
            make_folder(file.parent)
            unfinished = file.with_name(f"{digest}.{os.getpid()}")
            unfinished.write_bytes(body)
            unfinished.replace(file)
    except OSError as error:
        told = f"the code of the run cannot be kept in {file}: {error.strerror}"
        raise click.ClickException(printable(told)) from None
    for workflow in (program.workflow, *program.others):
        engine.note_version(workflow, digest)
    return digest


def add_version(engine: Engine, program: Program, version: str) -> None:
    """Let an engine know the workflows of a program, under their version."""
    for workflow in (program.workflow, *program.others):
        engine.add(workflow, version=version)


def name_of(workflow: type[Workflow]) -> str:
    from wfc.runtime.authoring.definition import definition_of

    return definition_of(workflow).name or workflow.__name__


def base_of(place: StorePlace) -> str:
    """Return the folder from which the paths of kept code are."""
    return str(place.versions.parent.parent)


def seen_from(base: str, path: str) -> str:
    """Return the path from a folder of what lies in it, and an absolute path of what lies elsewhere."""
    path = os.path.abspath(path)
    is_inside = path.startswith(os.path.join(base, ""))
    return os.path.relpath(path, base).replace(os.sep, "/") if is_inside else path


def written(program: Program, path: str, base: str) -> bytes:
    """Return a program as JSON text: the Python of specs, or of a module its path and digest."""
    if program.modules:
        data: dict[str, Any] = {"workflows": [kept_modules(one, base) for one in program.modules]}
    else:
        with open(path, "rb") as file:
            data = {"module": seen_from(base, path), "digest": hashlib.sha256(file.read()).hexdigest()}
    return json.dumps(data, ensure_ascii=False, indent=1).encode(errors="backslashreplace")


def kept_modules(modules: KeptModules, base: str) -> dict[str, Any]:
    """Return the Python of a workflow as plain data."""
    imports = [(name, seen_from(base, path), text) for name, path, text in modules.imports]
    return {**modules._asdict(), "path": seen_from(base, modules.path), "imports": imports}


def kept_texts(place: StorePlace, workflow: str, version: str) -> dict[str, str] | None:
    """Return the Python that is kept of a workflow's version, by the paths of files; ``None``: it is not there."""
    try:
        data = read_version(place, workflow, version)
    except click.ClickException:
        return None
    found: dict[str, str] = {}
    for one in data.get("workflows", ()):
        found |= {one["path"]: one["text"]} | {path: text for _, path, text in one["imports"]}
    return found


def load_version(engine: Engine, place: StorePlace, workflow: str, version: str) -> None:
    """Load the kept code of a workflow, and let an engine know it, with the workflows that it mentions.

    Raises:
        click.ClickException: It is not there, or has been changed.
    """
    if not version:
        told = f"nobody has kept the code of `{workflow}`: name it, as in `wfc runs resume RUN SPEC`"
        raise click.ClickException(printable(told))
    data, base = read_version(place, workflow, version), base_of(place)
    if "module" in data:
        load_module(engine, os.path.join(base, data["module"]), data["digest"], version)
        return
    for one in data["workflows"]:
        imports = tuple((name, os.path.join(base, path), text) for name, path, text in one["imports"])
        modules = KeptModules(one["name"], os.path.join(base, one["path"]), one["text"], imports)
        engine.add(load_modules(modules), version=version)


def read_version(place: StorePlace, workflow: str, version: str) -> dict[str, Any]:
    """Return what is kept of a workflow's version.

    Raises:
        click.ClickException: It is not there, or has been changed.
    """
    name = workflow.rpartition(".")[2]
    file = place.versions / name / f"{version}.json"
    try:
        body = file.read_bytes() if NAME.fullmatch(name) and DIGEST.fullmatch(version) else b""
    except OSError as error:
        told = (
            f"the code of this version of `{workflow}` is not there: {file}: {error.strerror}; it is where the run was "
            f"started, and wherever a worker is given the same spec"
        )
        raise click.ClickException(printable(told)) from None
    if hashlib.sha256(body).hexdigest() != version:
        raise click.ClickException(printable(f"{file} is not what the run was started with"))
    found: dict[str, Any] = json.loads(body)
    return found


def load_module(engine: Engine, path: str, digest: str, version: str) -> None:
    try:
        with open(path, "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        raise click.ClickException(printable(f"the module {path} is not there: {error.strerror}")) from None
    if found != digest:
        told = f"{path} has been changed since the run was started; `wfc runs resume RUN {path}` tries it with this one"
        raise click.ClickException(printable(told))
    program = load_program(path)
    if program is None:
        raise click.ClickException(printable(f"{path} cannot be loaded"))
    add_version(engine, program, version)
