/* zoo.c -- published networks, each as one chain: see net_chain.h.
 *
 * Where a paper leaves sizes open or contradicts itself, the chain is the one whose counts of
 * weights are the published ones: ZFNet's second convolution has stride 2, and its last three the
 * 512, 1024 and 512 filters of its later version; GoogLeNet is without the two side heads. */
#include "nn/net_chain.h"

#include <string.h>

#define TOP "repeat 2 (dense 4096 | relu | dropout 0.5) | out"
#define TWICE(f) "repeat 2 (conv " f " 3 pad=1 | relu) | maxpool 2"
#define THRICE(f) "repeat 3 (conv " f " 3 pad=1 | relu) | maxpool 2"
#define FOURFOLD(f) "repeat 4 (conv " f " 3 pad=1 | relu) | maxpool 2"
#define POOL "maxpool 3 stride=2 round=up"
#define RESNET "conv 64 7 stride=2 pad=3 bias=no | norm | relu | maxpool 3 stride=2 pad=1 | "
#define VGG "Simonyan & Zisserman, ICLR 2015"

#define ALEXNET(groups)                                                                      \
    "conv 96 11 stride=4 | relu | lrn | maxpool 3 stride=2 | conv 256 5 pad=2" groups        \
    " | relu | lrn | maxpool 3 stride=2 | conv 384 3 pad=1 | relu | conv 384 3 pad=1" groups \
    " | relu | conv 256 3 pad=1" groups " | relu | maxpool 3 stride=2 | " TOP

static const smr_known_net zoo[] = {
    {"alexnet",
     "AlexNet, on one device",
     "Krizhevsky, Sutskever & Hinton, NIPS 2012",
     {227, 227, 3, false},
     1000,
     ALEXNET("")},
    {"alexnet_two",
     "AlexNet, in two groups as it was trained",
     "Krizhevsky, Sutskever & Hinton, NIPS 2012",
     {227, 227, 3, false},
     1000,
     ALEXNET(" groups=2")},
    {"googlenet",
     "GoogLeNet (Inception v1)",
     "Szegedy et al., CVPR 2015",
     {224, 224, 3, false},
     1000,
     "conv 64 7 stride=2 pad=3 | relu | " POOL " | lrn | conv 64 1 | relu | conv 192 3 pad=1 | relu"
     " | lrn | " POOL " | inception 64 96,128 16,32 32 | inception 128 128,192 32,96 64 | " POOL
     " | inception 192 96,208 16,48 64 | inception 160 112,224 24,64 64"
     " | inception 128 128,256 24,64 64 | inception 112 144,288 32,64 64"
     " | inception 256 160,320 32,128 128 | " POOL " | inception 256 160,320 32,128 128"
     " | inception 384 192,384 48,128 128 | avgpool global | dropout 0.4 | out"},
    {"lenet5",
     "LeNet-5",
     "LeCun, Bottou, Bengio & Haffner, Proceedings of the IEEE 86(11), 1998",
     {28, 28, 1, false},
     10,
     "conv 6 5 pad=2 | tanh | avgpool 2 | conv 16 5 | tanh | avgpool 2 | dense 120 | tanh"
     " | dense 84 | tanh | out"},
    {"resnet18",
     "ResNet-18",
     "He, Zhang, Ren & Sun, CVPR 2016",
     {224, 224, 3, false},
     1000,
     RESNET "repeat 2 (basic 64) | basic 128 stride=2 | basic 128 | basic 256 stride=2 | basic 256"
            " | basic 512 stride=2 | basic 512 | avgpool global | out"},
    {"resnet34",
     "ResNet-34",
     "He, Zhang, Ren & Sun, CVPR 2016",
     {224, 224, 3, false},
     1000,
     RESNET
     "repeat 3 (basic 64) | basic 128 stride=2 | repeat 3 (basic 128)"
     " | basic 256 stride=2 | repeat 5 (basic 256) | basic 512 stride=2 | repeat 2 (basic 512)"
     " | avgpool global | out"},
    {"resnet50",
     "ResNet-50",
     "He, Zhang, Ren & Sun, CVPR 2016",
     {224, 224, 3, false},
     1000,
     RESNET "bottleneck 64 shortcut=yes | repeat 2 (bottleneck 64) | bottleneck 128 stride=2"
            " | repeat 3 (bottleneck 128) | bottleneck 256 stride=2 | repeat 5 (bottleneck 256)"
            " | bottleneck 512 stride=2 | repeat 2 (bottleneck 512) | avgpool global | out"},
    {"vgg_a",
     "VGG, configuration A",
     VGG,
     {224, 224, 3, false},
     1000,
     "conv 64 3 pad=1 | relu | maxpool 2 | conv 128 3 pad=1 | relu | maxpool 2 | " TWICE(
         "256") " | " TWICE("512") " | " TWICE("512") " | " TOP},
    {"vgg_a_lrn",
     "VGG, configuration A-LRN",
     VGG,
     {224, 224, 3, false},
     1000,
     "conv 64 3 pad=1 | relu | lrn | maxpool 2 | conv 128 3 pad=1 | relu | maxpool 2"
     " | " TWICE("256") " | " TWICE("512") " | " TWICE("512") " | " TOP},
    {"vgg_b",
     "VGG, configuration B",
     VGG,
     {224, 224, 3, false},
     1000,
     TWICE("64") " | " TWICE("128") " | " TWICE("256") " | " TWICE("512") " | " TWICE(
         "512") " | " TOP},
    {"vgg_c",
     "VGG, configuration C",
     VGG,
     {224, 224, 3, false},
     1000,
     TWICE("64") " | " TWICE(
         "128") " | repeat 2 (conv 256 3 pad=1 | relu) | conv 256 1 | relu | maxpool 2"
                " | repeat 2 (repeat 2 (conv 512 3 pad=1 | relu) | conv 512 1 | relu | maxpool 2) "
                "| " TOP},
    {"vgg_d",
     "VGG, configuration D (VGG-16)",
     VGG,
     {224, 224, 3, false},
     1000,
     TWICE("64") " | " TWICE("128") " | " THRICE("256") " | " THRICE("512") " | " THRICE(
         "512") " | " TOP},
    {"vgg_e",
     "VGG, configuration E (VGG-19)",
     VGG,
     {224, 224, 3, false},
     1000,
     TWICE("64") " | " TWICE("128") " | " FOURFOLD("256") " | " FOURFOLD("512") " | " FOURFOLD(
         "512") " | " TOP},
    {"zfnet",
     "ZFNet",
     "Zeiler & Fergus, ECCV 2014",
     {224, 224, 3, false},
     1000,
     "conv 96 7 stride=2 pad=1 | relu | " POOL " | lrn | conv 256 5 stride=2 | relu | " POOL
     " | lrn | conv 512 3 pad=1 | relu | conv 1024 3 pad=1 | relu | conv 512 3 pad=1 | relu"
     " | maxpool 3 stride=2 | " TOP},
};

const smr_known_net *smr_nn_zoo(int64_t *n)
{
    *n = SMR_COUNT(zoo);
    return zoo;
}

const smr_known_net *smr_nn_zoo_find(const char *name)
{
    for (int64_t i = 0; i < SMR_COUNT(zoo); i++)
        if (strcmp(zoo[i].name, name) == 0) return &zoo[i];
    return NULL;
}
