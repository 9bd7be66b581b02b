//! `dynamic_cast`: the library's function looks at the object's type and says where the other class
//! lies in it. The result leads into the same object, so its shadow lies as far from the shadow of
//! the pointer. The model is
//! ```c
//! void *__dynamic_cast(void *object, const void *from, const void *to, ptrdiff_t hint) {
//!     ptrdiff_t distance = cast_distance(object, from, to, hint);
//!     return distance == PTRDIFF_MIN ? NULL : (char *)object + distance;
//! }
//! ```
//! where `cast_distance` is a private function without derivative that asks the library.
//!
//! Source: Itanium C++ ABI, 2.9.7 (the dynamic cast algorithm).

use crate::{
    annotations::attributes::RULE,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Type},
};
use adir::library::CAST_DISTANCE;

/// The library's function.
pub const DYNAMIC_CAST: &str = "__dynamic_cast";

/// Its type.
pub fn ty(module: Module) -> Type {
    let (ptr, word) = (module.context().ptr(), module.size_type());
    Type::function(ptr, &[ptr, ptr, ptr, word], false)
}

/// Writes the body of the model.
pub fn dynamic_cast(module: Module, f: Function) {
    let (context, word) = (module.context(), module.size_type());
    let distance = distance(module);
    let b = Builder::at_end(context, f.append_block("entry"));
    let params = f.params();
    let by = b.call(distance, &params);
    let is_none = b.icmp(IntPredicate::LLVMIntEQ, by, none(word));
    // The address of what is no part of the object is never computed.
    let by = b.select(is_none, word.zero(), by);
    let to = b.gep(context.int(8), params[0], &[by]);
    b.ret(b.select(is_none, context.ptr().zero(), to));
}

/// How far a cast moves the pointer; [`none`] where there is no such part.
fn distance(module: Module) -> Function {
    let (context, word) = (module.context(), module.size_type());
    let params = ty(module).function_params();
    let name = format!("{CAST_DISTANCE}.model");
    if let Some(f) = module.function(&name) {
        return f;
    }
    let f = module.add_function(&name, Type::function(word, &params, false));
    f.set_external(false);
    ["nounwind", "noinline"].into_iter().for_each(|a| f.add_attribute(a));
    f.add_attribute_string(RULE, CAST_DISTANCE);
    let b = Builder::at_end(context, f.append_block("entry"));
    let params = f.params();
    let cast = b.call(module.declare(DYNAMIC_CAST, ty(module)), &params);
    let number = |p| b.cast(Opcode::LLVMPtrToInt, p, word);
    let by = b.sub(number(cast), number(params[0]));
    let is_null = b.icmp(IntPredicate::LLVMIntEQ, cast, context.ptr().zero());
    b.ret(b.select(is_null, none(word), by));
    f
}

/// No distance within an object: the least number.
fn none(word: Type) -> crate::llvm::Value {
    word.int(1 << (word.int_width() - 1))
}
