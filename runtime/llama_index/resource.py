"""``workflows.resource``: objects that steps ask for in their annotations."""

from __future__ import annotations

from wfc.runtime.authoring.resource import Resource, ResourceConfig, ResourceManager
from wfc.runtime.plan.signature import ResourceRequest as ResourceDefinition

__all__ = ["Resource", "ResourceConfig", "ResourceDefinition", "ResourceManager"]
