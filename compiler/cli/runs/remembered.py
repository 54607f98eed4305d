"""``wfc runs remembered``."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows

if TYPE_CHECKING:
    from wfc.runtime.calls.memories import StoredEntry

__all__ = ["command", "shelf_of"]

LONGEST_SHOWN = 200


@click.command("remembered", cls=Command)
@click.argument("collection", metavar="[WORKFLOW.COLLECTION]", required=False)
@click.option("--key", metavar="KEY", help="What is kept under this key.")
@format_option
@store_option
def command(collection: str | None, key: str | None, format: str, store: str | None) -> int:
    """Show what runs remember in collections with `per`.

    Without a collection, the collections that have something are listed, with how many keys and entries. Of a
    collection and a --key, the entries are: their ids, which `wfc runs forget --remembered … --entry` takes, when they
    came, what they say and what is said about them. Keys cannot be listed, as they are kept nowhere.
    """
    if (collection is None) != (key is None):
        raise click.UsageError("name a collection with a `--key`, or neither of them")
    shelf = shelf_of(collection, key) if collection is not None and key is not None else None
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            if shelf is None:
                kept = asyncio.run(engine.memories.collections())
                rows: list[tuple[Any, ...]] = [
                    (*each[:3], moment(each.first), moment(each.last)) for each in kept
                ]
                show_rows(("collection", "keys", "entries", "first", "last"), rows, format)
            else:
                from wfc.runtime.calls.knowledge.remembered import MOST_ENTRIES
                from wfc.runtime.calls.memories import ShelfBounds

                entries = asyncio.run(engine.memories.entries(shelf, ShelfBounds(MOST_ENTRIES, None)))
                name = shelf.collection.partition(".")[2]
                rows = [row(name, each, is_whole=format == "json") for each in entries]
                show_rows(("id", "at", "text", "about"), rows, format)
    finally:
        engine.close()
    return 0


def shelf_of(collection: str, key: str) -> Any:
    """Return the part of a collection that belongs to a key.

    Raises:
        click.UsageError: It is not named with its workflow.
    """
    from wfc.runtime.calls.memories import Shelf

    if not all(collection.partition(".")):
        raise click.UsageError("name the collection with its workflow, as `greeter.wishes`")
    return Shelf.of(collection, key)


def row(name: str, entry: StoredEntry, *, is_whole: bool) -> tuple[object, ...]:
    """Return an entry as a row."""
    said = json.loads(entry.body)
    text, about = said["text"], said["about"]
    if not is_whole:
        text = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        about = ", ".join(f"{key}: {value}" for key, value in about.items())
    return f"{name}#{entry.number}", moment(entry.at), text, about
