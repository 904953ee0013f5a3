/* colour.h -- colours of screens (sRGB, 0 .. 255) as CIELAB, where a distance is about as large as
 * it looks: lightness 0 .. 100, green to red, blue to yellow; white is that of D65.
 *
 * References: IEC 61966-2-1 (1999); ISO/CIE 11664-4 (2019). */
#ifndef SMR_MATH_COLOUR_H
#define SMR_MATH_COLOUR_H

void smr_lab_of_rgb(const double rgb[3], double lab[3]);
/* What no screen shows ends below 0 or above 255. */
void smr_rgb_of_lab(const double lab[3], double rgb[3]);

#endif
