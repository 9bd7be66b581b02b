//! `qsort` and `bsearch` as code: the library's own is not here, and its callback may see active
//! data.
//!
//! In C the models are
//! ```c
//! void qsort(char *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
//!     char *other = malloc(n * size);
//!     for (size_t width = 1; width < n; width *= 2) {
//!         for (size_t low = 0; low < n; ) {
//!             size_t middle = min(low + width, n), high = min(middle + width, n), i = low, j = middle;
//!             for (size_t k = low; k < high; k++) {
//!                 bool left = i < middle && (j >= high || compare(base + i * size, base + j * size) <= 0);
//!                 memcpy(other + k * size, base + (left ? i : j) * size, size);
//!                 i += left, j += !left;
//!             }
//!             low = high;
//!         }
//!         memcpy(base, other, n * size);
//!     }
//!     free(other);
//! }
//! void *bsearch(void *key, char *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
//!     for (size_t low = 0, high = n; low < high; ) {
//!         size_t middle = low + (high - low) / 2;
//!         int order = compare(key, base + middle * size);
//!         if (order == 0) return base + middle * size;
//!         if (order < 0) high = middle; else low = middle + 1;
//!     }
//!     return NULL;
//! }
//! ```
//! Offsets do not wrap: what divides them tells members of structs apart. The sort is stable:
//! elements that compare equal stay in their order, which is one of the orders that `qsort` may
//! give.

use crate::llvm::{Builder, Function, IntPredicate, Intrinsic, Module, Opcode, Type, Value};

/// Fills the model of `qsort`.
pub fn qsort(module: Module, f: Function) {
    let context = module.context();
    let (ptr, word, i32, bit) =
        (context.ptr(), module.size_type(), context.int(32), context.int(1));
    let malloc = module.declare("malloc", Type::function(ptr, &[word], false));
    let free = module.declare("free", Type::function(context.void(), &[ptr], false));
    let copy = module.intrinsic(Intrinsic::Memcpy, &[ptr, ptr, word]);
    let order = Type::function(i32, &[ptr, ptr], false);
    let [entry, passes, start, runs, run, merge, left, right, compare, take, merged, copied, done] =
        [
            "entry", "passes", "start", "runs", "run", "merge", "left", "right", "compare", "take",
            "merged", "copied", "done",
        ]
        .map(|n| f.append_block(n));
    let [base, n, size, callback] = f.params()[..] else { return };
    let zero = word.zero();
    let one = word.int(1);

    let b = Builder::at_end(context, entry);
    let total = b.mul_exact(n, size);
    let other = b.call(malloc, &[total]);
    b.br(passes);
    let element = |b: &Builder, of: Value, i: Value| b.byte_offset(of, b.mul_exact(i, size));
    let below = |b: &Builder, x: Value, y: Value| b.icmp(IntPredicate::LLVMIntULT, x, y);
    let least = |b: &Builder, x: Value, y: Value| b.select(below(b, x, y), x, y);

    b.position_at_end(passes);
    let width = b.phi(word, "");
    b.cond_br(below(&b, width, n), start, done);
    b.position_at_end(start);
    b.br(runs);

    b.position_at_end(runs);
    let low = b.phi(word, "");
    b.cond_br(below(&b, low, n), run, copied);
    b.position_at_end(run);
    let middle = least(&b, b.add(low, width), n);
    let high = least(&b, b.add(middle, width), n);
    b.br(merge);

    b.position_at_end(merge);
    let (i, j, k) = (b.phi(word, ""), b.phi(word, ""), b.phi(word, ""));
    b.cond_br(below(&b, k, high), left, merged);
    b.position_at_end(left);
    b.cond_br(below(&b, i, middle), right, take);
    b.position_at_end(right);
    b.cond_br(below(&b, j, high), compare, take);
    b.position_at_end(compare);
    let found = b.call_value(order, callback, &[element(&b, base, i), element(&b, base, j)]);
    let in_order = b.icmp(IntPredicate::LLVMIntSLE, found, i32.zero());
    b.br(take);

    b.position_at_end(take);
    let is_left = b.phi(bit, "");
    is_left.add_incoming(bit.zero(), left);
    is_left.add_incoming(bit.int(1), right);
    is_left.add_incoming(in_order, compare);
    let from = b.select(is_left, i, j);
    b.call(copy, &[element(&b, other, k), element(&b, base, from), size, bit.zero()]);
    let step = b.cast(Opcode::LLVMZExt, is_left, word);
    let next = [b.add(i, step), b.add(j, b.sub(one, step)), b.add(k, one)];
    b.br(merge);
    for ((phi, first), next) in [i, j, k].into_iter().zip([low, middle, low]).zip(next) {
        phi.add_incoming(first, run);
        phi.add_incoming(next, take);
    }

    b.position_at_end(merged);
    b.br(runs);
    low.add_incoming(zero, start);
    low.add_incoming(high, merged);

    b.position_at_end(copied);
    b.call(copy, &[base, other, total, bit.zero()]);
    let double = b.add(width, width);
    b.br(passes);
    width.add_incoming(one, entry);
    width.add_incoming(double, copied);

    b.position_at_end(done);
    b.call(free, &[other]);
    b.ret_void();
}

/// Fills the model of `bsearch`.
pub fn bsearch(module: Module, f: Function) {
    let context = module.context();
    let (ptr, word, i32) = (context.ptr(), module.size_type(), context.int(32));
    let order = Type::function(i32, &[ptr, ptr], false);
    let [entry, search, look, differs, done] =
        ["entry", "search", "look", "differs", "done"].map(|n| f.append_block(n));
    let [key, base, n, size, callback] = f.params()[..] else { return };

    let b = Builder::at_end(context, entry);
    b.br(search);
    b.position_at_end(search);
    let (low, high) = (b.phi(word, ""), b.phi(word, ""));
    b.cond_br(b.icmp(IntPredicate::LLVMIntULT, low, high), look, done);

    b.position_at_end(look);
    let middle = b.add(low, b.udiv(b.sub(high, low), word.int(2)));
    let at = b.byte_offset(base, b.mul_exact(middle, size));
    let found = b.call_value(order, callback, &[key, at]);
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, found, i32.zero()), done, differs);

    b.position_at_end(differs);
    let is_before = b.icmp(IntPredicate::LLVMIntSLT, found, i32.zero());
    let next_low = b.select(is_before, low, b.add(middle, word.int(1)));
    let next_high = b.select(is_before, middle, high);
    b.br(search);
    low.add_incoming(word.zero(), entry);
    low.add_incoming(next_low, differs);
    high.add_incoming(n, entry);
    high.add_incoming(next_high, differs);

    b.position_at_end(done);
    let result = b.phi(ptr, "");
    result.add_incoming(ptr.zero(), search);
    result.add_incoming(at, look);
    b.ret(result);
}
