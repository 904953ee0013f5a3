#!/usr/bin/env python3
"""Writes data/stomach.csv: 200 evenings, what was eaten, and how upset the stomach was the morning
after.  Invented: fish and chips upset it by 4 points, Diet Coke with Mentos by 5, nothing else
does.  Fish and chips are eaten on Fridays, and on Fridays only.

    python3 examples/fish-and-chips/make_table.py > data/stomach.csv
"""
import random

draw = random.Random(7)
print("fish_and_chips,friday,diet_coke,mentos,coffee,sleep,upset")
for evening in range(200):
    friday = int(evening % 7 == 4)
    coke = int(draw.random() < 0.35)
    mentos = int(draw.random() < (0.12 if coke else 0.4))  # seldom together
    coffee = draw.randrange(5)
    sleep = round(draw.uniform(5, 9), 1)
    upset = 1 + 4 * friday + 5 * (coke and mentos) + draw.gauss(0, 1)
    print(f"{friday},{friday},{coke},{mentos},{coffee},{sleep},{upset:.2f}")
