// Arrays of records: order, copies of all and of parts, insertion and deletion.

//# insertion_sort records
%let key $real
void @go$($T *a, int n) {
  for (int i = 1; i < n; i++) {
    $T t = a[i];
    int k = i;
    while (k > 0 && a[k - 1].$key > t.$key) {
      «a[k] = a[k - 1];¦memcpy(&a[k], &a[k - 1], sizeof a[k]);¦memmove(a + k, a + k - 1, sizeof *a);»
      k--;
    }
    a[k] = t;
  }
}

//# bubble_sort_swap records
%let key $real
$q void @swap$($T *p, $T *q) {
  «$T t = *p; *p = *q; *q = t;¦$T t; memcpy(&t, p, sizeof t); memcpy(p, q, sizeof *p); memcpy(q, &t, sizeof t);¦char t[sizeof($T)]; memcpy(t, p, sizeof t); *p = *q; memcpy(q, t, sizeof t);¦$T s = *p, t = *q; *p = t; *q = s;»
}
void @go$($T *a, int n) {
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      if (a[k].$key < a[i].$key) @swap$(&a[i], &a[k]);
}

//# selection_sort_by_index records
%let key $real
void @go$($T *a, int n) {
  «int¦size_t¦short» *order = malloc(n * sizeof *order);
  $T *copy = malloc(n * sizeof *copy);
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      if (a[order[k]].$key > a[order[i]].$key) { int t = order[i]; order[i] = order[k]; order[k] = t; }
  for (int i = 0; i < n; i++) copy[i] = a[order[i]];
  «memcpy(a, copy, n * sizeof *a);¦for (int i = 0; i < n; i++) a[i] = copy[i];¦memmove(a, copy, sizeof($T) * n);»
  free(copy);
  free(order);
}

//# qsort_records records
%let key $real
static int @compare$(const void *p, const void *q) {
  const $T *a = p, *b = q;
  «return (a->$key > b->$key) - (a->$key < b->$key);¦if (a->$key < b->$key) return -1; return a->$key > b->$key;¦return a->$key < b->$key ? -1 : 1;»
}
void @go$($T *a, int n) {
  qsort(a, n, sizeof *a, @compare$);
  a[0].$key = $R(a[0].$key, a[n - 1].$real);
}

//# reverse records
void @go$($T *a, int n) {
  «$T *p = a, *q = a + n - 1; while (p < q) { $T t = *p; *p++ = *q; *q-- = t; }¦for (int i = 0; i < n / 2; i++) { $T t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }¦$T *b = calloc(n, sizeof *b); for (int i = 0; i < n; i++) b[n - 1 - i] = a[i]; memcpy(a, b, n * sizeof *b); free(b);»
}

//# rotate_memmove records
void @go$($T *a, int n) {
  $T first = a[0];
  memmove(a, a + 1, (n - 1) * sizeof *a);
  a[n - 1] = first;
  a[n - 1].$real = $R(a[n - 1].$real, a[0].$real);
}

//# insert_delete records
void @go$($T *a, int n) {
  $T *b = malloc((n + 2) * sizeof *b);
  int count = n, at = $N(0,2);
  memcpy(b, a, n * sizeof *a);
  memmove(b + at + 1, b + at, (count - at) * sizeof *b);
  b[at] = a[n - 1];
  b[at].$real = $R(a[0].$real, b[at].$real);
  count++;
  «memmove(&b[2], &b[3], (count - 3) * sizeof *b); count--;¦for (int i = 2; i + 1 < count; i++) b[i] = b[i + 1]; count--;¦b[2] = b[--count];»
  for (int i = 0; i < n && i < count; i++) a[i] = b[i];
  free(b);
}

//# update_members records
void @go$($T *a, int n) {
  for (int i = 0; i < n; i++) {
    $T *p = &a[i];
    p->$real = $R(p->$real, p->$real);
    if (p->$int > 1) p->$real = $S(p->$real); else a[i].$int = 1;
  }
}

//# by_value records
$q $T @next$($T r, double by) {
  r.$real = $R(r.$real, by);
  r.$int = $N(0,3);
  return r;
}
void @go$($T *a, int n) {
  for (int i = 0; i < n; i++) a[i] = @next$(a[«i¦n - 1 - i¦(i + 1) % n»], $C);
}

//# two_results records
%let key $real
struct @pair$ { $T low, high; int swapped; };
$q struct @pair$ @ordered$($T p, $T q) {
  struct @pair$ r;
  if (p.$key < q.$key) { r.low = p; r.high = q; r.swapped = 0; }
  else { r.low = q; r.high = p; r.swapped = 1; }
  return r;
}
void @go$($T *a, int n) {
  for (int i = 0; i + 1 < n; i++) {
    struct @pair$ r = @ordered$(a[i], a[i + 1]);
    a[i] = r.low;
    a[i + 1] = r.high;
    if (r.swapped) a[i].$real *= $C;
  }
}

//# copy_of_part records
struct @wide$ { «int kind; ¦»double v[3]; «short s; ¦char c; ¦»double w; long k; «char name[8];¦float f;» };
$q void @part$(struct @wide$ *to, const struct @wide$ *from) {
  «memcpy((char *)to + offsetof(struct @wide$, v), (const char *)from + offsetof(struct @wide$, v), offsetof(struct @wide$, k) - offsetof(struct @wide$, v));¦memcpy(to->v, from->v, sizeof to->v); memcpy(&to->w, &from->w, sizeof to->w);¦memcpy(&to->v[1], &from->v[1], 2 * sizeof(double)); to->v[0] = from->v[0]; to->w = from->w;¦memcpy(to, from, offsetof(struct @wide$, k));»
}
void @go$($T *a, int n) {
  struct @wide$ p«, q; memset(&q, 0, sizeof q);¦ , q = {0};»
  memset(&p, 0, sizeof p);
  for (int i = 0; i < 3; i++) p.v[i] = a[i % n].$real;
  p.w = a[n - 1].$real;
  p.k = n;
  @part$(&q, &p);
  a[0].$real = $R(q.v[1], q.w) + q.v[2] * $C + q.k;
}

//# clear_then_fill records
void @go$($T *a, int n) {
  $T b[$N(2,4)];
  memset(b, 0, sizeof b);
  b[1] = a[0];
  a[0] = a[n - 1];
  b[1].$real = $R(b[1].$real, a[1].$real);
  «a[n - 1] = b[1];¦memcpy(&a[n - 1], b + 1, sizeof *b);»
}

//# heap_copy records
$q $T *@dup$(const $T *from, int n) {
  $T *to = «malloc(n * sizeof *to)¦calloc(n, sizeof *to)»;
  «memcpy(to, from, n * sizeof *to);¦for (int i = 0; i < n; i++) to[i] = from[i];¦for (const $T *p = from; p < from + n; p++) *(to + (p - from)) = *p;»
  return to;
}
void @go$($T *a, int n) {
  $T *b = @dup$(a, n);
  for (int i = 0; i < n; i++) a[i].$real = $R(b[n - 1 - i].$real, a[i].$real);
  free(b);
}

//# accumulate_by_kind records
void @go$($T *a, int n) {
  struct { int count; double sum, most; } by[4] = {{0}};
  for (int i = 0; i < n; i++) {
    int k = (unsigned)a[i].$int % 4;
    if (!by[k].count++ || a[i].$real > by[k].most) by[k].most = a[i].$real;
    by[k].sum += a[i].$real;
  }
  for (int k = 0; k < 4; k++)
    if (by[k].count) a[k % n].$real = $R(by[k].sum / by[k].count, by[k].most);
}

//# matrix_of_records records
void @go$($T *a, int n) {
  $T m[2][3];
  for (int i = 0; i < 6; i++) m[i / 3][i % 3] = a[i % n];
  for (int i = 0; i < 2; i++)
    for (int k = 1; k < 3; k++) m[i][k].$real = $R(m[i][k - 1].$real, m[1 - i][k].$real);
  «memcpy(m[0], m[1], sizeof m[0]);¦for (int k = 0; k < 3; k++) m[0][k] = m[1][2 - k];¦$T *row = m[1]; m[0][0] = row[2];»
  a[n - 1] = m[0][0];
  a[0].$real = m[1][2].$real + m[0][1].$real * $C;
}

//# names records name
void @go$($T *a, int n) {
  for (int i = 0; i < n; i++) {
    «strcpy(a[i].$name, "ab"); a[i].$name[0] += i;¦strncpy(a[i].$name, "node", 8); a[i].$name[4] = '0' + i;¦a[i].$name[0] = 'a' + (n - i); a[i].$name[1] = 0;»
  }
  for (int i = 0; i + 1 < n; i++) {
    if (strcmp(a[i].$name, a[i + 1].$name) > 0) { $T t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
    a[i].$real += $C * (double)strlen(a[i].$name);
  }
}

//# find_by_name records name
$q $T *@find$($T *a, int n, const char *name) {
  for (int i = 0; i < n; i++)
    if (!strcmp(a[i].$name, name)) return &a[i];
  return 0;
}
void @go$($T *a, int n) {
  for (int i = 0; i < n; i++) { a[i].$name[0] = 'p' + i; a[i].$name[1] = 0; }
  $T *p = @find$(a, n, "q"), *q = @find$(a, n, "zz");
  if (p) p->$real = $R(p->$real, a[0].$real);
  if (q) q->$real = 0;
}

//# struct_in_struct records
struct @outer$ { int n; $T items[4]; «short flag; ¦»double total; };
$q struct @outer$ @pack$(const $T *a, int n) {
  struct @outer$ o = {0};
  for (int i = 0; i < n && i < 4; i++) { o.items[o.n++] = a[i]; o.total += a[i].$real; }
  return o;
}
$q void @scale$(struct @outer$ *o) {
  for (int i = 0; i < o->n; i++) o->items[i].$real = $R(o->items[i].$real, o->total);
}
void @go$($T *a, int n) {
  struct @outer$ o = @pack$(a, n), p;
  @scale$(&o);
  «p = o;¦memcpy(&p, &o, sizeof p);»
  for (int i = 0; i < p.n; i++) a[i] = p.items[«i¦p.n - 1 - i»];
}
