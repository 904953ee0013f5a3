/* calendar.h -- days and dates of the proleptic Gregorian calendar, UTC. */
#ifndef SMR_DATA_CALENDAR_H
#define SMR_DATA_CALENDAR_H

#include "data/data.h"

/* Days from 1970-01-01 to the given day (negative before); month 1..12, day 1..31. */
int64_t smr_days_from_date(int64_t year, int month, int day);
void smr_date_from_days(int64_t days, int64_t *year, int *month, int *day);
/* The `part` of a moment given in seconds since 1970; NaN stays NaN. */
double smr_date_part(double seconds, smr_part part);
/* The name of a part, such as "month"; "" for SMR_PART_WHOLE. */
const char *smr_part_name(smr_part part);

#endif
