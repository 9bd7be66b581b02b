//! Strings in memory with a shadow. Functions of the library on text give them other characters, and
//! know nothing of the shadow, which then has to have characters of its own (runtime/src/strings.cpp):
//! code of the program stores them, and gives them back.

use super::sweep::Sweep;
use crate::llvm::{Function, Type, Value};
use adir::{
    Ty, ValueId,
    library::{
        self,
        strings::{self, Argument},
    },
};

/// Emits for a call of such a function, in every direction, what follows the strings that it is given.
/// `free` gives back a block by the function that comes first.
pub fn follow(sweep: &mut Sweep, v: ValueId, mut free: impl FnMut(&Sweep, Function, Value)) {
    let body = sweep.body();
    let Some(symbol) = body[v].symbol.clone().filter(|s| library::is_text(s)) else { return };
    let is_string = |(i, o): &(usize, ValueId)| {
        body[*o].ty == Ty::Ptr && strings::argument(&symbol, *i) == Argument::String
    };
    // A function that makes a block is called for strings that have no characters yet, too.
    let operands = body[v].operands.iter().copied().enumerate();
    let operands = operands.filter(|_| !strings::allocates(&symbol));
    let strings: Vec<(usize, ValueId)> =
        operands.filter(is_string).filter(|(_, o)| sweep.activity.has_shadow(*o)).collect();
    let context = sweep.module.context();
    let (ptr, size) = (context.ptr(), sweep.module.size_type());
    for (i, o) in strings {
        let (string, shadows) = (sweep.value(o), sweep.shadows(o));
        if i == 0 && strings::keeps_characters(&symbol) {
            let kept = sweep.shadows(body.operand(v, 1));
            sweep.position_after(v);
            for (shadow, kept) in shadows.into_iter().zip(kept) {
                sweep.builder.store(kept, shadow);
            }
            continue;
        }
        sweep.builder.position_before(sweep.value(v));
        // Where the function makes the string, nothing lies there before.
        let (before, capacity) = if i == 0 && strings::makes(&symbol) {
            (ptr.zero(), size.zero())
        } else {
            let at = context.int(64).int(strings::short_text() as u64);
            let capacity = sweep.builder.byte_offset(string, at);
            (sweep.builder.load(ptr, string), sweep.builder.load(size, capacity))
        };
        let follow = runtime(sweep, "adrt_text_followed", ptr, &[ptr, ptr, ptr, size]);
        let delete = sweep.module.declare("_ZdlPv", Type::function(context.void(), &[ptr], false));
        sweep.position_after(v);
        for shadow in shadows {
            let old = sweep.builder.call(follow, &[string, shadow, before, capacity]);
            free(sweep, delete, old);
        }
    }
    sweep.position_after(v);
    returned(sweep, v, &symbol);
}

/// Emits the shadow of the address of characters that such a function returns: the string's own are
/// followed by now.
fn returned(sweep: &mut Sweep, v: ValueId, symbol: &str) {
    let body = sweep.body();
    if !strings::returns_characters(symbol) || !sweep.activity.has_shadow(v) {
        return;
    }
    let ptr = sweep.module.context().ptr();
    let (string, characters) = (body.operand(v, 0), sweep.value(v));
    let shadows: Vec<Value> = if strings::allocates(symbol) {
        let block = runtime(sweep, "adrt_text_block", ptr, &[ptr]);
        let capacity = sweep.value(body.operand(v, 1));
        let blocks = (0..sweep.width()).map(|_| sweep.builder.call(block, &[capacity]));
        blocks.collect()
    } else {
        let at = runtime(sweep, "adrt_text_at", ptr, &[ptr, ptr, ptr]);
        let (primal, shadows) = (sweep.value(string), sweep.shadows(string));
        let of = |shadow| sweep.builder.call(at, &[primal, shadow, characters]);
        shadows.into_iter().map(of).collect()
    };
    sweep.set_shadows(v, &shadows);
}

fn runtime(sweep: &Sweep, name: &str, result: Type, args: &[Type]) -> Function {
    let f = sweep.module.declare(name, Type::function(result, args, false));
    f.add_attribute("nounwind");
    f
}
