/* Checks that need something of their caller: jumps of the wall clock at
 * instants that both know, or a seed. Not run with the others. */
#include "torture.h"

#include <semaphore.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/timerfd.h>

#define HOUR (3600 * SECOND)

/* The caller puts the wall clock forward by an hour after 100 s. */
static void step_forward_absolute(void) {
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 2 * HOUR);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), HOUR);
    REQUIRE_SPAN(wall_now(), nanoseconds_of(until));
}

/* As above; the step goes beyond the deadline, which is over at that. */
static void step_forward_beyond(void) {
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 200 * SECOND);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    int64_t span = since(begin);
    REQUIRE(span > 99 * SECOND && span < 100 * SECOND + LATE);
    REQUIRE(wall_now() > nanoseconds_of(until));
}

/* As above; a relative wait does not know of it, whatever its clock. */
static void step_forward_relative(void) {
    int64_t begin = now();
    struct timespec span = timespec_of(2 * HOUR);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL) == 0);
    REQUIRE_SPAN(since(begin), 2 * HOUR);
}

static void step_forward_monotonic(void) {
    int64_t begin = now();
    struct timespec until = timespec_of(begin + 2 * HOUR);
    REQUIRE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), 2 * HOUR);
}

static void step_forward_timer(void) {
    int timer = timerfd_create(CLOCK_REALTIME, 0);
    struct itimerspec setting = {{0, 0}, timespec_of(wall_now() + 2 * HOUR)};
    uint64_t count;
    int64_t begin = now();
    REQUIRE(timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL) == 0);
    REQUIRE(read(timer, &count, sizeof count) == sizeof count && count == 1);
    REQUIRE(since(begin) <= HOUR + LATE && since(begin) > HOUR - LATE);
}

static void step_forward_semaphore(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 2 * HOUR);
    REQUIRE(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
    REQUIRE_SPAN(since(begin), HOUR);
}

/* The caller puts the wall clock back by an hour after 100 s. */
static void step_back_absolute(void) {
    int64_t begin = now();
    struct timespec until = timespec_of(wall_now() + 2 * HOUR);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    REQUIRE_SPAN(since(begin), 3 * HOUR);
    REQUIRE_SPAN(wall_now(), nanoseconds_of(until));
}

static void step_back_relative(void) {
    int64_t begin = now(), wall = wall_now();
    struct timespec span = timespec_of(2 * HOUR);
    REQUIRE(clock_nanosleep(CLOCK_REALTIME, 0, &span, NULL) == 0);
    REQUIRE_SPAN(since(begin), 2 * HOUR);
    REQUIRE_SPAN(wall_now() - wall, HOUR);
}

static void print_bytes(const char *name, const unsigned char *bytes, int count) {
    printf("%s ", name);
    for (int index = 0; index < count; index++) {
        printf("%02x", bytes[index]);
    }
    printf("\n");
}

/* Prints all that is there by chance. */
static void random_bytes(void) {
    unsigned char bytes[32];
    for (int round = 0; round < 3; round++) {
        REQUIRE(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
        print_bytes("getrandom", bytes, sizeof bytes);
    }
    REQUIRE(getentropy(bytes, 16) == 0);
    print_bytes("getentropy", bytes, 16);
    const unsigned char *given = (const unsigned char *)getauxval(AT_RANDOM);
    REQUIRE(given != NULL);
    print_bytes("AT_RANDOM", given, 16);
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        REQUIRE(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
        print_bytes("child", bytes, sizeof bytes);
        _exit(0);
    }
    sleep_for(SECOND);
}

const struct check steps_checks[] = {
    {"step_forward_absolute", step_forward_absolute},
    {"step_forward_beyond", step_forward_beyond},
    {"step_forward_relative", step_forward_relative},
    {"step_forward_monotonic", step_forward_monotonic},
    {"step_forward_timer", step_forward_timer},
    {"step_forward_semaphore", step_forward_semaphore},
    {"step_back_absolute", step_back_absolute},
    {"step_back_relative", step_back_relative},
    {"random_bytes", random_bytes},
    {NULL, NULL},
};
