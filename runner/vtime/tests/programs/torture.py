"""Runs the check that its argument names; without one, lists all names.

Each check is a function that returns if time passed as Python promises.
"""

import asyncio
import concurrent.futures
import contextlib
import multiprocessing
import os
import queue
import random
import sched
import select
import signal
import socket
import subprocess
import sys
import threading
import time

# Seconds by which a wait may end late, and early: a float has 53 bits.
LATE = 0.001
EARLY = 0.0000001


@contextlib.contextmanager
def lasts(seconds):
    begin = time.monotonic()
    yield
    span = time.monotonic() - begin
    assert seconds - EARLY <= span < seconds + LATE, f"{span} s instead of {seconds} s"


def sleep_both_clocks():
    with lasts(1800):
        wall = time.time()
        time.sleep(1800)
        assert abs(time.time() - wall - 1800) < LATE


def sleep_often():
    with lasts(100):
        for _ in range(1000):
            time.sleep(0.1)


def spin():
    with lasts(0.001):
        begin = time.time()
        while time.time() - begin < 0.001:
            pass


def subprocess_timeout():
    with lasts(100):
        try:
            subprocess.run(["sleep", "500"], timeout=100)
        except subprocess.TimeoutExpired:
            return
    raise AssertionError("no timeout")


def subprocess_shell():
    with lasts(7):
        subprocess.run(["sh", "-c", "sleep 3 & sleep 7; wait"], check=True)


def subprocess_python():
    code = "import time; time.sleep(60); print(time.time())"
    with lasts(60):
        done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True)
    assert abs(float(done.stdout) - time.time()) < LATE


def subprocess_talks():
    """Lines by a pipe, both ways, with waits on both sides."""
    code = "import sys,time\nfor line in sys.stdin:\n time.sleep(3)\n print(line, end='', flush=True)"
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        for number in range(5):
            with lasts(5):
                child.stdin.write(b"%d\n" % number)
                child.stdin.flush()
                assert child.stdout.readline() == b"%d\n" % number
                time.sleep(2)
        child.stdin.close()


def queue_timeout():
    with lasts(33):
        try:
            queue.Queue().get(timeout=33)
        except queue.Empty:
            return
    raise AssertionError("not empty")


def thread_timer():
    box = queue.Queue()
    with lasts(20):
        threading.Timer(20, box.put, [1]).start()
        box.get(timeout=90)


def event_and_condition():
    condition = threading.Condition()
    with lasts(9):
        assert not threading.Event().wait(5.5)
        with condition:
            assert not condition.wait(3.5)


def lock_timeout():
    lock = threading.Lock()
    lock.acquire()
    with lasts(12):
        assert not lock.acquire(timeout=12)


def thread_pool():
    with lasts(40), concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(time.sleep, [10, 20, 30, 40, 10]))


def thread_churn():
    with lasts(30):
        threads = [threading.Thread(target=time.sleep, args=[i % 30 + 1]) for i in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def process_pool():
    with lasts(7), multiprocessing.get_context("fork").Pool(3) as pool:
        pool.map(time.sleep, [5, 6, 7], chunksize=1)


def asyncio_mix():
    async def mix():
        await asyncio.gather(
            asyncio.sleep(10), asyncio.sleep(20), asyncio.to_thread(time.sleep, 15)
        )
        try:
            await asyncio.wait_for(asyncio.sleep(100), 30)
        except asyncio.TimeoutError:
            pass
        child = await asyncio.create_subprocess_exec("sleep", "12")
        await child.wait()

    with lasts(62):
        asyncio.run(mix())


def asyncio_many():
    async def many():
        await asyncio.gather(*(asyncio.sleep(i / 10) for i in range(300)))

    with lasts(29.9):
        asyncio.run(many())


def alarm():
    signal.signal(signal.SIGALRM, lambda *_: None)
    with lasts(9):
        signal.alarm(9)
        signal.pause()


def sleep_despite_a_signal():
    """PEP 475: the interpreter calls again, with what is left."""
    heard = []
    signal.signal(signal.SIGALRM, lambda *_: heard.append(time.monotonic()))
    with lasts(100):
        signal.setitimer(signal.ITIMER_REAL, 7, 20)
        time.sleep(100)
    assert len(heard) == 5, heard


def select_despite_a_signal():
    signal.signal(signal.SIGALRM, lambda *_: None)
    ours, _theirs = socket.socketpair()
    with lasts(100):
        signal.alarm(7)
        assert select.select([ours], [], [], 100) == ([], [], [])


def scheduler():
    with lasts(13):
        plan = sched.scheduler()
        plan.enter(13, 1, lambda: None)
        plan.run()


def socket_timeout():
    ours, theirs = socket.socketpair()
    ours.settimeout(17)
    with lasts(34):
        for _ in range(2):
            try:
                ours.recv(1)
            except TimeoutError:
                continue
            raise AssertionError("no timeout")
    theirs.close()


def connect_timeout():
    """A listener whose queue is full drops whoever else comes."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    filling = []
    for _ in range(4):
        filler = socket.socket()
        filler.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            filler.connect(listener.getsockname())
        filling.append(filler)
    with lasts(10):
        try:
            socket.create_connection(listener.getsockname(), timeout=10)
        except TimeoutError:
            return
    raise AssertionError("no timeout")


def fork_and_exec():
    with lasts(11):
        child = os.fork()
        if child == 0:
            os.execvp("sleep", ["sleep", "11"])
        assert os.waitpid(child, 0)[1] == 0


def randomness():
    """Prints all that is there by chance. Not run with the others."""
    print(os.urandom(16).hex(), random.random(), random.SystemRandom().random(), hash("a"))


CHECKS = [
    sleep_both_clocks,
    sleep_often,
    spin,
    subprocess_timeout,
    subprocess_shell,
    subprocess_python,
    subprocess_talks,
    queue_timeout,
    thread_timer,
    event_and_condition,
    lock_timeout,
    thread_pool,
    thread_churn,
    process_pool,
    asyncio_mix,
    asyncio_many,
    alarm,
    sleep_despite_a_signal,
    select_despite_a_signal,
    scheduler,
    socket_timeout,
    connect_timeout,
    fork_and_exec,
]

if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(*(check.__name__ for check in CHECKS), sep="\n")
    else:
        globals()[sys.argv[1]]()
