"""The kinds of resources: objects that a factory creates, and configuration from a file."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.plan.signature import ResourceRequest

__all__ = [
    "AnyResource",
    "Lifetime",
    "Request",
    "Resource",
    "ResourceConfig",
    "check_resources",
    "resource_request",
]

T = TypeVar("T")

Lifetime = Literal["run", "process"]

_LARGEST_FILE = 4_000_000


class Resource(Generic[T]):
    """A request for an object: ``memory: Annotated[Memory, Resource(get_memory)]``.

    The factory is a function, ordinary or asynchronous, that returns the object; or a generator, ordinary
    or asynchronous, that yields it once and closes it after the ``yield``. Its own parameters may ask for
    resources in the same way. An object that several steps request at once is still created only once.

    Args:
        factory: The function or generator that creates the object.
        cache: Whether all steps that ask by this factory share one object, as long as the workflow object is there;
            otherwise each step run gets its own, created once even if requested twice for that step run.
        per: ``run``: one for each run, closed at its end; ``process``: one for all runs of all workflows in an event
            loop, closed at the loop's end. Then an object without a generator is closed by its ``aclose`` or
            ``close``, if it has one.

    Raises:
        WorkflowValidationError: ``per`` is something else, or goes with ``cache=False``.
    """

    is_loaded_late = False
    """Whether the factory is loaded only when first used, so that its own requests are not known before."""

    def __init__(
        self, factory: Callable[..., Any], cache: bool = True, *, per: Lifetime | None = None
    ) -> None:
        if per not in {None, "run", "process"} or (per is not None and not cache):
            raise WorkflowValidationError(
                f"`per` is `run` or `process`, and goes with `cache`: {per!r}, {cache}"
            )
        self._factory = factory
        self.names: Mapping[str, Any] = enclosing_names(factory)  # that the factory's annotations may mention
        self.cache = cache
        self.per: Lifetime | None = per

    @property
    def factory(self) -> Callable[..., Any]:
        """The function or generator that creates the object."""
        return self._factory

    @property
    def name(self) -> str:
        """The factory's qualified name, by which ``ResourceManager.set`` can replace the object."""
        factory = self.factory
        return str(getattr(factory, "__qualname__", type(factory).__name__))

    @property
    def key(self) -> object:
        """The key of the object, which is equal for two resources that stand for the same object."""
        return id(self.factory), self.per

    @cached_property
    def needs(self) -> tuple[Request, ...]:
        """The requests of the factory's parameters.

        Raises:
            WorkflowValidationError: The factory's annotations cannot be read, or a parameter asks for nothing known.
        """
        factory = self.factory
        found = []
        hints = _hints(factory, self.names)
        for parameter in inspect.signature(factory).parameters.values():
            asked = resource_request(
                parameter.name, hints.get(parameter.name, parameter.annotation), self.names
            )
            if asked is not None:
                found.append(asked)
            elif parameter.default is parameter.empty and parameter.kind not in _VARIADIC:
                raise WorkflowValidationError(
                    f"the factory `{self.name}` needs a value for `{parameter.name}`, which asks for no resource"
                )
        return tuple(found)

    def __repr__(self) -> str:
        return f"Resource({self.name})"


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ResourceConfig:
    """A request for a pydantic model in a JSON file: ``Annotated[Limits, ResourceConfig("limits.json")]``.

    Args:
        config_file: Its path, from the working directory; within the project's folder, which is the nearest one upward
            with a ``wfc.toml`` or ``pyproject.toml``, or else the working directory.
        path_selector: Where in the file the model's data are, by keys with dots between them; ``None``: all of it.
        label: A name for people.
        description: For people.

    Raises:
        ValueError: The name does not end in ``.json``.
    """

    cache = True

    def __init__(
        self,
        config_file: str,
        path_selector: str | None = None,
        label: str | None = None,
        description: str | None = None,
    ) -> None:
        if Path(config_file).suffix != ".json":
            raise ValueError(f"a config file is JSON and its name ends so: `{config_file}` does not")
        self.config_file = config_file
        self.path_selector = path_selector
        self.label = label
        self.description = description

    @property
    def name(self) -> str:
        """The file, and the path within it."""
        return f"{self.config_file}.{self.path_selector}" if self.path_selector else self.config_file

    def load(self, model: type[BaseModel]) -> Any:
        """Return the model with the file's data.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: It is outside the project, is not JSON, has no such path, or does not fit the model.
        """
        data = _read(self.config_file)
        way = self.path_selector.split(".") if self.path_selector else []
        for done, key in enumerate(way, 1):
            data = data.get(key) if isinstance(data, dict) else None
            if not isinstance(data, dict):
                raise ValueError(f"{self.config_file} has no record at `{'.'.join(way[:done])}`")
        return model.model_validate(data)

    def __repr__(self) -> str:
        return f"ResourceConfig({self.name})"


def _read(config_file: str) -> Any:
    path = Path(config_file).resolve()
    project = _project_folder()
    if not path.is_relative_to(project):
        raise ValueError(f"{config_file} is outside of the project's folder {project}")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {config_file} in {Path.cwd()}")
    if path.stat().st_size > _LARGEST_FILE:
        raise ValueError(f"{config_file} is too large to be read as a config file")
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{config_file} is not JSON: {error}") from None


def _project_folder() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "wfc.toml").is_file() or (folder / "pyproject.toml").is_file():
            return folder
    return here


AnyResource = Resource[Any] | ResourceConfig

Request = ResourceRequest[AnyResource]


def resource_request(name: str, annotation: Any, names: Mapping[str, Any]) -> Request | None:
    """Return a parameter's request for a resource; ``None`` if its annotation has no resource.

    Args:
        names: Local names that a factory's annotations may mention.

    Raises:
        WorkflowValidationError: A ``ResourceConfig`` is used for a type that is not a pydantic model.
    """
    if get_origin(annotation) is not Annotated:
        return None
    kind, *marks = get_args(annotation)
    for mark in marks:
        if isinstance(mark, Resource):
            if names:
                mark.names = {**names, **mark.names}
            return ResourceRequest(name, mark, kind)
        if isinstance(mark, ResourceConfig):
            if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
                raise WorkflowValidationError(
                    f"`{name}`: a ResourceConfig gives a pydantic model, and {kind} is none"
                )
            return ResourceRequest(name, mark, kind)
    return None


def _hints(factory: Callable[..., Any], names: Mapping[str, Any]) -> dict[str, Any]:
    own = getattr(factory, "__globals__", {})
    try:
        return typing.get_type_hints(
            factory,
            localns={key: value for key, value in names.items() if key not in own},
            include_extras=True,
        )
    except Exception as error:
        if any("Resource" in str(one) for one in getattr(factory, "__annotations__", {}).values()):
            raise WorkflowValidationError(
                f"the annotations of the factory `{getattr(factory, '__qualname__', factory)}` cannot be read: {error}"
            ) from error
        return {}  # a factory may well say what only a type checker reads


def check_resources(asked: Sequence[Request]) -> None:
    """Check that no resource needs itself or a resource that is closed before it.

    Raises:
        WorkflowValidationError: A resource does.
    """
    done: set[object] = set()
    for one in asked:
        _check(one.resource, (), done)


def _check(resource: AnyResource, way: tuple[Resource[Any], ...], done: set[object]) -> None:
    if not isinstance(resource, Resource):
        return
    if any(resource.key == before.key for before in way):
        chain = " → ".join(each.name for each in (*way, resource))
        raise WorkflowValidationError(f"circular resource dependency: {chain}")
    if way and resource.per == "run" and way[-1].cache and way[-1].per != "run":
        raise WorkflowValidationError(
            f"the resource `{way[-1].name}` outlives the run, so it cannot need `{resource.name}`, which is closed at "
            f"the run's end"
        )
    if resource.key in done or resource.is_loaded_late:
        return  # the latter is loaded when it is used, and no sooner
    for need in resource.needs:
        _check(need.resource, (*way, resource), done)
    done.add(resource.key)
