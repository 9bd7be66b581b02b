/* The thread's arena as generated code sees it: where the next block starts, and where the chunk ends.
 * Generated code bumps `next`; tape.rs owns the chunks behind it. In C because stable Rust exports no thread-locals. */

struct adrt_arena {
    char *next;
    char *end;
};

__thread struct adrt_arena adrt_arena;

/* For tape.rs. */
struct adrt_arena *adrt_arena_of_thread(void) { return &adrt_arena; }

/* The shadow runtime, where the program has it: Rust has no weak references. */
extern void adshadow_discard(unsigned long long recording) __attribute__((weak));
void adrt_discard_calls(unsigned long long recording) {
    if (adshadow_discard) adshadow_discard(recording);
}
