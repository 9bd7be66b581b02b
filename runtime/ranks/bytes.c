/* Memory that messages describe as bytes (MPI_BYTE), from one rank to another.
 *
 * What lies there is not known: packed structs, reals, numbers. So the bytes of the shadow take the place of derivatives. A tangent's shadow
 * is sent as it is. An adjoint's comes back, and is taken for a copy of memory of unknown kind (runtime/src/untyped.rs): it is moved
 * to where there is none yet, as in a buffer that the program packs, sends and forgets; where there is one, the kind would have to
 * be known (AD220). */

/* The runtime's copies of unknown kind. */
void adrt_untyped_forward(void *to_shadow, const void *from_shadow, const void *to, size_t bytes, uint32_t reals, const char *place);
void adrt_untyped_reverse(void *to_shadow, void *from_shadow, size_t bytes, uint32_t reals, const char *place);

/* Other threads may add there (SHARED of runtime/src/untyped.rs). */
enum { SHARED_REALS = 8 };

static const char place_of_bytes[] = "that a message of MPI_BYTE makes";

/* How many bytes a part has that are described as such. */
static long bytes_in(part p) {
  layout *l = p.of;
  long whole = l->elements ? p.elements / l->elements : 0, rest = l->elements ? p.elements % l->elements : 0;
  long all = whole * l->bytes;
  for (int i = 0; i < l->size && rest > 0; i++) {
    long count = l->runs[i].count < rest ? l->runs[i].count : rest;
    rest -= count;
    all += l->runs[i].kind == BYTES ? count : 0;
  }
  return all;
}

static void pack_byte_run(const char *at, const char *primal, long bytes, enum kind kind, const void *to) {
  char **next = (char **)to;
  (void)primal;
  if (kind != BYTES)
    return;
  settle((char *)at, bytes);
  memcpy(*next, at, bytes);
  *next += bytes;
}

/* Packs the shadow of the bytes. */
static void pack_bytes(part p, char *to) {
  if (!p.at)
    memset(to, 0, bytes_in(p));
  visit(p, NULL, pack_byte_run, &to);
}

static void unpack_byte_run(const char *at, const char *primal, long bytes, enum kind kind, const void *from) {
  const char **next = (const char **)from;
  (void)primal;
  if (kind != BYTES)
    return;
  memcpy((char *)at, *next, bytes);
  *next += bytes;
}

static void add_byte_run(const char *at, const char *primal, long bytes, enum kind kind, const void *from) {
  const char **next = (const char **)from;
  (void)primal;
  if (kind != BYTES)
    return;
  /* Words begin where they do in the shadow. */
  char *block = malloc(bytes + 2 * sizeof(uint64_t)), *words = block + (uintptr_t)at % sizeof(uint64_t);
  memcpy(words, *next, bytes);
  adrt_untyped_reverse(words, (char *)at, bytes, has_team() ? SHARED_REALS : 0, place_of_bytes);
  free(block);
  *next += bytes;
}

/* Takes the shadow of bytes that was packed; adds it, or puts it in the place of what was there. */
static void unpack_bytes(part p, const char *from, int adds) {
  if (!p.at && !adds && !is_zero_run(from, bytes_in(p)))
    give_up("AD229", "a receive takes active reals as bytes into memory without a shadow",
            "pass the memory as an active argument of the request (ad_dup, value and shadow; zeros will do)");
  visit(p, NULL, adds ? add_byte_run : unpack_byte_run, &from);
}

static void clear_byte_run(const char *at, const char *primal, long bytes, enum kind kind, const void *to) {
  (void)primal, (void)to;
  if (kind != BYTES)
    return;
  settle((char *)at, bytes);
  memset((char *)at, 0, bytes);
}

/* Makes the shadow of the bytes zero. */
static void clear_bytes(part p) { visit(p, NULL, clear_byte_run, NULL); }

static void forget_run(const char *at, const char *primal, long bytes, enum kind kind, const void *to) {
  (void)to;
  if (kind == BYTES && primal)
    adrt_untyped_forward((char *)at, NULL, primal, bytes, 0, place_of_bytes);
}

/* The shadows of pointers that lay where bytes have come are cleared. */
static void forget_pointers(part p) { visit(p, NULL, forget_run, NULL); }
