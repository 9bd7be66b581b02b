// Linked lists, queues of nodes, pools with free lists, shared objects with counts.

//# list_of_records records
struct @node$ { «struct @node$ *next; $T item;¦$T item; struct @node$ *next;¦int id; $T item; struct @node$ *next; double extra;» };
$q struct @node$ *@push$(struct @node$ *first, const $T *item) {
  struct @node$ *p = «malloc(sizeof *p)¦calloc(1, sizeof(struct @node$))»;
  p->item = *item;
  p->next = first;
  return p;
}
void @go$($T *a, int n) {
  struct @node$ *first = 0;
  for (int i = 0; i < n; i++) first = @push$(first, &a[i]);
  for (struct @node$ *p = first; p && p->next; p = p->next) p->item.$real = $R(p->item.$real, p->next->item.$real);
  int i = 0;
  while (first) {
    struct @node$ *p = first;
    first = p->next;
    a[i++] = p->item;
    free(p);
  }
}

//# list_of_reals value
struct @cell$ { «double v; struct @cell$ *next;¦int k; struct @cell$ *next; double v;¦short k; double v; char c; struct @cell$ *next;» };
static struct @cell$ *@cons$(double v, struct @cell$ *next) {
  struct @cell$ *c = malloc(sizeof *c);
  c->v = v;
  c->next = next;
  return c;
}
static double @sum$(const struct @cell$ *c) { return c ? $S(c->v) + @sum$(c->next) : 0; }
static struct @cell$ *@reversed$(struct @cell$ *c) {
  struct @cell$ *r = 0;
  while (c) { struct @cell$ *next = c->next; c->next = r; r = c; c = next; }
  return r;
}
double @go$(const double *x, int n) {
  struct @cell$ *c = 0;
  for (int i = 0; i < n; i++) c = @cons$(x[i] * $C, c);
  «c = @reversed$(c);¦»
  double s = @sum$(c);
  «s += c->v * c->next->v;¦»
  while (c) { struct @cell$ *next = c->next; free(c); c = next; }
  return s;
}

//# sorted_list reals
struct @cell$ { double v; struct @cell$ *next; «long id;¦» };
$q void @insert$(struct @cell$ **at, struct @cell$ *c) {
  «while (*at && (*at)->v < c->v) at = &(*at)->next; c->next = *at; *at = c;¦struct @cell$ *p = *at; if (!p || p->v >= c->v) { c->next = p; *at = c; return; } while (p->next && p->next->v < c->v) p = p->next; c->next = p->next; p->next = c;»
}
void @go$(double *x, int n) {
  struct @cell$ *cells = malloc(n * sizeof *cells), *first = 0;
  for (int i = 0; i < n; i++) { cells[i].v = $R(x[i], x[0]); @insert$(&first, &cells[i]); }
  int i = 0;
  for (struct @cell$ *p = first; p; p = p->next) x[i++] = p->v;
  free(cells);
}

//# double_list reals
struct @link$ { struct @link$ *prev, *next; double v; «int n;¦» };
$q void @append$(struct @link$ *head, struct @link$ *p) {
  p->prev = head->prev; p->next = head;
  head->prev->next = p; head->prev = p;
}
$q void @unlink$(struct @link$ *p) { p->prev->next = p->next; p->next->prev = p->prev; }
void @go$(double *x, int n) {
  struct @link$ head«; memset(&head, 0, sizeof head);¦;» 
  head.prev = head.next = &head;
  for (int i = 0; i < n; i++) {
    struct @link$ *p = malloc(sizeof *p);
    p->v = x[i];
    @append$(&head, p);
  }
  struct @link$ *gone = head.next;
  @unlink$(gone);
  «@append$(&head, gone);¦x[0] = gone->v * $C; free(gone);»
  int i = 0;
  for (struct @link$ *p = head.next; p != &head;) {
    struct @link$ *next = p->next;
    x[i] = $R(p->v, x[i]);
    i++;
    free(p);
    p = next;
  }
}

//# intrusive_list records
struct @hook$ { struct @hook$ *next; };
struct @entry$ { double weight; «int pad;¦» struct @hook$ hook; $T item; };
void @go$($T *a, int n) {
  struct @entry$ *e = calloc(n, sizeof *e);
  struct @hook$ *first = 0;
  for (int i = 0; i < n; i++) {
    e[i].weight = $C * a[i].$real;
    e[i].item = a[i];
    e[i].hook.next = first;
    first = &e[i].hook;
  }
  int i = 0;
  for (struct @hook$ *h = first; h; h = h->next) {
    struct @entry$ *p = (struct @entry$ *)((char *)h - offsetof(struct @entry$, hook));
    a[i] = p->item;
    a[i++].$real = $R(p->weight, p->item.$real);
  }
  free(e);
}

//# index_chain records
void @go$($T *a, int n) {
  «int¦short¦long» *next = malloc(n * sizeof *next);
  double *v = malloc(n * sizeof *v);
  for (int i = 0; i < n; i++) { next[i] = i + 2 < n ? i + 2 : i % 2 ? -1 : 1; v[i] = a[i].$real; }
  double sum = 0;
  int steps = 0;
  for (long i = 0; i >= 0 && steps < 2 * n; i = next[i], steps++) { sum = $R(sum, v[i]); v[i] = sum; }
  for (int i = 0; i < n; i++) a[i].$real = v[i] + $C * steps;
  free(v);
  free(next);
}

//# pool reals
struct @slot$ { double v; int next; «unsigned used : 1;¦» };
struct @pool$ { struct @slot$ slots[8]; int free, count; };
$q void @init$(struct @pool$ *p) {
  for (int i = 0; i < 8; i++) p->slots[i].next = i + 1 < 8 ? i + 1 : -1;
  p->free = 0;
  p->count = 0;
}
$q int @take$(struct @pool$ *p, double v) {
  int k = p->free;
  p->free = p->slots[k].next;
  p->slots[k].v = v;
  p->slots[k].next = -1;
  p->count++;
  return k;
}
$q void @give$(struct @pool$ *p, int k) { p->slots[k].next = p->free; p->free = k; p->count--; }
$q void @work$(struct @pool$ *p, double *x, int n) {
  int h[4];
  @init$(p);
  for (int i = 0; i < 4; i++) h[i] = @take$(p, x[i % n]);
  @give$(p, h[1]);
  @give$(p, h[0]);
  h[0] = @take$(p, $R(x[0], x[n - 1]));
  h[1] = @take$(p, p->slots[h[0]].v * $C);
  for (int i = 0; i < 4; i++) x[i % n] += p->slots[h[i]].v / p->count;
}
«static struct @pool$ @all$;
void @go$(double *x, int n) { @work$(&@all$, x, n); }¦void @go$(double *x, int n) {
  struct @pool$ *p = malloc(sizeof *p);
  @work$(p, x, n);
  free(p);
}¦void @go$(double *x, int n) { struct @pool$ p; @work$(&p, x, n); }»

//# free_list value
struct @block$ { union { struct @block$ *next; double v; } u; int live; };
struct @heap$ { struct @block$ all[6]; struct @block$ *free; };
$q struct @block$ *@alloc$(struct @heap$ *h) {
  struct @block$ *b = h->free;
  h->free = b->u.next;
  b->live = 1;
  return b;
}
$q void @release$(struct @heap$ *h, struct @block$ *b) { b->live = 0; b->u.next = h->free; h->free = b; }
double @go$(const double *x, int n) {
  struct @heap$ h;
  h.free = 0;
  for (int i = 0; i < 6; i++) @release$(&h, &h.all[i]);
  struct @block$ *p = @alloc$(&h), *q = @alloc$(&h);
  p->u.v = x[0] * $C;
  q->u.v = $R(p->u.v, x[n - 1]);
  @release$(&h, p);
  p = @alloc$(&h);
  p->u.v = $S(q->u.v);
  double s = 0;
  for (int i = 0; i < 6; i++) if (h.all[i].live) s += h.all[i].u.v;
  return s;
}

//# reference_counts reals
struct @shared$ { «int refs; double v[2];¦double v[2]; size_t refs;¦short refs; double v[2]; char name[4];» };
$q struct @shared$ *@make$(double a, double b) {
  struct @shared$ *s = malloc(sizeof *s);
  s->refs = 1; s->v[0] = a; s->v[1] = b;
  return s;
}
$q struct @shared$ *@retain$(struct @shared$ *s) { s->refs++; return s; }
$q void @release$(struct @shared$ *s) { if (--s->refs == 0) free(s); }
void @go$(double *x, int n) {
  struct @shared$ *s = @make$(x[0], x[1]), *t = @retain$(s), *u = n > 3 ? @retain$(t) : @make$($C, x[n - 1]);
  t->v[0] = $R(s->v[1], u->v[0]);
  @release$(s);
  x[0] = t->v[0] * (double)t->refs;
  x[1] = $S(u->v[1]);
  @release$(u);
  @release$(t);
}

//# queue_of_nodes value
struct @event$ { double time, size; int kind; struct @event$ *next; };
struct @queue$ { struct @event$ *head, *tail; int count; };
$q void @put$(struct @queue$ *q, double time, double size, int kind) {
  struct @event$ *e = malloc(sizeof *e);
  *e = (struct @event$){time, size, kind, 0};
  «if (q->tail) q->tail->next = e; else q->head = e; q->tail = e;¦struct @event$ **at = &q->head; while (*at) at = &(*at)->next; *at = e; q->tail = e;»
  q->count++;
}
$q struct @event$ @get$(struct @queue$ *q) {
  struct @event$ *e = q->head, r = *e;
  q->head = e->next;
  if (!q->head) q->tail = 0;
  q->count--;
  free(e);
  return r;
}
double @go$(const double *x, int n) {
  struct @queue$ q = {0};
  double sum = 0;
  int made = 0;
  for (int i = 0; i < n; i++) @put$(&q, $C * i, x[i], i % 3);
  while (q.count > 0) {
    struct @event$ e = @get$(&q);
    sum += $R(e.size, e.time);
    if (e.kind == 1 && made++ < 3) @put$(&q, e.time + 1, e.size * $C, 2);
  }
  return sum;
}
