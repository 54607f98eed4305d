"""The flow of a workflow as a graph, and questions about it that need no proof."""
