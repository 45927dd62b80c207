"""A client whose threads make its requests, and whose waits are those of
conditions, queues and timers."""

import http.client
import queue
import socket
import sys
import threading
from urllib.parse import urlsplit

from visits import told_wait

address = urlsplit(sys.argv[1]).netloc


def exchange(connection, path, replies):
    connection.request("GET", path)
    reply = connection.getresponse()
    replies.put((reply.status, reply.headers["Retry-After"], reply.read()))


def wait(seconds):
    """By a timer of another thread."""
    over = threading.Event()
    threading.Timer(seconds, over.set).start()
    assert over.wait()


def get(path):
    while True:
        replies = queue.Queue()
        connection = http.client.HTTPConnection(address)
        arguments = [connection, path, replies]
        threading.Thread(target=exchange, args=arguments, daemon=True).start()
        try:
            status, value, body = replies.get(timeout=30)
        except queue.Empty:
            connection.sock.shutdown(socket.SHUT_RDWR)
            raise
        if status == 200:
            return body
        wait(told_wait(value))


get("/date")
get("/wait")
try:
    get("/silent")
    sys.exit("an answer from the silent")
except queue.Empty:
    pass
assert get("/delay") == b"done"
assert get("/parts") == b"done"
get("/end")
