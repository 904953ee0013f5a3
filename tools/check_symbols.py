#!/usr/bin/env python3
"""Checks with nm and the linker what the built libraries export and need.

    tools/check_symbols.py BUILD [--cc CC]

  - libsamara.so exports smr_ symbols only, all of them declared in samara.h, and every function
    that samara.h declares;
  - libsamara.so leaves no smr_ symbol undefined;
  - libsamara.a defines no global symbol without the prefix;
  - libsamara-predict.a, whole, links with libc and libm alone, and a program that uses every
    function of cmake/predict.txt runs with it; it asks for no other library's names, nor opens one.
"""
import argparse
import os
import re
import shlex
import subprocess
import tempfile

import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def nm(*arguments):
    """The names that nm lists, without versions."""
    out = subprocess.run(["nm", *arguments], check=True, stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.DEVNULL).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[-1].split("@")[0] for row in rows if len(row) >= 2 and len(row[-2]) == 1}


def declared_functions():
    with open(os.path.join(ROOT, "include", "samara.h")) as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    text = re.sub(r"^#.*(?:\\\n.*)*$", "", text, flags=re.M)
    return set(re.findall(r"\bSMR_API\b[^;(]*?\b(smr_\w+)\s*\(", text))


def listing(names):
    return " ".join(sorted(names))


def check_shared(report, library):
    exported = nm("-D", "--defined-only", library)
    declared = declared_functions()
    foreign = {name for name in exported if not name.startswith("smr_")}
    report.check("shared_library_exports_only_smr_symbols", not foreign, listing(foreign))
    private = exported - foreign - declared
    report.check("shared_library_exports_nothing_that_the_header_does_not_declare", not private,
                 listing(private))
    absent = declared - exported
    report.check("shared_library_defines_every_function_of_the_header", not absent,
                 listing(absent))
    undefined = {n for n in nm("-D", "--undefined-only", library) if n.startswith("smr_")}
    report.check("shared_library_leaves_no_smr_symbol_undefined", not undefined,
                 listing(undefined))


def check_static(report, library):
    # Compilers' own helpers (__asan_..., .L, sanitizer and profile data) are not ours to name.
    globals_ = nm("--extern-only", "--defined-only", library)
    foreign = {n for n in globals_ if not n.startswith("smr_") and not n.startswith("__")}
    report.check("static_library_defines_only_smr_globals", not foreign, listing(foreign))


def predict_functions():
    with open(os.path.join(ROOT, "cmake", "predict.txt")) as f:
        return [line.strip() for line in f if line.startswith("smr_")]


def link_and_run(cc, library, source, options):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        path = os.path.join(folder, "program.c")
        with open(path, "w") as f:
            f.write(source)
        built = subprocess.run([*cc, "-I", os.path.join(ROOT, "include"), path, "-o", program,
                                *options, library, "-Wl,--no-whole-archive", "-nodefaultlibs",
                                "-lm", "-lc", "-lgcc"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if built.returncode:
            return built.stdout
        ran = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return f"exit status {ran.returncode}\n{ran.stdout}" if ran.returncode else ""


def check_predict(report, library, cc):
    functions = predict_functions()
    defined = nm("--defined-only", library)
    absent = set(functions) - defined
    report.check("prediction_library_has_every_function_of_predict_txt", not absent,
                 listing(absent))
    unknown = set(functions) - declared_functions()
    report.check("functions_of_predict_txt_are_public", not unknown, listing(unknown))

    needed = {n for n in nm("--undefined-only", library) if n.startswith(("smr_", "dl"))}
    report.check("prediction_library_asks_for_nothing_that_only_training_uses", not needed,
                 listing(needed))
    uses = "".join(f"    sum += (uintptr_t)(void *){name};\n" for name in functions)
    source = ('#include "samara.h"\n'
              "int main(void)\n{\n    uintptr_t sum = 0;\n" + uses +
              "    smr_ctx *ctx = NULL;\n"
              "    if (smr_ctx_create(NULL, &ctx) != SMR_OK) return 1;\n"
              "    smr_ctx_destroy(ctx);\n    return sum == 0;\n}\n")
    problem = link_and_run(cc, library, source, ["-Wl,--whole-archive"])
    report.check("prediction_library_links_with_libc_and_libm_alone", not problem, problem[-3000:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    report = tap.Report()
    at = lambda name: os.path.join(options.build, name)
    check_shared(report, at("libsamara.so"))
    check_static(report, at("libsamara.a"))
    if os.path.exists(at("libsamara-predict.a")):
        check_predict(report, at("libsamara-predict.a"), shlex.split(options.cc))
    else:
        report.skipped("prediction_library", "not part of a sanitizer build")
    report.done()


if __name__ == "__main__":
    main()
