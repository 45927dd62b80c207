"""A client of asyncio's streams, timeouts and sleeps."""

import asyncio
import sys
from urllib.parse import urlsplit

from visits import told_wait

address = urlsplit(sys.argv[1])


async def exchange(path):
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        status = int((await reader.readline()).split()[1])
        headers = {}
        while (line := await reader.readline()) != b"\r\n":
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, await reader.readexactly(int(headers["content-length"]))
    finally:
        writer.close()


async def get(path):
    while True:
        status, headers, body = await asyncio.wait_for(exchange(path), 30)
        if status == 200:
            return body
        await asyncio.sleep(told_wait(headers["retry-after"]))


async def main():
    await get("/date")
    await get("/wait")
    try:
        await get("/silent")
        sys.exit("an answer from the silent")
    except asyncio.TimeoutError:
        pass
    assert await get("/delay") == b"done"
    assert await get("/parts") == b"done"
    await get("/end")


asyncio.run(main())
