"""Text in ``${{ }}``, conditions and prompts → typed trees → Python."""
