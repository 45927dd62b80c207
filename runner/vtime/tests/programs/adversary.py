"""Programs in Python that mean no good: the argument says which."""

import os
import signal
import sys
import threading
import time


def spin_on_the_clock():
    while True:
        time.monotonic()


def spin_beside_a_short_sleep():
    """The interpreter's lock goes round by waits of five milliseconds."""
    threading.Thread(target=lambda: (time.sleep(1), os._exit(0))).start()
    while True:
        pass


def fork_without_end():
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(1)


def stop_itself():
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pause()


def become_another():
    """A shell that becomes another interpreter, that sleeps."""
    code = "import time; time.sleep(3600)"
    os.execvp("sh", ["sh", "-c", f'sleep 1800; exec "{sys.executable}" -S -c "{code}"'])


def daemonize():
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        time.sleep(1000000)


def ignore_the_end():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    threading.Event().wait()


globals()[sys.argv[1]]()
