/* Found by the fuzzer: where a sweep leaves out a store, what it computes from that memory is undefined, and calls that stay for
 * their errno must not promise otherwise: the loops around them never ended. */
#include "requests.h"

struct s0 {
    double f0;
    int f1;
};
static double f(const double *v0, const struct s0 *v1, int v2);
static double h2(short v0);
static double h3(int v0, double v1, unsigned char v2, double v3);
static double h3(int v0, double v1, unsigned char v2, double v3) {
    if (v0 <= 0) {
        return v1;
    }
     {
        for (unsigned v4 = 0; v4 < 5; v4++) {
            v1 = sin(sin((0.125 * (double)((v0 * v0)))));
        }
    }
    return ((0.9899 * ((0.125 * (double)v0) * v3)) / (1.5 + (v3 * v3)));
}

static double h2(short v0) {
    double v1[2];
    for (int v2 = 0; v2 < 2; v2++) {
        v1[v2] = (0.5 * cos(1.4652));
    }
    if ((v1[((int)v0 % 2)] <= 0.6622 && v1[(((int)v0 + 1) % 2)] > 1.2845)) {
        double *v3 = (v1 + 1);
        double *v4[3];
        v4[0] = v1;
        v4[1] = v1;
        v4[2] = v1;
        v3[0] = h3(3, (-(0.125 * (double)((int)((3.0 + (2.5 * sin((v3[0] / (1.5 + (v3[0] * v3[0])))))))))), ((int)v0 + 1), (v3[0] * v1[((int)v0 % 2)]));
    }
    v1[((int)v0 % 2)] = sin((v1[((int)v0 % 2)] + (1.0746 * (-1.0377))));
    v1[((int)v0 % 2)] += sin((0.5526 * ((-0.5873) / (1.5 + (v1[0] * v1[0])))));
    for (long v5 = 0; v5 < 3; v5++) {
        for (int v6 = 0; v6 < 2; v6++) {
            v1[((((int)v5 + v6) >> 1) % 2)] += sin((0.5 * (v1[1] * ((v1[v6] * v1[v6]) + sqrt((1.25 + sin(v1[((int)v0 % 2)])))))));
        }
        for (unsigned v7 = (int)v0; v7 < 3; v7++) {
            v1[1] = sin(sin(((-(1.0396 * 1.1561)) * (0.125 * (double)(((int)v0 >> 1))))));
            v1[0] += sin(v1[((int)v0 % 2)]);
        }
    }
    return sin((h3(3, ((0.125 * (double)((int)((3.0 + (2.5 * sin(h3(3, (0.417 + 0.7257), ((int)v0 + 1), (1.0567 - 1.4804)))))))) * (0.125 * (double)((int)((3.0 + (2.5 * sin((-0.3463)))))))), ((int)v0 + 1), 0.4125) * h3(3, (0.6051 * 1.0353), 3, (0.2894 * (0.125 * (double)(((int)v0 * 3)))))));
}

static double f(const double *v0, const struct s0 *v1, int v2) {
    double v3[2];
    double *v5[2];
    double v7 = 0;
    for (int v4 = 0; v4 < 2; v4++) {
        v3[v4] = tanh((0.5932 * (v0[v4] + v0[((v2 + 3) % 2)])));
    }
    v5[0] = v3;
    v5[1] = v3;
    if (log1p((1.5 + (v1[((v2 + 3) % 2)].f0 * v1[((v2 + 3) % 2)].f0))) >= 1.1146) {
        if ((int)v1[(v2 % 2)].f1 >= 1) {
            v5[0][1] *= sin(((0.5052 * (-(-1.3608))) * v1[1].f0));
        }
        v5[(v2 % 2)][((v2 + 2) % 2)] = tanh((0.5528 * ((0.8504 * v1->f0) - (1.1528 * v3[(v2 % 2)]))));
    }
    else {
        if (!((v3[(v2 % 2)] < v5[((int)((3.0 + (2.5 * sin(v0[(v2 % 2)])))) % 2)][(v2 % 2)] && v3[(v2 % 2)] <= 1.262))) {
            if ((v3[1] / (1.5 + ((0.125 * (double)((v2 >> 1))) * (0.125 * (double)((v2 >> 1)))))) > v0[((v2 + 2) % 2)]) {
                v5[(v2 % 2)][0] = ((-(asin((0.8 * sin(v5[((v2 + 2) % 2)][1]))) - (v3[(v2 % 2)] / (1.5 + (v5[(v2 % 2)][1] * v5[(v2 % 2)][1]))))) / (1.5 + (v5[(v2 % 2)][(v2 % 2)] * v5[(v2 % 2)][(v2 % 2)])));
            }
            else {
                v3[(v2 % 2)] -= sin((0.8513 * (0.125 * (double)(int)v1[(v2 % 2)].f1)));
                v3[((v2 + 2) % 2)] *= (h3(2, (0.2203 + v1[(((v2 & 4) * 0) % 2)].f0), v2, ((0.125 * (double)((v2 * v2))) * v5[((v2 + 3) % 2)][(((atanh((0.8 * sin(0.5411))) < 1.2431 ? (int)v1[(v2 % 2)].f1 : 1) + (2 / 5)) % 2)])) / (1.5 + ((-1.4331) * (-1.4331))));
            }
        }
        else {
            if ((-v0[((4 >= 4 ? (int)v1[(v2 % 2)].f1 : 2) % 2)]) < 0.3959) {
                v3[1] = ((0.7178 * tan((0.8 * sin((0.8685 * v5[(v2 % 2)][(v2 % 2)]))))) / (1.5 + (v1[1].f0 * v1[1].f0)));
            }
            else {
                v5[0][(v2 % 2)] = (0.5 * ((0.6028 * (v1[(v2 % 2)].f0 / (1.5 + (v0[1] * v0[1])))) / (1.5 + (v1[(v2 % 2)].f0 * v1[(v2 % 2)].f0))));
                v5[(v2 % 2)][1] = tanh(((0.8987 * asin((0.8 * sin(v3[(v2 % 2)])))) + (v0[1] - v5[((v2 + 3) % 2)][1])));
            }
        }
    }
    v3[(v2 % 2)] = (0.7466 * (-(0.53 * v1[(v2 % 2)].f0)));
    for (unsigned char v6 = 0; v6 < 4; v6++) {
        v5[((int)v1[(v2 % 2)].f1 % 2)] = (((int)v1[(v2 % 2)].f1 / 3) == 1 ? v3 : v3);
    }
    if (3 <= 1) {
        v5[(v2 % 2)][0] = h3(1, (v1[(v2 % 2)].f0 * (0.125 * (double)(((int)v1[1].f1 * (int)v1[(v2 % 2)].f1)))), (2 - v2), (-0.4891));
        v5[((v2 + 2) % 2)][((v2 + 1) % 2)] = ((v0[1] - (1.0638 + v1[(v2 % 2)].f0)) * (0.929 * v5[((v2 + 3) % 2)][(v2 % 2)]));
    }
    else {
        v3[(v2 % 2)] += (sqrt((1.5 + (v5[(v2 % 2)][((v2 + 3) % 2)] * v5[(v2 % 2)][((v2 + 3) % 2)]))) / (1.5 + (v1[1].f0 * v1[1].f0)));
        v3[(v2 % 2)] += sin(((atanh((0.8 * sin(v1[1].f0))) - (-v1[1].f0)) * (v5[((v2 + ((int)v1[((v2 + 2) % 2)].f1 & 4)) % 2)][((v2 + 1) % 2)] * (0.8903 * (0.125 * (double)(((int)v1[((v2 + 1) % 2)].f1 + v2)))))));
        v5[(v2 % 2)][0] = (h2(v2) / (1.5 + (v3[1] * v3[1])));
    }
    v3[(v2 % 2)] += sin(erf(v3[((v2 + ((int)v1[1].f1 ^ (int)v1[(v2 % 2)].f1)) % 2)]));
    v3[(2 % 2)] = sin((acosh((2.5 + sin((0.6 * 0.3714)))) + (h2(0) + (v1[((int)((3.0 + (2.5 * sin(tanh(v5[(v2 % 2)][(v2 % 2)]))))) % 2)].f0 + v3[((v2 + 1) % 2)]))));
    v3[0] *= (1.0365 * ((0.9996 * v1[((int)v1[(v2 % 2)].f1 % 2)].f0) - v3[((v2 + 2) % 2)]));
    v7 += sin((0.715 * v1[(((0.4713 * v5[((v2 + 2) % 2)][(v2 % 2)]) <= (0.125 * (double)(((v3[(((v2 * (int)v1[(v2 % 2)].f1) + (v2 + v2)) % 2)] * (0.125 * (double)v2)) <= 1.2681 ? 0 : (int)v1[(v2 % 2)].f1)))) / 4)].f0));
    v7 += sin((0.7376 * v1[(v2 % 2)].f0));
    v7 += sin((0.9563 * v3[1]));
    v7 += sin((1.1289 * v3[(v2 % 2)]));
    return v7;
}

int two = 2;
static double model(const double *x) {
    struct s0 s[2] = {{x[2], two - 2}, {x[3], two + 1}};
    return f(x, s, two);
}
AD_FUNCTIONAL(model)
static double direct(const double *x) {
    static struct s0 s[2] = {{0.5836, 0}, {1.1099, 3}};
    return f(x, s, two);
}
AD_FUNCTIONAL(direct)

int main(void) {
    check_case all[] = {CHECK_FUNCTIONAL(model, 4), CHECK_FUNCTIONAL(direct, 2)};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) check_random_points(&all[i], 2, 0.3, 1.1);
    return check_done();
}
