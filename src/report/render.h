/* render.h -- JSON for people: pairs, tables and matrices in plain text.
 *
 * Every command builds one JSON object and shows it either as it is (--json) or through these
 * functions, so that the two cannot differ in what they say. */
#ifndef SMR_REPORT_RENDER_H
#define SMR_REPORT_RENDER_H

#include "core/json.h"

/* One line for each scalar member: "  name      value".  Arrays, objects and null are passed
 * over. */
void smr_render_pairs(const smr_json *object, int indent, smr_text *out);

/* An array of objects as a table: one column for each key of any row; numbers to the right,
 * rounded to 6 digits.  At most `most` rows (0: all), then a line that says how many are left.
 * Where the table is wider than the screen (out->width), texts are cut, and what is still too wide
 * is shown in parts, each with the first column. */
void smr_render_table(const smr_json *rows, int indent, int64_t most, smr_text *out);

/* A square matrix (array of arrays) with the names of its rows and columns, in parts as well. */
void smr_render_matrix(const smr_json *matrix, const smr_json *names, int indent, smr_text *out);

/* A scalar as people read it: a number to 6 digits (whole ones with all), a string as it is, null
 * as "-". */
void smr_render_value(const smr_json *value, smr_text *out);

/* A whole number of an object with its noun: "1 row", "12 rows" (smr_text_count). */
void smr_render_count(const smr_json *object, const char *key, const char *noun, smr_text *out);

/* A number to that many digits (at most 7), from 1e7 on with an exponent: 4.75657e9. */
void smr_render_number(double x, int digits, smr_text *out);

#endif
