"""The page is tested where npm and a Chromium are installed (``apt-get install npm chromium``)."""

import shutil

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

collect_ignore = [] if BROWSER and shutil.which("npm") else ["test_page.py"]
