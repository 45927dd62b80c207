"""What all clients in Python do alike: see clients/main.rs."""

import time
from email.utils import parsedate_to_datetime


def told_wait(value):
    if value.isdigit():
        return int(value)
    return max(0, parsedate_to_datetime(value).timestamp() - time.time())
