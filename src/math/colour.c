/* colour.c -- see colour.h. */
#include "math/colour.h"

#include "kernel/kernel.h"

static const double DELTA = 6.0 / 29, THIRD = 1.0 / 3;
static const double white[3] = {0.95047, 1, 1.08883};
static const double to_xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                    {0.2126729, 0.7151522, 0.0721750},
                                    {0.0193339, 0.1191920, 0.9503041}};
static const double to_rgb[3][3] = {{3.2404542, -1.5371385, -0.4985314},
                                    {-0.9692660, 1.8760108, 0.0415560},
                                    {0.0556434, -0.2040259, 1.0572252}};

static double linear(double c)
{
    c /= 255;
    return c <= 0.04045 ? c / 12.92 : smr_pow((c + 0.055) / 1.055, 2.4);
}

static double shown(double c)
{
    return 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * smr_pow(c, 1 / 2.4) - 0.055);
}

void smr_lab_of_rgb(const double rgb[3], double lab[3])
{
    double light[3], f[3];
    for (int k = 0; k < 3; k++) light[k] = linear(rgb[k]);
    for (int k = 0; k < 3; k++) {
        double t = 0;
        for (int c = 0; c < 3; c++) t += to_xyz[k][c] * light[c];
        t /= white[k];
        f[k] = t > DELTA * DELTA * DELTA ? smr_pow(t, THIRD) : t / (3 * DELTA * DELTA) + 4.0 / 29;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

void smr_rgb_of_lab(const double lab[3], double rgb[3])
{
    double y = (lab[0] + 16) / 116, xyz[3];
    const double f[3] = {y + lab[1] / 500, y, y - lab[2] / 200};
    for (int k = 0; k < 3; k++)
        xyz[k] =
            white[k] * (f[k] > DELTA ? f[k] * f[k] * f[k] : 3 * DELTA * DELTA * (f[k] - 4.0 / 29));
    for (int k = 0; k < 3; k++) {
        double light = 0;
        for (int c = 0; c < 3; c++) light += to_rgb[k][c] * xyz[c];
        rgb[k] = shown(light);
    }
}
