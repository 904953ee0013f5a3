/* shirts.h -- two numbers of each T-shirt and trouser of Fashion-MNIST, where its pictures are. */
#ifndef SMR_TESTS_SHIRTS_H
#define SMR_TESTS_SHIRTS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static inline uint8_t *inflate_file(const char *path, int64_t size)
{
    uint8_t *bytes = malloc((size_t)size);
    gzFile file = gzopen(path, "rb");
    if (file && bytes && gzread(file, bytes, (unsigned)size) == (int)size) {
        gzclose(file);
        return bytes;
    }
    if (file) gzclose(file);
    free(bytes);
    return NULL;
}

/* Mean and deviation of each picture of the classes 0 and 1, in [0, 1]; how many. */
static inline int64_t two_features(const char *part, int64_t n, double *x, int32_t *label)
{
    char path[256];
    snprintf(path, sizeof path, "../shared/data/fashion-mnist/%s-images-idx3-ubyte.gz", part);
    uint8_t *images = inflate_file(path, 16 + n * 784);
    snprintf(path, sizeof path, "../shared/data/fashion-mnist/%s-labels-idx1-ubyte.gz", part);
    uint8_t *labels = inflate_file(path, 8 + n);
    int64_t count = 0;
    for (int64_t i = 0; i < n && images && labels; i++) {
        if (labels[8 + i] > 1) continue;
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < 784; j++) {
            double v = images[16 + i * 784 + j] / 255.0;
            sum += v, squares += v * v;
        }
        x[2 * count] = sum / 784;
        x[2 * count + 1] = sqrt(squares / 784 - sum / 784 * sum / 784);
        label[count++] = labels[8 + i];
    }
    free(images), free(labels);
    return count;
}

#endif
