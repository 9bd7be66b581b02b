//! Ways on which C takes a number to itself, to its magnitude or to its negative: through integers, vectors, unions,
//! lists, sorting, globals. Each is a small function of the file, so that the rest of the program knows nothing of it.

use crate::ast::Real;
use crate::libm;

/// What comes out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The number.
    Same,
    /// Its magnitude.
    Magnitude,
    /// Its negative.
    Negative,
}

/// Name, effect, and the C text that defines it.
pub type Way = (&'static str, Effect, &'static str);

/// All of them.
pub const WAYS: &[Way] = &[
    ("by_union", Effect::Same, "static double by_union(double x) { union { double d; unsigned long long u; } a, b; a.d = x; b.u = a.u; return b.d; }"),
    ("by_long", Effect::Same, "static double by_long(double x) { long long l; memcpy(&l, &x, 8); double y; memcpy(&y, &l, 8); return y; }"),
    (
        "by_halves",
        Effect::Same,
        "static double by_halves(double x) { unsigned long long l; memcpy(&l, &x, 8); unsigned h[2] = {(unsigned)l, (unsigned)(l >> 32)};\n  \
         unsigned long long m = (unsigned long long)h[1] << 32 | h[0]; double y; memcpy(&y, &m, 8); return y; }",
    ),
    ("by_volatile", Effect::Same, "static double by_volatile(double x) { volatile double v = x; return v; }"),
    ("by_atomic", Effect::Same, "static double by_atomic(double x) { _Atomic double v = x; double y = v; return y; }"),
    (
        "by_complex",
        Effect::Same,
        "static double by_complex(double x) { _Complex double z = x + 2.0 * x * 1.0i; z = z * (1.0 - 2.0i); return __real__ z / 5.0; }",
    ),
    (
        "by_list",
        Effect::Same,
        "struct fz_node { double v; struct fz_node *next; };\n\
         static double by_list(double x) { struct fz_node n[4], *first = 0; double s = 0;\n  \
         for (int i = 0; i < 4; i++) n[i].v = 0.25 * x, n[i].next = first, first = &n[i];\n  \
         for (struct fz_node *p = first; p; p = p->next) s += p->v;\n  return s; }",
    ),
    (
        "by_heap_list",
        Effect::Same,
        "struct fz_cell { struct fz_cell *next; double v; };\n\
         static double by_heap_list(double x) { struct fz_cell *first = 0; double s = 0;\n  \
         for (int i = 0; i < 3; i++) { struct fz_cell *c = malloc(sizeof *c); c->v = x * (i - 0.5); c->next = first; first = c; }\n  \
         while (first) { struct fz_cell *c = first; first = c->next; s += c->v; free(c); }\n  return s / 1.5; }",
    ),
    (
        "by_sorting",
        Effect::Same,
        "static int fz_less(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }\n\
         static double by_sorting(double x) { double a[3] = {x + 8, x, x - 8}; qsort(a, 3, sizeof *a, fz_less); return a[1]; }",
    ),
    (
        "by_far_bits",
        Effect::Same,
        "__attribute__((noinline)) static long long fz_bits(double x) { long long l; memcpy(&l, &x, 8); return l; }\n\
         __attribute__((noinline)) static double fz_real(long long l) { double x; memcpy(&x, &l, 8); return x; }\n\
         static double by_far_bits(double x) { return fz_real(fz_bits(x)); }",
    ),
    (
        "by_struct",
        Effect::Same,
        "struct fz_tagged { double v; int k; };\n\
         __attribute__((noinline)) static struct fz_tagged fz_next(struct fz_tagged t) { t.v *= t.k ? 2 : 0.5; t.k = !t.k; return t; }\n\
         static double by_struct(double x) { struct fz_tagged t = {x, 0}; for (int i = 0; i < 4; i++) t = fz_next(t); return t.v; }",
    ),
    (
        "by_untyped",
        Effect::Same,
        "struct fz_mixed { int k; double v; double w[2]; };\n\
         static double by_untyped(double x) { struct fz_mixed a = {3, x, {1, x}}, b; char block[sizeof a];\n  \
         memcpy(block, &a, sizeof a); memcpy(&b, block, sizeof b); return 0.5 * (b.v + b.w[1]) * (b.k - 2); }",
    ),
    (
        "by_global",
        Effect::Same,
        "static double fz_slots[3]; static double *fz_at;\n\
         static double by_global(double x) { fz_at = &fz_slots[1]; *fz_at = x; return fz_slots[1]; }",
    ),
    (
        "by_rows",
        Effect::Same,
        "static double by_rows(double x) { double m[2][2] = {{x, 1}, {2, x}}, *r[2] = {m[1], m[0]}, **p = r; return 0.5 * (p[0][1] + p[1][0]); }",
    ),
    (
        "by_wide",
        Effect::Same,
        "#ifdef __SIZEOF_INT128__\ntypedef __int128 fz_wide;\n#else\ntypedef _BitInt(128) fz_wide;\n#endif\n\
         static double by_wide(double x) { double a[2] = {1, x}, b[2]; fz_wide w; memcpy(&w, a, 16); memcpy(b, &w, 16); return b[0] * b[1]; }",
    ),
    (
        "by_vector",
        Effect::Same,
        "typedef int fz_four __attribute__((vector_size(16), may_alias));\n\
         static double by_vector(double x) { double a[2] = {x, 3}, b[2]; fz_four v; memcpy(&v, a, 16); v = __builtin_shufflevector(v, v, 2, 3, 0, 1);\n  \
         memcpy(b, &v, 16); return b[1] * (b[0] - 2); }",
    ),
    (
        "by_lanes",
        Effect::Same,
        "typedef long long fz_two __attribute__((vector_size(16), may_alias));\n\
         static double by_lanes(double x) { double a[2] = {x, 3}, b[2]; fz_two v, w; memcpy(&v, a, 16); w[0] = v[1]; w[1] = v[0];\n  \
         memcpy(b, &w, 16); return b[1] * (b[0] - 2); }",
    ),
    (
        "by_member_function",
        Effect::Same,
        "struct fz_object { double (*get)(const struct fz_object *); double v; };\n\
         static double fz_get(const struct fz_object *o) { return o->v; }\n\
         __attribute__((noinline)) static double fz_ask(const struct fz_object *o) { return o->get(o); }\n\
         static double by_member_function(double x) { struct fz_object o = {fz_get, x}; return fz_ask(&o); }",
    ),
    (
        "by_do",
        Effect::Same,
        "static double by_do(double x) { double s = 0; int i = 0;\n  \
         do { if (i == 5) goto out; s += x; if (s > 1e5) return 0 * s; i++; } while (i < 8);\n  s = 0;\nout: return s / 5; }",
    ),
    (
        "by_long_double",
        Effect::Same,
        "static double by_long_double(double x) { long double a[2] = {x, 2}, b[2]; memcpy(b, a, sizeof b); return (double)(b[0] * b[1] / 2); }",
    ),
    ("by_mask", Effect::Magnitude, "static double by_mask(double x) { unsigned long long l; memcpy(&l, &x, 8); l &= ~0ull >> 1; memcpy(&x, &l, 8); return x; }"),
    (
        "by_mask_of_memory",
        Effect::Magnitude,
        "static double by_mask_of_memory(double x) { double a[2] = {x, -x}; unsigned long long l[2]; memcpy(l, a, 16); l[0] &= ~0ull >> 1, l[1] &= ~0ull >> 1;\n  \
         memcpy(a, l, 16); return 0.5 * (a[0] + a[1]); }",
    ),
    ("by_flip", Effect::Negative, "static double by_flip(double x) { unsigned long long l; memcpy(&l, &x, 8); l ^= 1ull << 63; memcpy(&x, &l, 8); return x; }"),
];

/// The value and the partial; `None` at a kink, and for a name that is none.
pub fn evaluate(name: &str, x: f64) -> Option<(f64, f64)> {
    match WAYS.iter().find(|w| w.0 == name)?.1 {
        Effect::Same => Some((x, 1.0)),
        Effect::Negative => Some((-x, -1.0)),
        Effect::Magnitude => libm::evaluate("fabs", Real::F64, &[x]).map(|(v, p)| (v, p[0])),
    }
}

/// The definitions that a program needs.
pub fn definitions(program: &str) -> String {
    WAYS.iter().filter(|w| program.contains(&format!("{}(", w.0))).map(|w| format!("{}\n", w.2)).collect()
}
