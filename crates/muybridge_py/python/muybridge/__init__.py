"""Physics for character animation: the program `muybridge`."""

import signal
import sys

from ._muybridge import VERSION as __version__
from ._muybridge import run as _run

__all__ = ["__version__", "main"]


def main():
    """Runs the program with the arguments of the shell and returns its exit code."""
    # Python turns Ctrl-C into an exception, which would wait for the end of the run. The shell expects the end at once.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run(["muybridge", *sys.argv[1:]])
