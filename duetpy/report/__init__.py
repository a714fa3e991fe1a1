"""What was proved and what was released, as text and as JSON."""
