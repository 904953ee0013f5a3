/* date.h -- dates as people and programs write them in tables.
 *
 * ISO 8601 calendar dates, with or without a time of day, and their common variants are read:
 *
 *     2024-01-31   2024/01/31   2024-01                  a month is its first day
 *     2024-01-31T09:05   2024-01-31 09:05:07   ...:07.25   Z, +02:00, +0200, +02 after a time
 *
 * Years 0001 .. 9999 of the proleptic Gregorian calendar.  A time without a zone is taken as UTC.
 * Not read, because they are ambiguous or are numbers: 31/01/2024, 01-02-03, 20240131, 09:05. */
#ifndef SMR_DATA_DATE_H
#define SMR_DATA_DATE_H

#include "samara.h"

/* True when the n bytes are a date and nothing else: *seconds since 1970-01-01 UTC, and whether a
 * time of day was given. */
bool smr_date_parse(const char *text, int64_t n, double *seconds, bool *has_time);

#endif
