"""``python -m duetpy``."""

from duetpy.cli.main import entry

entry()
