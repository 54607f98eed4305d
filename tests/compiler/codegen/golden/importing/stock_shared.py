"""What a shop has."""

# Generated from shared/stock.yaml. Edit the spec, not this file.
# sha256:92ad01e030d6c183f7e26fa4d86f93346633ce42b563ba62ff975e78046e9424, output format 2

from typing import Literal

from wfc.runtime import ClosedFields, Event, Record, require_output_format

require_output_format(2, "stock.yaml")

Kind = Literal["book", "map"]


class ItemShelf(Record):
    name: str


class Item(Record):
    name: str
    kind: Kind
    shelf: ItemShelf


class ItemFound(ClosedFields, Event):
    item: Item
