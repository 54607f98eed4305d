"""An MCP server whose tools ask the person: `python asking_mcp_service.py LOG` speaks by its input and output.

With a port behind it, by HTTP. The file LOG gets a line for each call that begins, and for each that is done.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from pydantic import BaseModel

server = MCPServer("booking")
LOG = Path(sys.argv[1])


class Seats(BaseModel):
    seats: int


class Booked(BaseModel):
    text: str


class Sure(BaseModel):
    sure: bool


def note(line: str) -> None:
    with LOG.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def how_many(day: str) -> Elicit[Seats]:
    note(f"asks {day}")
    return Elicit(f"How many seats on {day}?", Seats)


Asked = Annotated[ElicitationResult[Seats], Resolve(how_many)]


def for_sure(seats: Asked) -> Elicit[Sure] | Sure:
    if seats.action != "accept":
        return Sure(sure=False)
    return Elicit(f"Is a table for {seats.data.seats} wanted for sure?", Sure)


@server.tool()
async def book_table(day: str, seats: Asked, sure: Annotated[Sure, Resolve(for_sure)]) -> Booked:
    """Books a table for a day; the guest is asked for how many."""
    if seats.action != "accept":
        note(f"called off {day}")
        return Booked(text=f"nothing is booked: {seats.action}")
    found = f"table for {seats.data.seats} on {day}, sure: {sure.sure}"
    note(f"done {found}")
    return Booked(text=found)


@server.tool()
async def book_seats(day: str, seats: Asked) -> Booked:
    """Books seats for a day; the guest is asked for how many."""
    return Booked(text=f"{seats.data.seats} on {day}" if seats.action == "accept" else "nothing is booked")


@server.tool()
async def ask_for_ever(ctx: Context[Any]) -> str:
    """Asks again and again."""
    count = 0
    while (await ctx.elicit(f"Question {count}?", Seats)).action == "accept" and count < 100:
        count += 1
    return f"asked {count} times"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("stdio")
