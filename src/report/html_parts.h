/* html_parts.h -- what the files of the page share.  Private to report/html*.c. */
#ifndef SMR_REPORT_HTML_PARTS_H
#define SMR_REPORT_HTML_PARTS_H

#include "report/draw_text.h"
#include "report/html.h"

struct page {
    smr_ctx *ctx;
    const smr_json *root;
    smr_text body; /* sections so far                                                    */
    smr_text nav;  /* links to them                                                      */
};

/* Begins a section and its heading; every one is ended with </section>. */
void smr_page_section(struct page *p, const char *id, const char *title);

/* The style sheet, with the colours of the drawings. */
void smr_html_style(smr_text *out);

/* ---- values (html_value.c) ---- */

/* "mean_absolute" -> "mean absolute"; a measure's name -> its title. */
void smr_html_name(smr_text *out, const char *key);
/* The same with a capital, for headings. */
void smr_html_heading(smr_text *out, const char *key);
/* One of a list of pairs: the name as a term, with its unit after the value. */
void smr_html_pair(smr_text *out, const char *key, const smr_json *value);
/* A scalar, or a list of them, as people read it. */
void smr_html_value(smr_text *out, const smr_json *value);
/* Something with a value: not null, not an empty list or object. */
bool smr_html_says(const smr_json *value);
bool smr_html_is_scalar(const smr_json *value);
/* An array of objects, or an object of objects; an array of arrays. */
bool smr_html_is_table(const smr_json *value);
bool smr_html_is_matrix(const smr_json *value);
/* What fits after a name: a scalar, or a list of scalars. */
bool smr_html_is_short(const smr_json *value);

/* ---- tables (html_table.c) ---- */

/* caption: what the table shows; a quiet one is read aloud but not seen, since a heading above says
 * it.  At most `most` rows, then how many are left; 0: all.  For an object of objects the members'
 * names are the first column. */
struct html_caption {
    const char *words;
    bool quiet;
};
void smr_html_open_table(smr_text *out, struct html_caption caption, const char *klass);
void smr_html_table(smr_text *out, const smr_json *rows, struct html_caption caption, int64_t most);
void smr_html_matrix(smr_text *out, const smr_json *matrix, struct html_caption caption);
/* Scalars and short lists of an object as pairs, except for the keys of `without` (NULL-ended). */
void smr_html_pairs(smr_text *out, const smr_json *object, const char *const *without);
/* Anything, under a heading of this level; UNHEADED: there is a heading already. */
enum { UNHEADED = -1 };
void smr_html_any(smr_text *out, const smr_json *value, const char *key, int level);

/* ---- sections ---- */

/* The name of a sentence's last stage. */
smr_words smr_html_learner(const char *sentence);
/* The sentence (a search's winner, with what was given below), its fit, its file. */
void smr_html_model(struct page *p);
/* What each stage learned, from "stages". */
void smr_html_learned(struct page *p);
/* What a command chose: the winner of a search and how far to trust it, or a league of models. */
smr_status smr_html_choice(struct page *p);
/* A league's scores round by round, a column for each model. */
smr_status smr_html_rounds(struct page *p);
/* Is this member of the root shown by one of these two? */
bool smr_html_is_choice(const smr_json *root, const char *key);
void smr_html_tiles(struct page *p);
void smr_html_measures(struct page *p);
/* Is this the baseline, and shown beside the measures? */
bool smr_html_is_beside(const smr_json *root, const char *key);
/* All figures that no other section shows. */
smr_status smr_html_figures(struct page *p);
/* Does the result have a figure whose name begins like this? */
bool smr_html_has_figure(const smr_json *root, const char *prefix);
/* Those of them, side by side: as large as others, or small, their titles without `leave_out`
 * (NULL: whole titles, and their notes). */
smr_status smr_html_some_figures(struct page *p, const char *prefix);
smr_status smr_html_multiples(struct page *p, const char *prefix, const char *leave_out);
/* Importance and dependence of columns, where there are figures of them. */
smr_status smr_html_leans(struct page *p);
bool smr_html_is_leaning(const smr_json *root, const char *key);
/* The columns of the data: what is under this key, by kind. */
smr_status smr_html_columns(struct page *p, const char *key, const char *title);
/* What each column tells about the target. */
smr_status smr_html_relevance(struct page *p);
bool smr_html_is_columns(const smr_json *root, const char *key);

#endif
