"""A client of urllib and time.sleep. What a client does: see clients/main.rs."""

import sys
import time
import urllib.error
import urllib.request

from visits import told_wait

base = sys.argv[1]


def get(path):
    while True:
        try:
            with urllib.request.urlopen(base + path, timeout=30) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            error.read()
            time.sleep(told_wait(error.headers["Retry-After"]))


get("/date")
get("/wait")
try:
    get("/silent")
    sys.exit("an answer from the silent")
except TimeoutError:
    pass
assert get("/delay") == b"done"
assert get("/parts") == b"done"
get("/end")
