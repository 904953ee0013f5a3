#!/usr/bin/env python3
"""Rolls of a casino's die: 50 evenings of 60 rolls.  Mostly the die is fair; now and then it is
exchanged for a loaded one, which shows six in half its rolls.  Invented, after the example of
Durbin, Eddy, Krogh and Mitchison, Biological Sequence Analysis, 1998:

    fair to loaded 0.05, loaded to fair 0.1; an evening begins with the fair die in 7 of 10

    python3 examples/dishonest-casino/make_table.py > casino.csv
"""
import random

draw = random.Random(1)
print("evening,roll,die")
for evening in range(50):
    loaded = draw.random() < 0.3
    for roll in range(60):
        if roll:
            loaded = draw.random() >= 0.1 if loaded else draw.random() < 0.05
        six = loaded and draw.random() < 0.5
        face = "6" if six else draw.choice("12345" if loaded else "123456")
        print(f"{evening},{face},{'loaded' if loaded else 'fair'}")
