"""``python -m duetpy``."""

import os
import sys

# Python looks for modules in the current folder first when it is started in this way. A folder of data or of programs holds
# none that may take the place of numpy's, or of the library that noise comes from.
# Where that folder is gone, nothing is in it.
try:
    here = os.getcwd()
except OSError:
    here = ""
if not sys.flags.safe_path and sys.path and sys.path[0] in ("", here):
    del sys.path[0]

from duetpy.cli.main import entry  # the line above must come first

entry()
