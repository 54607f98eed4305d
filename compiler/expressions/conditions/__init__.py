"""What conditions make known, whether they are always true, and which cases a list of them leaves."""
