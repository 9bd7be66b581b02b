//! Whether adjoints of reals lie where addresses are no multiples of their size: packed structs, and
//! records that are written one behind the other to an array of bytes.
//!
//! A copy of which the types are not known looks at words where these begin in memory that is aligned
//! (runtime/src/untyped.rs). Pieces of two reals may look like an address there, and cannot be added.
//! So the reverse sweep notes when it gives an adjoint to such a place, and copies of that kind are
//! careful from then on. A module without them has no notes.

use crate::{
    codegen::globals::ordinary,
    llvm::{Builder, IntPredicate, Module, Opcode, Type, Value},
};
use adanalysis::types::Field;
use adir::target;

const NOTE: &str = "__adcc.note.place";
const FLAG: &str = "__adcc.unaligned";

/// Notes that adjoints of `fields` are given to the shadow memory at `shadow`: one field of each
/// size and alignment.
pub fn note(module: Module, b: &Builder, shadow: Value, fields: impl IntoIterator<Item = Field>) {
    // Others are refused (codegen/check/copied.rs).
    if target::pointer() != 8 {
        return;
    }
    let shadow = ordinary(b, shadow);
    let (ptr, i64) = (module.context().ptr(), module.context().int(64));
    let f = module.declare(NOTE, Type::function(module.context().void(), &[ptr, i64], false));
    f.add_attribute("nounwind");
    let mut noted = vec![];
    for (at, scalar) in fields.into_iter().filter(|f| f.1.is_real()) {
        let size = scalar.bytes();
        if size.is_power_of_two() && !noted.contains(&(size, at % size)) {
            noted.push((size, at % size));
            b.call(f, &[b.byte_offset(shadow, i64.int(at)), i64.int(size - 1)]);
        }
    }
}

/// Whether there was such a place so far, as an i8 that is 0 or 1.
pub fn is_noted(module: Module, b: &Builder) -> Value {
    b.load(module.context().int(8), flag(module))
}

fn flag(module: Module) -> Value {
    let i8 = module.context().int(8);
    module.global(FLAG).unwrap_or_else(|| module.private_variable(FLAG, i8))
}

/// Defines what notes do, or removes them where no copy asks for it.
pub fn settle(module: Module) {
    let Some(f) = module.function(NOTE) else { return };
    if module.global(FLAG).is_none() {
        f.value().users().into_iter().for_each(Value::erase);
        return f.delete();
    }
    let context = module.context();
    f.set_external(false);
    f.add_attribute("alwaysinline");
    let [entry, apart, done] = ["entry", "apart", "done"].map(|n| f.append_block(n));
    let params = f.params();
    let b = Builder::at_end(context, entry);
    let address = b.cast(Opcode::LLVMPtrToInt, params[0], context.int(64));
    let rest = b.and(address, params[1]);
    b.cond_br(b.icmp(IntPredicate::LLVMIntNE, rest, context.int(64).zero()), apart, done);
    b.position_at_end(apart);
    b.store(context.int(8).int(1), flag(module));
    b.br(done);
    b.position_at_end(done);
    b.ret_void();
}
