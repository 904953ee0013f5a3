#!/usr/bin/env python3
"""Sentences of a treebank as a table of steps, for tagging with samara's hmm.

    python3 make_table.py TRAIN.conllu.gz FILE.conllu.gz > table.csv

Columns: sentence, word, ending, shape, tag (UPOS).  A word that the training part has only once, or
not at all, is `<rare>`, with its last three letters and its shape; of other words these two are
gaps.  So the table of words says how often a tag makes a rare word, and the tables of endings and
shapes which: what is known of rare words stands for those never seen."""
import collections
import csv
import gzip
import sys


def sentences(path):
    """Lists of (word, tag)."""
    steps = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if len(cells) > 3 and cells[0].isdigit():
                steps.append((cells[1], cells[3]))
            elif not line.strip() and steps:
                yield steps
                steps = []
    if steps:
        yield steps


def shape(word):
    """Capital, digits, hyphen: what a word looks like."""
    kind = "capital" if word[0].isupper() else "small"
    if word.isupper() and len(word) > 1:
        kind = "capitals"
    digit = "-digit" if any(c.isdigit() for c in word) else ""
    return kind + digit + ("-hyphen" if "-" in word else "")


def main():
    count = collections.Counter(w for s in sentences(sys.argv[1]) for w, _ in s)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["sentence", "word", "ending", "shape", "tag"])
    for k, steps in enumerate(sentences(sys.argv[2])):
        for word, tag in steps:
            rare = count[word] < 2
            out.writerow([k, "<rare>" if rare else word, word[-3:].lower() if rare else "",
                          shape(word) if rare else "", tag])


main()
