"""A client without a network that behaves as a bad guest: it prints, and it leaves a thread behind."""

import os
import random
import threading

print("sample_sdk prints while it is imported")
os.system("echo and so does its child")


class Cancelled(Exception):
    pass


class Throttled(Exception):
    retry_after = 120


class Client:
    def __init__(self, clock, on_retry, attempts=3, base=1.0):
        self.clock = clock
        self.on_retry = on_retry
        self.attempts = attempts
        self.base = base
        self.stopped = False
        threading.Thread(target=threading.Event().wait).start()

    def cancel(self):
        self.stopped = True

    def read(self, mark):
        print(f"sample_sdk reads {mark}")
        for attempt in range(1, self.attempts):
            self.on_retry(attempt, self.base)
            if self.stopped:
                raise Cancelled()
            self.clock.sleep(self.base)
        if mark == "throttled":
            raise Throttled("slow down")
        return 200

    def overflow(self):
        return float(10**400)

    def close(self):
        print("sample_sdk is closed")


def draw():
    return random.random()
