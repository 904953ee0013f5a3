#!/usr/bin/env python3
"""Opens reports and drawings in headless Chromium and looks at them: nothing is wider than the
window, no two texts overlap, no text leaves its drawing, and every text can be read.

    tests/report/browser.py BUILD [--keep FOLDER]

Pages come from tests/report/results and tests/report/figures, through `samara plot`, and from
commands on the tables in data/ and on a table of 90 columns.  Each is
looked at on a telephone (390 px) and on a desk (1280 px), light and dark, folded and open, and as
it prints; those of commands also at 800 px.  measure.js does the looking; it is first shown pages
with known faults, which it must find.  Without Chromium all tests count as skipped.
"""
import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools"))
from tap import Report  # noqa: E402

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE, TABLET, DESK, PAPER = 390, 800, 1280, 720

# name -> (what is in the body, what must be found)
FAULTY = {
    "fault-none": ("<p>good</p><svg class='smr' width='90' height='40'><text x='5' y='20'>a</text>"
                   "</svg>", None),
    "fault-overflow": ("<div style='width:3000px'>wide</div>", "overflow: the page is"),
    "fault-overlap": ("<p style='position:absolute;top:20px;left:9px'>one text</p>"
                      "<p style='position:absolute;top:24px;left:30px'>other text</p>",
                      "overlap: 'one text' and 'other text'"),
    "fault-svg-overlap": ("<svg class='smr' width='200' height='60'><text x='5' y='30'>first</text>"
                          "<text x='20' y='34'>second</text></svg>", "overlap: 'first'"),
    "fault-slanted": ("<svg class='smr' width='300' height='200'><g transform='translate(150 20) "
                      "rotate(45)'><text>a slanted name</text></g><text x='170' y='70'>flat text"
                      "</text></svg>", "overlap: 'a slanted name' and 'flat text'"),
    "fault-slanted-apart": ("<svg class='smr' width='300' height='200'>" + "".join(
        f"<g transform='translate({100 + 20 * k} 20) rotate(45)'><text>name {k}</text></g>"
        for k in range(4)) + "</svg>", None),
    "fault-outside": ("<svg class='smr' width='60' height='40' style='overflow:visible'>"
                      "<text x='30' y='20'>a long text</text></svg>", "outside: 'a long text'"),
    "fault-faint": ("<p style='color:#999'>pale words</p>", "faint: 'pale words'"),
    "fault-faint-cell": ("<svg class='smr' width='90' height='60'><rect width='90' height='60' "
                         "fill='#0072b2'/><text x='10' y='30' fill='#223'>dim</text></svg>",
                         "faint: 'dim'"),
    "fault-body": ("<div style='width:1500px;height:1px'></div><p>words</p>", "overflow: the body"),
    "fault-cut": ("<div style='width:200px;overflow:hidden'><table><tr><td style='min-width:900px'>"
                  "a cell</td></tr></table></div>", "cut: a table"),
    "fault-scrolls": ("<div class='scroll' style='width:200px;overflow-x:auto'><table><tr>"
                      "<td style='min-width:900px'>a cell</td></tr></table></div>", None),
    "fault-folded": ("<details><summary>more</summary><div style='width:2000px'>w</div></details>",
                     None),
}


def find_browser():
    for name in BROWSERS:
        if shutil.which(name):
            return shutil.which(name)
    return None


def with_script(text):
    """The page with measure.js at its end."""
    script = open(os.path.join(HERE, "measure.js"), encoding="utf-8").read()
    return text.replace("</body>", f"<script>\n{script}</script>\n</body>")


def as_printed(text):
    """The rules for paper put to work, those for the screen out of it."""
    text = text.replace("@media screen and (prefers-color-scheme:dark)", "@media not all")
    text = re.sub(r"@media \(max-width:\d+px\)", "@media not all", text)
    return text.replace("@media print", "@media all").replace("light dark", "light")


class Browser:
    """One look: many pages in frames of a width, in one call of the browser."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def save(self, name, text):
        with open(os.path.join(self.folder, name + ".html"), "w", encoding="utf-8") as f:
            f.write(text)

    def call(self, address, *options):
        command = [self.program, "--headless=new", "--disable-gpu", "--hide-scrollbars",
                   "--no-first-run", "--disable-extensions", "--disable-background-networking",
                   "--user-data-dir=" + os.path.join(self.folder, "profile"), *options]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        return subprocess.run(command + [address], stdout=subprocess.PIPE, timeout=200,
                              stderr=subprocess.DEVNULL, check=False).stdout

    def look(self, frames, dark=False):
        """frames: (name, page, width, open).  name -> what measure.js posted."""
        body = "".join(
            f'<iframe name="{name}" src="{page}.html{"#open" if is_open else ""}" '
            f'style="width:{width}px;height:{60000 if is_open else 24000}px;border:0;'
            'display:block"></iframe>'
            for name, page, width, is_open in frames)
        self.save("frames", "<!DOCTYPE html><meta charset='utf-8'><body style='margin:0'>"
                  "<pre id='out'></pre><script>const all = {};"
                  "addEventListener('message', e => { all[e.data.page] = e.data; "
                  "document.getElementById('out').textContent = JSON.stringify(all); });</script>"
                  + body)
        options = ["--dump-dom", "--virtual-time-budget=20000", "--window-size=1400,1000"]
        if dark:
            options.append("--blink-settings=preferredColorScheme=0")
        address = "file://" + os.path.join(self.folder, "frames.html")
        dom = self.call(address, *options).decode("utf-8", "replace")
        found = re.search(r'<pre id="out">(.*?)</pre>', dom, re.S)
        return json.loads(html.unescape(found.group(1))) if found and found.group(1) else {}


def make_pages(samara, folder):
    """name -> HTML: a report for each result, and one with all figures."""
    pages = {}
    for name in sorted(os.listdir(os.path.join(HERE, "results"))):
        pages[name[:-5]] = os.path.join(HERE, "results", name)
    figures = []
    for name in sorted(os.listdir(os.path.join(HERE, "figures"))):
        with open(os.path.join(HERE, "figures", name), encoding="utf-8") as f:
            figures.append(json.load(f))
    every = os.path.join(folder, "all.json")
    with open(every, "w", encoding="utf-8") as f:
        json.dump({"command": "plot", "figures": figures}, f)
    pages["all-figures"] = every
    made = {}
    for name, source in pages.items():
        target = os.path.join(folder, name + ".report.html")
        subprocess.run([samara, "plot", source, "--report", target, "--json"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(target, encoding="utf-8") as f:
            made[name] = f.read()
    return made


def make_wide_table(path):
    """90 columns of three kinds, some with long names, with gaps; the target depends on a few."""
    state = 12345

    def draw():
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return state / 2**31

    levels = ["red", "green", "blue", "a level with quite a long name"]
    names = [f"a_rather_long_name_of_column_{k}" if k % 7 == 0 else f"x{k}" for k in range(1, 90)]
    with open(path, "w", encoding="utf-8") as f:
        print(*names, "amount_of_the_outcome", sep=",", file=f)
        for _ in range(160):
            x = [draw() for _ in names]
            row = [levels[int(4 * v)] if k % 11 == 3 else int(90000 * v) if k % 5 == 2
                   else "" if v < 0.02 else f"{v - 0.5:.4f}" for k, v in enumerate(x)]
            print(*row, f"{3 * x[0] - 2 * x[1] + x[4] + 0.2 * draw():.4f}", sep=",", file=f)


def make_real_pages(samara, folder):
    """Reports as commands write them."""
    data = os.path.join(os.path.dirname(os.path.dirname(HERE)), "data")
    diabetes, iris = os.path.join(data, "diabetes.csv"), os.path.join(data, "iris.csv")
    wide, model = os.path.join(folder, "wide.csv"), os.path.join(folder, "wide.smr")
    make_wide_table(wide)
    league = ["ridge", "linear", "lasso", "elastic", "lad", "huber", "stump", "tree",
              "forest trees=10", "boost rounds=10", "bag of=(tree)", "standardize | knn 5",
              "standardize | knn 15", "standardize | ridge l2=10", "poly 2 | standardize | ridge"]
    commands = {
        "real-train": ["train", "standardize | ridge", diabetes],
        "real-train-wide": ["train", "standardize | ridge", wide, "-o", model],
        "real-evaluate-wide": ["evaluate", model, wide],
        "real-cv-wide": ["cv", "standardize | ridge", wide],
        "real-cv": ["cv", "standardize | knn 5", iris, "--folds", "10"],
        "real-compare": ["compare", diabetes, *league],
        "real-compare-rounds": ["compare", iris, "knn 5", "tree", "logistic", "--repeats", "4"],
        "real-tune": ["tune", "standardize | knn", iris, "--trials", "6"],
        "real-describe": ["describe", iris],
        "real-describe-wide": ["describe", wide],
    }
    made = {}
    for name, words in commands.items():
        target = os.path.join(folder, name + ".report.html")
        answer = [] if words[0] == "evaluate" else ["--target", "last"]
        subprocess.run([samara, *words, *answer, "--report", target, "--json"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(target, encoding="utf-8") as f:
            made[name] = f.read()
    return made


def make_drawings(samara, folder):
    """All drawings as files of their own, one below the other in one page."""
    body = ""
    for name in sorted(os.listdir(os.path.join(HERE, "figures"))):
        target = os.path.join(folder, name[:-5] + ".svg")
        subprocess.run([samara, "plot", os.path.join(HERE, "figures", name), "--plot", target,
                        "--json"], check=True, stdout=subprocess.DEVNULL)
        with open(target, encoding="utf-8") as f:
            body += f.read().split("?>", 1)[1]
    return f"<!DOCTYPE html><meta charset='utf-8'><body style='margin:0'>{body}</body>"


def judge(report, words, got, least=3):
    """One look at one page."""
    if not got:
        report.failed(words, "the page was not measured")
    else:
        bare = got["texts"] < least or got["judged"] < 0.8 * got["texts"]
        note = [f"only {got['judged']} of {got['texts']} texts could be judged"] if bare else []
        report.check(words, not got["faults"] and not bare, "\n".join(got["faults"] + note))


def self_test(report, browser):
    for name, (body, _) in FAULTY.items():
        browser.save(name, with_script("<!DOCTYPE html><meta charset='utf-8'><body style='margin:0;"
                                       f"background:#fff;font:14px sans-serif'>{body}</body>"))
    seen = browser.look([(name, name, PHONE, False) for name in FAULTY])
    for name, (_, wanted) in FAULTY.items():
        faults = seen.get(name, {"faults": ["not measured"]})["faults"]
        if wanted is None:
            report.check(f"{name}: nothing is found", not faults, "\n".join(faults))
        else:
            report.check(f"{name}: it is found", any(f.startswith(wanted) for f in faults),
                         "\n".join(faults) or "nothing was found")


def look_at_all(report, browser, samara):
    pages = {**make_pages(samara, browser.folder), **make_real_pages(samara, browser.folder)}
    for name, text in pages.items():
        browser.save(name, with_script(text))
        browser.save(name + "-paper", with_script(as_printed(text)))
    browser.save("drawings", with_script(make_drawings(samara, browser.folder)))
    looks = [(f"{n} at {w} px{', open' if o else ''}", n, w, o) for n in pages
             for w in (PHONE, DESK) for o in (False, True)]
    looks += [(f"{n} at {TABLET} px", n, TABLET, False) for n in pages if n.startswith("real-")]
    drawn = [("drawings as files", "drawings", DESK, False)]
    paper = [(f"{n} on paper", n + "-paper", PAPER, False) for n in pages]
    light = browser.look(looks + drawn + paper)
    for name, *_ in looks + drawn + paper:
        judge(report, f"{name}, light", light.get(name))
    dark = browser.look([look for look in looks if not look[3]] + drawn, dark=True)
    for name, *_ in [look for look in looks if not look[3]] + drawn:
        judge(report, f"{name}, dark", dark.get(name))
    pdf = os.path.join(browser.folder, "evaluate.pdf")
    browser.call("file://" + os.path.join(browser.folder, "evaluate.report.html"),
                 "--no-pdf-header-footer", "--print-to-pdf=" + pdf)
    report.check("a report prints", os.path.exists(pdf) and os.path.getsize(pdf) > 10000)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--keep", help="leave the pages in this folder")
    options = parser.parse_args()
    report, program = Report(), find_browser()
    if not program:
        report.skipped("reports and drawings in a browser", "no Chromium here")
        report.done()
    samara = os.path.join(os.path.abspath(options.build), "samara")
    with tempfile.TemporaryDirectory(prefix="samara-browser-") as folder:
        if options.keep:
            folder = os.path.abspath(options.keep)
            os.makedirs(folder, exist_ok=True)
        browser = Browser(program, folder)
        self_test(report, browser)
        look_at_all(report, browser, samara)
    report.done()


if __name__ == "__main__":
    main()
