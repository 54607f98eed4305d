"""Which files are taken for specs, in a folder where other systems have files of YAML, too."""

from __future__ import annotations

import pytest

from wfc.compiler.workspace.detection import looks_like_spec

GITLAB = """\
stages: [build, test]

workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS
      when: never

build:
  stage: build
  script: [make]
"""
GITLAB_NAMED = (
    'workflow:\n  name: "Pipeline of $CI_COMMIT_BRANCH"\n  auto_cancel:\n    on_new_commit: interruptible\n'
)
GITHUB = """\
name: deploy
on:
  workflow_call:
    inputs:
      target: {type: string, required: true}
  workflow_dispatch:
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps: [{run: make}]
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: hello-}
spec:
  entrypoint: main
  workflowMetadata:
  templates:
    - name: main
      container: {image: busybox}
"""


@pytest.mark.parametrize(
    ("text", "is_spec"),
    [
        (GITLAB, False),
        (GITLAB_NAMED, False),
        (GITLAB.replace("workflow:", "workflow:  # of merge requests"), False),
        (GITLAB.replace("workflow:", "workflow: {rules: []}\nother:"), False),
        (GITHUB, False),
        (ARGO, False),
        ("workflows:\n  build: {jobs: [test]}\n", False),
        ("workflow: orders\n", True),
        ('"workflow" : "orders"\n', True),
        ("workflow: größe\n", True),
        ("workflow: über\n", True),
        ("start: Asked\nworkflow: 'orders'\n", True),
        ("\ufeffwfc: 1\n", True),
        ("'wfc': 1\nworkflow:\n", True),
        ("wfc:\n", True),
        ("workflow:\nwfc: 1\n", True),
    ],
)
def test_which_files_are_specs(text: str, is_spec: bool) -> None:
    for written in (text, text.replace("\n", "\r\n")):
        assert looks_like_spec(written.encode()) is is_spec
