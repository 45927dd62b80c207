"""A client that writes its request in three parts, ten seconds apart, and
waits for the answer no longer than half a minute."""

import socket
import sys
import time
from urllib.parse import urlsplit

address = urlsplit(sys.argv[1])
with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
    connection.sendall(b"POST /raw HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n")
    time.sleep(10)
    connection.sendall(b"half")
    time.sleep(10)
    connection.sendall(b"half")
    reply = b""
    while not reply.endswith(b"done"):
        part = connection.recv(65536)
        assert part, reply
        reply += part
