#!/usr/bin/env python3
"""Calls and constructs that must not occur in src/.

The library never prints, exits, aborts, touches the process's state (locale, rand, signals,
environment) or parses and formats numbers by the locale; memory comes from core/mem.c; threads from
core/parallel.c; of libm only functions that are exact are called, and nothing else decides a bit
that differs between processors, compilers or C libraries; there are no writable
globals.  A line that must break a rule says so, on it or above it in the same paragraph: `lint:
allow NAME, reason` (NAME is the function, `global` or `format`).
"""
import re

from sources import is_allowed, is_generated, line_of, refuse, run_alone

EVERYWHERE = {
    "the library never ends the process": "abort exit _exit _Exit quick_exit raise kill",
    "the library never prints; use smr_warn or smr_info":
        "printf vprintf puts putchar perror dprintf",
    "random numbers come from core/rng.h":
        "rand srand rand_r random srandom drand48 erand48 lrand48 getrandom arc4random",
    "the process's state is not ours":
        "setlocale signal sigaction setenv putenv unsetenv chdir umask atexit system popen getenv "
        "secure_getenv setjmp longjmp",
    "it follows the locale or overflows silently; use core/number.h":
        "atoi atol atoll atof strtod strtof strtold strtol strtoll strtoul strtoull scanf sscanf "
        "fscanf",
    "it has hidden state": "strtok localtime gmtime ctime asctime tmpnam mktemp rand48",
    "it writes past the end; use snprintf, memcpy or core/text.h":
        "sprintf vsprintf strcpy strcat stpcpy gets alloca",
}
MEMORY = "malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf " \
         "aligned_alloc posix_memalign getline getdelim"
MEMORY_FILES = {"src/core/mem.c", "src/core/ctx.c"}
# Only what is exact in libm, or rounded as IEEE 754 says, decides no bit: sqrt, fma, fabs, floor,
# ceil, trunc, round, rint, nearbyint, copysign, frexp, ldexp, scalbn, modf, fmod, remainder, ilogb,
# logb, nextafter and the tests.  Everything else of math.h and complex.h:
LIBM = "exp exp2 exp10 expm1 log log2 log10 log1p pow pow10 powr pown compoundn rootn rsqrt sin " \
       "cos tan asin acos atan atan2 sincos sinpi cospi tanpi asinpi acospi atanpi atan2pi sinh " \
       "cosh tanh asinh acosh atanh cbrt hypot erf erfc gamma lgamma lgamma_r tgamma j0 j1 jn y0 " \
       "y1 yn cabs carg cexp clog cpow csqrt"
# fmin(0, -0) is either; a signalling NaN is too.
ZEROS = "fmin fmax fminimum fmaximum fminimum_num fmaximum_num fdim"
THREADS = "pthread_create thrd_create fork vfork clone"
THREAD_FILES = {"src/core/parallel.c"}
GETENV_FILES = {"src/kernel/dispatch.c"}


def rules():
    """name -> (reason, files where it may occur)"""
    table = {}
    for reason, names in EVERYWHERE.items():
        for name in names.split():
            table[name] = (reason, GETENV_FILES if name == "getenv" else set())
    for name in MEMORY.split():
        table[name] = ("all memory comes from core/mem.h: smr_alloc and smr_free", MEMORY_FILES)
    for name in LIBM.split():
        for suffix in ("", "f", "l"):
            table[name + suffix] = (f"its bits change with the CPU; use smr_{name} "
                                    "(kernel/kernel.h)", set())
    for name in ZEROS.split():
        for suffix in ("", "f", "l"):
            table[name + suffix] = ("which zero or NaN it gives is left open; use smr_fmin or "
                                    "smr_fmax (core/ctx.h)", set())
    for name in ("qsort", "qsort_r", "bsearch"):
        table[name] = ("equal items come as the C library likes; use smr_argsort (core/sort.h), or "
                       "say why no two are equal", set())
    for name in THREADS.split():
        table[name] = ("threads come from core/parallel.h: smr_parallel", THREAD_FILES)
    return table


RULES = rules()
CALL = re.compile(r"(?<![\w.>])(" + "|".join(sorted(RULES, key=len, reverse=True)) + r")\s*\(")
PRAGMA = re.compile(r'^[ \t]*#[ \t]*pragma[ \t]+omp\b|\b_Pragma\s*\(\s*"omp\b', re.M)
# Its width and its operations differ between processors.
LONG_DOUBLE = re.compile(r"\blong\s+double\b|\b__float(80|128)\b|\b_Float(32x|64x|128)\b")
STDERR = re.compile(r"\bstderr\b")
PLAIN_FORMAT = re.compile(r"\b(smr_text_printf|snprintf|vsnprintf|fprintf)\s*\(")
FLOAT_FORMAT = re.compile(r"(?<!%)(?:%%)*%[-+ #0-9.*']*l?[aAeEfFgG]")
# A definition at file scope with storage that can be written: `static int n;`, `double t[3] = ...`
GLOBAL = re.compile(r"^(?!typedef|extern|struct \w+;|enum\b|union \w+;|#|return|_Static_assert)"
                    r"[A-Za-z_][\w \t*]*?[ *](\w+)(?:\s*\[[^\]]*\])*\s*(?:=|;)", re.M)


def check_names(tree, path):
    text, code = tree.text(path), tree.code(path)
    for match in CALL.finditer(code):
        name, line = match.group(1), line_of(code, match.start())
        reason, files = RULES[name]
        before = code[:match.start()].rsplit("\n", 1)[-1].strip()
        declares = re.match(r"^[\w \t*]+[ *]$", before + " ") and before and \
            before.split()[-1] not in ("return", "else", "case", "do")
        if path in files or declares or is_allowed(text, line, name):
            continue
        yield refuse(path, line, f"{name}: {reason}")


def check_formats(tree, path):
    """printf's %f and %g write the decimal point of the locale."""
    text, code = tree.text(path), tree.code(path)
    for match in PLAIN_FORMAT.finditer(code):
        depth, end = 0, match.end() - 1
        while end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            if depth == 0:
                break
            end += 1
        line = line_of(code, match.start())
        found = FLOAT_FORMAT.search("".join(re.findall(r'"((?:\\.|[^"\\])*)"',
                                                       text[match.end():end])))
        if found and not is_allowed(text, line, "format"):
            yield refuse(path, line, f"{found.group(0)} in {match.group(1)} follows the locale; "
                                     "use smr_format_double or smr_text_number")


def check_globals(tree, path):
    code = tree.code(path)
    depth = 0
    for number, line in enumerate(code.split("\n"), 1):
        if depth == 0 and (match := GLOBAL.match(line)):
            words = line.split("=")[0].split()
            if "const" not in words and "(" not in line.split("=")[0] and \
                    not is_allowed(tree.text(path), number, "global"):
                yield refuse(path, number, f"{match.group(1)} is a writable global; make it const, "
                                           "or keep it in the context")
        depth += line.count("{") - line.count("}")


def check(tree):
    findings = []
    for path in tree.c_files("src"):
        if is_generated(tree.text(path)):
            continue
        code = tree.code(path)
        findings += check_names(tree, path)
        findings += check_formats(tree, path)
        if path.endswith(".c"):
            findings += check_globals(tree, path)
        findings += [refuse(path, line_of(code, m.start()),
                            "OpenMP: threads come from core/parallel.h, sums in task order")
                     for m in PRAGMA.finditer(tree.text(path))]
        findings += [refuse(path, line_of(code, m.start()),
                            f"{m.group(0)}: not the same on every processor; use math/dd.h")
                     for m in LONG_DOUBLE.finditer(code)]
        findings += [refuse(path, line_of(code, m.start()), "stderr: the library never prints")
                     for m in STDERR.finditer(code)]
    return findings


def _src(line, path="src/math/a.c"):
    return {path: f"void smr_f(void)\n{{\n    {line}\n}}\n"}


SELFTEST = [
    ("clean", _src("x = smr_exp(sqrt(y)); smr_free(p);"), None),
    ("abort", _src("abort();"), "never ends the process"),
    ("printf", _src('printf("%d", 1);'), "never prints"),
    ("a call in a comment", _src("/* abort(); */"), None),
    ("a call in a string", _src('x = "exit(1)";'), None),
    ("a member of that name", _src("ctx->log(a); table.exp(x);"), None),
    ("strtod", _src("x = strtod(s, &e);"), "core/number.h"),
    ("sprintf", _src('sprintf(b, "x");'), "writes past the end"),
    ("malloc", _src("p = malloc(3);"), "core/mem.h"),
    ("malloc where it belongs", _src("p = malloc(3);", "src/core/mem.c"), None),
    ("exp", _src("x = exp(y);"), "use smr_exp"),
    ("powf", _src("x = powf(y, 2);"), "use smr_pow"),
    ("exp with a reason", _src("x = exp(y); /* lint: allow exp, a bound, not a result */"), None),
    ("fmax", _src("x = fmax(y, 0);"), "use smr_fmin or"),
    ("what is exact", _src("x = fma(floor(y), sqrt(z), smr_fmax(fabs(y), ldexp(z, 3)));"), None),
    ("lgamma", _src("x = lgamma(y);"), "use smr_lgamma"),
    ("qsort", _src("qsort(p, n, sizeof *p, f);"), "smr_argsort"),
    ("long double", _src("long double x = 0;"), "not the same on every processor"),
    ("pthread_create", _src("pthread_create(&t, 0, f, 0);"), "smr_parallel"),
    ("a pragma of the compiler", {"src/math/a.c": "#pragma GCC unroll 4\n"}, None),
    ("OpenMP", {"src/math/a.c": "#pragma omp parallel for reduction(+:s)\n"}, "OpenMP"),
    ("fprintf to stderr", _src('fprintf(stderr, "x");'), "never prints"),
    ("getenv", _src('getenv("X");'), "the process's state"),
    ("getenv in dispatch", _src('getenv("X");', "src/kernel/dispatch.c"), None),
    ("%g in a text", _src('smr_text_printf(t, "%d %.3g",\n        a, b);'), "follows the locale"),
    ("%d in a text", _src('smr_text_printf(t, "%d%% good", a);'), None),
    ("a writable global", {"src/math/a.c": "static int counter;\n"}, "writable global"),
    ("a global with a reason",
     {"src/math/a.c": "/* lint: allow global, one a process */\nstatic int a;\nstatic int b;\n"},
     None),
    ("a constant", {"src/math/a.c": "static const int limit = 3;\nenum { A = 3 };\n"}, None),
]

if __name__ == "__main__":
    run_alone(check)
