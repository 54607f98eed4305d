"""A workflow that one can talk with, and the server of its model, which replies piece by piece as a test lets it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HELPER = """\
wfc: 1
workflow: helper
start: Asked
end: Left
key: inputs.who
receives: {{Said: {{key: who}}}}
models:
  own: {{use: "openai:tiny", base_url: "{address}"}}
events:
  Asked: {{who: string, text: string}}
  Said: {{who: string, text: string}}
  Again: {{text: string}}
  Answered: {{text: string}}
  Left: {{}}
steps:
  answer:
    kind: llm
    accepts: [Asked, Again]
    model: own
    prompt: ${{{{ event.text }}}}
    stream: {{tokens: true}}
    max_runs: 50
    on_limit: Left
    emit: {{event: Answered, with: {{text: "${{{{ result }}}}"}}}}
  listen:
    kind: wait
    accepts: Answered
    event: Said
    within: 1 day
    on_timeout: Left
    emit:
      - {{event: Left, when: result.text == "bye"}}
      - Again
"""

OPENED = """
[[form]]
name = "wishes"
workflow = "desk"
to = "anybody"
title = "What do you wish for?"

[[form]]
name = "invited"
workflow = "desk"
to = "links"

[[chat]]
workflow = "helper"
to = "anybody"
title = "Ask us"
replies = ["Answered.text"]
text_of = ["answer"]
per_hour = 5
"""


class Sayings:
    """What a model says: each reply in two halves, the second once a test lets it go on."""

    def __init__(self) -> None:
        self.address = ""
        self.goes_on = threading.Event()
        self.goes_on.set()


@contextmanager
def model_server() -> Iterator[Sayings]:
    """Give a model that is asked over HTTP; it answers `yes, …` to what it was asked."""
    sayings = Sayings()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = asked["messages"][-1]["content"]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.tell({"role": "assistant", "content": "yes, "})
            assert sayings.goes_on.wait(120)
            self.tell({"content": said})
            self.tell({}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")

        def tell(self, delta: dict[str, Any], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10} if finish else None
            self.wfile.write(
                f"data: {json.dumps({**chunk, 'choices': [choice], 'usage': usage})}\n\n".encode()
            )
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        sayings.address = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield sayings
        finally:
            sayings.goes_on.set()
            server.shutdown()
            thread.join()
