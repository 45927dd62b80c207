/* Signals that come in the middle of a wait. */
#include "torture.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

static void nanosleep_is_interrupted(void) {
    catch_signal(SIGUSR1, 0);
    struct timespec span = timespec_of(1000 * SECOND), left = {0, 0};
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(nanosleep(&span, &left) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    int64_t rest = nanoseconds_of(left);
    REQUIRE(rest <= 900 * SECOND && rest > 900 * SECOND - LATE);
    join(sender);
}

/* A handler ends a sleep whatever its flags say. */
static void nanosleep_is_interrupted_despite_restart(void) {
    catch_signal(SIGUSR1, SA_RESTART);
    struct timespec span = timespec_of(1000 * SECOND);
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(nanosleep(&span, NULL) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    join(sender);
}

static void nanosleep_goes_on_with_the_rest(void) {
    catch_signal(SIGUSR1, 0);
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    sleep_for(1000 * SECOND);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
    REQUIRE(noted_count == 1);
    join(sender);
}

/* The same call with the same arguments is another wait. */
static void nanosleep_again_is_a_fresh_wait(void) {
    catch_signal(SIGUSR1, 0);
    struct timespec span = timespec_of(1000 * SECOND);
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    while (nanosleep(&span, NULL) == -1) {
        REQUIRE(errno == EINTR);
    }
    REQUIRE_SPAN(since(begin), 1100 * SECOND);
    join(sender);
}

static void poll_again_is_a_fresh_wait(void) {
    catch_signal(SIGUSR1, SA_RESTART);
    struct pollfd silent = {silent_pipe(), POLLIN, 0};
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    int result;
    while ((result = poll(&silent, 1, 1000000)) == -1) {
        REQUIRE(errno == EINTR);
    }
    REQUIRE(result == 0 && noted_count == 1);
    REQUIRE_SPAN(since(begin), 1100 * SECOND);
    join(sender);
}

static void epoll_again_is_a_fresh_wait(void) {
    catch_signal(SIGUSR1, SA_RESTART);
    int epoll = epoll_create1(0), result;
    struct epoll_event event;
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    while ((result = epoll_wait(epoll, &event, 1, 1000000)) == -1) {
        REQUIRE(errno == EINTR);
    }
    REQUIRE(result == 0 && noted_count == 1);
    REQUIRE_SPAN(since(begin), 1100 * SECOND);
    join(sender);
}

static void select_is_interrupted_and_tells_what_is_left(void) {
    catch_signal(SIGUSR1, 0);
    struct timeval limit = timeval_of(1000 * SECOND);
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(select(0, NULL, NULL, NULL, &limit) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    REQUIRE(limit.tv_sec == 900 || (limit.tv_sec == 899 && limit.tv_usec > 999900));
    /* Called again it waits for the rest. */
    REQUIRE(select(0, NULL, NULL, NULL, &limit) == 0);
    REQUIRE(since(begin) <= 1000 * SECOND + LATE);
    REQUIRE(since(begin) > 1000 * SECOND - LATE);
    join(sender);
}

/* Two signals, the second while the wait that the first has ended is made
 * again. */
static void two_signals(void) {
    catch_signal(SIGUSR1, 0);
    struct timespec span = timespec_of(1000 * SECOND);
    int64_t begin = now();
    pthread_t first = signal_me_after(100 * SECOND, SIGUSR1);
    pthread_t second = signal_me_after(350 * SECOND, SIGUSR1);
    while (nanosleep(&span, NULL) == -1) {
        REQUIRE(errno == EINTR);
    }
    REQUIRE_SPAN(since(begin), 1350 * SECOND);
    REQUIRE(noted_count == 2);
    join(first);
    join(second);
}

/* A storm of them moves no deadline that is absolute. */
static void signal_storm(void) {
    enum { SIGNALS = 100 };
    catch_signal(SIGUSR1, 0);
    int64_t begin = now();
    struct timespec until = timespec_of(begin + 1000 * SECOND);
    pthread_t senders[SIGNALS];
    for (int index = 0; index < SIGNALS; index++) {
        senders[index] = signal_me_after((index + 1) * SECOND, SIGUSR1);
    }
    int result;
    do {
        result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    } while (result == EINTR);
    REQUIRE(result == 0 && noted_count == SIGNALS);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
    for (int index = 0; index < SIGNALS; index++) {
        join(senders[index]);
    }
}

static void poll_is_interrupted_despite_restart(void) {
    catch_signal(SIGUSR1, SA_RESTART);
    struct pollfd silent = {silent_pipe(), POLLIN, 0};
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(poll(&silent, 1, 1000000) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    join(sender);
}

/* A futex is waited for again by the kernel if the handler says so. */
static void semaphore_with_restart(void) {
    catch_signal(SIGUSR1, SA_RESTART);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 300 * SECOND);
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    int result;
    while ((result = sem_timedwait(&semaphore, &until)) == -1 && errno == EINTR)
        ;
    REQUIRE(result == -1 && errno == ETIMEDOUT && noted_count == 1);
    REQUIRE_SPAN(since(begin), 300 * SECOND);
    join(sender);
}

static void semaphore_without_restart(void) {
    catch_signal(SIGUSR1, 0);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 300 * SECOND);
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(sem_timedwait(&semaphore, &until) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    join(sender);
}

/* A read without a timeout is made again by the kernel, or not. */
static void read_with_and_without_restart(void) {
    int silent = silent_pipe();
    char byte;
    catch_signal(SIGUSR1, SA_RESTART);
    catch_signal(SIGUSR2, 0);
    int64_t begin = now();
    pthread_t first = signal_me_after(50 * SECOND, SIGUSR1);
    pthread_t second = signal_me_after(80 * SECOND, SIGUSR2);
    REQUIRE(read(silent, &byte, 1) == -1 && errno == EINTR);
    REQUIRE(noted_count == 2);
    REQUIRE_SPAN(since(begin), 80 * SECOND);
    join(first);
    join(second);
}

/* A signal that nobody hears ends no wait, as it does none without a tracer. */
static void ignored_signals(void) {
    struct timespec span = timespec_of(1000 * SECOND);
    struct pollfd silent = {silent_pipe(), POLLIN, 0};
    struct epoll_event event;
    int epoll = epoll_create1(0);
    signal(SIGUSR1, SIG_IGN);
    int64_t begin = now();
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(nanosleep(&span, NULL) == 0);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
    join(sender);
    begin = now();
    sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(epoll_wait(epoll, &event, 1, 1000000) == 0);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
    join(sender);
    begin = now();
    sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(poll(&silent, 1, 1000000) == 0);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
    join(sender);
}

static void ignored_signals_without_a_timeout(void) {
    struct epoll_event event;
    int epoll = epoll_create1(0);
    signal(SIGUSR1, SIG_IGN);
    catch_signal(SIGUSR2, 0);
    int64_t begin = now();
    pthread_t ignored = signal_me_after(100 * SECOND, SIGUSR1);
    pthread_t heard = signal_me_after(200 * SECOND, SIGUSR2);
    REQUIRE(epoll_wait(epoll, &event, 1, -1) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 200 * SECOND);
    join(ignored);
    join(heard);
}

static void child_ends_beside_epoll(void) {
    struct epoll_event event;
    int epoll = epoll_create1(0);
    int64_t begin = now();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sleep_for(9 * SECOND);
        _exit(0);
    }
    REQUIRE(epoll_wait(epoll, &event, 1, 200000) == 0);
    REQUIRE_SPAN(since(begin), 200 * SECOND);
    REQUIRE(waitpid(child, NULL, 0) == child);
}

static void sigtimedwait_is_given_its_signal(void) {
    sigset_t set;
    siginfo_t info;
    struct timespec limit = timespec_of(1000 * SECOND);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    int64_t begin = now();
    pthread_t sender = signal_me_after(44 * SECOND, SIGUSR2);
    REQUIRE(sigtimedwait(&set, &info, &limit) == SIGUSR2);
    REQUIRE_SPAN(since(begin), 44 * SECOND);
    join(sender);
}

/* A mask that lasts as long as the call. */
static void pselect_with_a_mask(void) {
    sigset_t all, none;
    struct timespec limit = timespec_of(1000 * SECOND);
    sigfillset(&all);
    sigemptyset(&none);
    catch_signal(SIGUSR1, 0);
    pthread_t sender = signal_me_after(100 * SECOND, SIGUSR1);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    int64_t begin = now();
    sleep_for(300 * SECOND);
    REQUIRE(noted_count == 0);
    REQUIRE(pselect(0, NULL, NULL, NULL, &limit, &none) == -1 && errno == EINTR);
    REQUIRE(noted_count == 1);
    REQUIRE_SPAN(since(begin), 300 * SECOND);
    join(sender);
}

const struct check signals_checks[] = {
    {"nanosleep_is_interrupted", nanosleep_is_interrupted},
    {"nanosleep_is_interrupted_despite_restart",
     nanosleep_is_interrupted_despite_restart},
    {"nanosleep_goes_on_with_the_rest", nanosleep_goes_on_with_the_rest},
    {"nanosleep_again_is_a_fresh_wait", nanosleep_again_is_a_fresh_wait},
    {"poll_again_is_a_fresh_wait", poll_again_is_a_fresh_wait},
    {"epoll_again_is_a_fresh_wait", epoll_again_is_a_fresh_wait},
    {"select_is_interrupted_and_tells_what_is_left",
     select_is_interrupted_and_tells_what_is_left},
    {"two_signals", two_signals},
    {"signal_storm", signal_storm},
    {"poll_is_interrupted_despite_restart", poll_is_interrupted_despite_restart},
    {"semaphore_with_restart", semaphore_with_restart},
    {"semaphore_without_restart", semaphore_without_restart},
    {"read_with_and_without_restart", read_with_and_without_restart},
    {"ignored_signals", ignored_signals},
    {"ignored_signals_without_a_timeout", ignored_signals_without_a_timeout},
    {"child_ends_beside_epoll", child_ends_beside_epoll},
    {"sigtimedwait_is_given_its_signal", sigtimedwait_is_given_its_signal},
    {"pselect_with_a_mask", pselect_with_a_mask},
    {NULL, NULL},
};
