"""The two pipes to the runner, and the protection of the outgoing one."""

import json
import os
import sys
import threading

TAG_VARIABLE = "HOLDOFF_TAG"

_tag = ""
_out = None
_write_lock = threading.Lock()


def take():
    """Takes standard output for the protocol; idempotent.

    A duplicate of file descriptor 1 becomes ours, descriptor 1 itself (so also
    the SDK's C extensions and child processes) goes to standard error. The
    line tag leaves the environment so that nothing which prints its
    environment can imitate the protocol.
    """
    global _tag, _out
    if _out is not None:
        return
    _tag = os.environ.pop(TAG_VARIABLE, "")
    _out = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)
    # `print` would otherwise block-buffer into what is no terminal, and the
    # log would lag behind the case that it explains.
    sys.stdout.reconfigure(line_buffering=True)


def send(message):
    """Writes one tagged line, whole, whatever other threads write."""
    line = memoryview((_tag + json.dumps(message, ensure_ascii=True) + "\n").encode("ascii"))
    with _write_lock:
        while line:
            line = line[os.write(_out, line) :]


def log(text):
    """Writes to the log (standard error), which the runner shows with a failure."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def lines():
    """Yields the lines of standard input until its end.

    ``os.read`` and not ``sys.stdin``: a thread blocked in the latter holds the
    buffer's lock, and the interpreter aborts when it finds that at exit.
    """
    rest = b""
    while True:
        chunk = os.read(0, 65536)
        if not chunk:
            return
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
