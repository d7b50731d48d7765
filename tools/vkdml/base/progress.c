#include "base/progress.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/timing.h"
#include "text/visible_text.h"

/* Milliseconds: work that is done sooner needs no line; ten lines a second are followed by eyes. */
#define PATIENCE 500
#define INTERVAL 100

/* A terminal that cannot say how wide it is, and the widest line. */
#define USUAL_WIDTH 80
#define LINE_SIZE   256

/* Of the process's only stderr. */
static struct {
    bool looked;   /* whether it is a terminal */
    bool terminal; /* then it is */
    bool shown;    /* a line is there */
    double begin;  /* when the first line was asked for; 0: never */
    double latest; /* when the latest was written */
} state;

static bool is_terminal(void) {
    if (!state.looked) {
        const char *kind = getenv("TERM");
        state.looked = true;
        state.terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
    }
    return state.terminal;
}

static size_t line_width(void) {
    struct winsize size = {0};
    size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL_WIDTH;
    return width < LINE_SIZE ? width : LINE_SIZE;
}

void progress_show(const char *format, ...) {
    char text[LINE_SIZE], line[LINE_SIZE];
    va_list arguments;
    if (!is_terminal()) {
        return;
    }
    const double now = timing_now();
    state.begin = state.begin > 0 ? state.begin : now;
    if (now - state.begin < PATIENCE || now - state.latest < INTERVAL) {
        return;
    }
    va_start(arguments, format);
    /* A line that is cut stays a line. */
    vsnprintf(text, line_width(), format, arguments);
    va_end(arguments);
    visible_message(text, line, line_width());
    /* Clear to the line's end; and back to its beginning, so that who forgets progress_clear() overwrites it. */
    fprintf(stderr, "\r\033[K%s\r", line);
    fflush(stderr);
    state.shown = true;
    state.latest = now;
}

void progress_clear(void) {
    if (state.shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        state.shown = false;
    }
}

const char *progress_left(double seconds, char text[PROGRESS_LEFT_SIZE]) {
    text[0] = '\0';
    if (seconds >= 5400) {
        snprintf(text, PROGRESS_LEFT_SIZE, ", about %.0f h left", seconds / 3600);
    } else if (seconds >= 90) {
        snprintf(text, PROGRESS_LEFT_SIZE, ", about %.0f min left", seconds / 60);
    } else if (seconds >= 0) {
        snprintf(text, PROGRESS_LEFT_SIZE, ", about %.0f s left", seconds);
    }
    return text;
}
