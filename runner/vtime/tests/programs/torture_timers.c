/* Timers that a process sets and does not wait for by themselves. */
#include "torture.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

static int timerfd_in(int64_t first, int64_t interval) {
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec setting = {timespec_of(interval), timespec_of(first)};
    REQUIRE(timer >= 0);
    REQUIRE(timerfd_settime(timer, 0, &setting, NULL) == 0);
    return timer;
}

static uint64_t expirations(int timer) {
    uint64_t count = 0;
    REQUIRE(read(timer, &count, sizeof count) == sizeof count);
    return count;
}

static void timerfd_blocking(void) {
    int64_t begin = now();
    int timer = timerfd_in(300 * SECOND, 0);
    REQUIRE(expirations(timer) == 1);
    REQUIRE_SPAN(since(begin), 300 * SECOND);
}

static void timerfd_in_epoll(void) {
    int epoll = epoll_create1(0);
    int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
    struct itimerspec setting = {{0, 0}, {300, 0}};
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = timer}}, seen;
    REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    int64_t begin = now();
    REQUIRE(timerfd_settime(timer, 0, &setting, NULL) == 0);
    REQUIRE(epoll_wait(epoll, &seen, 1, -1) == 1);
    REQUIRE(seen.data.fd == timer);
    REQUIRE_SPAN(since(begin), 300 * SECOND);
    REQUIRE(expirations(timer) == 1);
    uint64_t count;
    REQUIRE(read(timer, &count, sizeof count) == -1 && errno == EAGAIN);
}

static void timerfd_periodic(void) {
    int64_t begin = now();
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec setting = {timespec_of(30 * SECOND),
                                 timespec_of(begin + 30 * SECOND)};
    REQUIRE(timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL) == 0);
    for (int round = 1; round <= 3; round++) {
        REQUIRE(expirations(timer) == 1);
        REQUIRE_SPAN(since(begin), round * 30 * SECOND);
    }
}

static void timerfd_counts_what_was_missed(void) {
    int timer = timerfd_in(10 * SECOND, 10 * SECOND);
    int64_t begin = now();
    sleep_for(95 * SECOND);
    REQUIRE(expirations(timer) == 9);
    REQUIRE_SPAN(since(begin), 95 * SECOND);
}

static void timerfd_is_set_anew_and_off(void) {
    int64_t begin = now();
    int timer = timerfd_in(10 * SECOND, 0);
    struct itimerspec later = {{0, 0}, {50, 0}}, before, off = {{0, 0}, {0, 0}};
    sleep_for(4 * SECOND);
    REQUIRE(timerfd_settime(timer, 0, &later, &before) == 0);
    int64_t left = nanoseconds_of(before.it_value);
    REQUIRE(left <= 6 * SECOND && left > 6 * SECOND - LATE);
    REQUIRE(expirations(timer) == 1);
    REQUIRE_SPAN(since(begin), 54 * SECOND);
    REQUIRE(timerfd_settime(timer, 0, &later, NULL) == 0);
    REQUIRE(timerfd_settime(timer, 0, &off, NULL) == 0);
    struct pollfd ready = {timer, POLLIN, 0};
    REQUIRE(poll(&ready, 1, 100000) == 0);
    REQUIRE(timerfd_gettime(timer, &before) == 0);
    REQUIRE(nanoseconds_of(before.it_value) == 0);
}

static void timerfd_duplicate(void) {
    int64_t begin = now();
    int timer = timerfd_in(300 * SECOND, 0);
    int duplicate = dup(timer);
    REQUIRE(duplicate >= 0 && close(timer) == 0);
    REQUIRE(expirations(duplicate) == 1);
    REQUIRE_SPAN(since(begin), 300 * SECOND);
}

/* The number is used again by a pipe, which must not be mistaken for it. */
static void timerfd_closed(void) {
    int timer = timerfd_in(300 * SECOND, 0);
    REQUIRE(close(timer) == 0);
    int silent = silent_pipe();
    REQUIRE(silent == timer);
    struct pollfd ready = {silent, POLLIN, 0};
    int64_t begin = now();
    REQUIRE(poll(&ready, 1, 500000) == 0);
    REQUIRE_SPAN(since(begin), 500 * SECOND);
}

/* Two timers, one of them under a number that the other had. */
static void timerfd_number_used_again(void) {
    int64_t begin = now();
    int first = timerfd_in(200 * SECOND, 0);
    int kept = dup(first);
    REQUIRE(close(first) == 0);
    int second = timerfd_in(100 * SECOND, 0);
    REQUIRE(second == first);
    REQUIRE(expirations(second) == 1);
    REQUIRE_SPAN(since(begin), 100 * SECOND);
    REQUIRE(expirations(kept) == 1);
    REQUIRE_SPAN(since(begin), 200 * SECOND);
}

/* A child has the timer of its parent, who has closed it. */
static void timerfd_inherited(void) {
    int64_t begin = now();
    int timer = timerfd_in(40 * SECOND, 0), status;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        REQUIRE(expirations(timer) == 1);
        REQUIRE_SPAN(since(begin), 40 * SECOND);
        _exit(0);
    }
    REQUIRE(close(timer) == 0);
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    REQUIRE_SPAN(since(begin), 40 * SECOND);
}

static void alarm_and_pause(void) {
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    REQUIRE(alarm(120) == 0);
    REQUIRE(pause() == -1 && errno == EINTR && noted_signal == SIGALRM);
    REQUIRE_SPAN(since(begin), 120 * SECOND);
}

static void alarm_tells_what_was_left(void) {
    catch_signal(SIGALRM, 0);
    REQUIRE(alarm(120) == 0);
    sleep_for(50 * SECOND);
    REQUIRE(alarm(10) == 70);
    int64_t begin = now();
    REQUIRE(pause() == -1);
    REQUIRE_SPAN(since(begin), 10 * SECOND);
    REQUIRE(alarm(10) == 0);
    REQUIRE(alarm(0) == 10);
    sleep_for(60 * SECOND);
    REQUIRE(noted_count == 1);
}

/* The kernel keeps an alarm over exec, and a child has none. */
static void alarm_is_not_inherited(void) {
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    int status;
    REQUIRE(alarm(10) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sleep_for(30 * SECOND);
        _exit(noted_count);
    }
    while (waitpid(child, &status, 0) == -1) {
        REQUIRE(errno == EINTR);
        REQUIRE_SPAN(since(begin), 10 * SECOND);
    }
    REQUIRE(status == 0 && noted_count == 1);
    REQUIRE_SPAN(since(begin), 30 * SECOND);
}

static void setitimer_and_pause(void) {
    struct itimerval once = {{0, 0}, {12, 500000}};
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    REQUIRE(setitimer(ITIMER_REAL, &once, NULL) == 0);
    REQUIRE(pause() == -1 && noted_signal == SIGALRM);
    REQUIRE_SPAN(since(begin), 12500 * MILLISECOND);
}

static void setitimer_interval(void) {
    struct itimerval each = {{3, 0}, {1, 0}}, left;
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    REQUIRE(setitimer(ITIMER_REAL, &each, NULL) == 0);
    for (int round = 0; round < 4; round++) {
        REQUIRE(pause() == -1);
        REQUIRE_SPAN(since(begin), (1 + 3 * round) * SECOND);
    }
    REQUIRE(getitimer(ITIMER_REAL, &left) == 0);
    REQUIRE(left.it_interval.tv_sec == 3 && left.it_value.tv_sec <= 3);
}

static void alarm_interrupts_a_read(void) {
    char byte;
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    REQUIRE(alarm(20) == 0);
    REQUIRE(read(silent_pipe(), &byte, 1) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 20 * SECOND);
}

static timer_t posix_timer(int signal, int64_t first, int64_t interval) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = signal,
                             .sigev_value = {.sival_int = 77}};
    struct itimerspec setting = {timespec_of(interval), timespec_of(first)};
    timer_t timer;
    REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    REQUIRE(timer_settime(timer, 0, &setting, NULL) == 0);
    return timer;
}

static void posix_timer_signal(void) {
    catch_signal(SIGALRM, 0);
    int64_t begin = now();
    timer_t timer = posix_timer(SIGALRM, 40 * SECOND, 0);
    REQUIRE(pause() == -1 && noted_signal == SIGALRM);
    REQUIRE_SPAN(since(begin), 40 * SECOND);
    struct itimerspec left;
    REQUIRE(timer_gettime(timer, &left) == 0);
    REQUIRE(nanoseconds_of(left.it_value) == 0);
    REQUIRE(timer_delete(timer) == 0);
}

static sem_t posted;

static void post(union sigval value) {
    noted_signal = value.sival_int;
    sem_post(&posted);
}

static void posix_timer_thread(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = post,
                             .sigev_value = {.sival_int = 99}};
    struct itimerspec setting = {{0, 0}, {40, 0}};
    timer_t timer;
    sem_init(&posted, 0, 0);
    REQUIRE(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    int64_t begin = now();
    REQUIRE(timer_settime(timer, 0, &setting, NULL) == 0);
    REQUIRE(sem_wait(&posted) == 0 && noted_signal == 99);
    REQUIRE_SPAN(since(begin), 40 * SECOND);
    REQUIRE(timer_delete(timer) == 0);
}

static sigset_t blocked(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    REQUIRE(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    return set;
}

static void posix_timer_interval(void) {
    sigset_t set = blocked(SIGUSR1);
    int64_t begin = now();
    timer_t timer = posix_timer(SIGUSR1, 5 * SECOND, 10 * SECOND);
    for (int round = 0; round < 4; round++) {
        siginfo_t info;
        REQUIRE(sigwaitinfo(&set, &info) == SIGUSR1);
        REQUIRE(info.si_code == SI_TIMER && info.si_value.sival_int == 77);
        REQUIRE(info.si_overrun == 0);
        REQUIRE_SPAN(since(begin), (5 + 10 * round) * SECOND);
    }
    REQUIRE(timer_delete(timer) == 0);
    struct timespec limit = timespec_of(100 * SECOND);
    REQUIRE(sigtimedwait(&set, NULL, &limit) == -1 && errno == EAGAIN);
}

/* What expires while its signal is still pending is counted, not queued. */
static void posix_timer_overrun(void) {
    sigset_t set = blocked(SIGUSR1);
    timer_t timer = posix_timer(SIGUSR1, 10 * SECOND, 10 * SECOND);
    siginfo_t info;
    sleep_for(95 * SECOND);
    REQUIRE(sigwaitinfo(&set, &info) == SIGUSR1);
    REQUIRE(info.si_overrun == 8);
    REQUIRE(timer_getoverrun(timer) == 8);
    int64_t begin = now();
    REQUIRE(sigwaitinfo(&set, &info) == SIGUSR1);
    REQUIRE_SPAN(since(begin), 5 * SECOND - LATE);
    REQUIRE(info.si_overrun == 0);
}

/* Real-time signals of a timer are not queued one by one either. */
static void posix_timer_overrun_of_a_queued_signal(void) {
    sigset_t set = blocked(SIGRTMIN + 3);
    posix_timer(SIGRTMIN + 3, 10 * SECOND, 10 * SECOND);
    siginfo_t info;
    struct timespec none = {0, 0};
    sleep_for(95 * SECOND);
    REQUIRE(sigwaitinfo(&set, &info) == SIGRTMIN + 3);
    REQUIRE(info.si_overrun == 8);
    REQUIRE(sigtimedwait(&set, &info, &none) == -1 && errno == EAGAIN);
}

const struct check timers_checks[] = {
    {"timerfd_blocking", timerfd_blocking},
    {"timerfd_in_epoll", timerfd_in_epoll},
    {"timerfd_periodic", timerfd_periodic},
    {"timerfd_counts_what_was_missed", timerfd_counts_what_was_missed},
    {"timerfd_is_set_anew_and_off", timerfd_is_set_anew_and_off},
    {"timerfd_duplicate", timerfd_duplicate},
    {"timerfd_closed", timerfd_closed},
    {"timerfd_number_used_again", timerfd_number_used_again},
    {"timerfd_inherited", timerfd_inherited},
    {"alarm_and_pause", alarm_and_pause},
    {"alarm_tells_what_was_left", alarm_tells_what_was_left},
    {"alarm_is_not_inherited", alarm_is_not_inherited},
    {"setitimer_and_pause", setitimer_and_pause},
    {"setitimer_interval", setitimer_interval},
    {"alarm_interrupts_a_read", alarm_interrupts_a_read},
    {"posix_timer_signal", posix_timer_signal},
    {"posix_timer_thread", posix_timer_thread},
    {"posix_timer_interval", posix_timer_interval},
    {"posix_timer_overrun", posix_timer_overrun},
    {"posix_timer_overrun_of_a_queued_signal",
     posix_timer_overrun_of_a_queued_signal},
    {NULL, NULL},
};
