#!/usr/bin/env python3
"""Checks that the static command needs nothing of the system and answers as the ordinary one.

    tools/check_static.py BUILD

It names no interpreter and no library; it trains, on several threads and from a gzipped table, in
an empty root (where this may be entered; else in an empty folder without an environment); and its
model has the bytes of build/samara's.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

import tap

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TRAIN = ["train", "standardize | linear", "diabetes.csv.gz", "--target", "progression", "-o",
         "model.smr", "--threads", "2", "--json"]


def needs(path):
    """Lines of readelf that name an interpreter or a library."""
    out = subprocess.run(["readelf", "-W", "-l", "-d", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    return "\n".join(l for l in out.splitlines() if "INTERP" in l or "(NEEDED)" in l)


def train(command, folder, root=None):
    """The bytes of the model, and what was said."""
    def enter():
        if root:
            os.chroot(root)
        os.chdir("/" if root else folder)
    done = subprocess.run([command, *TRAIN], preexec_fn=enter, env={}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    model = os.path.join(folder, "model.smr")
    if done.returncode or not os.path.exists(model):
        return None, done.stdout
    with open(model, "rb") as f:
        return f.read(), done.stdout


def main():
    build = os.path.abspath(sys.argv[1])
    alone, ordinary = os.path.join(build, "static", "samara"), os.path.join(build, "samara")
    report = tap.Report()
    report.check("the_static_command_names_no_library", not needs(alone), needs(alone))
    listed = needs(ordinary)
    foreign = [l for l in listed.splitlines() if "(NEEDED)" in l and not any(
        name in l for name in ("[libc.", "[libm.", "[libz.", "[ld-linux", "[libpthread.",
                               "[libdl."))]
    report.check("the_command_needs_libc_libm_and_zlib_alone", not foreign, "\n".join(foreign))
    with open(os.path.join(ROOT, "data", "diabetes.csv"), "rb") as f:
        table = gzip.compress(f.read())
    models = []
    for command in (ordinary, alone):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "diabetes.csv.gz"), "wb") as f:
                f.write(table)
            enters = command == alone and os.getuid() == 0
            if enters:
                shutil.copy(command, os.path.join(folder, "samara"))
            model, text = train("/samara" if enters else command, folder,
                                folder if enters else None)
            models.append(model)
            name = "in_an_empty_root" if enters else "alone" if command == alone else "here"
            report.check(f"training_works_{name}", model is not None, text)
    report.check("both_commands_write_the_same_bytes", models[0] == models[1])
    report.done()


if __name__ == "__main__":
    main()
