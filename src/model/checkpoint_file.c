/* checkpoint_file.c -- see checkpoint_file.h.
 *
 * The metadata holds the key of the fit as text, which is compared as text.  Tensors are named as
 * in a model file: what stage 2, boost, keeps as "score" is "2.boost.score".  Files of other
 * versions of samara are refused: the same bits are promised for the same code only. */
#define _POSIX_C_SOURCE 200809L /* access */
#include "model/checkpoint_file.h"

#include "core/number.h"
#include "data/file.h"
#include "learn/member.h"
#include "learn/model.h"
#include "learn/state.h"
#include "learn/state_check.h"
#include "model/load_parts.h"
#include "model/save_parts.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int64_t LARGEST_FILE = INT64_C(1) << 46;

struct in_file {
    smr_checkpoint base;
    char *path;
    bool resume;
    smr_image *image; /* what there is to go on from */
    smr_safetensors file;
};

static void let_go(struct in_file *f)
{
    smr_safetensors_release(&f->file);
    f->file = (smr_safetensors){0};
    smr_image_free(f->image);
    f->image = NULL;
}

/* ---- the key -------------------------------------------------------------------------------- */

struct field {
    const char *name;
    const char *now;
    const char *words; /* of a difference; NULL: it is reported with both values */
    const char *what;  /* what these are; NULL: sentences, compared by their words */
};

enum { FIELDS = 7, SEED_DIGITS = 24 };

static void list_fields(const smr_checkpoint_key *key, char seed[SEED_DIGITS],
                        struct field list[FIELDS])
{
    snprintf(seed, SEED_DIGITS, "%llu", (unsigned long long)key->seed);
    const struct field all[FIELDS] = {
        {"version", smr_version(), NULL, "version of samara"},
        {"spec", key->spec, NULL, NULL},
        {"seed", seed, NULL, "seed"},
        {"data_hash", key->data, "the data differ", NULL},
        {"rows_hash", key->rows, "the rows differ", NULL},
        {"columns_hash", key->columns, "the columns are read in another way", NULL},
        {"target_hash", key->target, "task, target, weights or groups differ", NULL}};
    memcpy(list, all, sizeof all);
}

/* A word of a sentence, or that it has ended. */
static void tell_word(const char *at, smr_text *out)
{
    if (*at)
        smr_text_add_bytes(out, at, (int64_t)SMR_MIN(strcspn(at, " "), 100));
    else
        smr_text_add(out, "nothing");
}

/* The first word in which they differ. */
static void tell_words(const char *was, const char *now, smr_text *out)
{
    size_t start = 0;
    for (size_t i = 0; was[i] && was[i] == now[i]; i++)
        if (was[i] == ' ') start = i + 1;
    smr_text_add(out, "its sentence has ");
    tell_word(was + start, out);
    smr_text_add(out, " where this one has ");
    tell_word(now + start, out);
}

/* Names everything that differs. */
static smr_status compare_key(smr_ctx *ctx, const struct in_file *f)
{
    smr_status st = SMR_OK;
    struct field list[FIELDS];
    char seed[SEED_DIGITS];
    smr_text others = {.ctx = ctx};
    list_fields(&f->base.key, seed, list);
    for (int k = 0; k < FIELDS; k++) {
        const char *was = smr_safetensors_meta(&f->file, list[k].name);
        if (!was)
            TRY(smr_fail(ctx, SMR_ERR_FORMAT, "the checkpoint %.300s is damaged: it lacks '%s'",
                         f->path, list[k].name));
        if (!*list[k].now || strcmp(was, list[k].now) == 0) continue;
        if (others.length) smr_text_add(&others, "; ");
        if (list[k].words)
            smr_text_add(&others, list[k].words);
        else if (!list[k].what)
            tell_words(was, list[k].now, &others);
        else
            smr_text_printf(&others, "its %s is %.150s, and here it is %.150s", list[k].what, was,
                            list[k].now);
    }
    TRY(smr_text_done(&others));
    if (others.length)
        st = smr_fail(ctx, SMR_ERR_STATE,
                      "%.200s is the checkpoint of another fit: %s; remove it to begin anew",
                      f->path, others.bytes);
out:
    smr_text_release(&others);
    return st;
}

/* ---- opening -------------------------------------------------------------------------------- */

static smr_status read_file(smr_ctx *ctx, struct in_file *f)
{
    smr_status st = SMR_OK;
    TRY(smr_image_open(ctx, f->path, LARGEST_FILE, &f->image));
    char *bytes = smr_image_bytes(f->image);
    int64_t length = smr_image_length(f->image);
    TRY(smr_safetensors_check(ctx, bytes, length));
    TRY(smr_safetensors_read(ctx, bytes, length, &f->file));
    const char *format = smr_safetensors_meta(&f->file, "format");
    if (!format || strcmp(format, SMR_CHECKPOINT_FORMAT) != 0)
        TRY(smr_fail(ctx, SMR_ERR_FORMAT, "%.300s is not a checkpoint of samara, but %s", f->path,
                     format && strncmp(format, "samara ", 7) == 0 ? "a model file"
                                                                  : "a file of another kind"));
out:
    if (st == SMR_ERR_FORMAT && !strstr(ctx->message, f->path))
        smr_while(ctx, "reading the checkpoint %.300s", f->path);
    return st;
}

/* What a killed write left beside the file: "FILE.tmp-123" (data/file.h). */
static void sweep(const char *path)
{
    char folder[PATH_MAX], rest[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 2,
                     slash ? path : "./");
    DIR *list = n > 0 && n < (int)sizeof folder ? opendir(folder) : NULL;
    if (!list) return;
    size_t length = strlen(name);
    for (const struct dirent *at = readdir(list); at; at = readdir(list)) {
        const char *end = at->d_name + length;
        if (strncmp(at->d_name, name, length) != 0 || strncmp(end, ".tmp-", 5) != 0) continue;
        if (!end[5] || end[5 + strspn(end + 5, "0123456789")]) continue;
        n = snprintf(rest, sizeof rest, "%s%s", folder, at->d_name);
        if (n > 0 && n < (int)sizeof rest) unlink(rest);
    }
    closedir(list);
}

static smr_status open_file(smr_ctx *ctx, smr_checkpoint *c)
{
    smr_status st = SMR_OK;
    struct in_file *f = (struct in_file *)(void *)c;
    let_go(f);
    if (f->resume) sweep(f->path);
    if (access(f->path, F_OK) != 0) return SMR_OK;
    if (!f->resume)
        return smr_fail(ctx, SMR_ERR_STATE,
                        "%.300s is there already: --resume continues from it; remove it to begin "
                        "anew",
                        f->path);
    TRY(read_file(ctx, f));
    TRY(compare_key(ctx, f));
    c->is_waiting = true;
out:
    if (st != SMR_OK) let_go(f);
    return st;
}

/* ---- taking up ------------------------------------------------------------------------------ */

static smr_status read_kept(smr_ctx *ctx, struct in_file *f, smr_stage *kept,
                            smr_fit_report *report)
{
    smr_status st = SMR_OK;
    smr_loading l = {.file = &f->file, .image = f->image};
    smr_text path = {.ctx = ctx};
    const char *fit = smr_safetensors_meta(&f->file, "fit");
    if (!fit) TRY(smr_load_damaged(ctx, "its report of the fit"));
    TRY(smr_versions_read(ctx, smr_safetensors_meta(&f->file, "versions"), &l.versions));
    TRY(smr_load_list(ctx, &l));
    TRY(smr_load_stages(ctx, &l, kept, f->base.place, 1, &path));
    TRY(smr_load_fit(ctx, fit, report));
    TRY(smr_load_curve(ctx, &l, SMR_CURVE_MAX, report));
    TRY(smr_load_all_used(ctx, &l));
    TRY(smr_state_check(ctx, kept, &f->base.shape));
    smr_shape shape = f->base.shape;
    int64_t room = SMR_MODEL_ROOM + smr_image_length(f->image);
    shape.room = &room;
    TRY(smr_members_link(ctx, kept, f->base.in, &shape));
    TRY(smr_stage_own(ctx, kept));
out:
    smr_versions_release(&l.versions);
    smr_load_list_release(&l);
    smr_text_release(&path);
    return st;
}

/* The stage at work: "2.boost". */
static smr_status write_place(const smr_checkpoint *c, const smr_learner *l, smr_text *out)
{
    smr_text_printf(out, "%lld.%s", (long long)c->place, l->word->name);
    return smr_text_done(out);
}

static smr_status take(smr_ctx *ctx, smr_checkpoint *c, smr_stage *kept, smr_fit_report *report,
                       bool *found)
{
    smr_status st = SMR_OK;
    struct in_file *f = (struct in_file *)(void *)c;
    smr_text place = {.ctx = ctx};
    const char *at = smr_safetensors_meta(&f->file, "place");
    const char *done = smr_safetensors_meta(&f->file, "done");
    *found = false;
    if (!at || !done || smr_parse_int(done, done + strlen(done), &c->resumed_at) == NULL)
        TRY(smr_load_damaged(ctx, "its place"));
    TRY(write_place(c, kept->learner, &place));
    if (strcmp(place.bytes, at) != 0) goto out;
    TRY(read_kept(ctx, f, kept, report));
    let_go(f);
    *found = true;
out:
    if (st == SMR_ERR_FORMAT) smr_while(ctx, "reading the checkpoint %.300s", f->path);
    smr_text_release(&place);
    return st;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static smr_status put(smr_ctx *ctx, smr_checkpoint *c, const smr_stage *kept,
                      const smr_fit_report *report, int64_t done, int64_t total)
{
    smr_status st = SMR_OK;
    struct in_file *f = (struct in_file *)(void *)c;
    smr_saving s = {.to_the_end = true};
    struct field list[FIELDS];
    char seed[SEED_DIGITS];
    smr_text versions = {.ctx = ctx};
    TRY(smr_state_check(ctx, kept, &c->shape));
    TRY(smr_members_check(ctx, kept, &c->shape));
    TRY(smr_saving_stages(ctx, NULL, kept, c->place, 1, report, &s));
    smr_text_add(smr_saving_meta(ctx, &s, "format"), SMR_CHECKPOINT_FORMAT);
    list_fields(&c->key, seed, list);
    for (int k = 0; k < FIELDS; k++)
        smr_text_add(smr_saving_meta(ctx, &s, list[k].name), list[k].now);
    TRY(write_place(c, kept->learner, smr_saving_meta(ctx, &s, "place")));
    smr_text_printf(smr_saving_meta(ctx, &s, "done"), "%lld", (long long)done);
    smr_text_printf(smr_saving_meta(ctx, &s, "total"), "%lld", (long long)total);
    smr_saving_fit(report, smr_saving_meta(ctx, &s, "fit"));
    TRY(smr_versions_write(ctx, NULL, kept, 1, &versions));
    TRY(smr_text_done(&versions));
    if (versions.length) smr_text_add(smr_saving_meta(ctx, &s, "versions"), versions.bytes);
    TRY(smr_saving_finish(ctx, &s));
    TRY(smr_saving_write(ctx, &s, f->path));
out:
    smr_text_release(&versions);
    smr_saving_release(&s);
    return st;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static const smr_checkpoint_store files = {open_file, take, put};

smr_status smr_checkpoint_create(smr_ctx *ctx, const char *path, double seconds, bool resume,
                                 smr_checkpoint **out)
{
    smr_status st = SMR_OK;
    struct in_file *f = NULL;
    *out = NULL;
    if (!(seconds >= 0 && seconds <= 1e9))
        return smr_fail(ctx, SMR_ERR_PARAM, "the time between two checkpoints: 0 to 1e9 seconds");
    TRY_NEW(f, 1);
    f->base.store = &files;
    f->base.seconds = seconds;
    f->resume = resume;
    f->path = smr_strdup(ctx, path);
    if (!f->path) TRY(SMR_ERR_NOMEM);
    *out = &f->base;
    f = NULL;
out:
    smr_free(f);
    return st;
}

void smr_checkpoint_free(smr_checkpoint *c)
{
    struct in_file *f = (struct in_file *)(void *)c;
    if (!f) return;
    let_go(f);
    smr_free(f->base.key.spec);
    smr_free(f->path);
    smr_free(f);
}

void smr_checkpoint_remove(smr_checkpoint *c)
{
    struct in_file *f = (struct in_file *)(void *)c;
    if (access(f->path, F_OK) == 0) unlink(f->path);
}
