/* TAP (Test Anything Protocol) for tests/unit_*.c, and a way to test what ends a program. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static bool ok(bool passed, const char *name, ...)
{
    va_list arguments;
    tap_failed += !passed;
    printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
    va_start(arguments, name);
    vprintf(name, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    return passed;
}

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

/* What a call printed on stdout and stderr, and the exit code it ended with. */
struct outcome {
    int code;
    char text[8192];
};

/* Runs body(argument) in a child; its return value is the exit code unless it exits itself. */
__attribute__((unused)) static struct outcome run_child(int (*body)(void *), void *argument)
{
    struct outcome o = {.code = -1};
    int fd[2];
    fflush(stdout);
    if (pipe(fd)) {
        perror("pipe");
        exit(99);
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], 1);
        dup2(fd[1], 2);
        close(fd[0]);
        close(fd[1]);
        exit(body(argument));
    }
    close(fd[1]);
    size_t length = 0;
    for (ssize_t n; length + 1 < sizeof o.text &&
                    (n = read(fd[0], o.text + length, sizeof o.text - 1 - length)) > 0;)
        length += (size_t)n;
    close(fd[0]);
    int status;
    if (waitpid(child, &status, 0) == child && WIFEXITED(status))
        o.code = WEXITSTATUS(status);
    return o;
}

/* The exit code and a part of the text, as one test; shows the text where it fails. */
__attribute__((unused)) static void outcome_is(struct outcome o, int code, const char *part,
                                               const char *name)
{
    if (!ok(o.code == code && strstr(o.text, part), "%s", name))
        printf("# expected exit %d and '%s'\n# got exit %d and: %s\n", code, part, o.code, o.text);
}

#endif
