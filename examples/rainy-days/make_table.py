#!/usr/bin/env python3
"""Writes data/rainy_days.csv: 30 weeks of weather and of what somebody
did on each day.  Its counts are exactly those of the textbook's model of rainy days:

    start rainy 0.6, sunny 0.4        18 and 12 of 30 weeks
    rainy to rainy 0.7, sunny 0.3     70 and 30 of 100 days after which a day follows
    sunny to rainy 0.4, sunny 0.6     32 and 48 of 80
    rainy clean 0.5, shop 0.4, walk 0.1      60, 48 and 12 of 120 days
    sunny clean 0.1, shop 0.3, walk 0.6       9, 27 and 54 of 90

so that a model that counts without smoothing has these very numbers.

    python3 examples/rainy-days/make_table.py [FOLDER]
"""
import os
import random
import sys

WEEKS, DAYS = 30, 7
WANTED = {"start": 18, "rr": 70, "rs": 30, "sr": 32, "ss": 48}
SHOWN = {"rainy": {"clean": 60, "shop": 48, "walk": 12},
         "sunny": {"clean": 9, "shop": 27, "walk": 54}}


def off(weeks):
    """How far the counts of the weather are from those that are wanted."""
    count = dict.fromkeys(WANTED, 0)
    for week in weeks:
        count["start"] += week[0] == "r"
        for a, b in zip(week, week[1:]):
            count[a + b] += 1
    return sum(abs(count[k] - WANTED[k]) for k in WANTED)


def weather(draw):
    """Weeks with exactly these counts: days are changed as long as that does not lead away."""
    weeks = [[draw.choice("rs") for _ in range(DAYS)] for _ in range(WEEKS)]
    left = off(weeks)
    while left:
        week, day = draw.randrange(WEEKS), draw.randrange(DAYS)
        before = weeks[week][day]
        weeks[week][day] = "s" if before == "r" else "r"
        now = off(weeks)
        if now > left + draw.choice((0, 0, 0, 1)):
            weeks[week][day] = before
        else:
            left = now
    return weeks


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "data"
    draw = random.Random(2)
    weeks = weather(draw)
    deeds = {}
    for name, counts in SHOWN.items():
        deeds[name] = [deed for deed, n in counts.items() for _ in range(n)]
        draw.shuffle(deeds[name])
    with open(os.path.join(folder, "rainy_days.csv"), "w") as out:
        out.write("week,day,weather,activity\n")
        for w, week in enumerate(weeks):
            for d, letter in enumerate(week):
                name = "rainy" if letter == "r" else "sunny"
                out.write(f"{w + 1},{d + 1},{name},{deeds[name].pop()}\n")


main()
