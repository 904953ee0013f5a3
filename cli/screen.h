/* screen.h -- what the terminal can show: its width, bold letters and colours, and one line that
 * tells how far the work is.
 *
 * Pipes and files have none of it: their text does not depend on where the command was run. */
#ifndef SMR_CLI_SCREEN_H
#define SMR_CLI_SCREEN_H

#include "core/text.h"

/* Looks at the terminal, NO_COLOR and TERM; before any other. */
void screen_begin(void);
/* An empty text for standard output, laid out for what it is shown on. */
smr_text screen_text(smr_ctx *ctx);
/* The text with lines that are wider than the screen broken between words. */
void screen_fold(const smr_text *text, smr_text *out);

/* One line on standard error: "samara: warning: ...", or an error, or (label NULL) news. */
void screen_say(const char *label, const char *message);

/* Is standard error a terminal? */
bool screen_is_watched(void);
/* A line of a table that grows while the work goes on, on standard error. */
void screen_row(const char *line);

/* Draws how far the work is, and from two seconds on how long it will take, where standard error is
 * a terminal. */
void screen_progress(const char *what, int64_t done, int64_t total, double figure);
/* Removes that line, before anything else is printed. */
void screen_clear_line(void);

#endif
