"""Tree → types, and every finding about types."""
