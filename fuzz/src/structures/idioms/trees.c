// Trees by pointers and by indices.

//# search_tree reals
struct @tree$ { «double key, v; struct @tree$ *left, *right;¦struct @tree$ *left, *right; int size; double key; double v;¦int depth; double key; struct @tree$ *left; double v; struct @tree$ *right;» };
static struct @tree$ *@insert$(struct @tree$ *t, double key, double v) {
  if (!t) {
    t = «malloc(sizeof *t); memset(t, 0, sizeof *t)¦calloc(1, sizeof *t)¦malloc(sizeof *t); t->left = t->right = 0»;
    t->key = key; t->v = v;
    return t;
  }
  if (key < t->key) t->left = @insert$(t->left, key, v); else t->right = @insert$(t->right, key, v);
  return t;
}
static double @sum$(const struct @tree$ *t) { return t ? @sum$(t->left) + $R(t->v, t->key) + @sum$(t->right) : 0; }
static void @list$(const struct @tree$ *t, double *x, int *k) {
  if (!t) return;
  @list$(t->left, x, k);
  x[(*k)++] = $R(t->key, t->v);
  @list$(t->right, x, k);
}
static void @drop$(struct @tree$ *t) { if (t) { @drop$(t->left); @drop$(t->right); free(t); } }
void @go$(double *x, int n) {
  struct @tree$ *t = 0;
  int k = 0;
  for (int i = 0; i < n; i++) t = @insert$(t, x[i], $C * x[n - 1 - i]);
  «double s = @sum$(t);
  @list$(t, x, &k);
  x[0] += s;¦@list$(t, x, &k);»
  @drop$(t);
}

//# search_tree_loop records
%let key $real
struct @tree$ { $T item; struct @tree$ *kid[2]; };
$q void @insert$(struct @tree$ **at, const $T *item) {
  while (*at) at = &(*at)->kid[item->$key > (*at)->item.$key];
  *at = calloc(1, sizeof **at);
  (*at)->item = *item;
}
static int @walk$(struct @tree$ *t, $T *a, int k) {
  if (!t) return k;
  k = @walk$(t->kid[0], a, k);
  a[k] = t->item;
  a[k].$real = $R(a[k].$real, a[0].$real);
  k = @walk$(t->kid[1], a, k + 1);
  free(t);
  return k;
}
void @go$($T *a, int n) {
  struct @tree$ *t = 0;
  for (int i = 0; i < n; i++) @insert$(&t, &a[i]);
  @walk$(t, a, 0);
}

//# index_tree value
struct @node$ { double v; «int left, right;¦short left, right; char used;» };
struct @tree$ { struct @node$ *node; int count, room; };
$q int @add$(struct @tree$ *t, double v) {
  if (t->count == t->room) {
    t->room = t->room ? 2 * t->room : 2;
    t->node = realloc(t->node, t->room * sizeof *t->node);
  }
  struct @node$ *p = &t->node[t->count];
  p->v = v; p->left = p->right = -1;
  return t->count++;
}
$q void @insert$(struct @tree$ *t, double v) {
  int k = 0, new = @add$(t, v);
  while (new) {
    struct @node$ *p = &t->node[k];
    if (v < p->v) { if (p->left < 0) { p->left = new; return; } k = p->left; }
    else { if (p->right < 0) { p->right = new; return; } k = p->right; }
  }
}
static double @depth$(const struct @tree$ *t, int k, double scale) {
  if (k < 0) return 0;
  const struct @node$ *p = t->node + k;
  return scale * p->v + @depth$(t, p->left, scale * $C) + @depth$(t, p->right, scale * 0.5);
}
double @go$(const double *x, int n) {
  struct @tree$ t = {0};
  for (int i = 0; i < n; i++) @insert$(&t, x[i]);
  double s = @depth$(&t, 0, 1);
  free(t.node);
  return s;
}

//# quad_tree value
struct @quad$ { double x, y, mass; int count; struct @quad$ *kid[4]; };
static struct @quad$ *@new$(double x, double y) {
  struct @quad$ *q = calloc(1, sizeof *q);
  q->x = x; q->y = y;
  return q;
}
static void @add$(struct @quad$ *q, double x, double y, double m, int depth) {
  q->mass += m; q->count++;
  if (depth == 0) return;
  int k = (x > q->x) + 2 * (y > q->y);
  if (!q->kid[k]) q->kid[k] = @new$(q->x + (k & 1 ? 0.5 : -0.5) * depth, q->y + (k & 2 ? 0.5 : -0.5));
  @add$(q->kid[k], x, y, m, depth - 1);
}
static double @force$(const struct @quad$ *q) {
  double s = q->mass * q->mass / q->count;
  for (int k = 0; k < 4; k++) if (q->kid[k]) s += $C * @force$(q->kid[k]);
  return s;
}
static void @drop$(struct @quad$ *q) {
  for (int k = 0; k < 4; k++) if (q->kid[k]) @drop$(q->kid[k]);
  free(q);
}
double @go$(const double *x, int n) {
  struct @quad$ *q = @new$(0.01, 0.02);
  for (int i = 0; i + 1 < n; i++) @add$(q, x[i], x[i + 1], $S(x[i]), 2);
  double f = @force$(q);
  @drop$(q);
  return f;
}

//# heap_order reals
struct @item$ { «double key; int id;¦int id; double key;¦long id; double key; float w;» };
$q void @sift$(struct @item$ *h, int n, int k) {
  for (;;) {
    int best = k, l = 2 * k + 1;
    if (l < n && h[l].key < h[best].key) best = l;
    if (l + 1 < n && h[l + 1].key < h[best].key) best = l + 1;
    if (best == k) return;
    struct @item$ t = h[k]; h[k] = h[best]; h[best] = t;
    k = best;
  }
}
void @go$(double *x, int n) {
  struct @item$ h[8];
  int m = n < 8 ? n : 8;
  for (int i = 0; i < m; i++) { h[i].key = $R(x[i], x[0]); h[i].id = i; }
  for (int k = m / 2 - 1; k >= 0; k--) @sift$(h, m, k);
  for (int i = 0, left = m; left > 0; i++) {
    x[i] = h[0].key + 0.1 * h[0].id;
    h[0] = h[--left];
    @sift$(h, left, 0);
  }
}

//# general_tree value
struct @dir$ { char name[8]; double own; int count; struct @dir$ *kids[3]; struct @dir$ *up; };
static struct @dir$ *@make$(struct @dir$ *up, const char *name, double own) {
  struct @dir$ *d = calloc(1, sizeof *d);
  strcpy(d->name, name);
  d->own = own; d->up = up;
  if (up) up->kids[up->count++] = d;
  return d;
}
static double @total$(const struct @dir$ *d) {
  double s = d->own;
  for (int i = 0; i < d->count; i++) s += @total$(d->kids[i]) * $C;
  return s;
}
static void @drop$(struct @dir$ *d) { for (int i = 0; i < d->count; i++) @drop$(d->kids[i]); free(d); }
double @go$(const double *x, int n) {
  struct @dir$ *root = @make$(0, "root", x[0]), *a = @make$(root, "a", $S(x[1])), *b = @make$(root, "b", x[n - 1]);
  @make$(a, "aa", a->own * x[0]);
  @make$(«b¦a», "ba", b->own);
  double s = 0;
  for (struct @dir$ *d = a->kids[0]; d; d = d->up) s += d->own * (double)strlen(d->name);
  s += @total$(root);
  @drop$(root);
  return s;
}
