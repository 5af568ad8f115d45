"""``python -m belote_cli`` is ``belote``."""

from __future__ import annotations

import sys

from belote_cli import main

sys.exit(main())
