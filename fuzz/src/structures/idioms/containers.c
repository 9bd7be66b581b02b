// Growing arrays, stacks, rings, small-buffer arrays, arenas, containers of void pointers.

//# growing_array reals
struct @vec$ { «double *at; size_t count, room;¦int count, room; double *at;¦short count; double *at; long room;» };
$q void @push$(struct @vec$ *v, double x) {
  if (v->count == v->room) {
    v->room = v->room ? 2 * v->room : $N(1,4);
    v->at = realloc(v->at, v->room * sizeof *v->at);
  }
  v->at[v->count++] = x;
}
$q double @pop$(struct @vec$ *v) { return v->at[--v->count]; }
void @go$(double *x, int n) {
  struct @vec$ v = {0}«¦, w; w = v»;
  for (int i = 0; i < n; i++) { @push$(&v, x[i]); if (i % 2) @push$(&v, $R(x[i], v.at[0])); }
  for (int i = 0; i < n; i++) x[i] = @pop$(&v) * $C;
  «x[0] += v.count ? v.at[0] : 0;¦»
  free(v.at);
}

//# growing_records records
struct @list$ { $T *items; «int¦size_t» count, room; };
$q $T *@add$(struct @list$ *l, $T item) {
  if (l->count >= l->room) {
    l->room = l->room * 2 + 1;
    «l->items = realloc(l->items, l->room * sizeof(*l->items));¦$T *more = malloc(l->room * sizeof *more); if (l->count) memcpy(more, l->items, l->count * sizeof *more); free(l->items); l->items = more;¦$T *more = realloc(l->items, sizeof($T) * l->room); l->items = more;»
  }
  l->items[l->count] = item;
  return &l->items[l->count++];
}
void @go$($T *a, int n) {
  struct @list$ l = {0};
  for (int i = 0; i < n; i++) {
    $T *p = @add$(&l, a[i]);
    p->$real = $R(p->$real, a[0].$real);
    if (a[i].$int > 1) @add$(&l, *&a[n - 1]);
  }
  for (int i = 0; i < n; i++) a[i] = l.items[l.count - 1 - i];
  free(l.items);
}

//# stack_of_frames value
struct @frame$ { int at; double acc; «short state;¦unsigned state : 2;» };
double @go$(const double *x, int n) {
  struct @frame$ stack[8];
  int top = 0;
  double result = 0;
  stack[top++] = (struct @frame$){0, x[0], 0};
  while (top) {
    struct @frame$ *f = &stack[top - 1];
    if (f->state == 0 && f->at < n - 1) {
      f->state = 1;
      stack[top] = (struct @frame$){f->at + 1, $R(f->acc, x[f->at + 1]), 0};
      top++;
    } else {
      result += f->acc * $C;
      top--;
      if (top) stack[top - 1].acc += result * 0.1;
    }
  }
  return result;
}

//# ring reals
struct @ring$ { «double v[4]; unsigned head, count;¦unsigned char head, count; double v[4];¦int head; double v[4]; int count;» };
$q void @put$(struct @ring$ *r, double v) {
  r->v[(r->head + r->count) % 4] = v;
  if (r->count < 4) r->count++; else r->head = (r->head + 1) % 4;
}
$q double @mean$(const struct @ring$ *r) {
  double s = 0;
  for (unsigned i = 0; i < r->count; i++) s += r->v[(r->head + i) % 4];
  return s / r->count;
}
void @go$(double *x, int n) {
  struct @ring$ r = {.head = $N(0,4)}, old;
  for (int i = 0; i < n; i++) { @put$(&r, x[i]); x[i] = $R(@mean$(&r), x[i]); }
  «old = r; @put$(&r, x[0]); x[1] = @mean$(&old) + @mean$(&r);¦memcpy(&old, &r, sizeof r); x[0] = @mean$(&old);»
}

//# small_buffer reals
struct @small$ { int count, room; double *at; double own[2]; };
$q void @start$(struct @small$ *s) { s->count = 0; s->room = 2; s->at = s->own; }
$q void @push$(struct @small$ *s, double v) {
  if (s->count == s->room) {
    double *more = malloc(2 * s->room * sizeof *more);
    memcpy(more, s->at, s->count * sizeof *more);
    if (s->at != s->own) free(s->at);
    s->at = more;
    s->room *= 2;
  }
  s->at[s->count++] = v;
}
$q void @stop$(struct @small$ *s) { if (s->at != s->own) free(s->at); }
void @go$(double *x, int n) {
  struct @small$ s;
  @start$(&s);
  for (int i = 0; i < «n¦2¦n - 1»; i++) @push$(&s, $R(x[i], x[0]));
  for (int i = 0; i < s.count; i++) x[i] = s.at[s.count - 1 - i];
  @stop$(&s);
}

//# generic_vector records
struct @any$ { void *data; size_t size, count, room; };
$q void *@push$(struct @any$ *v, const void *item) {
  if (v->count == v->room) { v->room = 2 * v->room + 1; v->data = realloc(v->data, v->room * v->size); }
  void *to = (char *)v->data + v->count++ * v->size;
  memcpy(to, item, v->size);
  return to;
}
$q void *@at$(struct @any$ *v, size_t k) { return (char *)v->data + k * v->size; }
void @go$($T *a, int n) {
  struct @any$ v = {0, sizeof($T), 0, 0};
  for (int i = 0; i < n; i++) @push$(&v, &a[i]);
  for (int i = 0; i < n; i++) {
    $T *p = @at$(&v, n - 1 - i);
    p->$real = $S(p->$real);
    a[i] = *p;
  }
  free(v.data);
}

//# generic_reals reals
struct @any$ { void *data; «size_t size; int count;¦int size, count;» };
$q void @put$(struct @any$ *v, int k, const void *item) { memcpy((char *)v->data + k * v->size, item, v->size); }
$q void @get$(const struct @any$ *v, int k, void *item) { memcpy(item, (const char *)v->data + k * v->size, v->size); }
void @go$(double *x, int n) {
  struct @any$ v = {malloc(n * sizeof(double)), sizeof(double), n}, w = {malloc(n * sizeof(int)), sizeof(int), n};
  for (int i = 0; i < n; i++) { double t = x[i] * $C; int k = n - i; @put$(&v, i, &t); @put$(&w, i, &k); }
  for (int i = 0; i < n; i++) { double t; int k; @get$(&v, i, &t); @get$(&w, i, &k); x[i] = $R(t, x[0]) + k; }
  free(v.data);
  free(w.data);
}

//# generic_swap records
$q void @swap$(void *p, void *q, size_t size) {
  char t[256];
  memcpy(t, p, size);
  memcpy(p, q, size);
  memcpy(q, t, size);
}
void @go$($T *a, int n) {
  for (int i = 0; i + 1 < n; i += 2) @swap$(&a[i], &a[i + 1], sizeof *a);
  a[0].$real = $R(a[0].$real, a[1].$real);
}

//# generic_sort reals
$q void @swap$(char *p, char *q, size_t size) {
  «char t[16]; memcpy(t, p, size); memcpy(p, q, size); memcpy(q, t, size);¦char *t = malloc(size); memcpy(t, p, size); memmove(p, q, size); memcpy(q, t, size); free(t);»
}
static void @sort$(void *base, size_t count, size_t size, int (*order)(const void *, const void *)) {
  char *a = base;
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && order(a + (k - 1) * size, a + k * size) > 0; k--) @swap$(a + (k - 1) * size, a + k * size, size);
}
static int @order$(const void *p, const void *q) { double a = *(const double *)p, b = *(const double *)q; return (a > b) - (a < b); }
static int @down$(const void *p, const void *q) { return *(const int *)q - *(const int *)p; }
void @go$(double *x, int n) {
  int k[4] = {3, 1, 4, 2};
  @sort$(x, n, sizeof *x, @order$);
  «@sort$(k, 4, sizeof *k, @down$);¦»
  for (int i = 0; i < n; i++) x[i] = $S(x[i]) * k[i % 4];
}

//# arena value
struct @arena$ { char *base; size_t used, room; };
$q void *@take$(struct @arena$ *a, size_t bytes) {
  void *p = a->base + a->used;
  a->used += (bytes + 7) / 8 * 8;
  return p;
}
struct @pt$ { double x, y; int k; };
double @go$(const double *x, int n) {
  struct @arena$ a = {malloc(512), 0, 512};
  double *v = @take$(&a, n * sizeof *v);
  int *k = @take$(&a, n * sizeof *k);
  struct @pt$ *p = @take$(&a, 2 * sizeof *p);
  for (int i = 0; i < n; i++) { v[i] = x[i] * $C; k[i] = n - 1 - i; }
  p[0] = (struct @pt$){v[0], v[1], k[0]};
  p[1].x = $R(p[0].x, p[0].y); p[1].y = v[k[1]]; p[1].k = 2;
  double s = p[1].x * p[1].k + p[1].y + v[p[0].k];
  free(a.base);
  return s;
}

//# flexible_array reals
struct @buf$ { «int n; double at[];¦size_t n; char tag; double at[];¦short n; float f; double at[];» };
$q struct @buf$ *@make$(int n) {
  struct @buf$ *b = «malloc(sizeof *b + n * sizeof b->at[0])¦calloc(1, sizeof(struct @buf$) + n * sizeof(double))»;
  b->n = n;
  for (int i = 0; i < n; i++) b->at[i] = 0;
  return b;
}
void @go$(double *x, int n) {
  struct @buf$ *b = @make$(n), *c = @make$(2 * n);
  for (int i = 0; i < n; i++) b->at[i] = $S(x[i]);
  memcpy(c->at + n, b->at, n * sizeof *c->at);
  c->at[0] = x[0];
  for (int i = 0; i < n; i++) x[i] = $R(c->at[2 * n - 1 - i], c->at[i]);
  free(c);
  free(b);
}

//# deque_of_records records
struct @deque$ { $T *at; int head, count, room; };
$q void @front$(struct @deque$ *d, $T v) { d->head = (d->head + d->room - 1) % d->room; d->at[d->head] = v; d->count++; }
$q void @back$(struct @deque$ *d, const $T *v) { d->at[(d->head + d->count++) % d->room] = *v; }
$q $T @pop$(struct @deque$ *d) { $T v = d->at[d->head]; d->head = (d->head + 1) % d->room; d->count--; return v; }
void @go$($T *a, int n) {
  struct @deque$ d = {malloc((n + 1) * sizeof($T)), 0, 0, n + 1};
  for (int i = 0; i < n; i++) if (i % 2) @front$(&d, a[i]); else @back$(&d, &a[i]);
  for (int i = 0; i < n; i++) { a[i] = @pop$(&d); a[i].$real = $R(a[i].$real, a[0].$real); }
  free(d.at);
}

//# matrix_type value
struct @mat$ { int rows, cols; double *a; };
$q struct @mat$ @new$(int rows, int cols) {
  struct @mat$ m = {rows, cols, calloc(rows * cols, sizeof(double))};
  return m;
}
$q double *@el$(const struct @mat$ *m, int i, int j) { return &m->a[i * m->cols + j]; }
$q struct @mat$ @mul$(struct @mat$ a, struct @mat$ b) {
  struct @mat$ c = @new$(a.rows, b.cols);
  for (int i = 0; i < a.rows; i++)
    for (int j = 0; j < b.cols; j++)
      for (int k = 0; k < a.cols; k++) *@el$(&c, i, j) += *@el$(&a, i, k) * *@el$(&b, k, j);
  return c;
}
double @go$(const double *x, int n) {
  struct @mat$ a = @new$(2, 3), b = @new$(3, 2);
  for (int i = 0; i < 6; i++) { a.a[i] = x[i % n]; b.a[5 - i] = $R(x[i % n], x[0]); }
  struct @mat$ c = @mul$(a, b);
  double s = $R(c.a[0], c.a[3]) + *@el$(&c, 1, 0);
  free(a.a); free(b.a); free(c.a);
  return s;
}

//# string_buffer value
struct @text$ { char *s; size_t n, room; double weight; };
$q void @put$(struct @text$ *t, char c, double w) {
  if (t->n + 1 >= t->room) { t->room = t->room ? 2 * t->room : 4; t->s = realloc(t->s, t->room); }
  t->s[t->n++] = c;
  t->s[t->n] = 0;
  t->weight += w;
}
double @go$(const double *x, int n) {
  struct @text$ t = {0};
  for (int i = 0; i < n; i++) @put$(&t, 'a' + i % 3, $S(x[i]));
  double s = t.weight * (double)strlen(t.s);
  for (size_t i = 0; i < t.n; i++) if (t.s[i] == 'b') s += $C * x[i];
  free(t.s);
  return s;
}

//# array_of_arrays records
struct @row$ { int n; double *v; «char name[8];¦» };
void @go$($T *a, int n) {
  struct @row$ *rows = calloc(n, sizeof *rows);
  for (int i = 0; i < n; i++) {
    rows[i].n = 1 + i % 3;
    rows[i].v = malloc(rows[i].n * sizeof *rows[i].v);
    for (int k = 0; k < rows[i].n; k++) rows[i].v[k] = a[i].$real * (k + $C);
  }
  struct @row$ t = rows[0]; rows[0] = rows[1]; rows[1] = t;
  rows[0].v = realloc(rows[0].v, (rows[0].n + 1) * sizeof(double));
  rows[0].v[rows[0].n++] = a[n - 1].$real;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < rows[i].n; k++) s += rows[i].v[k];
    a[i].$real = $R(s, a[i].$real);
    free(rows[i].v);
  }
  free(rows);
}
