//! Choices between functions that stand in a function of their own: where one function has so many
//! calls through pointers that all choices in it would be too many. Calls that may reach the same
//! functions share one.
//!
//! `p(x)` becomes `choice(p, x)`, and `choice(p, x)` is `p(x)`, made a choice there.

use super::promote_all;
use crate::{
    annotations::attributes::POSSIBLE,
    llvm::{Builder, Function, Module, Type, Value},
};
use adir::hashed::HashMap;

/// How they are called.
const NAME: &str = "__adcc.choice";

/// Those of a module, by type and by the functions that they choose from.
#[derive(Default)]
pub struct Apart {
    all: HashMap<(Type, Vec<Function>), Function>,
}

impl Apart {
    /// Makes `call`, which may reach the functions in `found`, one of such a function. `false` for a call
    /// whose arguments its type does not tell.
    pub fn replace(&mut self, module: Module, call: Value, found: Vec<Function>) -> bool {
        let ty = call.called_type();
        if found.iter().any(|f| f.is_variadic()) {
            return false;
        }
        let choice =
            *self.all.entry((ty, found.clone())).or_insert_with(|| make(module, ty, &found));
        let mut args = vec![call.called()];
        args.extend((0..call.argument_count()).map(|i| call.operand(i)));
        let b = Builder::new(module.context());
        b.position_before(call);
        let new = match call.is_invoke() {
            true => call.invoke_like(choice, &args),
            false => b.call(choice, &args),
        };
        new.set_call_string(POSSIBLE, "");
        call.copy_location(new);
        call.replace_uses(new);
        call.erase();
        true
    }

    /// All of them.
    pub fn into_functions(self) -> impl Iterator<Item = Function> {
        self.all.into_values()
    }
}

fn make(module: Module, ty: Type, found: &[Function]) -> Function {
    let context = module.context();
    let params = [vec![context.ptr()], ty.function_params()].concat();
    let choice = module.add_function(NAME, Type::function(ty.function_result(), &params, false));
    choice.set_external(false);
    choice.add_attribute("noinline");
    let b = Builder::at_end(context, choice.append_block("entry"));
    let params = choice.params();
    let call = b.call_value(ty, params[0], &params[1..]);
    call.copy_abi(found[0]);
    if ty.function_result().is_void() {
        b.ret_void();
    } else {
        b.ret(call);
    }
    let direct = promote_all(call, found);
    super::close(module, choice, call, direct);
    choice
}
