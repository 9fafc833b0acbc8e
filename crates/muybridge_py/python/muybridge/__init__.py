"""Physics for character animation: the program `muybridge`."""

import signal
import sys
import threading

from ._muybridge import VERSION as __version__
from ._muybridge import run as _run

__all__ = ["__version__", "main"]


def main():
    """Runs the program with the arguments of the shell and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    # Python turns Ctrl-C into an exception, which would wait for the end of the run. The shell expects the end at once.
    # Only the main thread may say so.
    in_main = threading.current_thread() is threading.main_thread()
    ends_at_once = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ends_at_once:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _run(["muybridge", *sys.argv[1:]], ends_at_once)
    finally:
        if ends_at_once:
            signal.signal(signal.SIGINT, signal.default_int_handler)
