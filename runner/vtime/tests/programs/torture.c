/* Runs the check that its argument names; without one, lists all names. */
#include "torture.h"

static const struct check *const tables[] = {
    waits_checks,     timers_checks,    signals_checks,
    sockets_checks,   processes_checks, steps_checks,
};
#define TABLES (sizeof tables / sizeof *tables)

volatile sig_atomic_t noted_signal;
volatile sig_atomic_t noted_count;

int64_t nanoseconds_of(struct timespec time) {
    return time.tv_sec * SECOND + time.tv_nsec;
}

struct timespec timespec_of(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / SECOND, nanoseconds % SECOND};
}

struct timeval timeval_of(int64_t nanoseconds) {
    return (struct timeval){nanoseconds / SECOND,
                            nanoseconds % SECOND / MICROSECOND};
}

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds_of(time);
}

int64_t wall_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return nanoseconds_of(time);
}

int64_t since(int64_t begin) { return now() - begin; }

void sleep_for(int64_t nanoseconds) {
    struct timespec left = timespec_of(nanoseconds);
    while (nanosleep(&left, &left) == -1 && errno == EINTR)
        ;
}

void note_signal(int signal) {
    noted_signal = signal;
    noted_count++;
}

void catch_signal(int signal, int flags) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = flags};
    REQUIRE(sigaction(signal, &action, NULL) == 0);
}

struct sender {
    pthread_t target;
    int64_t after;
    int signal;
};

static void *send_signal(void *argument) {
    struct sender sender = *(struct sender *)argument;
    free(argument);
    sleep_for(sender.after);
    pthread_kill(sender.target, sender.signal);
    return NULL;
}

pthread_t signal_me_after(int64_t nanoseconds, int signal) {
    struct sender *sender = malloc(sizeof *sender);
    pthread_t thread;
    REQUIRE(sender != NULL);
    *sender = (struct sender){pthread_self(), nanoseconds, signal};
    REQUIRE(pthread_create(&thread, NULL, send_signal, sender) == 0);
    return thread;
}

void join(pthread_t thread) { REQUIRE(pthread_join(thread, NULL) == 0); }

int silent_pipe(void) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    return ends[0];
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t table = 0; table < TABLES; table++) {
        for (const struct check *check = tables[table]; check->name; check++) {
            if (count < 2) {
                puts(check->name);
            } else if (strcmp(check->name, arguments[1]) == 0) {
                check->run();
                return 0;
            }
        }
    }
    return count < 2 ? 0 : 2;
}
