/* Programs that mean no good, or know no better: the argument says which. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void spin_on_the_clock(void) {
    for (;;) {
        now();
    }
}

static volatile unsigned long counter;

static void spin(void) {
    for (;;) {
        counter++;
    }
}

/* Spins by calls of the kernel that have nothing to do with time. */
static void spin_in_the_kernel(void) {
    for (;;) {
        getppid();
    }
}

/* Spins by calls that the filter stops, and that do not wait. */
static void spin_in_the_filter(void) {
    struct timespec none = {0, 0};
    for (;;) {
        nanosleep(&none, NULL);
    }
}

static int64_t sleeper_span;

static void *sleep_and_exit(void *argument) {
    (void)argument;
    struct timespec span = {sleeper_span, 0};
    nanosleep(&span, NULL);
    exit(0);
}

static void spin_beside(int64_t seconds) {
    pthread_t thread;
    sleeper_span = seconds;
    pthread_create(&thread, NULL, sleep_and_exit, NULL);
    spin();
}

/* Its sleep is over once the clock creeps. */
static void spin_beside_a_short_sleep(void) { spin_beside(1); }

static void spin_beside_a_long_sleep(void) { spin_beside(3600); }

/* Each child makes children, and all of them stay. */
static void fork_without_end(void) {
    for (;;) {
        if (fork() < 0) {
            sleep(1);
        }
    }
}

/* One after the other, each gone before the next. */
static void fork_in_a_chain(void) {
    for (;;) {
        if (fork() > 0) {
            _exit(0);
        }
    }
}

static void *sleep_for_long(void *argument) {
    sleep(100000);
    return argument;
}

static void thread_without_end(void) {
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sleep_for_long, NULL) != 0) {
            sleep(1);
        }
    }
}

static void block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    for (int number = 1; number < 65; number++) {
        signal(number, SIG_IGN);
    }
}

static void block_every_signal_and_sleep(void) {
    block_signals();
    if (sleep(3600) != 0) {
        exit(1);
    }
}

static void block_every_signal_and_wait(void) {
    block_signals();
    for (;;) {
        pause();
    }
}

static void stop_itself(void) {
    raise(SIGSTOP);
    for (;;) {
        pause();
    }
}

static void stop_itself_beside_a_sleep(void) {
    pid_t parent = getpid();
    if (fork() == 0) {
        sleep(3600);
        kill(parent, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void sleep_until_2200(void) {
    struct timespec until = {INT64_C(7258118400), 0};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static void sleep_for_ever(void) {
    struct timespec span = {INT64_MAX, 999999999};
    nanosleep(&span, NULL);
}

static void daemonize(void) {
    if (fork() > 0) {
        _exit(0);
    }
    setsid();
    if (fork() > 0) {
        _exit(0);
    }
    umask(0);
    if (chdir("/") != 0) {
        _exit(1);
    }
    for (;;) {
        sleep(1000000);
    }
}

static uint64_t *clock_page(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (strstr(line, "holdoff-clock")) {
            return (uint64_t *)strtoull(line, NULL, 16);
        }
    }
    puts("there is no page");
    exit(9);
}

static void write_to_the_clock(uint64_t value, int words) {
    uint64_t *page = clock_page();
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) {
        exit(8);
    }
    now();
    for (int word = 0; word < words; word++) {
        page[word] = value;
    }
    sleep(3600);
    exit(7);
}

static void write_a_late_clock(void) { write_to_the_clock(UINT64_C(1) << 50, 1); }

static void write_an_early_clock(void) {
    sleep(10);
    write_to_the_clock(0, 1);
}

static void write_everywhere(void) { write_to_the_clock(UINT64_MAX, 512); }

/* Without the page it has the kernel's clock only, which is ours as well. */
static void unmap_the_clock(void) {
    munmap(clock_page(), 4096);
    now();
}

/* By way of the maps: no descriptor of the page is left open. */
static void truncate_the_clock(void) {
    char path[64];
    unsigned long page = (unsigned long)clock_page();
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", page, page + 4096);
    if (truncate(path, 0) != 0) {
        puts("not allowed");
        exit(0);
    }
    now();
}

static void hide_from_tracers(void) {
    prctl(PR_SET_DUMPABLE, 0);
    if (sleep(3600) != 0) {
        exit(1);
    }
}

/* Asks for four megabytes, and never reads them. */
static void never_read(const char *url) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)},
                                  .sin_port = htons(atoi(strrchr(url, ':') + 1))};
    const char request[] = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";
    int client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address) != 0 ||
        write(client, request, sizeof request - 1) != sizeof request - 1) {
        exit(1);
    }
    if (sleep(3600) != 0) {
        exit(2);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} adversaries[] = {
    {"spin_on_the_clock", spin_on_the_clock},
    {"spin", spin},
    {"spin_in_the_kernel", spin_in_the_kernel},
    {"spin_in_the_filter", spin_in_the_filter},
    {"spin_beside_a_short_sleep", spin_beside_a_short_sleep},
    {"spin_beside_a_long_sleep", spin_beside_a_long_sleep},
    {"fork_without_end", fork_without_end},
    {"fork_in_a_chain", fork_in_a_chain},
    {"thread_without_end", thread_without_end},
    {"block_every_signal_and_sleep", block_every_signal_and_sleep},
    {"block_every_signal_and_wait", block_every_signal_and_wait},
    {"stop_itself", stop_itself},
    {"stop_itself_beside_a_sleep", stop_itself_beside_a_sleep},
    {"sleep_until_2200", sleep_until_2200},
    {"sleep_for_ever", sleep_for_ever},
    {"daemonize", daemonize},
    {"write_a_late_clock", write_a_late_clock},
    {"write_an_early_clock", write_an_early_clock},
    {"write_everywhere", write_everywhere},
    {"unmap_the_clock", unmap_the_clock},
    {"truncate_the_clock", truncate_the_clock},
    {"hide_from_tracers", hide_from_tracers},
};

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count == 3 && strcmp(arguments[1], "never_read") == 0) {
        never_read(arguments[2]);
        return 0;
    }
    for (size_t index = 0; index < sizeof adversaries / sizeof *adversaries; index++) {
        if (count == 2 && strcmp(arguments[1], adversaries[index].name) == 0) {
            adversaries[index].run();
            return 0;
        }
    }
    return 64;
}
