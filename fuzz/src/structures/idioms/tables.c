// Hash tables, maps, sets, sparse matrices, graphs.

//# chained_table value
struct @entry$ { char key[8]; double value; «int uses;¦size_t uses;» struct @entry$ *next; };
struct @table$ { struct @entry$ **bucket; size_t count, size; };
$q unsigned @hash$(const char *s) {
  unsigned h = 5381;
  while (*s) h = h * 33 + (unsigned char)*s++;
  return h;
}
$q struct @entry$ *@find$(struct @table$ *t, const char *key) {
  for (struct @entry$ *e = t->bucket[@hash$(key) % t->size]; e; e = e->next)
    if (!strcmp(e->key, key)) return e;
  return 0;
}
$q void @set$(struct @table$ *t, const char *key, double value) {
  struct @entry$ *e = @find$(t, key);
  if (!e) {
    e = «malloc(sizeof *e)¦calloc(1, sizeof *e)»;
    strcpy(e->key, key);
    size_t k = @hash$(key) % t->size;
    e->next = t->bucket[k];
    e->uses = 0;
    e->value = 0;
    t->bucket[k] = e;
    t->count++;
  }
  e->value «+¦»= value;
  e->uses++;
}
double @go$(const double *x, int n) {
  const char *names[] = {"ab", "xy", "k1", "ab", "zeta"};
  struct @table$ t = {calloc(3, sizeof(struct @entry$ *)), 0, 3};
  for (int i = 0; i < n; i++) @set$(&t, names[i % 5], $S(x[i]));
  struct @entry$ *e = @find$(&t, "ab");
  double s = e ? e->value * e->uses : 0;
  for (size_t k = 0; k < t.size; k++)
    for (struct @entry$ *p = t.bucket[k], *next; p; p = next) {
      next = p->next;
      s += $R(p->value, x[0]);
      free(p);
    }
  free(t.bucket);
  return s / t.count;
}

//# open_table value
struct @slot$ { «int key; double value; char state;¦char state; long key; double value;¦double value; unsigned key : 20, state : 2;» };
struct @map$ { struct @slot$ *slot; int room, count; };
$q double *@at$(struct @map$ *m, int key) {
  int k = (key * 7 + 3) % m->room;
  while (m->slot[k].state && m->slot[k].key != key) k = (k + 1) % m->room;
  if (!m->slot[k].state) { m->slot[k].state = 1; m->slot[k].key = key; m->slot[k].value = 0; m->count++; }
  return &m->slot[k].value;
}
$q void @grow$(struct @map$ *m) {
  struct @map$ old = *m;
  m->room = old.room ? 2 * old.room : 4;
  m->count = 0;
  m->slot = calloc(m->room, sizeof *m->slot);
  for (int k = 0; k < old.room; k++) if (old.slot[k].state) *@at$(m, old.slot[k].key) = old.slot[k].value;
  free(old.slot);
}
double @go$(const double *x, int n) {
  struct @map$ m = {0};
  for (int i = 0; i < n; i++) {
    if (2 * m.count >= m.room) @grow$(&m);
    *@at$(&m, (i * 5) % 7) += x[i];
    «*@at$(&m, 3) *= $C;¦»
  }
  double s = 0;
  for (int k = 0; k < m.room; k++) if (m.slot[k].state) s += $R(m.slot[k].value, x[0]) * (1 + m.slot[k].key);
  free(m.slot);
  return s;
}

//# sorted_map records
struct @pair$ { «int key; double value;¦double value; short key;» };
struct @map$ { struct @pair$ *at; int count, room; };
$q struct @pair$ *@get$(struct @map$ *m, int key) {
  int low = 0, high = m->count;
  while (low < high) { int mid = (low + high) / 2; if (m->at[mid].key < key) low = mid + 1; else high = mid; }
  if (low < m->count && m->at[low].key == key) return &m->at[low];
  if (m->count == m->room) { m->room = 2 * m->room + 2; m->at = realloc(m->at, m->room * sizeof *m->at); }
  memmove(m->at + low + 1, m->at + low, (m->count - low) * sizeof *m->at);
  m->at[low] = (struct @pair$){.key = key};
  m->count++;
  return &m->at[low];
}
void @go$($T *a, int n) {
  struct @map$ m = {0};
  for (int i = 0; i < n; i++) @get$(&m, (i * 3) % 4)->value += a[i].$real;
  @get$(&m, 2)->value *= $C;
  for (int i = 0; i < n; i++) a[i].$real = $R(m.at[i % m.count].value, a[i].$real);
  free(m.at);
}

//# sparse_matrix reals
struct @csr$ { int rows, *start; «int¦short¦size_t» *col; double *val; };
$q struct @csr$ @band$(const double *x, int n) {
  struct @csr$ m = {n, malloc((n + 1) * sizeof(int)), 0, 0};
  m.col = malloc(3 * n * sizeof *m.col);
  m.val = malloc(3 * n * sizeof *m.val);
  int k = 0;
  for (int i = 0; i < n; i++) {
    m.start[i] = k;
    for (int j = i - 1; j <= i + 1; j++) if (j >= 0 && j < n) { m.col[k] = j; m.val[k++] = $R(x[i], x[j]); }
  }
  m.start[n] = k;
  return m;
}
$q void @times$(const struct @csr$ *m, const double *x, double *y) {
  for (int i = 0; i < m->rows; i++) {
    double s = 0;
    for (int k = m->start[i]; k < m->start[i + 1]; k++) s += m->val[k] * x[m->col[k]];
    y[i] = s;
  }
}
void @go$(double *x, int n) {
  struct @csr$ m = @band$(x, n);
  double *y = calloc(n, sizeof *y);
  @times$(&m, x, y);
  for (int i = 0; i < n; i++) x[i] = $S(y[i]);
  free(m.start); free(m.col); free(m.val); free(y);
}

//# graph value
struct @edge$ { int to; double w; struct @edge$ *next; };
struct @vertex$ { struct @edge$ *out; «char seen; double d;¦double d; int seen;» };
double @go$(const double *x, int n) {
  struct @vertex$ v[5]«; memset(v, 0, sizeof v);¦ = {{0}};»
  for (int i = 0; i < 7; i++) {
    struct @edge$ *e = malloc(sizeof *e);
    e->to = (i * 2 + 1) % 5;
    e->w = 2 + $S(x[i % n]);
    e->next = v[i % 5].out;
    v[i % 5].out = e;
  }
  for (int i = 0; i < 5; i++) v[i].d = i ? 50 : 0;
  for (int round = 0; round < 5; round++) {
    int best = -1;
    for (int i = 0; i < 5; i++) if (!v[i].seen && v[i].d < 49 && (best < 0 || v[i].d < v[best].d)) best = i;
    if (best < 0) break;
    v[best].seen = 1;
    for (struct @edge$ *e = v[best].out; e; e = e->next)
      if (v[best].d + e->w < v[e->to].d) v[e->to].d = v[best].d + e->w;
  }
  double s = 0;
  for (int i = 0; i < 5; i++) {
    s += v[i].seen ? v[i].d : $C;
    while (v[i].out) { struct @edge$ *e = v[i].out; v[i].out = e->next; free(e); }
  }
  return s;
}

//# union_find reals
void @go$(double *x, int n) {
  struct { int parent, size; double sum; } *s = malloc(n * sizeof *s);
  for (int i = 0; i < n; i++) { s[i].parent = i; s[i].size = 1; s[i].sum = x[i]; }
  for (int i = 0; i + 2 < n; i++) {
    int a = i, b = i + 2;
    while (s[a].parent != a) a = s[a].parent;
    while (s[b].parent != b) { s[b].parent = s[s[b].parent].parent; b = s[b].parent; }
    if (a != b) { s[b].parent = a; s[a].size += s[b].size; s[a].sum = $R(s[a].sum, s[b].sum); }
  }
  for (int i = 0; i < n; i++) {
    int r = i;
    while (s[r].parent != r) r = s[r].parent;
    x[i] = s[r].sum / s[r].size + $C * i;
  }
  free(s);
}

//# memo value
struct @memo$ { int known[8]; double v[8]; «short calls;¦long calls;» };
static double @fib$(struct @memo$ *m, int k, const double *x) {
  if (k < 2) return x[k];
  if (m->known[k]) return m->v[k];
  m->calls++;
  double v = $R(@fib$(m, k - 1, x), @fib$(m, k - 2, x));
  m->known[k] = 1;
  m->v[k] = v;
  return v;
}
double @go$(const double *x, int n) {
  «struct @memo$ m = {{0}};
  return @fib$(&m, $N(3,7), x) + m.calls * x[n - 1];¦struct @memo$ *p = calloc(1, sizeof *p);
  double r = @fib$(p, $N(3,7), x) + p->calls * x[n - 1];
  free(p);
  return r;»
}

//# polynomial value
struct @term$ { int power; double c; struct @term$ *next; };
static struct @term$ *@add$(struct @term$ *p, int power, double c) {
  if (!p || p->power > power) {
    struct @term$ *t = malloc(sizeof *t);
    t->power = power; t->c = c; t->next = p;
    return t;
  }
  if (p->power == power) p->c += c; else p->next = @add$(p->next, power, c);
  return p;
}
double @go$(const double *x, int n) {
  struct @term$ *p = 0, *q = 0;
  for (int i = 0; i < n; i++) { p = @add$(p, (i * 2) % 3, x[i]); q = @add$(q, i % 2, $C * x[i]); }
  struct @term$ *r = 0;
  for (struct @term$ *a = p; a; a = a->next)
    for (struct @term$ *b = q; b; b = b->next) r = @add$(r, a->power + b->power, a->c * b->c);
  double s = 0, at = 0.5 * tanh(x[0]);
  for (struct @term$ *t = r; t; t = t->next) { double v = t->c; for (int i = 0; i < t->power; i++) v *= at; s += v; }
  struct @term$ *all[3] = {p, q, r};
  for (int i = 0; i < 3; i++) while (all[i]) { struct @term$ *t = all[i]; all[i] = t->next; free(t); }
  return s;
}
