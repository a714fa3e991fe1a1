"""How fast duetpy is: `python -m benchmarks`."""
