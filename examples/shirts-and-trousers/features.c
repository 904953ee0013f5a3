/* features.c -- mean and standard deviation of the pixels (0 to 1) of the pictures of two classes.
 *
 *     features IMAGES LABELS       IDX files, unpacked; a table on standard output
 *
 * Class 0 is called shirt, class 1 trouser; other pictures are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A number of four bytes, the highest first. */
static long number(FILE *f)
{
    unsigned char b[4];
    if (fread(b, 1, 4, f) != 4) return -1;
    return (long)b[0] << 24 | (long)b[1] << 16 | (long)b[2] << 8 | (long)b[3];
}

static FILE *open_idx(const char *path, long dims, long *n, long *size)
{
    FILE *f = fopen(path, "rb");
    if (!f || number(f) != 0x800 + dims || (*n = number(f)) < 0) {
        fprintf(stderr, "features: '%s' is not an IDX file of %ld dimensions\n", path, dims);
        exit(1);
    }
    *size = 1;
    for (long d = 1; d < dims; d++) *size *= number(f);
    return f;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"shirt", "trouser"};
    unsigned char pixel[784];
    long n, size, labels, one;
    if (argc != 3) {
        fprintf(stderr, "usage: features IMAGES LABELS\n");
        return 2;
    }
    FILE *pictures = open_idx(argv[1], 3, &n, &size),
         *classes = open_idx(argv[2], 1, &labels, &one);
    if (n != labels || size != (long)sizeof pixel) {
        fprintf(stderr, "features: %ld pictures of %ld pixels, and %ld labels\n", n, size, labels);
        return 1;
    }
    printf("mean,deviation,class\n");
    for (long i = 0; i < n; i++) {
        int class = fgetc(classes);
        double sum = 0, square = 0;
        if (fread(pixel, 1, sizeof pixel, pictures) != sizeof pixel || class == EOF) {
            fprintf(stderr, "features: the files end at picture %ld\n", i);
            return 1;
        }
        if (class > 1) continue;
        for (size_t p = 0; p < sizeof pixel; p++) sum += pixel[p] / 255.0;
        double mean = sum / (double)sizeof pixel;
        for (size_t p = 0; p < sizeof pixel; p++)
            square += (pixel[p] / 255.0 - mean) * (pixel[p] / 255.0 - mean);
        printf("%.17g,%.17g,%s\n", mean, sqrt(square / (double)sizeof pixel), names[class]);
    }
    fclose(pictures);
    fclose(classes);
    return 0;
}
