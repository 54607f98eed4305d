"""What language models need to write specs: looking at texts safely, tools over MCP, and drafts from words."""
