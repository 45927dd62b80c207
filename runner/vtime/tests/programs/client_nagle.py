"""A client that writes small pieces on a connection on which the other side
delays its acknowledgements: each piece waits for one, by a timer of the kernel
that nobody sees. No answer takes half a minute."""

import socket
import sys
from urllib.parse import urlsplit

address = urlsplit(sys.argv[1])
REQUEST = b"GET /keep HTTP/1.1\r\nHost: a\r\n\r\n"


def answer():
    reply = b""
    while not reply.endswith(b"done"):
        reply += connection.recv(65536)


with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
    for _ in range(3):
        connection.sendall(REQUEST)
        answer()
    for _ in range(3):
        connection.sendall(REQUEST[:5])
        connection.sendall(REQUEST[5:20])
        connection.sendall(REQUEST[20:])
        answer()
