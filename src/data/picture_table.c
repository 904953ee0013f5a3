/* picture_table.c -- pictures as rows: a file is one row, a folder has one for each picture.
 *
 *     folder/cat/1.png  folder/dog/2.png     a class for each folder: the column "label"
 *     folder/1.png      folder/2.png         no classes
 *
 * Classes come in the order of levels, the pictures of each in the order of their names, and the
 * column "file" keeps where each came from.  Names that begin with a point are passed over.  All
 * pictures are decoded by all lanes, each into its row. */
#define _GNU_SOURCE /* S_ISDIR */
#include "core/parallel.h"
#include "data/formats.h"
#include "data/items.h"
#include "data/vocab.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one picture -------------------------------------------------------------------------- */

static void shape_of(const smr_picture *p, int64_t shape[4])
{
    const int64_t of[4] = {p->height, p->width, p->channels > 1 ? p->channels : 0, 0};
    memcpy(shape, of, sizeof of);
}

static void put_row(const smr_picture *p, void *values, int64_t row)
{
    int64_t n = smr_picture_samples(p);
    if (p->bits == 8) {
        memcpy((uint8_t *)values + row * n, p->values, (size_t)n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)values)[row * n + i] = ((const uint16_t *)p->values)[i];
}

static void note(smr_text *notes, const smr_picture *p, const smr_read_opts *opts)
{
    smr_text_printf(notes, "pixels: %" PRId64 " x %" PRId64 "\nchannels: %s\nbits: %d\n", p->width,
                    p->height,
                    p->channels == 1   ? "grey"
                    : p->channels == 2 ? "grey, opacity"
                    : p->channels == 3 ? "red, green, blue"
                                       : "red, green, blue, opacity",
                    p->bits);
    if (opts && opts->how.height)
        smr_text_printf(notes, "resized: %s\n", opts->how.crop ? "the middle" : "stretched");
}

static void tell_trailing(smr_ctx *ctx, const char *name, const smr_picture *p)
{
    if (p->trailing)
        smr_warn(ctx, "%s: %" PRId64 " bytes of the file belong to no part of the JPEG picture",
                 name, p->trailing);
}

smr_status smr_picture_table(smr_ctx *ctx, smr_source *source, const smr_read_opts *opts,
                             smr_table **out)
{
    smr_status st = SMR_OK;
    smr_picture p = {0};
    smr_items items = {.n_rows = 1};
    smr_text notes = {.ctx = ctx};
    smr_table *t = NULL;
    *out = NULL;
    TRY(smr_picture_read(ctx, source, &p));
    tell_trailing(ctx, smr_source_name(source), &p);
    smr_text_printf(&notes, "format: %s\n", p.format);
    if (opts) TRY(smr_picture_fit(ctx, &opts->how, &p));
    shape_of(&p, items.shape);
    items.dtype = p.bits == 16 ? SMR_I32 : SMR_U8;
    TRY(smr_items_check(ctx, smr_source_name(source), &items));
    items.values = smr_alloc_raw(ctx, smr_picture_samples(&p), smr_dtype_size(items.dtype));
    if (!items.values) TRY(SMR_ERR_NOMEM);
    put_row(&p, items.values, 0);
    TRY(smr_items_table(ctx, &items, 0, &t));
    note(&notes, &p, opts);
    TRY(smr_table_sign(t, source, &notes));
    *out = t;
    t = NULL;
out:
    smr_text_release(&notes);
    smr_table_free(t);
    smr_free(items.values);
    smr_picture_release(&p);
    return st;
}

/* ---- what a folder holds ------------------------------------------------------------------- */

struct folder {
    const char *path;
    const smr_read_opts *opts;
    smr_strings classes; /* none in a flat folder */
    smr_vocab files;     /* relative to the path, in the order of rows */
    int32_t *label;      /* of each row; room for files.slots       */
    int64_t room;
};

/* The names in a folder, in the order of levels. */
static smr_status list_names(smr_ctx *ctx, const char *path, smr_strings *out)
{
    smr_status st = SMR_OK;
    smr_vocab names = {0};
    int32_t code, *recode = NULL;
    DIR *d = opendir(path);
    *out = (smr_strings){0};
    if (!d) TRY(smr_fail(ctx, SMR_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno)));
    for (const struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            TRY(smr_vocab_add(ctx, &names, e->d_name, (int64_t)strlen(e->d_name), &code));
    TRY_NEW(recode, names.strings.n + 1);
    TRY(smr_vocab_sorted(ctx, &names, out, recode));
out:
    if (d) closedir(d);
    smr_free(recode);
    smr_vocab_release(&names);
    return st;
}

/* "PATH/NAME" */
static smr_status join(const char *path, const smr_strings *names, int64_t i, smr_text *out)
{
    int64_t n;
    const char *name = smr_strings_get(names, i, &n);
    size_t length = strlen(path);
    out->length = 0;
    smr_text_add(out, path);
    if (length && path[length - 1] != '/') smr_text_add(out, "/");
    smr_text_add_bytes(out, name, n);
    return smr_text_done(out);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static smr_status add_file(smr_ctx *ctx, struct folder *f, const char *relative, int32_t label)
{
    int32_t code;
    int64_t n = f->files.strings.n;
    if (n == f->room) {
        int64_t room = 2 * f->room + 64;
        int32_t *grown = smr_realloc(ctx, f->label, room, sizeof *grown);
        if (!grown) return SMR_ERR_NOMEM;
        f->label = grown;
        f->room = room;
    }
    f->label[n] = label;
    return smr_vocab_add(ctx, &f->files, relative, (int64_t)strlen(relative), &code);
}

/* The files of one class: its folder must hold nothing else. */
static smr_status add_class(smr_ctx *ctx, struct folder *f, int32_t label, const char *name,
                            const char *path)
{
    smr_status st = SMR_OK;
    smr_strings names = {0};
    smr_text inside = {.ctx = ctx}, relative = {.ctx = ctx};
    TRY(list_names(ctx, path, &names));
    if (names.n == 0) smr_warn(ctx, "%s: is an empty folder, and its class has no picture", path);
    for (int64_t i = 0; i < names.n; i++) {
        TRY(join(path, &names, i, &inside));
        TRY(join(name, &names, i, &relative));
        if (is_folder(inside.bytes))
            TRY(smr_fail(ctx, SMR_ERR_DATA,
                         "%s: is a folder in the folder of a class, where pictures are expected",
                         inside.bytes));
        TRY(add_file(ctx, f, relative.bytes, label));
    }
out:
    smr_free(names.start);
    smr_free(names.bytes);
    smr_text_release(&inside);
    smr_text_release(&relative);
    return st;
}

/* Does it hold folders?  Names one folder and one file where it holds both. */
static smr_status look_inside(smr_ctx *ctx, const struct folder *f, const smr_strings *names,
                              bool *folders)
{
    smr_status st = SMR_OK;
    smr_text at = {.ctx = ctx}, first[2] = {{.ctx = ctx}, {.ctx = ctx}};
    for (int64_t i = 0; i < names->n; i++) {
        TRY(join(f->path, names, i, &at));
        smr_text *kind = &first[is_folder(at.bytes)];
        if (!kind->length) smr_text_add(kind, at.bytes);
    }
    TRY(smr_text_done(&first[0]));
    TRY(smr_text_done(&first[1]));
    *folders = first[1].length > 0;
    if (first[0].length && first[1].length)
        TRY(smr_fail(ctx, SMR_ERR_DATA,
                     "%s: holds folders, such as %s, and files, such as %s; either each class has "
                     "a folder, or all pictures are in one",
                     f->path, first[1].bytes, first[0].bytes));
out:
    smr_text_release(&at);
    smr_text_release(&first[0]);
    smr_text_release(&first[1]);
    return st;
}

static smr_status list_files(smr_ctx *ctx, struct folder *f, const smr_strings *names)
{
    smr_status st = SMR_OK;
    smr_text at = {.ctx = ctx}, name = {.ctx = ctx};
    bool folders = false;
    TRY(look_inside(ctx, f, names, &folders));
    for (int64_t i = 0; i < names->n; i++) {
        TRY(join("", names, i, &name));
        TRY(join(f->path, names, i, &at));
        if (folders)
            TRY(add_class(ctx, f, (int32_t)i, name.bytes, at.bytes));
        else
            TRY(add_file(ctx, f, name.bytes, 0));
    }
    if (folders) TRY(smr_strings_copy(ctx, names, NULL, &f->classes));
    if (f->files.strings.n == 0)
        TRY(smr_fail(ctx, SMR_ERR_DATA, "%s: is a folder without pictures", f->path));
out:
    smr_text_release(&at);
    smr_text_release(&name);
    return st;
}

/* ---- the pictures of a folder -------------------------------------------------------------- */

struct reading {
    struct folder *f;
    smr_picture like; /* the first one's shape; no samples */
    int64_t first;    /* its row                           */
    smr_items items;
    bool *is_bad;               /* of each row */
    _Atomic int64_t n_trailing; /* JPEGs with bytes that nothing reads */
};

static smr_status path_of(const struct folder *f, int64_t row, smr_text *out)
{
    return join(f->path, &f->files.strings, row, out);
}

/* As it is wanted. */
static smr_status read_picture(smr_ctx *ctx, const struct folder *f, int64_t row, smr_picture *out)
{
    smr_text path = {.ctx = ctx};
    smr_status st = path_of(f, row, &path);
    *out = (smr_picture){0};
    if (st == SMR_OK) st = smr_picture_open(ctx, path.bytes, out);
    if (st == SMR_OK) st = smr_picture_fit(ctx, &f->opts->how, out);
    if (st != SMR_OK) smr_picture_release(out);
    smr_text_release(&path);
    return st;
}

/* Is it the file that is to blame? */
static bool is_broken(smr_status st)
{
    return st == SMR_ERR_FORMAT || st == SMR_ERR_UNSUPPORTED || st == SMR_ERR_IO;
}

static smr_status other_shape(smr_ctx *ctx, const struct reading *r, int64_t row,
                              const smr_picture *p)
{
    smr_status st = SMR_OK;
    smr_text path = {.ctx = ctx}, first = {.ctx = ctx};
    char one[SMR_PICTURE_WORDS], other[SMR_PICTURE_WORDS];
    TRY(path_of(r->f, row, &path));
    TRY(path_of(r->f, r->first, &first));
    TRY(smr_fail(ctx, SMR_ERR_SHAPE,
                 "%s has %s, and %s %s; --size 3x%" PRId64 "x%" PRId64
                 " (or another) brings all to one shape",
                 path.bytes, smr_picture_words(p, other), first.bytes,
                 smr_picture_words(&r->like, one), r->like.height, r->like.width));
out:
    smr_text_release(&path);
    smr_text_release(&first);
    return st;
}

/* A file that is no picture, or a broken one, need not stop the others. */
static smr_status blame(smr_ctx *ctx, smr_status st)
{
    char why[SMR_MESSAGE_MAX];
    if (!is_broken(st)) return st;
    snprintf(why, sizeof why, "%s", smr_ctx_message(ctx));
    smr_begin(ctx);
    return smr_fail(ctx, st, "%s; --bad skip leaves such files out", why);
}

static smr_status read_row(smr_ctx *ctx, void *arg, int64_t row, int lane)
{
    struct reading *r = arg;
    smr_picture p;
    (void)lane;
    smr_status st = read_picture(ctx, r->f, row, &p);
    if (is_broken(st) && r->f->opts->skip_bad) {
        smr_begin(ctx);
        r->is_bad[row] = true;
        return SMR_OK;
    }
    if (st != SMR_OK) return blame(ctx, st);
    const smr_picture *like = &r->like;
    r->n_trailing += p.trailing > 0;
    if (p.height == like->height && p.width == like->width && p.channels == like->channels &&
        p.bits == like->bits)
        put_row(&p, r->items.values, row);
    else
        st = other_shape(ctx, r, row, &p);
    smr_picture_release(&p);
    return st;
}

/* The first picture that can be read says what all are like. */
static smr_status find_first(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_ERR_FORMAT;
    int64_t n = r->f->files.strings.n;
    for (r->first = 0; r->first < n && is_broken(st); r->first++) {
        smr_begin(ctx);
        st = read_picture(ctx, r->f, r->first, &r->like);
        if (st == SMR_OK || !r->f->opts->skip_bad) break;
    }
    if (st != SMR_OK) return r->f->opts->skip_bad ? st : blame(ctx, st);
    smr_free(r->like.values);
    r->like.values = NULL;
    return SMR_OK;
}

/* What was left out: how many, and why the first. */
static smr_status leave_out(smr_ctx *ctx, struct reading *r)
{
    int64_t n = r->items.n_rows, kept = 0, n_bad = 0, first = -1;
    size_t bytes = (size_t)smr_items_size(&r->items) * smr_dtype_size(r->items.dtype);
    for (int64_t i = 0; i < n; i++) {
        if (r->is_bad[i]) {
            if (first < 0) first = i;
            n_bad++;
        } else {
            char *values = r->items.values;
            if (kept < i) memcpy(values + (size_t)kept * bytes, values + (size_t)i * bytes, bytes);
            kept++;
        }
    }
    if (n_bad == 0) return SMR_OK;
    smr_picture p;
    smr_status st = read_picture(ctx, r->f, first, &p);
    char why[SMR_MESSAGE_MAX];
    snprintf(why, sizeof why, "%s", smr_ctx_message(ctx));
    smr_begin(ctx);
    smr_picture_release(&p);
    if (st == SMR_ERR_NOMEM || st == SMR_ERR_CANCELLED) return st;
    r->items.n_rows = kept;
    smr_warn(ctx, "%s: %" PRId64 " of %" PRId64 " files are left out: %s", r->f->path, n_bad, n,
             why);
    return SMR_OK;
}

static smr_status read_pictures(smr_ctx *ctx, struct reading *r)
{
    smr_status st = SMR_OK;
    int64_t n = r->f->files.strings.n;
    TRY_NEW(r->is_bad, n);
    TRY(find_first(ctx, r));
    r->items.n_rows = n;
    r->items.dtype = r->like.bits == 16 ? SMR_I32 : SMR_U8;
    shape_of(&r->like, r->items.shape);
    TRY(smr_items_check(ctx, r->f->path, &r->items));
    int64_t samples = smr_items_size(&r->items);
    r->items.values = smr_alloc_raw(ctx, n * samples, smr_dtype_size(r->items.dtype));
    if (!r->items.values) TRY(SMR_ERR_NOMEM);
    TRY(smr_parallel(ctx, "reading pictures", n, read_row, r));
    TRY(leave_out(ctx, r));
    if (r->n_trailing)
        smr_warn(ctx, "%s: %" PRId64 " JPEG picture%s bytes that belong to no part of the picture",
                 r->f->path, (int64_t)r->n_trailing, r->n_trailing == 1 ? " has" : "s have");
out:
    return st;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The columns "label" and "file" of the rows that were kept. */
static smr_status add_columns(smr_ctx *ctx, struct reading *r, smr_table *t)
{
    smr_status st = SMR_OK;
    struct folder *f = r->f;
    int64_t n = f->files.strings.n, at = smr_items_size(&r->items), kept = 0;
    smr_vocab names = {0};
    smr_strings levels = {0};
    int32_t *label = NULL, *code = NULL, *recode = NULL;
    TRY_NEW(label, n);
    TRY_NEW(code, n);
    TRY_NEW(recode, n);
    for (int64_t i = 0; i < n; i++) {
        if (r->is_bad[i]) continue;
        int64_t length;
        const char *name = smr_strings_get(&f->files.strings, i, &length);
        TRY(smr_vocab_add(ctx, &names, name, length, &code[kept]));
        label[kept++] = f->label[i];
    }
    TRY(smr_vocab_sorted(ctx, &names, &levels, recode));
    for (int64_t i = 0; i < kept; i++) code[i] = recode[code[i]];
    if (f->classes.n) TRY(smr_items_strings(ctx, t, at++, "label", &f->classes, &label));
    TRY(smr_items_strings(ctx, t, at, "file", &levels, &code));
    t->cols[at].names_rows = true;
out:
    smr_vocab_release(&names);
    smr_free(levels.start);
    smr_free(levels.bytes);
    smr_free(label);
    smr_free(code);
    smr_free(recode);
    return st;
}

static smr_status make_table(smr_ctx *ctx, struct folder *f, smr_table **out)
{
    smr_status st = SMR_OK;
    struct reading r = {.f = f};
    smr_text notes = {.ctx = ctx};
    smr_table *t = NULL;
    int64_t n_classes = f->classes.n;
    TRY(read_pictures(ctx, &r));
    TRY(smr_items_table(ctx, &r.items, n_classes ? 2 : 1, &t));
    TRY(add_columns(ctx, &r, t));
    smr_text_printf(&notes, "format: folder of pictures\n");
    note(&notes, &r.like, f->opts);
    if (n_classes) smr_text_printf(&notes, "folders: %" PRId64 " classes\n", n_classes);
    TRY(smr_items_sign(t, f->path, &notes));
    *out = t;
    t = NULL;
out:
    smr_text_release(&notes);
    smr_table_free(t);
    smr_picture_release(&r.like);
    smr_free(r.items.values);
    smr_free(r.is_bad);
    return st;
}

/* The training batches of CIFAR-10, where the folder holds them; *n of them. */
static smr_status find_batches(smr_ctx *ctx, const char *path, const smr_strings *names,
                               char ***out, int64_t *n)
{
    smr_status st = SMR_OK;
    smr_text at = {.ctx = ctx}, name = {.ctx = ctx};
    TRY_NEW(*out, names->n + 1);
    for (int64_t i = 0; i < names->n; i++) {
        TRY(join("", names, i, &name));
        TRY(join(path, names, i, &at));
        if (!smr_cifar_names(name.bytes, true)) continue;
        (*out)[*n] = smr_strdup(ctx, at.bytes);
        if (!(*out)[*n]) TRY(SMR_ERR_NOMEM);
        ++*n;
    }
out:
    smr_text_release(&at);
    smr_text_release(&name);
    return st;
}

smr_status smr_folder_table(smr_ctx *ctx, const char *path, const smr_read_opts *opts,
                            smr_table **out)
{
    smr_status st = SMR_OK;
    struct folder f = {.path = path, .opts = opts};
    smr_strings names = {0};
    char **batch = NULL;
    int64_t n_batches = 0;
    *out = NULL;
    TRY(list_names(ctx, path, &names));
    TRY(find_batches(ctx, path, &names, &batch, &n_batches));
    if (n_batches) {
        TRY(smr_read_opts_suit(ctx, path, opts, SMR_FORMAT_CIFAR10));
        TRY(smr_cifar_table(ctx, (const char *const *)batch, n_batches, SMR_FORMAT_CIFAR10, path,
                            out));
    } else {
        TRY(smr_read_opts_suit(ctx, path, opts, SMR_FORMAT_PICTURE));
        TRY(list_files(ctx, &f, &names));
        TRY(make_table(ctx, &f, out));
    }
out:
    for (int64_t k = 0; k < n_batches; k++) smr_free(batch[k]);
    smr_free(batch);
    smr_free(names.start);
    smr_free(names.bytes);
    smr_free(f.classes.start);
    smr_free(f.classes.bytes);
    smr_free(f.label);
    smr_vocab_release(&f.files);
    return st;
}
