"""Work in a child process of fork()."""
import os
import signal


def forked(work):
    """How a child process ends that does the work: 0 where that is true; of a signal where it takes longer than ten seconds."""
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        good = False
        try:
            good = work()
        finally:
            os._exit(0 if good else 1)
    return os.waitpid(child, 0)[1]
