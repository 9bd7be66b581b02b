/* Included twice: once with steps marked, once without. NAME(f) is the function's name, MARK marks a step, BEGIN and END a region. A code has
 * `u`, `v` with n elements, parameters p, and returns a value. */

/* A stencil; two arrays change places. */
static double NAME(heat)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 1; i < n - 1; i++) v[i] = u[i] + p[0] * exp(p[1] * u[i]) * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        double *old = u;
        u = v, v = old;
    }
    double s = 0.0;
    for (int i = 0; i < n; i++) s += u[i] * u[i] * (1 + i % 3);
    return s;
}

/* Parameters in registers, terms of both in each cell; arrays that may overlap. */
static double NAME(pendulums)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double a = p[0], b = 1.5 * p[1];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 1; i < n - 1; i++) v[i] = u[i] + a * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.1 * b * sin(u[i]);
        for (int i = 1; i < n - 1; i++) u[i] = v[i];
    }
    return u[n / 2] * a + u[2] * u[3];
}

/* A sum over all cells decides how the next step goes, another one goes through all steps. */
static double NAME(mean)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    double total = 0.0, a = p[0] * 2.0;
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        double m = 0.0;
        for (int i = 0; i < n; i++) m += u[i];
        m /= n;
        for (int i = 0; i < n; i++) v[i] = u[i] + a * sin(u[i] - m) + 0.01 * exp(-p[1] * m);
        for (int i = 0; i < n; i++) total += v[i] * v[i];
        double *old = u;
        u = v, v = old;
    }
    return total;
}

/* Scalars only: the loop over time is the innermost one. */
static double NAME(lorenz)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double x = u[0], y = u[1], z = u[2], s = p[0] * 50.0, r = p[1] * 30.0, b = 8.0 / 3.0, h = 0.01;
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        double dx = s * (y - x), dy = x * (r - z) - y, dz = x * y - b * z;
        double x1 = x + 0.5 * h * dx, y1 = y + 0.5 * h * dy, z1 = z + 0.5 * h * dz;
        x += h * s * (y1 - x1), y += h * (x1 * (r - z1) - y1), z += h * (x1 * y1 - b * z1);
    }
    return x * x + y * z + v[n - 1];
}

/* Short arrays whose loops are unrolled. */
static double NAME(ring)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double x[8], y[8], s = v[n - 1];
    for (int i = 0; i < 8; i++) x[i] = u[i];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 0; i < 8; i++) y[i] = x[i] * (p[0] + 0.7) + x[(i + 3) % 8] * sin(x[i] * p[1]);
        for (int i = 0; i < 8; i++) x[i] = y[i] + 0.1 * x[7 - i] * y[3];
    }
    for (int i = 0; i < 8; i++) s += x[i] * (i + 1);
    return s;
}

/* Two stages of a function that is not inlined. */
static __attribute__((noinline)) void NAME(slope)(int n, const double *p, const double *x, double *d) {
    for (int i = 0; i < n; i++) d[i] = p[0] * x[i] * (x[(i + 1) % n] - x[(i + n - 1) % n]) - p[1] * x[i];
}
static double NAME(stages)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double k1[N], k2[N], w[N], x[N], s = v[0];
    for (int i = 0; i < n; i++) x[i] = u[i];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        NAME(slope)(n, p, x, k1);
        for (int i = 0; i < n; i++) w[i] = x[i] + 0.05 * k1[i];
        NAME(slope)(n, p, w, k2);
        for (int i = 0; i < n; i++) x[i] += 0.1 * k2[i];
    }
    for (int i = 0; i < n; i++) s += x[i] * x[i] * (1 + i % 5);
    return s;
}

/* Upwind differences, in place at the end, a factor that depends on time. */
static double NAME(upwind)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    double s = 0.0;
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        double c = p[0] * cos(p[1] * t);
        for (int i = 1; i < n - 1; i++) {
            double f = u[i] > 0.3 ? u[i] * (u[i] - u[i - 1]) : u[i] * (u[i + 1] - u[i]);
            v[i] = u[i] - c * f + 0.1 * c * c * u[i] * u[i];
        }
        for (int i = 1; i < n - 1; i++) u[i] = v[i];
        u[0] = u[n - 2], u[n - 1] = u[1];
    }
    for (int i = 0; i < n; i++) s += u[i] * u[i] * (1 + i % 3);
    return s;
}

/* The number of steps is unknown. */
static double NAME(settles)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    double e = 1e9, t = 0.0;
    for (int k = 0; e > 1e-3 && k < steps; k++) {
        MARK(snapshots);
        double h = 0.01 + 0.1 * p[0];
        e = 0.0;
        for (int i = 2; i < n - 1; i++) v[i] = (u[i + 1] - u[i - 2]) * u[i - 1] - u[i] + p[1];
        for (int i = 2; i < n - 1; i++) u[i] += h * v[i], e += v[i] * v[i];
        t += h * e;
    }
    for (int i = 0; i < n; i++) t += u[i] * u[i] * (1 + i % 3);
    return t;
}

/* Products with a matrix, a norm, a quotient. */
static double NAME(power)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    double norm = 0.0;
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        double s = 0.0;
        for (int i = 0; i < n; i++) {
            double z = 0.0;
            for (int j = 0; j < n; j++) z += (1.0 / (1 + i + j) + p[0] * (i == j) + p[1] * 0.01 * (i - j)) * u[j];
            v[i] = z, s += z * z;
        }
        norm = sqrt(s);
        for (int i = 0; i < n; i++) u[i] = v[i] / norm;
    }
    return norm + u[1];
}

/* A marked loop in a marked one, and a region; sizes are declared. */
static double NAME(nested)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double a = p[0] * p[1];
    SIZE(u, N * sizeof *u), SIZE(v, N * sizeof *v);
    for (int t = 0; t < steps / 4; t++) {
        MARK(snapshots);
        for (int k = 0; k < 5; k++) {
            MARK(snapshots);
            for (int i = 1; i < n - 1; i++) v[i] = u[i] + a * sin(u[i]) * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + 0.001 * p[1];
            for (int i = 1; i < n - 1; i++) u[i] = v[i];
        }
        BEGIN();
        for (int i = 0; i < n; i++) u[i] += 0.01 * a * u[n - 1 - i] * v[i];
        END();
    }
    return u[3] * a + u[n - 2];
}

/* The state is a struct; ways out of the midst of a step. */
static double NAME(members)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    struct { double x[6], e; int k; } s = {{u[0], u[1], u[2], u[3], u[4], u[5]}, v[n - 1], 0};
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 0; i < 6; i++) s.x[i] += 0.05 * (p[0] * s.x[(i + 1) % 6] * s.x[(i + 5) % 6] - p[1] * s.x[i]);
        if (s.x[0] < 0.25) {
            s.k++, s.x[0] += 0.01 * s.x[1] * p[0];
            continue;
        }
        s.e += s.x[1] * exp(-s.x[2] * p[1]);
        if (s.e > 50.0) break;
    }
    return s.e + s.x[3] * s.k + s.x[5];
}

/* Memory on the heap, a misfit at each step. */
static double NAME(misfit)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    double *w = malloc(n * sizeof *w), *x = malloc(n * sizeof *x), loss = v[0];
    for (int i = 0; i < n; i++) x[i] = u[i] * p[0];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 0; i < n; i++) w[i] = tanh(x[i] * p[1] + x[(i * 7 + 1) % n] * p[0]);
        for (int i = 0; i < n; i++) x[i] = w[i], loss += (w[i] - 0.1 * t) * (w[i] - 0.1 * t);
    }
    free(w), free(x);
    return loss;
}

/* Float, a wider sum. */
static double NAME(floats)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    float x[N], y[N], a = p[0];
    double s = v[0];
    for (int i = 0; i < n; i++) x[i] = u[i];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        for (int i = 0; i < n; i++) y[i] = x[i] + a * sinf(x[(i + 1) % n]) * x[i];
        for (int i = 0; i < n; i++) x[i] = y[i] * 0.9f + 0.01f * (float)p[1];
    }
    for (int i = 0; i < n; i++) s += x[i] * x[i] * (1 + i % 5);
    return s;
}

/* Conjugate gradients: several sums over all cells, quotients of them. */
static double NAME(solver)(int n, int steps, int snapshots, const double *p, double *restrict u, double *restrict v) {
    double x[N], r[N], d[N], q[N], rr = 0.0, s = v[0];
    for (int i = 0; i < n; i++) x[i] = 0.0, r[i] = d[i] = u[i], rr += r[i] * r[i];
    for (int t = 0; t < steps / 3; t++) {
        MARK(snapshots);
        double dq = 0.0, next = 0.0;
        for (int i = 0; i < n; i++) {
            q[i] = (2.1 + p[0]) * d[i] - p[1] * (i ? d[i - 1] : 0.0) - p[1] * (i < n - 1 ? d[i + 1] : 0.0);
            dq += d[i] * q[i];
        }
        double alpha = rr / dq;
        for (int i = 0; i < n; i++) x[i] += alpha * d[i], r[i] -= alpha * q[i], next += r[i] * r[i];
        double beta = next / rr;
        rr = next;
        for (int i = 0; i < n; i++) d[i] = r[i] + beta * d[i];
    }
    for (int i = 0; i < n; i++) s += x[i] * (i + 1);
    return s;
}

/* Loops that add to three parameters at once, in float. */
static double NAME(sums)(int n, int steps, int snapshots, const double *p, double *u, double *v) {
    float x[N], y[N], a = p[0], b = p[1], total = v[0];
    for (int i = 0; i < n; i++) x[i] = u[i];
    for (int t = 0; t < steps; t++) {
        MARK(snapshots);
        float m = 0.0f;
        for (int i = 0; i < n; i++) m += x[i] * a;
        for (int i = 0; i < n; i++) y[i] = x[i] * b + m * 0.01f + a * x[i] * x[i];
        for (int i = 0; i < n; i++) x[i] = y[i] * 0.5f, total += y[i] * a * b;
    }
    return total;
}
