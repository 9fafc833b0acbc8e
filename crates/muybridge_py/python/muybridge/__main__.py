"""The program `muybridge`, as `python -m muybridge`."""

import sys

from muybridge import main

sys.exit(main())
