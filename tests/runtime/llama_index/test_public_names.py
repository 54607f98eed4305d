"""Every public name, parameter and member of llama-index-workflows is ours too, or there is a reason why not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("public_names.py")

REASONS = {
    # --- events
    "*.custom_model_dump is missing": "how pydantic writes their undeclared fields, which ours keeps beside the others",
    "*Event.result is missing": "an entry of the event, as each undeclared field; `ev.result` reads it",
    "workflows.events.UnreconstructedException is missing": "ours stores errors as `StorableError`",
    "workflows.events.CollectionReleaseEvent.*_id is missing": "numbers of their queues; ours has frames",
    # --- contexts
    "*.Context.streaming_queue is missing": "deprecated there; `handler.stream_events()` reads the stream",
    # --- serializers: ours write values that they know, and import nothing by name
    "*Serializer.validation_context is missing": "a hook of their `JsonSerializer`, by which it finds classes by name",
    "*Serializer.deserialize_value is missing": "a part of `deserialize`, public by accident",
    "*Serializer.serialize_value is missing": "a part of `serialize`, public by accident",
    "*Serializer.resolve_class is missing": "imports a class by its name in the data, which ours never does",
    "*Serializer.with_types is missing": "their decoding by names; ours: `JsonSerializer(allowed_types=[…])`",
    "*.PickleSerializer has no parameter allowed_types": "making one is refused",
    "*.JsonPickleSerializer is missing": "unpickling runs code that the data names",
    # --- the state store
    "workflows.context.state_store.InMemorySerializedState is missing": "the layout of their snapshots",
    "workflows.context.state_store.InMemoryStateStore.add_seed is missing": "for servers of theirs",
    "workflows.context.state_store.InMemoryStateStore.checkpoint is missing": "for servers of theirs",
    "workflows.context.state_store.InMemoryStateStore.ensure_seeded is missing": "for servers of theirs",
    "workflows.context.state_store.InMemoryStateStore.run_id is missing": "for servers of theirs",
    "workflows.context.state_store.InMemoryStateStore.serialize_for_handoff is missing": "for servers of theirs",
    "workflows.context.state_store.InMemoryStateStore.snapshot is missing": "for servers of theirs",
    "workflows.context.state_store.State[CRS]* is missing": "parts of stores for servers of theirs",
    "workflows.context.state_store.UnserializableKeyWarning is missing": "ours is an error that names the key",
    "workflows.context.state_store.[a-z]* is missing": "functions inside their store",
    # --- steps
    "workflows.decorators.StepConfig*": "what their decorator has read of a step; ours is `wfc.runtime.plan.step.Step`",
    "workflows.decorators.CatchErrorHandler is missing": "what their decorator has read of a handler",
    "workflows.decorators.make_step_function is missing": "a part of their decorator",
    "workflows.decorators.[PR]* is missing": "type variables",
    "workflows.context.state_store.MODEL_T is missing": "a type variable",
    "workflows.resource.[BT] is missing": "type variables",
    "* has no parameter func": "is positional only in ours",
    "*step has its parameters in another order": "they are keywords",
    # --- workflows, handlers, resources
    "*.Workflow has its parameters in another order": "from the fifth on; programs give those by name",
    "*Workflow.runtime is missing": "other runtimes of theirs",
    "workflows.workflow.WorkflowMeta has no parameter dct": "its parameters are positional, and have other names",
    "workflows.handler.WorkflowHandler has no parameter *": "only `run()` makes handlers",
    "workflows.resource.ResourceDefinition.type_annotation is missing": "ours: `type`",
    "workflows.resource.ResourceDescriptor is missing": "their protocol of a resource",
    "workflows.resource.ResourceManager.resolution_scope is missing": "inside their manager",
    # --- reading signatures
    "workflows.utils.StepSignatureSpec is missing": "inside their decorator",
    "workflows.utils.inspect_signature is missing": "inside their decorator",
    "workflows.utils.validate_step_signature is missing": "inside their decorator",
}


@pytest.fixture(scope="module")
def differences() -> list[str]:
    if importlib.util.find_spec("llama_index_instrumentation") is None:
        pytest.skip("llama-index-workflows is not installed")
    if not importlib.metadata.version("llama-index-workflows").startswith("2.26."):
        pytest.skip("another release of llama-index-workflows is installed than the one that ours follows")
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


def test_each_difference_has_a_reason(differences: list[str]) -> None:
    assert [one for one in differences if not any(fnmatchcase(one, reason) for reason in REASONS)] == []


def test_each_reason_is_of_a_difference(differences: list[str]) -> None:
    assert [reason for reason in REASONS if not any(fnmatchcase(one, reason) for one in differences)] == []
