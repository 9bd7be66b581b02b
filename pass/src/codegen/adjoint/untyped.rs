//! Calls of the runtime for copies of which the kinds of what they move are not known
//! (runtime/src/untyped.rs).

use super::unaligned;
use crate::{
    codegen::integers::code,
    diagnostics::place_text,
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adanalysis::types::{Layout, ScalarKind};

/// The bit of the kind of reals that says that some are not aligned to their size.
const UNALIGNED: u64 = 2;
/// What the kind of reals has added where other threads may add to the adjoints of the source.
const SHARED: u64 = 8;

/// A copy of memory, as both sweeps see it.
pub struct Untyped {
    /// Shadow of the destination.
    pub to: Value,
    /// Shadow of the source, if it has one.
    pub from: Option<Value>,
    /// How many, as i64.
    pub bytes: Value,
    /// The kind of the reals in this memory, if it is known.
    pub reals: Option<ScalarKind>,
    /// Whether other threads may add to the shadow of the source.
    pub is_shared: bool,
    /// Names the copy in messages.
    pub site: Value,
    /// The function it stands in.
    pub source: Function,
}

impl Untyped {
    /// Shadows of the pointers among what the primal has copied to `primal`.
    pub fn forward(self, module: Module, b: &Builder, primal: Value) {
        let ptr = module.context().ptr();
        let (i32, i64) = (module.context().int(32), module.context().int(64));
        let f = declare(module, "adrt_untyped_forward", &[ptr, ptr, ptr, i64, i32, ptr]);
        let [to, from, bytes, reals, place] = self.arguments(module, b);
        b.call(f, &[to, from, primal, bytes, reals, place]);
    }

    /// Logs the shadows of the pointers among what lies at `primal`, whose shadow is `to`.
    pub fn note(self, module: Module, b: &Builder, log: Value, primal: Value) {
        let ptr = module.context().ptr();
        let (i32, i64) = (module.context().int(32), module.context().int(64));
        let f = declare(module, "adrt_undo_note_pointers", &[ptr, ptr, ptr, i64, i32, ptr]);
        let [shadow, _, bytes, reals, place] = self.arguments(module, b);
        b.call(f, &[log, shadow, primal, bytes, reals, place]);
    }

    /// Adjoints of the reals among what the copy has moved.
    pub fn reverse(self, module: Module, b: &Builder) {
        let ptr = module.context().ptr();
        let (i32, i64) = (module.context().int(32), module.context().int(64));
        let f = declare(module, "adrt_untyped_reverse", &[ptr, ptr, i64, i32, ptr]);
        b.call(f, &self.arguments(module, b));
    }

    /// The same where some members are known.
    pub fn reverse_members(self, module: Module, b: &Builder, (fields, period): &Layout) {
        let ptr = module.context().ptr();
        let (i32, i64) = (module.context().int(32), module.context().int(64));
        let has = |at: u64, kind: ScalarKind| fields.contains(&(at, kind));
        let code = |at: u64| match (has(at, ScalarKind::F64), has(at, ScalarKind::F32)) {
            (true, true) => 'e',
            (true, false) => 'd',
            (false, true) => 'f',
            (false, false) => '.',
        };
        let members = b.text(&(0..*period).map(code).collect::<String>());
        let f =
            declare(module, "adrt_untyped_members_reverse", &[ptr, ptr, i64, i32, ptr, i64, ptr]);
        let [to, from, bytes, reals, place] = self.arguments(module, b);
        b.call(f, &[to, from, bytes, reals, members, i64.int(*period), place]);
    }

    fn arguments(&self, module: Module, b: &Builder) -> [Value; 5] {
        let (ptr, i32) = (module.context().ptr(), module.context().int(32));
        let noted = b.cast(Opcode::LLVMZExt, unaligned::is_noted(module, b), i32);
        let shared = if self.is_shared { SHARED } else { 0 };
        let reals = b.or(i32.int(code(self.reals) | shared), b.shl(noted, i32.int(UNALIGNED)));
        let place = b.text(&place_text(self.site, self.source));
        [self.to, self.from.unwrap_or(ptr.zero()), self.bytes, reals, place]
    }
}

fn declare(module: Module, name: &str, params: &[Type]) -> Function {
    let f = module.declare(name, Type::function(module.context().void(), params, false));
    f.add_attribute("nounwind");
    f
}
