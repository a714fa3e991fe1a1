"""Shells of IPython, without a screen, for cells that tests run."""

import atexit

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def new_shell() -> InteractiveShell:
    """A shell that keeps no history and leaves nothing to be done when the process ends.

    There each shell would collect garbage once more: half a second for every test that had one, after thousands of tests.
    """
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell(config=config)
    atexit.unregister(shell.atexit_operations)
    return shell
