/* The state of a thread that runs translated code (state.rs has its layout). Translated code addresses it by its distance from the
 * thread pointer, which the initial-exec model makes the same in all threads. In C because stable Rust exports no thread-locals. */

enum { SIZE = 8192 };

__thread struct adshadow_state {
    _Alignas(64) char bytes[SIZE];
} adshadow_state;

struct adshadow_state *adshadow_state_of_thread(void) { return &adshadow_state; }
long adshadow_state_offset(void) { return (char *)&adshadow_state - (char *)__builtin_thread_pointer(); }
long adshadow_state_size(void) { return SIZE; }

/* The tape runtime, where the program has it: Rust has no weak references. */
extern unsigned long long adrt_recording_with_call(void) __attribute__((weak));
unsigned long long adshadow_recording(void) { return adrt_recording_with_call ? adrt_recording_with_call() : 0; }
