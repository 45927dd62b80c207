/* Checks of timing calls. Each is a function that returns if the kernel kept
 * its promises and ends the process with a word if it did not. */
#ifndef TORTURE_H
#define TORTURE_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

struct check {
    const char *name;
    void (*run)(void);
};

/* Tables of checks, each ended by one without a name. */
extern const struct check waits_checks[];
extern const struct check timers_checks[];
extern const struct check signals_checks[];
extern const struct check sockets_checks[];
extern const struct check processes_checks[];
extern const struct check steps_checks[];

#define SECOND INT64_C(1000000000)
#define MILLISECOND INT64_C(1000000)
#define MICROSECOND INT64_C(1000)

/* How late a wait may end: readings and expired waits cost time, too. */
#define LATE (50 * MICROSECOND)

/* Ends the process unless the condition holds. */
#define REQUIRE(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            int number = errno;                                                \
            printf("%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__,       \
                   #condition, number);                                        \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* Ends the process unless a span lies in [wanted, wanted + LATE]. */
#define REQUIRE_SPAN(span, wanted)                                             \
    do {                                                                       \
        int64_t is = (span), should = (wanted);                                \
        if (is < should || is > should + LATE) {                               \
            printf("%s:%d: %s is %.9f s instead of %.9f s\n", __FILE__,        \
                   __LINE__, #span, is / 1e9, should / 1e9);                   \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* For spans whose beginning two threads share. */
#define REQUIRE_NEAR(span, wanted)                                             \
    do {                                                                       \
        int64_t off = (span) - (wanted);                                       \
        REQUIRE(off <= LATE && off >= -LATE);                                  \
    } while (0)

/* Nanoseconds. */
int64_t now(void);
int64_t wall_now(void);
int64_t since(int64_t begin);

struct timespec timespec_of(int64_t nanoseconds);
struct timeval timeval_of(int64_t nanoseconds);
int64_t nanoseconds_of(struct timespec time);

/* Sleeps without ever being cut short. */
void sleep_for(int64_t nanoseconds);

/* A handler that notes the signal, and what it noted. */
void note_signal(int signal);
extern volatile sig_atomic_t noted_signal;
extern volatile sig_atomic_t noted_count;

/* Installs `note_signal` with these flags of sigaction. */
void catch_signal(int signal, int flags);

/* Starts a thread that sends a signal to the calling one after a while. */
pthread_t signal_me_after(int64_t nanoseconds, int signal);
void join(pthread_t thread);

/* A pipe that nobody writes to: its reading end. */
int silent_pipe(void);

#endif
