#!/usr/bin/env python3
"""Writes src/core/letters_table.c: which characters make words, and their lower-case forms.

    python3 tools/gen_letters.py > src/core/letters_table.c

From Python's unicodedata, whose version is in the file.  Classes:
  word   letters (L*) and numbers (N*)
  alone  Han ideographs and Hiragana, which are written without spaces: each is a word of its own
  mark   combining marks (M*), and the joiners U+200C and U+200D: they continue a word, begin none
Lower case is the simple mapping, one character to one; U+0130 gives i, and the final sigma the
other one, so that a Greek word has one form wherever it occurs.
"""
import sys
import unicodedata

ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA LETTER",
         "IDEOGRAPHIC NUMBER ZERO")


def class_of(code):
    """0: none of them, 1: word, 2: alone, 3: mark."""
    if code in (0x200C, 0x200D):
        return 3
    c = chr(code)
    category = unicodedata.category(c)
    if category[0] == "M":
        return 3
    if category[0] not in "LN":
        return 0
    return 2 if unicodedata.name(c, "").startswith(ALONE) else 1


def lower_of(code):
    """The code of the lower-case form; itself where there is none."""
    if code == 0x130:
        return ord("i")
    if code == 0x3C2:
        return 0x3C3
    low = chr(code).lower()
    return ord(low) if len(low) == 1 else code


def class_ranges():
    """[first, last, class] of every run of one class."""
    ranges = []
    for code in range(0x80, 0x110000):
        kind = 0 if 0xD800 <= code <= 0xDFFF else class_of(code)
        if not kind:
            continue
        if ranges and ranges[-1][1] == code - 1 and ranges[-1][2] == kind:
            ranges[-1][1] = code
        else:
            ranges.append([code, code, kind])
    return ranges


def lower_ranges():
    """[first, last, step, distance] of every run of capitals that lie `step` apart."""
    ranges = []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF:
            continue
        distance = lower_of(code) - code
        if not distance:
            continue
        last = ranges[-1] if ranges else None
        step = code - last[1] if last else 0
        if last and last[3] == distance and step in (1, 2) and last[2] in (0, step):
            last[1], last[2] = code, step
        else:
            ranges.append([code, code, 0, distance])
    return [[lo, hi, step or 1, distance] for lo, hi, step, distance in ranges]


def rows(items, width=99):
    """The items, as many on a line as fit."""
    line = "   "
    for item in items:
        if len(line) + len(item) + 1 > width:
            yield line
            line = "   "
        line += " " + item
    yield line


def main():
    """Writes the file."""
    classes, lowers = class_ranges(), lower_ranges()
    version = unicodedata.unidata_version
    print("/* letters_table.c -- written by tools/gen_letters.py from Unicode "
          f"{version}: see letters.h. */")
    print("""#include "core/letters.h"

/* clang-format off */
/* First and last character, class. */
const smr_letter_range smr_letter_ranges[] = {""")
    print("\n".join(rows([f"{{{lo:#x},{hi:#x},{kind}}}," for lo, hi, kind in classes])))
    print(f"""}};
const int64_t smr_n_letter_ranges = {len(classes)};

/* First and last capital, how far apart they lie, and the way to the small letter. */
const smr_lower_range smr_lower_ranges[] = {{""")
    print("\n".join(rows([f"{{{lo:#x},{hi:#x},{step},{d}}}," for lo, hi, step, d in lowers])))
    print(f"""}};
const int64_t smr_n_lower_ranges = {len(lowers)};
/* clang-format on */""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
