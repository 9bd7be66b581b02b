// Memory resources (std::pmr), as calls of their virtual functions see them. Those that derivatives make themselves take from the
// heap; the others are asked by functions of the runtime (runtime/src/resources.rs), which derivatives know.

#include "models.h"

#include <stddef.h>

// What lies there is the library's.
typedef struct resource resource;

extern unsigned adrt_resource_is_own(const resource *r);
extern void *adrt_resource_allocate(resource *r, size_t bytes, size_t alignment);
extern void adrt_resource_deallocate(void *block, resource *r, size_t size);
extern unsigned adrt_resource_equal(const resource *a, const resource *b);
extern void *malloc(size_t bytes);
extern void *memalign(size_t alignment, size_t bytes);
extern void free(void *block);

// What the heap aligns.
enum { ALIGNED = 2 * sizeof(void *) };

// r->allocate(bytes, alignment).
void *MODEL(resource_allocate)(resource *r, size_t bytes, size_t alignment) {
  if (!adrt_resource_is_own(r))
    return adrt_resource_allocate(r, bytes, alignment);
  return alignment <= ALIGNED ? malloc(bytes) : memalign(alignment, bytes);
}

// r->deallocate(block, bytes, alignment).
void MODEL(resource_deallocate)(resource *r, void *block, size_t bytes, size_t alignment) {
  if (adrt_resource_is_own(r))
    free(block);
  else
    adrt_resource_deallocate(block, r, bytes | (size_t)__builtin_ctzl(alignment) << (8 * sizeof(size_t) - 8));
}

// a->is_equal(b).
bool MODEL(resource_equal)(const resource *a, const resource *b) { return adrt_resource_is_own(a) ? a == b : adrt_resource_equal(a, b) != 0; }
