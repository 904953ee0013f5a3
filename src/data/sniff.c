/* sniff.c -- which format a file has: by its name, then by its first bytes.
 *
 * A name with a known ending decides between text formats; the first bytes are looked at in any
 * case, so that a picture named data.csv is called a picture. */
#include "data/formats.h"
#include "data/items.h"
#include "data/packing.h"

#include <string.h>
#include <strings.h>

const char *smr_format_name(smr_format format)
{
    static const char *const names[] = {"auto",    "csv",     "libsvm",   "arff",
                                        "npy",     "idx",     "jsonl",    "sqlite",
                                        "picture", "cifar10", "cifar100", "cifar100-coarse"};
    return names[format];
}

/* ---- by name ---------------------------------------------------------------------------- */

/* True when `path` without its last `cut` bytes ends in `ending`, in any case. */
static bool ends_in(const char *path, size_t cut, const char *ending)
{
    size_t n = strlen(path) - cut, m = strlen(ending);
    return n > m && !strncasecmp(path + n - m, ending, m);
}

smr_format smr_format_of_path(const char *path)
{
    static const struct {
        const char *ending;
        smr_format format;
    } known[] = {
        {".csv", SMR_FORMAT_CSV},         {".tsv", SMR_FORMAT_CSV},
        {".tab", SMR_FORMAT_CSV},         {".svm", SMR_FORMAT_LIBSVM},
        {".libsvm", SMR_FORMAT_LIBSVM},   {".svmlight", SMR_FORMAT_LIBSVM},
        {".arff", SMR_FORMAT_ARFF},       {".npy", SMR_FORMAT_NPY},
        {".jsonl", SMR_FORMAT_JSONL},     {".ndjson", SMR_FORMAT_JSONL},
        {".jsonlines", SMR_FORMAT_JSONL}, {".idx", SMR_FORMAT_IDX},
        {"-idx1-ubyte", SMR_FORMAT_IDX},  {"-idx2-ubyte", SMR_FORMAT_IDX},
        {"-idx3-ubyte", SMR_FORMAT_IDX},  {"-idx4-ubyte", SMR_FORMAT_IDX},
        {".png", SMR_FORMAT_PICTURE},     {".jpg", SMR_FORMAT_PICTURE},
        {".jpeg", SMR_FORMAT_PICTURE},    {".pgm", SMR_FORMAT_PICTURE},
        {".ppm", SMR_FORMAT_PICTURE},     {".pbm", SMR_FORMAT_PICTURE},
        {".pnm", SMR_FORMAT_PICTURE},
    };
    const char *slash = strrchr(path, '/');
    size_t cut = (size_t)smr_packed_ending(path);
    for (int64_t k = 0; k < SMR_COUNT(known); k++)
        if (ends_in(path, cut, known[k].ending)) return known[k].format;
    if (smr_cifar_names(slash ? slash + 1 : path, false)) return SMR_FORMAT_CIFAR10;
    return SMR_FORMAT_AUTO;
}

/* ---- by content ------------------------------------------------------------------------- */

static bool begins(const char *bytes, int64_t n, const char *magic, int64_t length)
{
    return n >= length && !memcmp(bytes, magic, (size_t)length);
}

/* Eight bytes that give a length, below 2^32, and a JSON object of about that length. */
static bool is_safetensors(const char *b, int64_t n)
{
    return n > 10 && !b[4] && !b[5] && !b[6] && !b[7] && b[8] == '{' && b[9] == '"';
}

#define PANDAS(reader)                                                                           \
    "; python3 -c \"import pandas; pandas." reader "('FILE').to_csv('FILE.csv', index=False)\" " \
    "makes a CSV file of it"

const char *smr_foreign_file(const char *b, int64_t n)
{
    static const struct {
        const char *magic;
        int64_t length;
        const char *what;
    } known[] = {
        {"\x89PNG\r\n\x1a\n", 8, "a PNG image"},
        {"\xff\xd8\xff", 3, "a JPEG image"},
        {"GIF8", 4, "a GIF image"},
        {"%PDF-", 5, "a PDF document"},
        {"II*\0", 4, "a TIFF image"},
        {"MM\0*", 4, "a TIFF image"},
        {"RIFF", 4, "a RIFF file (WebP, WAV or AVI)"},
        {"PK\x03\x04", 4,
         "a zip archive: an Excel workbook (xlsx2csv FILE.xlsx FILE.csv makes a CSV file of its "
         "first "
         "sheet), or something to take out with unzip first"},
        {"\xd0\xcf\x11\xe0", 4, "an old Excel file (.xls) or Office document" PANDAS("read_excel")},
        {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file" PANDAS("read_hdf")},
        {"PAR1", 4, "a Parquet file" PANDAS("read_parquet")},
        {"ARROW1", 6, "an Arrow IPC (Feather) file" PANDAS("read_feather")},
        {"ORC", 3, "an ORC file" PANDAS("read_orc")},
        {"<stata_dta>", 11, "a Stata file" PANDAS("read_stata")},
        {"7z\xbc\xaf", 4, "a 7-Zip archive; 7z x takes out what is in it"},
        {"\x93NUMPY", 6, "a NumPy array; name it .npy"},
        {"\x1f\x8b", 2, "gzip data inside packed data; unpack them once"},
        {"\x7f"
         "ELF",
         4, "a program"},
        {"BZh", 3, "packed with bzip2; bunzip2 -k FILE unpacks it"},
        {"\xff\xfe", 2, "UTF-16 text; iconv -f utf-16 -t utf-8 FILE -o NEW makes UTF-8 of it"},
        {"\xfe\xff", 2, "UTF-16 text; iconv -f utf-16 -t utf-8 FILE -o NEW makes UTF-8 of it"},
    };
    if (is_safetensors(b, n)) return "a samara model (or another safetensors file)";
    for (int64_t k = 0; k < SMR_COUNT(known); k++)
        if (begins(b, n, known[k].magic, known[k].length)) return known[k].what;
    return NULL;
}

/* The first line that is neither blank nor a comment; NULL if there is none. */
static const char *first_line(const char *p, const char *end, char comment)
{
    while (p < end) {
        while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) p++;
        if (p == end || *p != comment) break;
        while (p < end && *p != '\n') p++;
    }
    return p < end ? p : NULL;
}

/* An object, or the beginning of an array of objects. */
static bool is_json(const char *b, int64_t n)
{
    const char *p = b, *end = b + n;
    if (n >= 3 && !memcmp(b, "\xef\xbb\xbf", 3)) p += 3;
    p = first_line(p, end, '\n');
    if (!p) return false;
    bool array = *p == '[';
    if (array) p = first_line(p + 1, end, '\n');
    if (!p || *p != '{') return false;
    p = first_line(p + 1, end, '\n');
    return p && (*p == '"' || *p == '}');
}

static bool is_idx(const char *b, int64_t n)
{
    return n >= 4 && b[0] == 0 && b[1] == 0 && b[2] >= 8 && b[2] <= 14 && b[2] != 10 && b[3] >= 1 &&
           b[3] <= 8;
}

static bool is_arff(const char *b, int64_t n)
{
    const char *p = first_line(b, b + n, '%');
    return p && b + n - p > 9 && !strncasecmp(p, "@relation", 9);
}

/* "label index:value" with nothing else before the second blank. */
static bool is_libsvm(const char *b, int64_t n)
{
    const char *end = b + n, *p = first_line(b, end, '#');
    if (!p) return false;
    while (p < end && strchr("+-.0123456789eE", *p) && *p) p++;
    if (p == end || (*p != ' ' && *p != '\t')) return false;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    if (end - p > 4 && !memcmp(p, "qid:", 4)) p += 3;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p < end && *p == ':' && (p > digits || p[-1] == 'd');
}

smr_status smr_format_of_bytes(smr_ctx *ctx, const char *name, const char *b, int64_t n,
                               smr_format *out)
{
    *out = SMR_FORMAT_CSV;
    if (begins(b, n, "\x93NUMPY", 6)) {
        *out = SMR_FORMAT_NPY;
        return SMR_OK;
    }
    if (is_idx(b, n)) {
        *out = SMR_FORMAT_IDX;
        return SMR_OK;
    }
    if (begins(b, n, "SQLite format 3", 16)) {
        *out = SMR_FORMAT_SQLITE;
        return SMR_OK;
    }
    if (smr_picture_format(b, n)) {
        *out = SMR_FORMAT_PICTURE;
        return SMR_OK;
    }
    const char *what = smr_foreign_file(b, n);
    if (what) return smr_fail(ctx, SMR_ERR_FORMAT, "%s: not a table, but %s", name, what);
    const char *nul = n ? memchr(b, 0, (size_t)n) : NULL;
    if (nul)
        return smr_fail(ctx, SMR_ERR_FORMAT,
                        "%s: not a table: byte %lld is 0, which no text has; name its format with "
                        "--format if it is an NPY, IDX or CIFAR file",
                        name, (long long)(nul - b));
    if (is_json(b, n)) *out = SMR_FORMAT_JSONL;
    if (is_arff(b, n)) *out = SMR_FORMAT_ARFF;
    if (is_libsvm(b, n)) *out = SMR_FORMAT_LIBSVM;
    return SMR_OK;
}
