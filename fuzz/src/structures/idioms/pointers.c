// Pointers into members, to records, to pointers; arrays and choices of them.

//# into_members records
void @go$($T *a, int n) {
  double *p = &a[0].$dbl, *q = &a[n - 1].$dbl;
  *p = $R(*p, *q);
  «if (p != q) *q += $C * *p;¦double **r = n > 2 ? &p : &q; **r *= $C;¦p = q; *p = $S(*p);»
}

//# array_of_member_pointers records
void @go$($T *a, int n) {
  double *p[8];
  int count = 0;
  for (int i = 0; i < n && count < 8; i++) p[count++] = «&a[i].$dbl¦i % 2 ? &a[i].$dbl : &a[0].$dbl»;
  for (int i = 0; i < count; i++) *p[i] = $R(*p[i], *p[(i + 1) % count]);
  «for (int i = 0; i + 1 < count; i++) if (*p[i] > *p[i + 1] + 1e-3) { double *t = p[i]; p[i] = p[i + 1]; p[i + 1] = t; }¦»
  *p[0] += *p[count - 1] * $C;
}

//# sort_pointers records
%let key $real
void @go$($T *a, int n) {
  $T **p = malloc(n * sizeof *p), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) p[i] = &a[i];
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && p[k - 1]->$key > p[k]->$key; k--) { $T *t = p[k]; p[k] = p[k - 1]; p[k - 1] = t; }
  for (int i = 0; i < n; i++) { b[i] = *p[i]; b[i].$real += $C * i; }
  for (int i = 0; i < n; i++) a[i] = b[i];
  free(b);
  free(p);
}

//# chosen_pointer records
%let key $real
$q $T *@best$($T *a, int n) {
  $T *best = a;
  for (int i = 1; i < n; i++)
    «if (a[i].$key > best->$key) best = &a[i];¦best = a[i].$key > best->$key ? a + i : best;»
  return best;
}
void @go$($T *a, int n) {
  $T *p = @best$(a, n), *q = p == a ? a + 1 : a;
  p->$real = $R(p->$real, q->$real);
  q->$real = $R(q->$real, p->$real);
}

//# cursor records
struct @cursor$ { $T *at, *end; int steps; double sum; };
$q int @more$(struct @cursor$ *c) { return c->at < c->end; }
$q $T *@take$(struct @cursor$ *c) { c->steps++; return c->at++; }
void @go$($T *a, int n) {
  struct @cursor$ c = {a, a + n, 0, 0};
  while (@more$(&c)) {
    $T *p = @take$(&c);
    c.sum += p->$real * $C;
    if (c.steps % 2) p->$real = $R(c.sum, p->$real);
  }
  a[0].$real += c.sum / c.steps;
}

//# out_parameters records
$q int @split$(const $T *p, double *whole, double **where, $T *copy, int k) {
  *whole = p->$real * $C;
  *where = whole;
  if (copy) *copy = *p;
  return k + 1;
}
void @go$($T *a, int n) {
  double part, *where;
  $T t;
  int k = @split$(&a[0], &part, &where, &t, 0);
  *where += t.$real;
  a[n - 1].$real = $R(part, t.$real) * k;
}

//# pointer_to_pointer reals
$q void @choose$(double **p, double *a, double *b, int which) { *p = which ? a : b; }
void @go$(double *x, int n) {
  double *p, *q = 0;
  @choose$(&p, x, x + 1, n > 3);
  @choose$(&q, x + n - 1, x, x[0] > $C);
  *p = $R(*p, *q);
  **&q += $C * *p;
}

//# rows reals
$q void @work$(double **rows, double *x, int n) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < n; k++) rows[i][k] = i ? $R(rows[i - 1][k], x[k]) : x[k] * $C;
  double *t = rows[0]; rows[0] = rows[2]; rows[2] = t;
  for (int k = 0; k < n; k++) x[k] = rows[0][k] + rows[1][n - 1 - k] * rows[2][k];
}
void @go$(double *x, int n) {
  double **rows = malloc(3 * sizeof *rows)«;
  for (int i = 0; i < 3; i++) rows[i] = calloc(n, sizeof **rows);
  @work$(rows, x, n);
  for (int i = 0; i < 3; i++) free(rows[i]);¦, *all = calloc(3 * n, sizeof *all);
  for (int i = 0; i < 3; i++) rows[i] = all + i * n;
  @work$(rows, x, n);
  free(all);»
  free(rows);
}

//# views reals
struct @view$ { double *data; int size, stride; };
$q struct @view$ @slice$(double *x, int from, int size, int stride) {
  struct @view$ v = {x + from, size, stride};
  return v;
}
$q double *@at$(struct @view$ v, int i) { return &v.data[i * v.stride]; }
$q void @axpy$(struct @view$ y, double a, «struct @view$¦const struct @view$» x) {
  for (int i = 0; i < x.size && i < y.size; i++) *@at$(y, i) += a * *@at$(x, i);
}
void @go$(double *x, int n) {
  double t[8];
  for (int i = 0; i < 8; i++) t[i] = $C * x[i % n];
  struct @view$ even = @slice$(t, 0, 4, 2), odd = @slice$(t, 1, 4, 2), own = @slice$(x, 0, n, 1);
  @axpy$(even, x[0], odd);
  @axpy$(own, $C, even);
  «struct @view$ s = even; even = odd; odd = s; @axpy$(own, 0.5, even);¦»
}

//# workspace reals
struct @work$ { double *a, *b; int *perm; size_t n; «char tag;¦double *end;» };
$q void @open$(struct @work$ *w, size_t n) {
  memset(w, 0, sizeof *w);
  w->n = n;
  w->a = «calloc(n, sizeof *w->a)¦malloc(n * sizeof(double)); for (size_t i = 0; i < n; i++) w->a[i] = 0»;
  w->b = malloc(n * sizeof *w->b);
  w->perm = malloc(n * sizeof *w->perm);
}
$q void @close$(struct @work$ *w) { free(w->a); free(w->b); free(w->perm); w->a = w->b = 0; w->perm = 0; }
void @go$(double *x, int n) {
  struct @work$ w;
  @open$(&w, n);
  for (size_t i = 0; i < w.n; i++) { w.perm[i] = (int)((i + 1) % w.n); w.b[i] = $S(x[i]); }
  for (size_t i = 0; i < w.n; i++) w.a[w.perm[i]] += $R(w.b[i], x[i]);
  «double *t = w.a; w.a = w.b; w.b = t;¦»
  for (int i = 0; i < n; i++) x[i] = w.a[i] + $C * w.b[w.perm[i]];
  @close$(&w);
}

//# triple_pointers value
double @go$(const double *x, int n) {
  double a = x[0], b = x[1], *p = &a, **pp = &p, ***ppp = &pp;
  ***ppp = $R(a, b);
  *pp = &b;
  **pp *= n > 2 ? $C : 2;
  return a + b * **pp;
}
