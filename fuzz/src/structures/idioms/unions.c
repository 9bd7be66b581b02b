// Tagged unions and bit fields beside reals.

//# tagged_value value
%let I «int¦long¦short¦unsigned»
%let order «int kind; union { double d; $I i; struct { double re, im; } c; } u;¦union { double d; struct { double re, im; } c; $I i; } u; int kind;¦union { struct { double re, im; } c; $I i; double d; } u; char kind;»
struct @value$ { $order };
enum { IS_INT$, IS_REAL$, IS_COMPLEX$ };
$q struct @value$ @make$(double x, int k) {
  struct @value$ v«¦ = {0}»;
  v.kind = k % 3;
  if (v.kind == IS_INT$) v.u.i = k;
  else if (v.kind == IS_REAL$) v.u.d = x * $C;
  else { v.u.c.re = x; v.u.c.im = $S(x); }
  return v;
}
$q double @weigh$(const struct @value$ *v) {
  switch (v->kind) {
  case IS_INT$: return v->u.i * 0.5;
  case IS_REAL$: return v->u.d;
  default: return $R(v->u.c.re, v->u.c.im);
  }
}
double @go$(const double *x, int n) {
  struct @value$ v[8];
  double sum = 0;
  for (int i = 0; i < n && i < 8; i++) v[i] = @make$(x[i], i + $N(0,2));
  «struct @value$ t = v[0]; v[0] = v[1]; v[1] = t;¦struct @value$ t; memcpy(&t, &v[0], sizeof t); memcpy(&v[0], &v[1], sizeof t); v[1] = t;¦»
  for (int i = 0; i < n && i < 8; i++) sum += @weigh$(&v[i]) * (i + 1);
  return sum;
}

//# expression_tree value
struct @node$ { «char¦int¦short» op; union { double number; int var; struct { struct @node$ *a, *b; } of; } u; };
$q struct @node$ *@leaf$(double v) {
  struct @node$ *p = «malloc(sizeof *p)¦calloc(1, sizeof *p)»;
  p->op = 'n'; p->u.number = v;
  return p;
}
$q struct @node$ *@name$(int k) {
  struct @node$ *p = malloc(sizeof *p);
  p->op = 'v'; p->u.var = k;
  return p;
}
$q struct @node$ *@pair$(char op, struct @node$ *a, struct @node$ *b) {
  struct @node$ *p = malloc(sizeof *p);
  p->op = op; p->u.of.a = a; p->u.of.b = b;
  return p;
}
static double @value$(const struct @node$ *p, const double *x) {
  switch (p->op) {
  case 'n': return p->u.number;
  case 'v': return x[p->u.var];
  case '+': return @value$(p->u.of.a, x) + @value$(p->u.of.b, x);
  case '*': return @value$(p->u.of.a, x) * @value$(p->u.of.b, x);
  default: return sin(@value$(p->u.of.a, x));
  }
}
static void @drop$(struct @node$ *p) {
  if (p->op == '+' || p->op == '*') @drop$(p->u.of.b);
  if (p->op != 'n' && p->op != 'v') @drop$(p->u.of.a);
  free(p);
}
double @go$(const double *x, int n) {
  struct @node$ *e = @pair$('+', @pair$('*', @name$(0), @leaf$($C)), @pair$('s', @name$(n - 1), 0));
  «e = @pair$('*', e, @name$(1));¦e = @pair$('+', e, @leaf$(x[0]));¦»
  double r = @value$(e, x);
  @drop$(e);
  return r;
}

//# anonymous_union records
struct @item$ { int kind; union { double real; long whole; struct { double *at; int n; }; }; };
void @go$($T *a, int n) {
  struct @item$ it[3];
  double v[2] = {a[0].$real, a[1].$real};
  it[0].kind = 0; it[0].real = $R(a[0].$real, a[n - 1].$real);
  it[1].kind = 1; it[1].whole = n;
  it[2].kind = 2; it[2].at = v; it[2].n = 2;
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    struct @item$ t = it[«i¦2 - i»];
    if (t.kind == 0) sum += t.real;
    else if (t.kind == 1) sum += (double)t.whole * $C;
    else for (int k = 0; k < t.n; k++) sum += t.at[k];
  }
  a[0].$real = 0.2 * sum;
}

//# union_of_records records
struct @shape$ { int kind; union { $T whole; struct { double r; int sides; } round; double flat[2]; } u; };
$q double @area$(struct @shape$ s) {
  if (s.kind == 0) return s.u.whole.$real;
  if (s.kind == 1) return s.u.round.r * s.u.round.r * s.u.round.sides;
  return s.u.flat[0] * s.u.flat[1];
}
void @go$($T *a, int n) {
  struct @shape$ s[3];
  for (int i = 0; i < 3; i++) {
    s[i].kind = (i + $N(0,2)) % 3;
    if (s[i].kind == 0) s[i].u.whole = a[i % n];
    else if (s[i].kind == 1) { s[i].u.round.r = a[0].$real; s[i].u.round.sides = 3 + i; }
    else { s[i].u.flat[0] = a[1].$real; s[i].u.flat[1] = $C; }
  }
  s[1] = s[«0¦2¦1»];
  for (int i = 0; i < 3; i++) a[i % n].$real = $S(@area$(s[i]));
}

//# variant_array reals
typedef struct { «unsigned char¦int¦long» tag; union { double d; float f; int i; } as; } @var$;
$q @var$ @wrap$(double x, int tag) {
  @var$ v;
  v.tag = tag;
  if (tag == 0) v.as.d = x; else if (tag == 1) v.as.i = 2; else v.as.d = $C * x;
  return v;
}
void @go$(double *x, int n) {
  @var$ *v = malloc(n * sizeof *v);
  for (int i = 0; i < n; i++) v[i] = @wrap$(x[i], i % 3);
  for (int i = 0; i + 1 < n; i++) { @var$ t = v[i]; v[i] = v[i + 1]; v[i + 1] = t; }
  for (int i = 0; i < n; i++)
    if (v[i].tag == 1) x[i] *= v[i].as.i; else x[i] = $R(v[i].as.d, x[i]);
  free(v);
}

//# token_stack value
struct @token$ { enum { NUM$, ADD$, MUL$, NEG$ } type; union { double num; int arity; } u; };
double @go$(const double *x, int n) {
  struct @token$ t[] = {{NUM$, {.num = x[0]}}, {NUM$, {.num = x[1]}}, {ADD$, {.arity = 2}}, {NUM$, {.num = x[n - 1]}}, {MUL$, {.arity = 2}}, {NEG$, {.arity = 1}}};
  double stack[8];
  int top = 0;
  for (int i = 0; i < «6¦(int)(sizeof t / sizeof t[0])¦5»; i++) {
    switch (t[i].type) {
    case NUM$: stack[top++] = t[i].u.num; break;
    case ADD$: top--; stack[top - 1] += stack[top]; break;
    case MUL$: stack[top - 2] *= stack[top - 1]; top -= t[i].u.arity - 1; break;
    default: stack[top - 1] = -stack[top - 1];
    }
  }
  return stack[0];
}

//# bit_fields value
struct @flags$ { «double a; unsigned kind : 3, live : 1, count : 12; double b;¦unsigned live : 1; int kind : 5; double a, b; unsigned long count : 20;¦unsigned char live : 1, kind : 3; unsigned short count : 9; float pad; double a; double b;» };
$q void @mark$(struct @flags$ *f, int k, double v) {
  f->kind = k % 4;
  f->live = k & 1;
  f->count = k * 3;
  if (f->live) f->a = v; else f->b = v;
}
double @go$(const double *x, int n) {
  struct @flags$ f[4]«; memset(f, 0, sizeof f);¦ = {{0}};»
  double sum = 0;
  for (int i = 0; i < 4; i++) { @mark$(&f[i], i + n, x[i % n]); f[i].count += 2; }
  «f[1] = f[2];¦memcpy(&f[0], &f[3], sizeof f[0]);¦struct @flags$ t = f[3]; f[3] = f[0]; f[0] = t;»
  for (int i = 0; i < 4; i++) {
    if (f[i].live) sum += f[i].a * f[i].kind; else sum += f[i].b;
    sum += 0.01 * f[i].count * $S(f[i].a);
  }
  return sum;
}

//# packed_state records
struct @state$ { unsigned phase : 2; unsigned step : 6; $T now; double best; unsigned done : 1; };
void @go$($T *a, int n) {
  struct @state$ s = {.phase = 1, .now = a[0], .best = a[0].$real};
  while (!s.done) {
    switch (s.phase) {
    case 0: s.now = a[s.step % n]; s.phase = 1; break;
    case 1: s.best = $R(s.best, s.now.$real); s.phase = 2; break;
    default: s.now.$real = $S(s.best); a[s.step % n] = s.now; s.phase = 0; s.step++; s.done = s.step >= n;
    }
  }
  a[0].$real += s.best * $C;
}
