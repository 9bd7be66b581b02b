// Objects with functions, callbacks with contexts, solvers with state.

//# virtual_functions value
struct @shape$ { double (*area)(const struct @shape$ *); «int id; double a, b;¦double a; short id; double b;» };
static double @square$(const struct @shape$ *s) { return s->a * s->a * $C; }
static double @oblong$(const struct @shape$ *s) { return $R(s->a, s->b); }
$q double @total$(struct @shape$ *s, int n) {
  double t = 0;
  for (int i = 0; i < n; i++) t += s[i].area(&s[i]) * s[i].id;
  return t;
}
double @go$(const double *x, int n) {
  struct @shape$ s[3];
  for (int i = 0; i < 3; i++) { s[i].area = i % 2 ? @square$ : @oblong$; s[i].id = i + 1; s[i].a = x[i % n]; s[i].b = x[n - 1]; }
  struct @shape$ t = s[0]; s[0] = s[2]; s[2] = t;
  return @total$(s, «3¦2»);
}

//# base_member value
struct @base$ { int kind; double scale; };
struct @circle$ { struct @base$ base; double r; };
struct @box$ { struct @base$ base; double w, h; char label[4]; };
$q double @size$(const struct @base$ *b) {
  if (b->kind == 0) { const struct @circle$ *c = (const struct @circle$ *)b; return c->r * c->r * b->scale; }
  const struct @box$ *x = (const struct @box$ *)b;
  return x->w * x->h * x->base.scale;
}
double @go$(const double *x, int n) {
  struct @circle$ c = {{0, $C}, x[0]};
  struct @box$ *b = malloc(sizeof *b);
  b->base.kind = 1; b->base.scale = x[1]; b->w = $S(x[n - 1]); b->h = $C;
  struct @base$ *all[2] = {&c.base, &b->base};
  double s = 0;
  for (int i = 0; i < 2; i++) s += @size$(all[«i¦1 - i»]);
  free(b);
  return s;
}

//# callback_context records
struct @ctx$ { double sum, most; int calls; };
static void @visit$($T *r, void *p) { struct @ctx$ *c = p; c->sum += r->$real; c->calls++; if (c->calls == 1 || r->$real > c->most) c->most = r->$real; }
static void @change$($T *r, void *p) { struct @ctx$ *c = p; r->$real = $R(r->$real, c->sum / c->calls); }
$q void @each$($T *a, int n, void (*f)($T *, void *), void *p) { for (int i = 0; i < n; i++) f(&a[i], p); }
void @go$($T *a, int n) {
  struct @ctx$ c = {0};
  @each$(a, n, @visit$, &c);
  «@each$(a, n, @change$, &c);¦a[0].$real = c.most * $C; @each$(a + 1, n - 1, @change$, &c);»
}

//# particles reals
struct @vec$ { double x, y; };
struct @body$ { struct @vec$ pos, vel; double mass; «int id; char name[4];¦unsigned fixed : 1;¦» };
$q struct @vec$ @add$(struct @vec$ a, struct @vec$ b, double s) { a.x += s * b.x; a.y += s * b.y; return a; }
$q struct @vec$ @pull$(const struct @body$ *a, const struct @body$ *b) {
  struct @vec$ d = @add$(b->pos, a->pos, -1);
  double r = 1 / (1 + d.x * d.x + d.y * d.y);
  return (struct @vec$){d.x * r * b->mass, d.y * r * b->mass};
}
void @go$(double *x, int n) {
  struct @body$ *b = calloc(3, sizeof *b);
  for (int i = 0; i < 3; i++) { b[i].pos = (struct @vec$){x[i % n], $C}; b[i].vel.y = x[(i + 1) % n]; b[i].mass = 1 + 0.5 * i; }
  for (int step = 0; step < 2; step++) {
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) if (i != k) b[i].vel = @add$(b[i].vel, @pull$(&b[i], &b[k]), 0.1);
    for (int i = 0; i < 3; i++) b[i].pos = @add$(b[i].pos, b[i].vel, 0.1);
  }
  for (int i = 0; i < 3; i++) { struct @body$ *p = &b[i]; x[i % n] = «p->pos.x + p->vel.y * p->mass¦p->pos.y * p->vel.x»; }
  free(b);
}

//# state_swap reals
struct @state$ { double *now, *next; int step; double dt; };
$q void @advance$(struct @state$ *s, int n) {
  for (int i = 0; i < n; i++) s->next[i] = s->now[i] + s->dt * $R(s->now[(i + 1) % n], s->now[i]);
  double *t = s->now; s->now = s->next; s->next = t;
  s->step++;
}
void @go$(double *x, int n) {
  struct @state$ s = {x, malloc(n * sizeof(double)), 0, $C};
  double *own = s.next;
  while (s.step < «2¦3¦n») @advance$(&s, n);
  «if (s.now != x) memcpy(x, s.now, n * sizeof *x);¦for (int i = 0; i < n; i++) x[i] = s.now[i];»
  free(own);
}

//# config_by_value value
struct @config$ { int order; double tol; «float damp;¦char mode;» double w[3]; struct { double lo, hi; } box; };
$q struct @config$ @default$(void) { return (struct @config$){.order = 2, .tol = $C, .w = {1, 2, 0.5}, .box = {-1, 1}}; }
$q double @run$(struct @config$ c, double x) {
  double s = 0;
  for (int i = 0; i <= c.order; i++) s = s * x + c.w[i];
  return s * c.tol + (x > c.box.lo && x < c.box.hi ? c.box.hi : c.box.lo);
}
double @go$(const double *x, int n) {
  struct @config$ c = @default$(), d = c;
  d.w[1] = x[0]; d.box.hi = $S(x[1]); d.order--;
  «struct @config$ *p = n > 3 ? &c : &d; p->tol *= x[n - 1];¦c.w[0] = d.w[1];»
  return @run$(c, x[0]) + @run$(d, x[n - 1]);
}

//# layers value
struct @layer$ { int in, out; double *w, *b; struct @layer$ *next; };
$q struct @layer$ *@layer_new$(int in, int out, const double *x, int n, struct @layer$ *next) {
  struct @layer$ *l = malloc(sizeof *l);
  l->in = in; l->out = out; l->next = next;
  l->w = malloc(in * out * sizeof *l->w);
  l->b = calloc(out, sizeof *l->b);
  for (int i = 0; i < in * out; i++) l->w[i] = $R(x[i % n], x[0]);
  l->b[0] = x[n - 1];
  return l;
}
double @go$(const double *x, int n) {
  struct @layer$ *net = @layer_new$(2, 3, x, n, @layer_new$(3, 1, x, n, 0));
  double v[2][3] = {{x[0], x[1], 0}};
  int k = 0;
  for (struct @layer$ *l = net; l; l = l->next, k = !k)
    for (int i = 0; i < l->out; i++) {
      double s = l->b[i];
      for (int j = 0; j < l->in; j++) s += l->w[i * l->in + j] * v[k][j];
      v[!k][i] = tanh(s);
    }
  double r = v[k][0];
  while (net) { struct @layer$ *l = net; net = l->next; free(l->w); free(l->b); free(l); }
  return r;
}

//# global_registry value
struct @entry$ { int key; double v; };
static struct @entry$ @all$[4];
static int @count$;
$q void @register$(int key, double v) { @all$[@count$].key = key; @all$[@count$++].v = v; }
$q double *@lookup$(int key) {
  for (int i = 0; i < @count$; i++) if (@all$[i].key == key) return &@all$[i].v;
  return 0;
}
double @go$(const double *x, int n) {
  @count$ = 0;
  for (int i = 0; i < 3; i++) @register$(i * 10, $S(x[i % n]));
  double *p = @lookup$(10), *q = @lookup$(20);
  *p = $R(*p, *q);
  return *p + @all$[0].v * @count$;
}

//# complex_numbers value
typedef struct { double re, im; } @cx$;
$q @cx$ @mul$(@cx$ a, @cx$ b) { return (@cx$){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
$q void @acc$(@cx$ *s, const @cx$ *v, int k) { s->re += v->re / k; s->im += v->im / k; }
double @go$(const double *x, int n) {
  @cx$ z = {0.3 * x[0], 0.3 * x[1]}, p = {1, 0}, s = {0, 0}, list[4];
  for (int k = 1; k < 4; k++) { p = @mul$(p, z); list[k] = p; @acc$(&s, &list[k], k); }
  return $R(s.re, s.im) + list[2].im * x[n - 1];
}

//# recursive_struct number
struct @range$ { double lo, hi; int depth; };
static double @integrate$(struct @range$ r) {
  double mid = 0.5 * (r.lo + r.hi), w = r.hi - r.lo;
  if (r.depth == 0) return w * $S(mid);
  struct @range$ left = r, right = r;
  left.hi = right.lo = mid;
  left.depth = right.depth = r.depth - 1;
  return @integrate$(left) + @integrate$(right);
}
double @go$(double x, double y) { return @integrate$((struct @range$){x, y, $N(1,4)}); }

//# ray number
struct @v3$ { double e[3]; };
struct @ray$ { struct @v3$ from, dir; int bounces; };
$q double @dot$(const struct @v3$ *a, const struct @v3$ *b) { double s = 0; for (int i = 0; i < 3; i++) s += a->e[i] * b->e[i]; return s; }
$q struct @v3$ @mix$(struct @v3$ a, struct @v3$ b, double t) { for (int i = 0; i < 3; i++) a.e[i] += t * b.e[i]; return a; }
$q struct @ray$ @bounce$(struct @ray$ r, const struct @v3$ *n) {
  r.dir = @mix$(r.dir, *n, -2 * @dot$(&r.dir, n));
  r.from = @mix$(r.from, r.dir, $C);
  r.bounces++;
  return r;
}
double @go$(double x, double y) {
  struct @ray$ r = {{{x, y, 0.5}}, {{0.6, x, 0.2}}, 0};
  struct @v3$ n = {{0.3, 0.5, y}};
  while (r.bounces < $N(1,4)) r = @bounce$(r, &n);
  return tanh(@dot$(&r.from, &r.dir));
}

//# pair_return number
struct @pair$ { «double a; int n;¦int n; double a;¦float f; double a;¦double a; float f;¦double a, b; char c;» };
$q struct @pair$ @step$(struct @pair$ p, double y) { p.a = $R(p.a, y); return p; }
double @go$(double x, double y) {
  struct @pair$ p«; p.a = x;¦ = {.a = x};»
  for (int i = 0; i < $N(1,4); i++) p = @step$(p, y);
  return p.a;
}
