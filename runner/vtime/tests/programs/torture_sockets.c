/* Sockets that were given a timeout for reading. */
#include "torture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static void pair(int ends[2]) {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}

static void set_timeout(int socket, int64_t nanoseconds) {
    struct timeval limit = timeval_of(nanoseconds);
    REQUIRE(setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
}

static void receive_timeout(void) {
    int ends[2];
    char byte;
    pair(ends);
    set_timeout(ends[0], 25 * SECOND);
    int64_t begin = now();
    REQUIRE(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 25 * SECOND);
    begin = now();
    REQUIRE(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 25 * SECOND);
}

static void receive_timeout_is_told(void) {
    int ends[2];
    struct timeval limit;
    socklen_t size = sizeof limit;
    pair(ends);
    set_timeout(ends[0], 25 * SECOND);
    REQUIRE(getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, &size) == 0);
    REQUIRE(limit.tv_sec == 25 && limit.tv_usec == 0);
}

static void receive_timeout_of_a_duplicate(void) {
    int ends[2];
    char byte;
    pair(ends);
    set_timeout(ends[0], 25 * SECOND);
    int duplicate = dup(ends[0]);
    int64_t begin = now();
    REQUIRE(recv(duplicate, &byte, 1, 0) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 25 * SECOND);
    REQUIRE(close(ends[0]) == 0);
    REQUIRE(recv(duplicate, &byte, 1, 0) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 50 * SECOND);
}

struct read_once {
    int fd;
    ssize_t result;
    int64_t span;
};

static void *read_once(void *argument) {
    struct read_once *read_once = argument;
    char byte;
    int64_t begin = now();
    read_once->result = recv(read_once->fd, &byte, 1, 0);
    read_once->span = since(begin);
    return NULL;
}

/* The number of a closed socket is another socket's, which has no timeout. */
static void receive_timeout_is_not_a_number(void) {
    int first[2], second[2];
    pair(first);
    set_timeout(first[0], 25 * SECOND);
    REQUIRE(close(first[0]) == 0);
    pair(second);
    REQUIRE(second[0] == first[0]);
    struct read_once reading = {second[0], 0, 0};
    pthread_t reader;
    REQUIRE(pthread_create(&reader, NULL, read_once, &reading) == 0);
    sleep_for(100 * SECOND);
    REQUIRE(write(second[1], "x", 1) == 1);
    join(reader);
    REQUIRE(reading.result == 1);
}

static void receive_timeout_is_taken_back(void) {
    int ends[2];
    pair(ends);
    set_timeout(ends[0], 25 * SECOND);
    set_timeout(ends[0], 0);
    struct read_once reading = {ends[0], 0, 0};
    pthread_t reader;
    REQUIRE(pthread_create(&reader, NULL, read_once, &reading) == 0);
    sleep_for(100 * SECOND);
    REQUIRE(write(ends[1], "x", 1) == 1);
    join(reader);
    REQUIRE(reading.result == 1);
}

/* Bytes that come in time, and a new wait after them. */
static void receive_in_time(void) {
    int ends[2];
    pair(ends);
    set_timeout(ends[0], 25 * SECOND);
    for (int round = 0; round < 3; round++) {
        struct read_once reading = {ends[0], 0, 0};
        pthread_t reader;
        REQUIRE(pthread_create(&reader, NULL, read_once, &reading) == 0);
        sleep_for(20 * SECOND);
        REQUIRE(write(ends[1], "x", 1) == 1);
        join(reader);
        REQUIRE(reading.result == 1);
        REQUIRE_NEAR(reading.span, 20 * SECOND);
    }
}

/* Two threads, two sockets, two timeouts: each its own. */
static void receive_timeouts_side_by_side(void) {
    int first[2], second[2];
    pair(first);
    pair(second);
    set_timeout(first[0], 25 * SECOND);
    set_timeout(second[0], 60 * SECOND);
    struct read_once short_one = {first[0], 0, 0}, long_one = {second[0], 0, 0};
    pthread_t short_thread, long_thread;
    REQUIRE(pthread_create(&short_thread, NULL, read_once, &short_one) == 0);
    REQUIRE(pthread_create(&long_thread, NULL, read_once, &long_one) == 0);
    join(short_thread);
    join(long_thread);
    REQUIRE(short_one.result == -1 && long_one.result == -1);
    REQUIRE_SPAN(short_one.span, 25 * SECOND);
    REQUIRE_SPAN(long_one.span, 60 * SECOND);
}

static void receive_with_a_signal(void) {
    int ends[2];
    char byte;
    pair(ends);
    catch_signal(SIGUSR1, SA_RESTART);
    set_timeout(ends[0], 25 * SECOND);
    int64_t begin = now();
    pthread_t sender = signal_me_after(10 * SECOND, SIGUSR1);
    /* With a timeout the kernel does not make the call again. */
    REQUIRE(recv(ends[0], &byte, 1, 0) == -1 && errno == EINTR);
    REQUIRE_SPAN(since(begin), 10 * SECOND);
    join(sender);
}

static void accept_timeout(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    REQUIRE(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    REQUIRE(listen(listener, 1) == 0);
    set_timeout(listener, 25 * SECOND);
    int64_t begin = now();
    REQUIRE(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
    REQUIRE_SPAN(since(begin), 25 * SECOND);
}

const struct check sockets_checks[] = {
    {"receive_timeout", receive_timeout},
    {"receive_timeout_is_told", receive_timeout_is_told},
    {"receive_timeout_of_a_duplicate", receive_timeout_of_a_duplicate},
    {"receive_timeout_is_not_a_number", receive_timeout_is_not_a_number},
    {"receive_timeout_is_taken_back", receive_timeout_is_taken_back},
    {"receive_in_time", receive_in_time},
    {"receive_timeouts_side_by_side", receive_timeouts_side_by_side},
    {"receive_with_a_signal", receive_with_a_signal},
    {"accept_timeout", accept_timeout},
    {NULL, NULL},
};
