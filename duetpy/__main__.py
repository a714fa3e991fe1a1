"""``python -m duetpy``."""

import os
import sys

# Python looks for modules in the current folder first when it is started in this way. A folder of data or of programs holds
# none that may take the place of numpy's, or of the library that noise comes from.
if not sys.flags.safe_path and sys.path and sys.path[0] in ("", os.getcwd()):
    del sys.path[0]

from duetpy.cli.main import entry  # the line above must come first

entry()
