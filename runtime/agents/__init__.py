"""Agents: models that work with tools in a loop, which is a workflow of its own."""
