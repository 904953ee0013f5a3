#!/usr/bin/env python3
"""Draws data/scene.png, the picture that docs and transcripts quantise: hills, a sky, a sun, by
formulas alone.

    tools/make_scene.py FILE
"""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 192, 128


def pixel(x, y):
    u, v = x / WIDTH, y / HEIGHT
    red, green, blue = 90 + 130 * v, 140 + 70 * v, 215 - 25 * v
    glow = math.exp(-30 * ((u - 0.72) ** 2 + 0.6 * (v - 0.28) ** 2))
    red, green, blue = red + 120 * glow, green + 80 * glow, blue - 60 * glow
    if (u - 0.72) ** 2 + 0.45 * (v - 0.28) ** 2 < 0.004:
        red, green, blue = 255, 236, 150
    for k in range(3):
        top = 0.5 + 0.14 * k + (0.12 - 0.03 * k) * math.sin((5 + 3 * k) * u + 1.7 * k)
        if v > top:
            shade = 0.55 + 0.45 * math.exp(-4 * (v - top)) + 0.06 * math.sin(90 * u + 60 * v + k)
            red, green, blue = (70 + 45 * k) * shade, (120 - 5 * k) * shade, (95 - 30 * k) * shade
    return bytes(max(0, min(255, int(c))) for c in (red, green, blue))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT))
    with open(sys.argv[1], "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        out.write(chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
        out.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


main()
