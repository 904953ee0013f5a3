#!/usr/bin/env python3
"""Installs a build into a temporary prefix and builds examples/ against it, both ways.

    tools/check_install.py BUILD [--cc CC]

Every example is compiled with pkg-config's flags (shared, and static with --static) and through
find_package(samara), and run in the repository's root, where it finds data/, with the path of a
model as its argument: iris writes it, predict reads it, even when linked with the prediction
library.
"""
import argparse
import glob
import os
import shlex
import shutil
import subprocess
import tempfile

import check_links
import tap

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
EXPECTED = ["bin/samara", "include/samara.h", "share/man/man1/samara.1", "lib*/libsamara.so",
            "lib*/libsamara.a", "lib*/pkgconfig/samara.pc", "lib*/pkgconfig/samara-predict.pc",
            "lib*/cmake/samara/samaraConfig.cmake", "share/doc/samara/README.md",
            "share/doc/samara/LICENSE", "share/doc/samara/docs/c.md",
            "share/doc/samara/examples/iris.c", "share/doc/samara/data/iris.csv"]


def run(command, **options):
    """(worked, what it printed)"""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)
    return done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}"


class Installed:
    """An installation in a prefix of its own."""

    def __init__(self, prefix, cc):
        self.prefix, self.cc = prefix, cc
        self.model = os.path.join(os.path.dirname(prefix), "iris.smr")
        found = glob.glob(os.path.join(prefix, "lib*", "**", "libsamara.so"), recursive=True)
        self.libraries = os.path.dirname(found[0]) if found else prefix
        self.environment = {**os.environ, "LD_LIBRARY_PATH": self.libraries,
                            "PKG_CONFIG_PATH": os.path.join(self.libraries, "pkgconfig")}

    def pkg_config(self, *arguments, package="samara"):
        return subprocess.run(["pkg-config", *arguments, package], env=self.environment, text=True,
                              check=True, stdout=subprocess.PIPE).stdout.split()

    def build_with_pkg_config(self, source, program, static):
        flags = self.pkg_config("--cflags", "--libs", *(["--static"] if static else []))
        if static:
            flags = [os.path.join(self.libraries, "libsamara.a") if f == "-lsamara" else f
                     for f in flags]
        return run([*self.cc, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o",
                    program, *flags], env=self.environment)

    def runs(self, program):
        return run([program, self.model], cwd=ROOT, env=self.environment)


def check_pkg_config(report, installed, folder):
    if not shutil.which("pkg-config"):
        return report.skipped("examples_with_pkg_config", "no pkg-config")
    for source in sorted(glob.glob(os.path.join(ROOT, "examples", "*.c"))):
        name = os.path.splitext(os.path.basename(source))[0]
        for static in (False, True):
            program = os.path.join(folder, name + ("-static" if static else ""))
            worked, text = installed.build_with_pkg_config(source, program, static)
            if worked:
                worked, text = installed.runs(program)
            kind = "static_" if static else ""
            report.check(f"example_{name}_builds_with_pkg_config_{kind}flags", worked, text)


def check_static(report, installed, folder):
    """A program that needs nothing of the system it runs on, as pkg-config says."""
    if not shutil.which("pkg-config"):
        return report.skipped("a_static_program_needs_no_library", "no pkg-config")
    for package, name in (("samara", "iris"), ("samara-predict", "predict")):
        program = os.path.join(folder, name + "-alone")
        flags = installed.pkg_config("--static", "--cflags", "--libs", package=package)
        worked, text = run([*installed.cc, "-static", os.path.join(ROOT, "examples", name + ".c"),
                            "-o", program, *flags], env=installed.environment)
        if worked and package == "samara-predict": # the whole library opens libzstd and others
            worked = "warning" not in text
        if worked:
            worked, text = installed.runs(program)
        if worked and shutil.which("ldd"):
            worked = not run(["ldd", program])[0]
        report.check(f"a_static_program_of_{package}_needs_no_library", worked, text)


def sections(path):
    return subprocess.run(["readelf", "-SW", path], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


class Linked:
    """What strip works on, as it lies in a prefix."""

    def __init__(self, installed):
        library = os.path.realpath(os.path.join(installed.libraries, "libsamara.so"))
        self.prefix = installed.prefix
        self.files = [os.path.join(installed.prefix, "bin", "samara"), library]
        self.archives = [os.path.join(installed.libraries, f"lib{name}.a")
                         for name in ("samara", "samara-predict")]

    def check_stripped(self, report):
        heavy = [path for path in self.files + self.archives if ".debug_info" in sections(path)]
        report.check("installed_files_are_stripped", not heavy, " ".join(heavy))

    def check_debug(self, report, build, prefix):
        """With SAMARA_DEBUG what a debugger reads lies in files beside those that are installed."""
        worked, text = run(["cmake", "--install", build, "--prefix", prefix],
                           env={**os.environ, "SAMARA_DEBUG": "1"})
        wrong = []
        for path in [path.replace(self.prefix, prefix) for path in self.files]:
            folder, name = os.path.split(path)
            beside = os.path.join(folder, ".debug", name + ".debug")
            if ".debug_info" in sections(path) or ".gnu_debuglink" not in sections(path):
                wrong.append(path)
            if ".debug_info" not in sections(beside):
                wrong.append(beside)
        report.check("debug_files_lie_beside_on_request", worked and not wrong,
                     text + " ".join(wrong))
        check_uninstall(report, build, prefix, "uninstall_removes_debug_files")


def check_find_package(report, installed, folder):
    build = os.path.join(folder, "cmake")
    worked, text = run(["cmake", "-S", os.path.join(ROOT, "examples"), "-B", build,
                        f"-DCMAKE_PREFIX_PATH={installed.prefix}",
                        f"-DCMAKE_C_COMPILER={installed.cc[0]}"])
    if worked:
        worked, text = run(["cmake", "--build", build])
    report.check("examples_build_with_find_package", worked, text)
    for source in sorted(glob.glob(os.path.join(ROOT, "examples", "*.c"))) if worked else []:
        name = os.path.splitext(os.path.basename(source))[0]
        ran, text = installed.runs(os.path.join(build, name))
        report.check(f"example_{name}_runs_as_built_with_find_package", ran, text)


def check_predict(report, installed, folder):
    """The example that only predicts, with the small library and libm alone."""
    library = os.path.join(installed.libraries, "libsamara-predict.a")
    if not os.path.exists(library):
        return report.failed("prediction_library_is_installed", library)
    program = os.path.join(folder, "predict-alone")
    worked, text = run([*installed.cc, "-I", os.path.join(installed.prefix, "include"),
                        os.path.join(ROOT, "examples", "predict.c"), library, "-lm", "-o", program])
    if worked:
        worked, text = installed.runs(program)
        same, full = installed.runs(os.path.join(folder, "predict"))
        worked = worked and same and text.split("\n", 1)[1] == full.split("\n", 1)[1]
        text = text + full
    report.check("prediction_library_answers_as_the_whole_one", worked, text)


class Documents:
    """The installed pages, as check_links sees a tree."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(os.path.relpath(os.path.join(at, name), root)
                            for at, _, names in os.walk(root) for name in names)

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as f:
            return f.read()


def check_documents(report, prefix):
    """Every link of an installed page leads to a file that is installed."""
    documents = Documents(os.path.join(prefix, "share", "doc", "samara"))
    dead = [str(finding) for finding in check_links.check(documents)]
    report.check("links_of_installed_pages_lead_somewhere", documents.paths and not dead,
                 "\n".join(dead))


def check_uninstall(report, build, prefix, name="uninstall_removes_every_file"):
    """What is installed goes again, and nothing of it stays."""
    worked, text = run(["sh", os.path.join(ROOT, "tools", "uninstall.sh"),
                        os.path.join(build, "install_manifest.txt")])
    left = [os.path.join(at, f) for at, _, files in os.walk(prefix) for f in files]
    left += [at for at, _, _ in os.walk(prefix) if os.path.basename(at) == ".debug"]
    report.check(name, worked and not left, text + "\n".join(left))


def check_loader(report, folder):
    """ldconfig and id are stand-ins that tell of themselves: root, and then someone else."""
    for name, text in (("ldconfig", "echo told"), ("id", "echo $WHO")):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    cases = [("root_into_usr_local_tells_the_loader", "0", "", "/usr/local", True),
             ("another_user_does_not_tell_the_loader", "1000", "", "/usr/local", False),
             ("a_staged_tree_does_not_tell_the_loader", "0", "/stage", "/usr/local", False),
             ("another_prefix_does_not_tell_the_loader", "0", "", "/opt/samara", False)]
    for name, who, destdir, prefix, told in cases:
        environment = dict(os.environ, WHO=who, PATH=folder + ":" + os.environ["PATH"])
        worked, text = run(["sh", os.path.join(ROOT, "tools", "refresh_loader.sh"), destdir,
                            prefix], env=environment)
        report.check(name, worked and ("told" in text) == told, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    report = tap.Report()
    manifest = os.path.join(options.build, "install_manifest.txt")
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "prefix")
        kept = None
        if os.path.exists(manifest): # the user's own installation stays uninstallable
            with open(manifest) as f:
                kept = f.read()
        worked, text = run(["cmake", "--install", options.build, "--prefix", prefix])
        report.check("cmake_installs", worked, text)
        absent = [e for e in EXPECTED if not glob.glob(os.path.join(prefix, e))
                  and not glob.glob(os.path.join(prefix, e.replace("lib*/", "lib*/*/")))]
        report.check("everything_expected_is_installed", not absent, " ".join(absent))
        installed = Installed(prefix, shlex.split(options.cc))
        check_documents(report, prefix)
        check_pkg_config(report, installed, folder)
        check_find_package(report, installed, folder)
        check_predict(report, installed, folder)
        check_static(report, installed, folder)
        linked = Linked(installed)
        linked.check_stripped(report)
        check_uninstall(report, options.build, prefix)
        linked.check_debug(report, options.build, os.path.join(folder, "debug"))
        check_loader(report, folder)
        if kept is None:
            os.unlink(manifest)
        else:
            with open(manifest, "w") as f:
                f.write(kept)
    report.done()


if __name__ == "__main__":
    main()
