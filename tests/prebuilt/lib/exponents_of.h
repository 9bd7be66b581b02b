/* The functions of exponents.c for one format: REAL, its BITS, an INTEGER as wide, how many DIGITS, the exponent's BIAS and FIELD. */
#define FUNCTION(name) void OF(exponents_##name)(const REAL *restrict x, REAL *restrict y)
#define EACH for (int i = 0; i < COUNT; i++)
#define SIGN_BIT ((BITS)1 << (8 * sizeof(BITS) - 1))
#define MANTISSA (((BITS)1 << DIGITS) - 1)
#define EXPONENT ((BITS)FIELD << DIGITS)

static inline BITS OF(bits)(REAL x) {
    BITS u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline REAL OF(number)(BITS u) {
    REAL x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline int OF(power)(REAL x) { return (int)(OF(bits)(x) >> DIGITS & FIELD) - BIAS; }

FUNCTION(exponent) { EACH y[i] = (REAL)OF(power)(x[i] * 9) * x[i]; }
/* The sign is shifted out. */
FUNCTION(exponent_by_doubling) { EACH y[i] = (REAL)((int)((OF(bits)(x[i] * -5) << 1) >> (DIGITS + 1)) - BIAS) * x[i]; }
FUNCTION(exponent_of_magnitude) { EACH y[i] = (REAL)(((INTEGER)(OF(bits)(x[i] - 4) & ~SIGN_BIT) >> DIGITS) - BIAS) * x[i]; }
/* A number is made of the exponent alone. */
FUNCTION(as_number) {
    EACH {
        REAL e = (REAL)OF(power)(x[i] * 5) + (REAL)0.5;
        y[i] = e * x[i] + e;
    }
}
FUNCTION(mantissa) {
    EACH {
        REAL m = OF(number)((OF(bits)(x[i] * x[i]) & (SIGN_BIT | MANTISSA)) | (BITS)BIAS << DIGITS);
        y[i] = m * m;
    }
}
/* frexp. */
FUNCTION(split_up) {
    EACH {
        REAL v = x[i] * 7 - 1;
        int e = OF(power)(v) + 1;
        REAL m = OF(number)((OF(bits)(v) & (SIGN_BIT | MANTISSA)) | (BITS)(BIAS - 1) << DIGITS);
        y[i] = m * (REAL)e + x[0];
    }
}
/* ldexp. */
FUNCTION(scaled) { EACH y[i] = OF(number)(OF(bits)(x[i] * x[COUNT - 1 - i]) + ((BITS)(INTEGER)(i - 6) << DIGITS)) * x[i]; }
FUNCTION(by_another) { EACH y[i] = OF(number)(OF(bits)(x[i]) - ((BITS)(INTEGER)OF(power)(x[COUNT - 1 - i] * 3) << DIGITS)) * x[i]; }
FUNCTION(put_together) {
    EACH {
        BITS u = OF(bits)(x[i] - (REAL)0.55);
        INTEGER e = (INTEGER)(u >> DIGITS & FIELD) + i - 7;
        y[i] = OF(number)((u & SIGN_BIT) | (BITS)e << DIGITS | (u & MANTISSA)) * x[i];
    }
}
/* scalbn with its cases: what a vector computes of the others is thrown away. */
FUNCTION(chosen) {
    EACH {
        BITS u = OF(bits)(x[i] * x[i]);
        int e = (int)(u >> DIGITS & FIELD), n = i - 5;
        REAL scaled = OF(number)(u + ((BITS)(INTEGER)n << DIGITS));
        y[i] = e == 0 ? 0 : e == FIELD ? x[i] : e + n >= FIELD ? x[i] * (REAL)1e30 : e + n <= 0 ? 0 : scaled * x[i];
    }
}
FUNCTION(power_below) { EACH y[i] = OF(number)(OF(bits)(x[i] * 11) & EXPONENT) * x[i]; }
FUNCTION(left_of_power) {
    EACH {
        REAL p = OF(number)((BITS)(2 * BIAS - (OF(bits)(x[i] * 6) >> DIGITS & FIELD)) << DIGITS);
        y[i] = x[i] * p * p;
    }
}
/* The number's power and the rest next to one: half a power is added to the bits first. */
FUNCTION(logarithm) {
    EACH {
        REAL v = x[i] * 4;
        BITS u = OF(bits)(v);
        int e = OF(power)(v);
        REAL m = OF(number)((u & MANTISSA) | (BITS)BIAS << DIGITS);
        int above = m > (REAL)1.41421356;
        m = above ? m / 2 : m, e += above;
        REAL f = m - 1, s = f / (2 + f), z = s * s;
        y[i] = (REAL)e * (REAL)0.6931471805599453 + s * (2 + z * ((REAL)0.6666666666 + z * ((REAL)0.4 + z * ((REAL)0.2857142857 + z * (REAL)0.2222222222))));
    }
}
/* Half the exponent, and the digits. */
FUNCTION(halved) {
    EACH {
        REAL v = x[i] * x[COUNT - 1 - i] * 3;
        int e = OF(power)(v), half = e >> 1;
        REAL m = OF(number)(OF(bits)(v) - ((BITS)(INTEGER)(2 * half) << DIGITS)), r = (REAL)0.6 + m * (REAL)0.4;
        r = (r + m / r) / 2, r = (r + m / r) / 2, r = (r + m / r) / 2;
        y[i] = OF(number)(OF(bits)(r) + ((BITS)(INTEGER)half << DIGITS));
    }
}
FUNCTION(exponential) {
    EACH {
        REAL v = x[i] * 5 - 2;
        int k = (int)(v * (REAL)1.4426950408889634 + (v < 0 ? (REAL)-0.5 : (REAL)0.5));
        REAL r = v - (REAL)k * (REAL)0.6931471805599453;
        REAL p = 1 + r * (1 + r * ((REAL)0.5 + r * ((REAL)0.1666666667 + r * ((REAL)0.04166666667 + r * (REAL)0.008333333333))));
        y[i] = OF(number)((BITS)(INTEGER)(k + BIAS) << DIGITS) * p;
    }
}
/* A word of signs selects. */
FUNCTION(sign_word) {
    EACH {
        BITS u = OF(bits)(x[i] - (REAL)0.6), mask = (BITS)((INTEGER)u >> (8 * sizeof(BITS) - 1));
        y[i] = OF(number)((OF(bits)(x[i] * x[i]) & mask) | (OF(bits)(x[i] * 3) & ~mask)) + (REAL)(u >> (8 * sizeof(BITS) - 1));
    }
}
FUNCTION(truncated) {
    EACH {
        REAL v = x[i] * 19;
        int e = OF(power)(v);
        BITS u = OF(bits)(v);
        y[i] = (e >= DIGITS ? v : e < 0 ? OF(number)(u & SIGN_BIT) : OF(number)(u & ~(MANTISSA >> e))) * x[i];
    }
}
FUNCTION(classified) {
    EACH {
        BITS u = OF(bits)(x[i]), e = u & EXPONENT;
        int is_finite = e != EXPONENT, is_normal = e != 0 && is_finite, is_zero = (u & ~SIGN_BIT) == 0;
        y[i] = is_zero ? 1 : !is_finite ? 2 : is_normal ? x[i] * x[i] : x[i];
    }
}
/* A vector whose largest exponent becomes zero. */
FUNCTION(normalised) {
    int largest = -FIELD;
    EACH largest = OF(power)(x[i]) > largest ? OF(power)(x[i]) : largest;
    REAL by = OF(number)((BITS)(INTEGER)(BIAS - largest) << DIGITS);
    EACH y[i] = x[i] * by * x[0];
}
FUNCTION(sum_of_exponents) {
    int sum = 0;
    EACH sum += OF(power)(x[i] * 3);
    EACH y[i] = (REAL)sum * x[i];
}
FUNCTION(largest_exponent) {
    BITS largest = 0;
    EACH {
        BITS e = OF(bits)(x[i] * 20) & EXPONENT;
        largest = e > largest ? e : largest;
    }
    EACH y[i] = x[i] / OF(number)(largest);
}
/* A third of the exponent, and steps from a first guess. */
FUNCTION(cube_root) {
    EACH {
        REAL v = x[i] * x[i] * 9;
        int e = OF(power)(v), third = (e + 3 * 1024) / 3 - 1024;
        REAL m = OF(number)((OF(bits)(v) & MANTISSA) | (BITS)(BIAS + e - 3 * third) << DIGITS), r = (REAL)0.75 + m * (REAL)0.25;
        for (int k = 0; k < 6; k++) r = (2 * r + m / (r * r)) / 3;
        y[i] = OF(number)((BITS)(INTEGER)(BIAS + third) << DIGITS) * r;
    }
}
#undef FUNCTION
#undef EACH
#undef SIGN_BIT
#undef MANTISSA
#undef EXPONENT
