/* autodiff.c -- how a network learns, in a hundred lines and without a library: every number
 * remembers what it was made of, and the chain rule walks that record backwards. */
#include <math.h>
#include <stdio.h>

enum { HIDDEN = 3, WEIGHTS = 4 * HIDDEN + 1, ROOM = 300 };

typedef struct number {
    double value, slope; /* slope: of the last number of the tape, by this one */
    int from[2];         /* what it was made of; 0: nothing                    */
    double by[2];        /* its derivatives by these                           */
} number;

static number tape[ROOM]; /* number 0 is nobody; a loss and four answers take 249 */
static int length, weight_of[WEIGHTS];

static int record(double value, int a, double by_a, int b, double by_b)
{
    tape[length] = (number){value, 0, {a, b}, {by_a, by_b}};
    return length++;
}

static int constant(double x)
{
    return record(x, 0, 0, 0, 0);
}

static int add(int a, int b)
{
    return record(tape[a].value + tape[b].value, a, 1, b, 1);
}

static int times(int a, int b)
{
    return record(tape[a].value * tape[b].value, a, tape[b].value, b, tape[a].value);
}

static int tangent(int a) /* the hyperbolic one */
{
    double t = tanh(tape[a].value);
    return record(t, a, 1 - t * t, 0, 0);
}

static int surprise(int a) /* log(1 + exp(-a)): what a score of a for what is true costs */
{
    return record(log1p(exp(-tape[a].value)), a, -1 / (1 + exp(tape[a].value)), 0, 0);
}

static void backward(void) /* from the end, each number hands on what it received */
{
    tape[length - 1].slope = 1;
    for (int i = length - 1; i > 0; i--)
        for (int k = 0; k < 2; k++) tape[tape[i].from[k]].slope += tape[i].by[k] * tape[i].slope;
}

static const double table[4][3] = {{0, 0, -1}, {0, 1, 1}, {1, 0, 1}, {1, 1, -1}}; /* x1, x2, y */

static int score(const int *w, const double *x)
{
    int sum = w[4 * HIDDEN];
    for (int h = 0; h < HIDDEN; h++, w += 4) {
        int a = add(times(w[0], constant(x[0])), times(w[1], constant(x[1])));
        sum = add(sum, times(w[3], tangent(add(a, w[2]))));
    }
    return sum;
}

static double loss(const double *weight) /* of the four rows, their mean */
{
    length = 1;
    for (int j = 0; j < WEIGHTS; j++) weight_of[j] = constant(weight[j]);
    int sum = constant(0);
    for (int i = 0; i < 4; i++)
        sum = add(sum, surprise(times(score(weight_of, table[i]), constant(table[i][2]))));
    return tape[times(sum, constant(0.25))].value;
}

int main(void)
{
    double weight[WEIGHTS], far = 0;
    for (int j = 0; j < WEIGHTS; j++) weight[j] = sin(12.9898 * (j + 1)); /* any numbers will do */
    for (int j = 0; j < WEIGHTS; j++) { /* the chain rule against a difference */
        double w = weight[j], up = (weight[j] = w + 1e-6, loss(weight));
        double down = (weight[j] = w - 1e-6, loss(weight));
        weight[j] = w, loss(weight), backward();
        far = fmax(far, fabs(tape[weight_of[j]].slope - (up - down) / 2e-6));
    }
    printf("slopes are differences to 1e-9: %s\n", far < 1e-9 ? "yes" : "NO");
    for (int step = 0; step <= 1000; step++) {
        double now = loss(weight);
        if (step % 200 == 0) printf("step %4d: loss %.4f\n", step, now);
        backward();
        for (int j = 0; j < WEIGHTS; j++) weight[j] -= tape[weight_of[j]].slope;
    }
    for (int i = 0; i < 4; i++)
        printf("%g xor %g: chance of 1 is %.3f\n", table[i][0], table[i][1],
               1 / (1 + exp(-tape[score(weight_of, table[i])].value)));
    return far < 1e-9 ? 0 : 1;
}
