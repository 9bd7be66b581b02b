//! Idioms by which C takes a number to itself, to its magnitude or to its negative: through
//! integers, vectors, unions, lists, sorting, globals. Each is a small function of the file, so
//! that the rest of the program knows nothing of it.

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
pub type Idiom = (&'static str, Effect, &'static str);

/// All of them.
pub const IDIOMS: &[Idiom] = &[
    (
        "by_union",
        Effect::Same,
        "static double by_union(double x) { union { double d; unsigned long long u; } a, b; a.d = x; b.u = a.u; return b.d; }",
    ),
    (
        "by_long",
        Effect::Same,
        "static double by_long(double x) { long long l; memcpy(&l, &x, 8); double y; memcpy(&y, &l, 8); return y; }",
    ),
    (
        "by_halves",
        Effect::Same,
        "static double by_halves(double x) { unsigned long long l; memcpy(&l, &x, 8); unsigned h[2] = {(unsigned)l, (unsigned)(l >> 32)};\n  \
         unsigned long long m = (unsigned long long)h[1] << 32 | h[0]; double y; memcpy(&y, &m, 8); return y; }",
    ),
    (
        "by_volatile",
        Effect::Same,
        "static double by_volatile(double x) { volatile double v = x; return v; }",
    ),
    (
        "by_atomic",
        Effect::Same,
        "static double by_atomic(double x) { _Atomic double v = x; double y = v; return y; }",
    ),
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
    (
        "by_mask",
        Effect::Magnitude,
        "static double by_mask(double x) { unsigned long long l; memcpy(&l, &x, 8); l &= ~0ull >> 1; memcpy(&x, &l, 8); return x; }",
    ),
    (
        "by_mask_of_memory",
        Effect::Magnitude,
        "static double by_mask_of_memory(double x) { double a[2] = {x, -x}; unsigned long long l[2]; memcpy(l, a, 16); l[0] &= ~0ull >> 1, l[1] &= ~0ull >> 1;\n  \
         memcpy(a, l, 16); return 0.5 * (a[0] + a[1]); }",
    ),
    (
        "by_flip",
        Effect::Negative,
        "static double by_flip(double x) { unsigned long long l; memcpy(&l, &x, 8); l ^= 1ull << 63; memcpy(&x, &l, 8); return x; }",
    ),
];

/// Ways by text: what comes out is the number, but the C library writes and reads it. Only where a
/// campaign asks for them.
pub const TEXTS: &[Idiom] = &[
    (
        "by_text",
        Effect::Same,
        "#include <stdio.h>\nstatic double by_text(double x) { char line[64]; snprintf(line, sizeof line, \"%.17g\", x); return strtod(line, 0); }",
    ),
    (
        "by_scanned_text",
        Effect::Same,
        "#include <stdio.h>\nstatic double by_scanned_text(double x) { char line[64]; double y = 0; sprintf(line, \"%.17e\", x); sscanf(line, \"%lf\", &y); return y; }",
    ),
    (
        "by_hex_text",
        Effect::Same,
        "#include <stdio.h>\nstatic double by_hex_text(double x) { char line[64]; double y[2] = {1, 2}; snprintf(line, 64, \"%a %d\", x, 3); int k = 0; char *end;\n  \
         y[0] = strtod(line, &end); k = atoi(end); return y[0] * (k - 2); }",
    ),
];

/// Ways by integers, as programs and libraries swap and copy reals of which they know the size
/// only.
pub const VIEWS: &[Idiom] = &[
    (
        "by_words",
        Effect::Same,
        "typedef unsigned long long __attribute__((may_alias)) fz_word;\n\
         static double by_words(double x) { double a[3] = {x, 1, 2}; fz_word *p = (fz_word *)a, t = p[0]; p[0] = p[1]; p[1] = p[2]; p[2] = t; return a[2] * a[0] * a[1] / 2; }",
    ),
    (
        "by_sorted_words",
        Effect::Same,
        "static double by_sorted_words(double x) { double a[3] = {x + 9, x, x - 9}; unsigned long long w[3], t; memcpy(w, a, sizeof w);\n  \
         for (int i = 0; i < 2; i++) for (int j = 0; j < 2 - i; j++) if (a[j] > a[j + 1]) {\n    \
         t = w[j], w[j] = w[j + 1], w[j + 1] = t; double d = a[j]; a[j] = a[j + 1], a[j + 1] = d; }\n  \
         memcpy(a, w, sizeof w); return a[1]; }",
    ),
    (
        "by_xor_swap",
        Effect::Same,
        "static double by_xor_swap(double x) { double a[2] = {x, 1.5}; unsigned long long p[2]; memcpy(p, a, 16); p[0] ^= p[1], p[1] ^= p[0], p[0] ^= p[1]; memcpy(a, p, 16);\n  \
         return a[1] * a[0] / 1.5; }",
    ),
    (
        "by_bytes",
        Effect::Same,
        "static double by_bytes(double x) { double y; const unsigned char *from = (const unsigned char *)&x; unsigned char *to = (unsigned char *)&y;\n  \
         for (size_t i = 0; i < sizeof y; i++) to[i] = from[i];\n  return y; }",
    ),
    (
        "by_tagged",
        Effect::Same,
        "struct fz_value { int kind; union { double d; long long i; } u; };\n\
         __attribute__((noinline)) static void fz_assign(struct fz_value *to, const struct fz_value *from) { to->kind = from->kind; to->u.i = from->u.i; }\n\
         static double by_tagged(double x) { struct fz_value a, b; a.kind = 1; a.u.d = x; fz_assign(&b, &a); return b.kind == 1 ? b.u.d : 0; }",
    ),
];

/// What copies and swaps of reals by integers are printed as.
const COPIES: &[Idiom] = &[
    (
        "fz_move",
        Effect::Same,
        "typedef unsigned long long __attribute__((may_alias)) fz_word;\n\
         static void fz_move(void *to, const void *from) { *(fz_word *)to = *(const fz_word *)from; }",
    ),
    (
        "fz_carry",
        Effect::Same,
        "static void fz_carry(void *to, const void *from) { long long word; memcpy(&word, from, sizeof word); memcpy(to, &word, sizeof word); }",
    ),
    (
        "fz_copy",
        Effect::Same,
        "typedef unsigned long long __attribute__((may_alias)) fz_word;\n\
         static void fz_copy(void *to, const void *from, size_t n) {\n  fz_word *t = to; const fz_word *f = from;\n  \
         for (size_t i = 0; i < n / 8; i++) t[i] = f[i];\n  \
         for (size_t i = n / 8 * 8; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];\n}",
    ),
    (
        "fz_swap",
        Effect::Same,
        "typedef unsigned long long __attribute__((may_alias)) fz_word;\n\
         static void fz_swap(void *a, void *b, size_t n) {\n  fz_word *p = a, *q = b;\n  \
         if (n == 8) { fz_word t = *p; *p = *q; *q = t; return; }\n  char t[16]; memcpy(t, a, n); memmove(a, b, n); memcpy(b, t, n);\n}",
    ),
    (
        "fz_change",
        Effect::Same,
        "static void fz_change(void *a, void *b, size_t n) {\n  \
         if (n == 8) { unsigned long long s, t; memcpy(&s, a, 8); memcpy(&t, b, 8); memcpy(a, &t, 8); memcpy(b, &s, 8); return; }\n  \
         for (size_t i = 0; i < n; i++) { char t = ((char *)a)[i]; ((char *)a)[i] = ((char *)b)[i]; ((char *)b)[i] = t; }\n}",
    ),
];

fn all() -> impl Iterator<Item = &'static Idiom> {
    IDIOMS.iter().chain(TEXTS).chain(VIEWS).chain(COPIES)
}

/// The value and the partial; `None` at a kink, and for a name that is none.
pub fn evaluate(name: &str, x: f64) -> Option<(f64, f64)> {
    match all().find(|w| w.0 == name)?.1 {
        Effect::Same => Some((x, 1.0)),
        Effect::Negative => Some((-x, -1.0)),
        Effect::Magnitude => libm::evaluate("fabs", Real::F64, &[x]).map(|(v, p)| (v, p[0])),
    }
}

/// The definitions that a program needs.
pub fn definitions(program: &str) -> String {
    all().filter(|w| program.contains(&format!("{}(", w.0))).map(|w| format!("{}\n", w.2)).collect()
}
