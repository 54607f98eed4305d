"""The store that a command works on: named by an option, the environment or the settings, or beside the project."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.schemas.tell import Tell

__all__ = ["Keeping", "StorePlace", "open_engine", "place_of", "refusals", "store_option"]

VARIABLE = "WFC_STORE"

store_option = click.option(
    "--store",
    metavar="URL",
    help=f"The store of runs, such as sqlite:///runs.db or postgresql://user@host/database. [env: {VARIABLE}]",
)


class StorePlace(NamedTuple):
    """Where runs are kept.

    Args:
        address: Of the store.
        folder: The folder of a relative address.
        versions: The folder with the code of versions.
        is_named: Whether the command line or the environment has named it.
        is_wanted: Whether anybody has named it, so that runs are kept there from their start.
        project: The folder of the settings.
        tell: Who is told of what waits for people; ``None``: nobody.
    """

    address: str
    folder: Path
    versions: Path
    is_named: bool
    is_wanted: bool
    project: Path
    tell: Tell | None = None

    @property
    def option(self) -> str:
        """The option by which a command finds it again; empty if it does so by itself."""
        from wfc.runtime.values.addresses import without_password

        is_found = os.environ.get(VARIABLE) == self.address if self.is_named else self.folder == Path.cwd()
        return "" if is_found else f" --store {shlex.quote(without_password(self.address))}"


class Keeping(NamedTuple):
    """How a run is kept.

    Args:
        prepare: Opens the store, if the run has been in memory so far.
    """

    engine: Engine
    place: StorePlace
    prepare: Callable[[], None] | None


def place_of(option: str | None, near: str = ".") -> StorePlace:
    """Return where runs are kept: by the option, the environment, the settings, or beside the project.

    Args:
        near: The folder of the spec; without one, the working directory.

    Raises:
        click.UsageError: The settings are wrong.
    """
    from wfc.runtime.calls.settings import settings_near
    from wfc.runtime.errors import SettingsError, StoreError
    from wfc.runtime.store.opening import read_address

    try:
        settings = settings_near(Path(near or "."))
        project = Path(near or ".").absolute() if settings.path is None else settings.path.parent
        given = option or os.environ.get(VARIABLE)
        beside = f"sqlite:///{(project / '.wfc' / 'runs.db').as_posix()}"
        folder = Path.cwd() if given else project
        address = given or settings.store or beside
        path = read_address(address, folder).path
    except (SettingsError, StoreError) as error:
        raise click.UsageError(printable(str(error))) from None
    on_machine = (
        Path.cwd() if settings.path is None else project
    )  # one of several, each with a folder of its own
    around = on_machine if path is None else path.absolute().parent
    versions = (around if around.name == ".wfc" else around / ".wfc") / "versions"
    wanted = address != beside
    return StorePlace(address, folder, versions, bool(given), wanted, project, settings.tell)


def open_engine(place: StorePlace, *, is_new_allowed: bool, engine: Engine | None = None) -> Engine:
    """Return an engine with a store: the one that is given, or a new one.

    Raises:
        click.ClickException: The store cannot be opened, or there is none.
    """
    from wfc.runtime import Engine
    from wfc.runtime.errors import MissingPackageError, StoreError
    from wfc.runtime.store.opening import open_store

    try:
        store = open_store(place.address, folder=place.folder, is_new_allowed=is_new_allowed)
    except (StoreError, MissingPackageError) as error:
        raise click.ClickException(printable(str(error))) from None
    if place.tell is not None:
        store.told = place.tell.of
    if engine is None:
        return Engine(store=store)
    engine.open(store)
    return engine


@contextmanager
def refusals() -> Iterator[None]:
    """Convert what an engine refuses to errors of the command line."""
    from wfc.runtime.errors import WorkflowError

    try:
        yield
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
