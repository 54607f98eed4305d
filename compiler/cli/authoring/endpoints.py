"""The endpoints of authors, as ``wfc serve --author`` has them beside the others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from wfc.compiler.cli.authoring import language, looking
from wfc.compiler.cli.authoring.folder import AuthoredFile, SpecFolder
from wfc.compiler.cli.authoring.offering import Offering
from wfc.compiler.cli.authoring.proposals import Proposals
from wfc.compiler.cli.authoring.trying import Trials
from wfc.runtime.server.calls import Call, Problem, Reply, TextReply
from wfc.runtime.server.endpoint import FLAG, TEXT, Endpoint, object_of, whole
from wfc.runtime.server.installation import Installation

__all__ = ["Desk", "endpoints_of"]

AUTHOR: Final = ("author",)
MOST_FILES: Final = 20


@dataclass(frozen=True)
class Desk:
    """Where specs are written: a folder; with an offering its workflows are served when their authors say so."""

    folder: SpecFolder
    trials: Trials
    offering: Offering | None = None

    async def list_files(self, _: Installation, __: Call) -> Reply:
        """List the files of specs, each with how many errors and warnings it has."""
        return Reply({"files": await asyncio.to_thread(self._listed)})

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for path in self.folder.paths():
            try:
                file = self.folder.read(path)
            except Problem as problem:
                found.append({"path": path, "problem": problem.code})
                continue
            health = language.health(self.folder.place_of(path), file.text)
            found.append({"path": path, "etag": file.etag, **health})
        return found

    async def show_file(self, _: Installation, call: Call) -> Reply:
        """Show a file. Its `ETag` is what it is known by: who saves it sends that back as `If-Match`."""
        return _file_reply(await asyncio.to_thread(self.folder.read, call.path["path"]))

    async def save_file(self, _: Installation, call: Call) -> Reply:
        """Save a file, if it still is the one that was read; a new one with `If-None-Match: *`.

        Raises:
            Problem: It was changed meanwhile: 412, with both texts. Or it is not said what was read.
        """
        known = call.headers.get("if-match")
        if (known is None) == (call.headers.get("if-none-match") is None):
            told = "say which text was read, by `If-Match`, or that there was none, by `If-None-Match: *`"
            raise Problem(428, "file.unseen", told)
        seen = None if known is None else known.strip().strip('"')
        return _file_reply(
            await asyncio.to_thread(self.folder.write, call.path["path"], call.data["text"], seen)
        )

    # --- what editors ask

    def _place(self, call: Call) -> tuple[str, str]:
        return self.folder.place_of(call.data["path"]), call.data["text"]

    async def check(self, _: Installation, call: Call) -> Reply:
        """Tell the findings in a text, each with its fix, as if it stood in the file at `path`.

        With `?now` they come sooner, for who is typing; then one mistake may lead to several of them.
        """
        now = call.flag("now")
        return Reply(await asyncio.to_thread(language.checked, *self._place(call), at_once=now))

    async def complete(self, _: Installation, call: Call) -> Reply:
        """Tell what may be written `at` a place of a text, counted in units of UTF-16."""
        return Reply(await asyncio.to_thread(language.completed, *self._place(call), call.data["at"]))

    async def hover(self, _: Installation, call: Call) -> Reply:
        """Tell in Markdown what there is to say of the place `at` of a text."""
        return Reply(await asyncio.to_thread(language.shown_at, *self._place(call), call.data["at"]))

    # --- what is seen beside a text

    async def draw(self, _: Installation, call: Call) -> TextReply:
        """Draw the flow of a text as SVG, as if it stood in the file at `path`."""
        return TextReply(await asyncio.to_thread(looking.drawn, *self._place(call)), "image/svg+xml")

    async def look(self, _: Installation, call: Call) -> Reply:
        """Tell where in a text its steps and events stand, and with `?python` what is generated from it."""
        wants = call.flag("python")
        return Reply(await asyncio.to_thread(looking.looked_at, *self._place(call), with_python=wants))

    async def list_patterns(self, _: Installation, __: Call) -> Reply:
        """List the specs that one may begin from."""
        return Reply({"patterns": await asyncio.to_thread(looking.pattern_list)})

    async def begin(self, _: Installation, call: Call) -> Reply:
        """Begin a spec as a copy of a pattern, under a name of its own."""
        data = call.data
        path = await asyncio.to_thread(looking.begun, self.folder, data["pattern"], data["name"])
        return Reply({"path": path}, 201)

    # --- what is tried and proposed

    async def run_tests(self, _: Installation, call: Call) -> Reply:
        """Run the tests of a saved spec with its mocks, in a process of its own that has none of our secrets."""
        file = await asyncio.to_thread(self.folder.read, call.data["path"])
        told = await self.trials.tested(file.path)
        return Reply({"path": file.path, "etag": file.etag, **told})

    async def list_rehearsals(self, _: Installation, call: Call) -> Reply:
        """List the tests of a saved spec that may play a run of it, each with the inputs that it gives."""
        file = await asyncio.to_thread(self.folder.read, call.path["path"])
        return Reply({"path": file.path, **await self.trials.rehearsed({"path": file.path})})

    async def rehearse(self, _: Installation, call: Call) -> Reply:
        """Play a run of a saved spec with the mocks of a test, with inputs of one's own or the test's; nothing acts.

        It is told as runs are: its steps, what has happened, its state and its end. `unmet` are the test's expectations
        that do not hold, as they may not with other inputs.
        """
        data = call.data
        file = await asyncio.to_thread(self.folder.read, data["path"])
        wanted = {"path": file.path, "test": data["test"], "inputs": data.get("inputs")}
        return Reply({"path": file.path, "etag": file.etag, **await self.trials.rehearsed(wanted)})

    async def list_offers(self, _: Installation, __: Call) -> Reply:
        """List the workflows that are served, each with its file, as far as it is one of the folder."""
        assert self.offering is not None  # or it would be no endpoint
        paths = {name: self.folder.path_of(place) for name, place in self.offering.paths.items()}
        return Reply({"offers": {name: path for name, path in sorted(paths.items()) if path is not None}})

    async def offer(self, server: Installation, call: Call) -> Reply:
        """Serve the workflow of a saved spec from now on, as it is now; runs under way keep their version."""
        file = await asyncio.to_thread(self.folder.read, call.data["path"])
        assert self.offering is not None  # or it would be no endpoint
        place = self.folder.place_of(file.path)
        name = await asyncio.to_thread(self.offering.offer, server, call.principal, place)
        return Reply({"path": file.path, "workflow": name})

    async def list_proposals(self, _: Installation, __: Call) -> Reply:
        """List the proposals: branches of git below `proposals/`."""
        return Reply({"proposals": await asyncio.to_thread(Proposals(self.folder.root).all)})

    async def propose(self, _: Installation, call: Call) -> Reply:
        """Propose changed files as a branch of git, `proposals/NAME`, and tell what the change means to reviewers.

        With `?dry` there is no branch, and it is only told. The files of the folder stay as they are.

        Raises:
            Problem: There is no such file, there is a proposal of this name, or no git.
        """
        files = self._proposed(call.data["files"])
        proposals, is_dry = Proposals(self.folder.root), call.flag("dry")
        onto = await asyncio.to_thread(proposals.head)
        commit = await asyncio.to_thread(proposals.make, files, call.data["about"], call.principal.name)
        told = {
            "commit": commit,
            "onto": onto,
            "dry": is_dry,
            "diff": await self.trials.compared(onto, commit),
        }
        if not is_dry:
            told["branch"] = await asyncio.to_thread(proposals.keep, call.data["name"], commit)
        return Reply(told, 200 if is_dry else 201)

    def _proposed(self, files: dict[str, Any]) -> dict[str, str]:
        if not 1 <= len(files) <= MOST_FILES or not all(isinstance(one, str) for one in files.values()):
            raise Problem(422, "body.members", f"`files` has 1 to {MOST_FILES} texts, by their paths")
        for path in files:
            self.folder.place_of(path)
        return files


def _file_reply(file: AuthoredFile) -> Reply:
    return Reply(file._asdict(), 200, {"ETag": f'"{file.etag}"'})


def endpoints_of(desk: Desk) -> tuple[Endpoint, ...]:
    """Return the endpoints of authors."""
    placed = {"path": TEXT, "text": TEXT}
    text = object_of(("text",), text=TEXT)
    typed = object_of(("path", "text"), **placed)
    pointed = object_of(("path", "text", "at"), **placed, at=whole(0, 1_000_000))
    pattern = object_of(("pattern", "name"), pattern=TEXT, name=TEXT)
    proposal = object_of(("name", "about", "files"), name=TEXT, about=TEXT, files={"type": "object"})
    seen = ("If-Match", "If-None-Match")
    offers = [
        Endpoint("GET", "/v1/offers", "list_offers", desk.list_offers, AUTHOR),
        Endpoint("POST", "/v1/offers", "offer", desk.offer, AUTHOR, body=object_of(("path",), path=TEXT)),
    ]
    return (
        Endpoint("GET", "/v1/files", "list_files", desk.list_files, AUTHOR),
        Endpoint("GET", "/v1/files/{path}", "show_file", desk.show_file, AUTHOR),
        Endpoint("PUT", "/v1/files/{path}", "save_file", desk.save_file, AUTHOR, text, headers=seen),
        Endpoint(
            "POST", "/v1/check", "check", desk.check, AUTHOR, body=typed, query={"now": FLAG}, changes=False
        ),
        Endpoint("POST", "/v1/complete", "complete", desk.complete, AUTHOR, body=pointed, changes=False),
        Endpoint("POST", "/v1/hover", "hover", desk.hover, AUTHOR, body=pointed, changes=False),
        Endpoint(
            "POST", "/v1/draw", "draw", desk.draw, AUTHOR, body=typed, changes=False, content="image/svg+xml"
        ),
        Endpoint(
            "POST", "/v1/look", "look", desk.look, AUTHOR, body=typed, query={"python": FLAG}, changes=False
        ),
        Endpoint("GET", "/v1/patterns", "list_patterns", desk.list_patterns, AUTHOR),
        Endpoint("POST", "/v1/patterns", "begin", desk.begin, AUTHOR, body=pattern, good=(201,)),
        Endpoint(
            "POST", "/v1/tests", "run_tests", desk.run_tests, AUTHOR, body=object_of(("path",), path=TEXT)
        ),
        Endpoint("GET", "/v1/rehearsals/{path}", "list_rehearsals", desk.list_rehearsals, AUTHOR),
        Endpoint(
            "POST",
            "/v1/rehearsals",
            "rehearse",
            desk.rehearse,
            AUTHOR,
            body=object_of(("path", "test"), path=TEXT, test=TEXT, inputs={"type": "object"}),
            changes=False,
        ),
        *([] if desk.offering is None else offers),
        Endpoint("GET", "/v1/proposals", "list_proposals", desk.list_proposals, AUTHOR),
        Endpoint(
            "POST",
            "/v1/proposals",
            "propose",
            desk.propose,
            AUTHOR,
            body=proposal,
            query={"dry": FLAG},
            good=(201, 200),
        ),
    )
