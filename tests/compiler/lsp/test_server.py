"""The server as an editor meets it: another process, over its protocol."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.compiler.lsp.conftest import Editor
from wfc.compiler.lsp.server.state import Server

pytestmark = pytest.mark.full  # each starts a process

GOOD = """\
wfc: 1
workflow: refund
start: RefundAsked
end: [RefundPaid, RefundRefused]

models:
  fast: {use: "openai:gpt-4o-mini", temperature: 0}

events:
  RefundAsked: {order: string, amount: {type: decimal, description: In euros.}}
  RefundRefused: {why: string}
  RefundPaid: {order: string}

steps:
  # 😀 décide
  look:
    kind: llm
    accepts: RefundAsked
    model: fast
    prompt: Is ${{ event.amount }} too much?
    output: {refuse: boolean, why: string}
    emit:
      - event: RefundRefused
        when: result.refuse
      - RefundPaid

tests:
  - name: it is paid
    start: {order: A1, amount: "2"}
    mock: {look: {refuse: false, why: ""}}
    expect: {end: RefundPaid, ran: {look: 1}}
"""


def place(text: str, words: str, at: int = 0) -> tuple[int, int]:
    """The line and the column of the place ``at`` characters behind the beginning of some words."""
    before = text[: text.index(words) + at]
    return before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2


def labels(items: list[lsp.CompletionItem]) -> list[str]:
    return [each.label for each in items]


def test_findings_come_and_go(edit) -> None:
    async def doing(editor: Editor) -> None:
        wrong = GOOD.replace("Is ${{", "😀 ${{").replace("event.amount", "event.amuont")
        editor.show("a.yaml", wrong)
        (found,) = await editor.findings("a.yaml", bool)
        assert (found.code, found.source) == ("unknown-field", "wfc")
        assert found.severity == lsp.DiagnosticSeverity.Error
        start, end = place(wrong, "amuont"), place(wrong, "amuont", 6)
        assert found.range == lsp.Range(lsp.Position(*start), lsp.Position(*end))
        assert "did you mean `amount`?" in found.message
        actions = await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(editor.item("a.yaml"), found.range, lsp.CodeActionContext([found]))
        )
        (action,) = actions
        ((edit,),) = action.edit.changes.values()
        assert (edit.new_text, edit.range) == ("amount", found.range)
        editor.show("a.yaml", GOOD)
        assert await editor.findings("a.yaml", lambda codes: not codes) == []
        editor.show("a.yaml", "steps: [")
        editor.show("a.yaml", GOOD.replace("model: fast", "model: ["))
        assert await editor.findings("a.yaml", bool)
        editor.show("other.yaml", "services: {web: {image: x}}\n")
        assert await editor.findings("other.yaml", lambda codes: True) == []

    edit(doing)


def test_quick_fixes_of_a_line_are_told_at_any_place_of_it(edit) -> None:
    async def doing(editor: Editor) -> None:
        wrong = GOOD.replace("      - RefundPaid", "      - RefundPayed\n").replace(
            "RefundPayed\n\n", "RefundPayed\n"
        )
        editor.show("a.yaml", wrong)
        found = await editor.findings("a.yaml", lambda codes: "unknown-event" in codes)
        missing = [each for each in found if each.code == "unknown-event"]
        line = missing[0].range.start.line

        async def titles(*told: lsp.Diagnostic) -> list[str]:
            begin = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
            params = lsp.CodeActionParams(editor.item("a.yaml"), begin, lsp.CodeActionContext([*told]))
            return [each.title for each in await editor.client.text_document_code_action_async(params)]

        assert await titles() == []
        assert await titles(*missing) == ["write `RefundPaid`"]  # and not to declare what is misspelt

    edit(doing)


def test_few_steps_are_tried_for_one_question(edit) -> None:
    async def doing(editor: Editor) -> None:
        lost = [f"Lost{number}" for number in range(5)]
        text = "wfc: 1\nworkflow: w\nstart: Asked\nend: Done\n"
        text += f"events: {{Asked: {{}}, Done: {{}}, {', '.join(f'{each}: {{}}' for each in lost)}}}\n"
        text += (
            f"steps:\n  s: {{kind: transform, accepts: Asked, emit: {{all: [{', '.join(lost)}, Done]}}}}\n"
        )
        editor.show("a.yaml", text)
        found = await editor.findings("a.yaml", lambda codes: codes.count("event-never-accepted") == 5)
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(text.count("\n"), 0))
        asked = lsp.CodeActionParams(editor.item("a.yaml"), whole, lsp.CodeActionContext([*found]))
        actions = await editor.client.text_document_code_action_async(asked)
        titles = [each.title for each in actions if each.title.startswith("add the step")]
        assert titles == [
            f"add the step `take_lost{number}`, which accepts `Lost{number}`" for number in range(3)
        ]

    edit(doing)


def test_completion_by_meaning(edit) -> None:
    async def doing(editor: Editor) -> None:
        async def proposed(old: str, new: str) -> list[lsp.CompletionItem]:
            assert old in GOOD
            return await editor.ask("completion", GOOD.replace(old, new))

        editor.show("a.yaml", GOOD)
        events = labels(await proposed("accepts: RefundAsked", "accepts: ^"))
        assert events[:3] == ["RefundAsked", "RefundRefused", "RefundPaid"]
        assert labels(await proposed("kind: llm", "kind: ^"))[:3] == ["llm", "agent", "tool"]
        (fast,) = await proposed("model: fast", "model: ^")
        assert (fast.label, fast.detail) == ("fast", "{use, temperature}")
        items = {each.label: each for each in await proposed("event.amount", "event.^")}
        assert items.keys() == {"order", "amount"} and items["amount"].detail == "decimal"
        assert items["amount"].documentation == "In euros."
        assert labels(await proposed("result.refuse", "result.^")) == ["refuse", "why"]
        assert {"event", "inputs", "run"} <= set(labels(await proposed("event.amount", "^")))
        assert "result" not in labels(await proposed("event.amount", "^"))
        fitting = labels(await proposed("event.amount }}", "event.amount | ^"))
        assert "round" in fitting and "upper" not in fitting
        keys = {
            each.label: each for each in await proposed("    model: fast\n", "    model: fast\n    te^\n")
        }
        assert "temperature" not in keys and {"timeout", "retry", "system"} <= keys.keys()
        assert "prompt" not in keys  # it is there already
        assert keys["timeout"].text_edit.new_text == "timeout: " and keys["timeout"].documentation
        assert {"require", "tests", "models"} - {"require"} <= set(
            labels(await editor.ask("completion", "wfc: 1\n^"))
        )

    edit(doing)


def test_a_broken_text_has_completion_from_what_was_there(edit) -> None:
    async def doing(editor: Editor) -> None:
        editor.show("a.yaml", GOOD)
        broken = GOOD.replace("output: {refuse: boolean, why: string}", "output: {refuse: [")
        assert labels(await editor.ask("completion", broken.replace("event.amount", "event.^"))) == [
            "order",
            "amount",
        ]
        unfinished = GOOD[: GOOD.index("    emit:")] + "    emit: {event: ^"
        assert labels(await editor.ask("completion", unfinished))[:2] == ["RefundAsked", "RefundRefused"]

    edit(doing)


def test_no_answer_is_kept_for_ever() -> None:
    server = Server()
    for number in range(3):
        server.protocol._request_futures[number] = Future()
        if number:
            server.protocol._request_futures[number].set_result([])
    server.give_back()
    assert [*server.protocol._request_futures] == [0]  # of which the answer is still to come


def test_hover(edit) -> None:
    async def doing(editor: Editor) -> None:
        async def said(words: str, at: int = 1) -> str:
            found = await editor.at("hover", *place(GOOD, words, at))
            return found.contents.value if found else ""

        editor.show("a.yaml", GOOD)
        event = await said("RefundRefused\n        when")
        assert "- `why`: string" in event and "a run ends with it; from `look`" in event
        assert "a run begins with it; to `look`" in await said("RefundAsked\n    model")
        assert "`RefundAsked` → `RefundRefused`, `RefundPaid`" in await said("look:\n")
        assert await said("fast\n    prompt") == "**model** `fast`\n\n`{use, temperature}`"
        assert (await said("prompt: Is")).startswith("`prompt`\n\n")
        assert (
            await said("event.amount", 8)
            == "`event.amount`: decimal\n\nIn euros.\n\n`RefundAsked.amount`: read in `look`"
        )
        assert await said("result.refuse", 9) == "`result.refuse`: boolean"
        assert await said("😀") == ""

    edit(doing)


def test_definition_references_and_outline(edit) -> None:
    async def doing(editor: Editor) -> None:
        editor.show("a.yaml", GOOD)
        found = await editor.at("definition", *place(GOOD, "RefundPaid\n\ntests", 3))
        assert (found.range.start.line, found.range.start.character) == place(GOOD, "RefundPaid: {")
        context = lsp.ReferenceContext(include_declaration=False)
        found = await editor.at("references", *place(GOOD, "RefundPaid: {", 3), context=context)
        assert [each.range.start.line for each in found] == [
            place(GOOD, words)[0]
            for words in ("RefundPaid, RefundRefused]", "- RefundPaid\n", "RefundPaid, ran")
        ]
        params = lsp.DocumentSymbolParams(editor.item("a.yaml"))
        symbols = await editor.client.text_document_document_symbol_async(params)
        assert {each.name: [one.name for one in each.children] for each in symbols}["steps"] == ["look"]
        look = next(each for each in symbols if each.name == "steps").children[0]
        assert look.range.end.line == place(GOOD, "- RefundPaid\n")[0]

    edit(doing)


def test_what_is_imported_is_known(edit, tmp_path: Path) -> None:
    shared = "wfc: 1\nevents:\n  RefundPaid: {order: string}\n"
    (tmp_path / "shared.yaml").write_text(shared)
    text = GOOD.replace("  RefundPaid: {order: string}\n", "")
    text = text.replace("\nmodels:", "imports: [./shared.yaml]\n\nmodels:")

    async def doing(editor: Editor) -> None:
        editor.show("a.yaml", text)
        assert await editor.findings("a.yaml", lambda codes: not codes) == []
        found = await editor.at("definition", *place(text, "RefundPaid\n\ntests", 3))
        assert found.uri == editor.uri("shared.yaml") and found.range.start == lsp.Position(2, 2)
        items = await editor.ask("completion", text.replace("      - RefundPaid\n", "      - ^\n"))
        assert "RefundPaid" in labels(items)
        editor.show("a.yaml", text)
        editor.show(
            "shared.yaml", shared.replace("RefundPaid", "Paid")
        )  # not saved: what is in the editor counts
        assert await editor.findings("a.yaml", lambda codes: "unknown-event" in codes)

    edit(doing)


def test_rename_changes_all_or_nothing(edit, tmp_path: Path) -> None:
    async def doing(editor: Editor) -> None:
        editor.show("a.yaml", GOOD)
        found = await editor.at("rename", *place(GOOD, "look:", 1), new_name="decide")
        ((edits),) = found.changes.values()
        assert sorted(each.range.start.line for each in edits) == [
            place(GOOD, words)[0] for words in ("look:\n", "mock: {look", "ran: {look")
        ]
        with pytest.raises(JsonRpcException, match="there is `RefundPaid` already"):
            await editor.at("rename", *place(GOOD, "RefundAsked\n", 1), new_name="RefundPaid")
        with pytest.raises(JsonRpcException, match="`a b` is no name"):
            await editor.at("rename", *place(GOOD, "RefundAsked\n", 1), new_name="a b")

    edit(doing)


def test_formatting_is_that_of_fmt(edit) -> None:
    async def doing(editor: Editor) -> None:
        async def made(text: str) -> list[lsp.TextEdit]:
            editor.show("a.yaml", text)
            options = lsp.FormattingOptions(2, True)
            return await editor.client.text_document_formatting_async(
                lsp.DocumentFormattingParams(editor.item("a.yaml"), options)
            )

        (edit,) = await made(GOOD.replace("wfc: 1", "wfc:   1"))
        assert edit.new_text == GOOD
        assert not await made(GOOD)
        assert not await made("wfc: [")

    edit(doing)


def test_tests_are_run_and_the_flow_is_drawn(edit, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)

    async def doing(editor: Editor) -> None:
        editor.show("a.yaml", GOOD)
        params = lsp.CodeLensParams(editor.item("a.yaml"))
        found = await editor.client.text_document_code_lens_async(params)
        assert [(each.command.title, each.range.start.line) for each in found] == [
            ("show the flow", 1),
            ("run all tests", place(GOOD, "tests:")[0]),
            ("run this test", place(GOOD, "- name: it is paid")[0]),
        ]

        async def run(number: int) -> object:
            command = found[number].command
            params = lsp.ExecuteCommandParams(command.command, command.arguments)
            return await editor.client.workspace_execute_command_async(params)

        said = await run(2)
        assert said["passed"] and "it is paid" in said["said"]
        (tmp_path / "a.yaml").write_text(GOOD.replace("ran: {look: 1}", "ran: {look: 2}"))
        assert not (await run(1))["passed"]
        assert "<svg" in await run(0)
        flow = await editor.client.protocol.send_request_async("wfc/flow", {"uri": editor.uri("a.yaml")})
        assert flow.svg.startswith("<svg") and f'data-line="{place(GOOD, "look:")[0] + 1}"' in flow.svg
        editor.show("a.yaml", GOOD.replace("kind: llm", "kind: lm"))
        assert not await editor.client.protocol.send_request_async("wfc/flow", {"uri": editor.uri("a.yaml")})

    edit(doing)
