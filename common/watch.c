/* A kernel that never ends: its process is ended instead, with a message. */
#define _POSIX_C_SOURCE 200809L /* alarm, sigaction */
#include "backend.h"
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static char message[1024];

/* Nothing else ends a kernel that waits for ever; printf() is not for signal handlers. */
static void on_alarm(int number)
{
    (void)number;
    const ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
    _exit(EXIT_DEVICE);
}

void watch_start(double seconds, const char *format, ...)
{
    const unsigned whole = seconds < 1 ? 1 : seconds > 1e9 ? 1000000000 : (unsigned)seconds;
    const struct sigaction action = {.sa_handler = on_alarm};
    char what[sizeof message - 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(message, sizeof message, "%s: after %u s %s\n", error_name(), whole, what);
    fflush(stdout); /* the message belongs below what was printed before it */
    sigaction(SIGALRM, &action, NULL);
    alarm(whole);
}

void watch_problem(const struct problem *p, const char *what, double launches, const char *option)
{
    char command[512];
    if (!backend.patience)
        return;
    options_command(p, command, sizeof command);
    watch_start(backend.patience(p, launches),
                "%s still runs, expected it to end (M=%d N=%d K=%d): a kernel waits for what never "
                "comes; try: %s%s",
                what, p->shape.M, p->shape.N, p->shape.K, command, option);
}

void watch_stop(void)
{
    alarm(0);
}
