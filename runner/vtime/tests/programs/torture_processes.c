/* Processes that make others, become others, and are stopped. */
#include "torture.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static int ended(pid_t child) {
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static pid_t spawned(const char *seconds) {
    char *arguments[] = {"sleep", (char *)seconds, NULL};
    pid_t child;
    REQUIRE(posix_spawnp(&child, "sleep", NULL, NULL, arguments, environ) == 0);
    return child;
}

static void fork_and_wait(void) {
    int64_t begin = now();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sleep_for(10 * SECOND);
        _exit(3);
    }
    REQUIRE(ended(child) == 3);
    REQUIRE_SPAN(since(begin), 10 * SECOND);
}

/* Parent and child read one clock. */
static void fork_shares_the_clock(void) {
    int ends[2];
    int64_t of_child;
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sleep_for(10 * SECOND);
        of_child = now();
        REQUIRE(write(ends[1], &of_child, sizeof of_child) == sizeof of_child);
        sleep_for(10 * SECOND);
        _exit(0);
    }
    REQUIRE(read(ends[0], &of_child, sizeof of_child) == sizeof of_child);
    REQUIRE_SPAN(now() - of_child, 0);
    REQUIRE(ended(child) == 0);
}

static void spawn_and_wait(void) {
    int64_t begin = now();
    REQUIRE(ended(spawned("15")) == 0);
    REQUIRE_SPAN(since(begin), 15 * SECOND);
}

static void shell_and_wait(void) {
    int64_t begin = now();
    REQUIRE(system("sleep 5; true") == 0);
    REQUIRE(system("sleep 3 & sleep 7; wait") == 0);
    REQUIRE_SPAN(since(begin), 12 * SECOND);
}

static void vfork_and_exec(void) {
    int64_t begin = now();
    pid_t child = vfork();
    REQUIRE(child >= 0);
    if (child == 0) {
        execlp("sleep", "sleep", "8", NULL);
        _exit(1);
    }
    REQUIRE(ended(child) == 0);
    REQUIRE_SPAN(since(begin), 8 * SECOND);
}

/* Its parent cannot be interrupted meanwhile, and must not keep the clock. */
static void vfork_and_sleep_before_exec(void) {
    int64_t begin = now();
    pid_t child = vfork();
    REQUIRE(child >= 0);
    if (child == 0) {
        struct timespec span = {20, 0};
        nanosleep(&span, NULL);
        execlp("sleep", "sleep", "8", NULL);
        _exit(1);
    }
    REQUIRE_SPAN(since(begin), 20 * SECOND);
    REQUIRE(ended(child) == 0);
    REQUIRE_SPAN(since(begin), 28 * SECOND);
}

static void vfork_and_exit(void) {
    int64_t begin = now();
    pid_t child = vfork();
    REQUIRE(child >= 0);
    if (child == 0) {
        struct timespec span = {20, 0};
        nanosleep(&span, NULL);
        _exit(4);
    }
    REQUIRE(ended(child) == 4);
    REQUIRE_SPAN(since(begin), 20 * SECOND);
}

/* A child of fifty that are there at once, and of fifty one after the other. */
static void fork_churn(void) {
    enum { CHILDREN = 50 };
    pid_t children[CHILDREN];
    int64_t begin = now();
    for (int index = 0; index < CHILDREN; index++) {
        children[index] = fork();
        REQUIRE(children[index] >= 0);
        if (children[index] == 0) {
            sleep_for((index % 5 + 1) * SECOND);
            _exit(index);
        }
    }
    for (int index = 0; index < CHILDREN; index++) {
        REQUIRE(ended(children[index]) == index);
    }
    int64_t span = since(begin);
    REQUIRE(span >= 5 * SECOND && span < 5 * SECOND + MILLISECOND);
    for (int index = 0; index < CHILDREN; index++) {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            _exit(index);
        }
        REQUIRE(ended(child) == index);
    }
}

static void exec_churn(void) {
    int64_t begin = now();
    for (int round = 0; round < 10; round++) {
        REQUIRE(ended(spawned("1")) == 0);
    }
    int64_t span = since(begin);
    REQUIRE(span >= 10 * SECOND && span < 10 * SECOND + MILLISECOND);
}

static void *become_sleep(void *argument) {
    (void)argument;
    execlp("sleep", "sleep", "50", NULL);
    return NULL;
}

/* All other threads of the process are gone then, without a word. */
static void exec_by_another_thread(void) {
    int64_t begin = now();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        pthread_t threads[3];
        (void)signal_me_after(1000 * SECOND, SIGUSR1);
        (void)signal_me_after(2000 * SECOND, SIGUSR1);
        REQUIRE(pthread_create(&threads[0], NULL, become_sleep, NULL) == 0);
        pause();
    }
    REQUIRE(ended(child) == 0);
    REQUIRE_SPAN(since(begin), 50 * SECOND);
}

static void stopped_and_continued(int64_t span, int64_t wanted) {
    int64_t begin = now();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sleep_for(span);
        _exit(0);
    }
    int status;
    sleep_for(SECOND);
    REQUIRE(kill(child, SIGSTOP) == 0);
    REQUIRE(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    sleep_for(19 * SECOND);
    REQUIRE(kill(child, SIGCONT) == 0);
    REQUIRE(ended(child) == 0);
    REQUIRE_SPAN(since(begin), wanted);
}

/* What was over meanwhile is over at once. */
static void stopped_beyond_the_end(void) {
    stopped_and_continued(5 * SECOND, 20 * SECOND);
}

/* What was not keeps its deadline. */
static void stopped_in_the_middle(void) {
    stopped_and_continued(50 * SECOND, 50 * SECOND);
}

static void stopped_at_a_short_sleep(void) {
    int64_t begin = now();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int round = 0; round < 300; round++) {
            sleep_for(10 * MILLISECOND);
        }
        _exit(0);
    }
    sleep_for(SECOND);
    REQUIRE(kill(child, SIGSTOP) == 0);
    sleep_for(10 * SECOND);
    REQUIRE(kill(child, SIGCONT) == 0);
    REQUIRE(ended(child) == 0);
    int64_t span = since(begin);
    REQUIRE(span > 12900 * MILLISECOND && span < 13100 * MILLISECOND);
}

static void killed_in_a_sleep(void) {
    int64_t begin = now();
    int status;
    pid_t child = spawned("1000");
    sleep_for(10 * SECOND);
    REQUIRE(kill(child, SIGTERM) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    REQUIRE_SPAN(since(begin), 10 * SECOND);
    child = spawned("1000");
    sleep_for(10 * SECOND);
    REQUIRE(kill(child, SIGKILL) == 0);
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    REQUIRE_SPAN(since(begin), 20 * SECOND);
}

const struct check processes_checks[] = {
    {"fork_and_wait", fork_and_wait},
    {"fork_shares_the_clock", fork_shares_the_clock},
    {"spawn_and_wait", spawn_and_wait},
    {"shell_and_wait", shell_and_wait},
    {"vfork_and_exec", vfork_and_exec},
    {"vfork_and_sleep_before_exec", vfork_and_sleep_before_exec},
    {"vfork_and_exit", vfork_and_exit},
    {"fork_churn", fork_churn},
    {"exec_churn", exec_churn},
    {"exec_by_another_thread", exec_by_another_thread},
    {"stopped_beyond_the_end", stopped_beyond_the_end},
    {"stopped_in_the_middle", stopped_in_the_middle},
    {"stopped_at_a_short_sleep", stopped_at_a_short_sleep},
    {"killed_in_a_sleep", killed_in_a_sleep},
    {NULL, NULL},
};
