/* Waits with a timeout that nothing interrupts. */
#include "torture.h"

#include <linux/futex.h>
#include <mqueue.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>

static struct timespec wall_in(int64_t nanoseconds) {
    return timespec_of(wall_now() + nanoseconds);
}

static void sleep_seconds(void) {
    int64_t begin = now();
    REQUIRE(sleep(1000) == 0);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
}

static void sleep_fraction(void) {
    int64_t begin = now();
    REQUIRE(usleep(250000) == 0);
    REQUIRE_SPAN(since(begin), 250 * MILLISECOND);
}

static void sleep_many_times(void) {
    int64_t begin = now();
    for (int round = 0; round < 500; round++) {
        int64_t round_begin = now();
        sleep_for(10 * MILLISECOND);
        REQUIRE_SPAN(since(round_begin), 10 * MILLISECOND);
    }
    REQUIRE_SPAN(since(begin), 5 * SECOND);
}

static void sleep_nothing(void) {
    struct timespec none = {0, 0};
    int64_t begin = now();
    REQUIRE(nanosleep(&none, NULL) == 0);
    REQUIRE_SPAN(since(begin), 0);
}

static void sleep_invalid(void) {
    struct timespec negative = {-1, 0}, wide = {0, SECOND};
    REQUIRE(nanosleep(&negative, NULL) == -1 && errno == EINVAL);
    REQUIRE(nanosleep(&wide, NULL) == -1 && errno == EINVAL);
    REQUIRE(nanosleep((struct timespec *)8, NULL) == -1 && errno == EFAULT);
}

static void clock_nanosleep_relative(void) {
    struct timespec span = timespec_of(500 * SECOND);
    int64_t begin = now();
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL) == 0);
    REQUIRE(clock_nanosleep(CLOCK_BOOTTIME, 0, &span, NULL) == 0);
    REQUIRE_SPAN(since(begin), 1000 * SECOND);
}

static void clock_nanosleep_absolute_monotonic(void) {
    int64_t begin = now();
    struct timespec until = timespec_of(begin + 500 * SECOND);
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), 500 * SECOND);
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), 500 * SECOND);
}

static void clock_nanosleep_absolute_wall(void) {
    int64_t begin = now();
    struct timespec until = wall_in(500 * SECOND);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), 500 * SECOND);
    REQUIRE_SPAN(wall_now(), nanoseconds_of(until));
}

static void poll_timeout(void) {
    struct pollfd silent = {silent_pipe(), POLLIN, 0x55};
    int64_t begin = now();
    REQUIRE(poll(&silent, 1, 60000) == 0);
    REQUIRE(silent.revents == 0);
    REQUIRE_SPAN(since(begin), 60 * SECOND);
}

static void poll_nothing(void) {
    int64_t begin = now();
    REQUIRE(poll(NULL, 0, 0) == 0);
    REQUIRE(poll(NULL, 0, 1) == 0);
    REQUIRE_SPAN(since(begin), MILLISECOND);
}

/* As Go waits: for the whole milliseconds of what is left, at least for one. */
static void poll_until_an_instant(void) {
    int64_t begin = now();
    int64_t until = begin + 60 * SECOND + 20;
    for (int64_t left = until - now(); left > 0; left = until - now())
        REQUIRE(poll(NULL, 0, left < MILLISECOND ? 1 : left / MILLISECOND) == 0);
    REQUIRE_SPAN(since(begin), 60 * SECOND + 20);
}

static void ppoll_timeout(void) {
    struct pollfd silent = {silent_pipe(), POLLIN, 0};
    struct timespec limit = timespec_of(60 * SECOND);
    int64_t begin = now();
    REQUIRE(ppoll(&silent, 1, &limit, NULL) == 0);
    REQUIRE_SPAN(since(begin), 60 * SECOND);
}

static void select_timeout(void) {
    int silent = silent_pipe();
    struct timeval limit = timeval_of(60 * SECOND);
    int64_t begin = now();
    fd_set set;
    FD_ZERO(&set);
    FD_SET(silent, &set);
    REQUIRE(select(silent + 1, &set, NULL, NULL, &limit) == 0);
    REQUIRE(!FD_ISSET(silent, &set));
    REQUIRE_SPAN(since(begin), 60 * SECOND);
    REQUIRE(limit.tv_sec == 0 && limit.tv_usec == 0);
}

struct written {
    int fd;
    int64_t after;
};

static void *write_later(void *argument) {
    struct written *written = argument;
    sleep_for(written->after);
    REQUIRE(write(written->fd, "x", 1) == 1);
    return NULL;
}

static void select_tells_what_is_left(void) {
    int ends[2];
    pthread_t writer;
    struct timeval limit = timeval_of(60 * SECOND);
    REQUIRE(pipe(ends) == 0);
    struct written written = {ends[1], 7 * SECOND};
    int64_t begin = now();
    REQUIRE(pthread_create(&writer, NULL, write_later, &written) == 0);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    REQUIRE(select(ends[0] + 1, &set, NULL, NULL, &limit) == 1);
    REQUIRE(FD_ISSET(ends[0], &set));
    REQUIRE_SPAN(since(begin), 7 * SECOND);
    /* The kernel counts from its own entry, which is a little later. */
    REQUIRE(limit.tv_sec == 53 || (limit.tv_sec == 52 && limit.tv_usec > 999900));
    join(writer);
}

static void pselect_timeout(void) {
    int silent = silent_pipe();
    struct timespec limit = timespec_of(60 * SECOND);
    int64_t begin = now();
    fd_set set;
    FD_ZERO(&set);
    FD_SET(silent, &set);
    REQUIRE(pselect(silent + 1, &set, NULL, NULL, &limit, NULL) == 0);
    REQUIRE(!FD_ISSET(silent, &set));
    REQUIRE_SPAN(since(begin), 60 * SECOND);
}

/* The library hides it; the kernel tells by the call itself. */
static void pselect_and_ppoll_tell_what_is_left(void) {
    struct timespec limit = timespec_of(60 * SECOND);
    REQUIRE(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &limit, NULL) == 0);
    REQUIRE(nanoseconds_of(limit) == 0);
    limit = timespec_of(60 * SECOND);
    REQUIRE(syscall(SYS_ppoll, NULL, 0, &limit, NULL, 8) == 0);
    REQUIRE(nanoseconds_of(limit) == 0);
}

static int epoll_of(int fd) {
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    REQUIRE(epoll >= 0);
    REQUIRE(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
    return epoll;
}

static void epoll_timeout(void) {
    int epoll = epoll_of(silent_pipe());
    struct epoll_event event;
    int64_t begin = now();
    REQUIRE(epoll_wait(epoll, &event, 1, 60000) == 0);
    REQUIRE(epoll_pwait(epoll, &event, 1, 60000, NULL) == 0);
    REQUIRE_SPAN(since(begin), 120 * SECOND);
}

static void epoll_pwait2_timeout(void) {
    int epoll = epoll_of(silent_pipe());
    struct epoll_event event;
    struct timespec limit = timespec_of(60 * SECOND + 1);
    int64_t begin = now();
    REQUIRE(syscall(SYS_epoll_pwait2, epoll, &event, 1, &limit, NULL, 8) == 0);
    REQUIRE_SPAN(since(begin), 60 * SECOND + 1);
}

static void sigtimedwait_timeout(void) {
    sigset_t set;
    struct timespec limit = timespec_of(44 * SECOND);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    REQUIRE(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    int64_t begin = now();
    REQUIRE(sigtimedwait(&set, NULL, &limit) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 44 * SECOND);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void condition_wall(void) {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    int64_t begin = now();
    struct timespec until = wall_in(77 * SECOND);
    REQUIRE(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 77 * SECOND);
}

static void condition_monotonic(void) {
    pthread_condattr_t attributes;
    pthread_cond_t condition;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &attributes);
    pthread_mutex_lock(&mutex);
    int64_t begin = now();
    struct timespec until = timespec_of(begin + 77 * SECOND);
    REQUIRE(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 77 * SECOND);
}

static void *hold_mutex(void *argument) {
    pthread_mutex_lock(argument);
    sleep_for(100 * SECOND);
    pthread_mutex_unlock(argument);
    return NULL;
}

static void mutex_timeout_of_protocol(int protocol) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t held;
    pthread_t holder;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_init(&held, &attributes);
    REQUIRE(pthread_create(&holder, NULL, hold_mutex, &held) == 0);
    sleep_for(SECOND);
    int64_t begin = now();
    struct timespec until = wall_in(33 * SECOND);
    REQUIRE(pthread_mutex_timedlock(&held, &until) == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 33 * SECOND);
    until = wall_in(1000 * SECOND);
    REQUIRE(pthread_mutex_timedlock(&held, &until) == 0);
    REQUIRE_SPAN(since(begin), 99 * SECOND);
    join(holder);
}

static void mutex_timeout(void) { mutex_timeout_of_protocol(PTHREAD_PRIO_NONE); }

static void mutex_timeout_inheriting(void) {
    mutex_timeout_of_protocol(PTHREAD_PRIO_INHERIT);
}

static void semaphore_timeout(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    int64_t begin = now();
    struct timespec until = wall_in(33 * SECOND);
    REQUIRE(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 33 * SECOND);
}

static void *post_later(void *semaphore) {
    sleep_for(7 * SECOND);
    sem_post(semaphore);
    return NULL;
}

static void semaphore_posted(void) {
    sem_t semaphore;
    pthread_t poster;
    sem_init(&semaphore, 0, 0);
    int64_t begin = now();
    REQUIRE(pthread_create(&poster, NULL, post_later, &semaphore) == 0);
    struct timespec until = wall_in(33 * SECOND);
    REQUIRE(sem_timedwait(&semaphore, &until) == 0);
    REQUIRE_SPAN(since(begin), 7 * SECOND);
    join(poster);
}

static void futex_relative(void) {
    int word = 0;
    struct timespec span = timespec_of(19 * SECOND);
    int64_t begin = now();
    REQUIRE(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &span, NULL, 0) == -1);
    REQUIRE(errno == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 19 * SECOND);
    REQUIRE(syscall(SYS_futex, &word, FUTEX_WAIT, 1, &span, NULL, 0) == -1);
    REQUIRE(errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 19 * SECOND);
}

static void system_v_semaphore(void) {
    int set = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf take = {0, -1, 0};
    struct timespec limit = timespec_of(11 * SECOND);
    REQUIRE(set >= 0);
    int64_t begin = now();
    int result = semtimedop(set, &take, 1, &limit), number = errno;
    semctl(set, 0, IPC_RMID);
    REQUIRE(result == -1 && number == EAGAIN);
    REQUIRE_SPAN(since(begin), 11 * SECOND);
}

static void message_queue(void) {
    char name[64], message[16];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof message};
    snprintf(name, sizeof name, "/holdoff-torture-%d", getpid());
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    if (queue == (mqd_t)-1 && (errno == ENOSYS || errno == EACCES)) {
        return; /* a kernel without them */
    }
    REQUIRE(queue != (mqd_t)-1);
    mq_unlink(name);
    int64_t begin = now();
    struct timespec until = wall_in(21 * SECOND);
    REQUIRE(mq_timedreceive(queue, message, sizeof message, NULL, &until) == -1);
    REQUIRE(errno == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), 21 * SECOND);
}

static void *sleep_a_while(void *argument) {
    int64_t span = *(int64_t *)argument, begin = now();
    sleep_for(span);
    REQUIRE(since(begin) >= span);
    return NULL;
}

/* Two hundred at a time, three times over, none of them forgotten. */
static void thread_churn(void) {
    enum { THREADS = 200, ROUNDS = 3 };
    pthread_t threads[THREADS];
    int64_t spans[THREADS];
    int64_t begin = now();
    for (int round = 0; round < ROUNDS; round++) {
        for (int index = 0; index < THREADS; index++) {
            spans[index] = (index % 7 + 1) * SECOND;
            REQUIRE(pthread_create(&threads[index], NULL, sleep_a_while,
                                   &spans[index]) == 0);
        }
        for (int index = 0; index < THREADS; index++) {
            join(threads[index]);
        }
    }
    int64_t span = since(begin);
    REQUIRE(span >= ROUNDS * 7 * SECOND);
    REQUIRE(span < ROUNDS * 7 * SECOND + 10 * MILLISECOND);
}

static void *do_nothing(void *argument) { return argument; }

static void thread_short_lives(void) {
    int64_t begin = now();
    for (int round = 0; round < 400; round++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
        REQUIRE(pthread_detach(thread) == 0);
    }
    sleep_for(30 * SECOND);
    REQUIRE_SPAN(since(begin), 30 * SECOND);
}

static void spin_on_the_clock(void) {
    int64_t begin = now();
    while (since(begin) < 2 * MILLISECOND)
        ;
    REQUIRE_SPAN(since(begin), 2 * MILLISECOND);
}

static void clocks_agree(void) {
    struct timeval precise;
    struct timespec coarse;
    time_t seconds = time(NULL);
    gettimeofday(&precise, NULL);
    REQUIRE(precise.tv_sec == seconds || precise.tv_sec == seconds + 1);
    clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
    REQUIRE_SPAN(wall_now() - nanoseconds_of(coarse), 0);
    struct timespec by_call;
    REQUIRE(syscall(SYS_clock_gettime, CLOCK_REALTIME, &by_call) == 0);
    REQUIRE_SPAN(wall_now() - nanoseconds_of(by_call), 0);
    REQUIRE(syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &by_call) == 0);
    REQUIRE_SPAN(now() - nanoseconds_of(by_call), 0);
}

static void clock_never_goes_back(void) {
    int64_t last = now();
    for (int round = 0; round < 100000; round++) {
        int64_t next = now();
        REQUIRE(next > last);
        last = next;
    }
}

static void io_uring_is_refused(void) {
    char parameters[128] = {0};
    REQUIRE(syscall(SYS_io_uring_setup, 8, parameters) == -1);
    REQUIRE(errno == ENOSYS);
}

const struct check waits_checks[] = {
    {"sleep_seconds", sleep_seconds},
    {"sleep_fraction", sleep_fraction},
    {"sleep_many_times", sleep_many_times},
    {"sleep_nothing", sleep_nothing},
    {"sleep_invalid", sleep_invalid},
    {"clock_nanosleep_relative", clock_nanosleep_relative},
    {"clock_nanosleep_absolute_monotonic", clock_nanosleep_absolute_monotonic},
    {"clock_nanosleep_absolute_wall", clock_nanosleep_absolute_wall},
    {"poll_timeout", poll_timeout},
    {"poll_nothing", poll_nothing},
    {"poll_until_an_instant", poll_until_an_instant},
    {"ppoll_timeout", ppoll_timeout},
    {"select_timeout", select_timeout},
    {"select_tells_what_is_left", select_tells_what_is_left},
    {"pselect_timeout", pselect_timeout},
    {"pselect_and_ppoll_tell_what_is_left", pselect_and_ppoll_tell_what_is_left},
    {"epoll_timeout", epoll_timeout},
    {"epoll_pwait2_timeout", epoll_pwait2_timeout},
    {"sigtimedwait_timeout", sigtimedwait_timeout},
    {"condition_wall", condition_wall},
    {"condition_monotonic", condition_monotonic},
    {"mutex_timeout", mutex_timeout},
    {"mutex_timeout_inheriting", mutex_timeout_inheriting},
    {"semaphore_timeout", semaphore_timeout},
    {"semaphore_posted", semaphore_posted},
    {"futex_relative", futex_relative},
    {"system_v_semaphore", system_v_semaphore},
    {"message_queue", message_queue},
    {"thread_churn", thread_churn},
    {"thread_short_lives", thread_short_lives},
    {"spin_on_the_clock", spin_on_the_clock},
    {"clocks_agree", clocks_agree},
    {"clock_never_goes_back", clock_never_goes_back},
    {"io_uring_is_refused", io_uring_is_refused},
    {NULL, NULL},
};
