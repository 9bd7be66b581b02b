//! What a request returns, as its prototype wants it.

use super::{Gain, Request, ResultActivity, fit::fits, spelling};
use crate::{
    annotations::signature,
    diagnostics::{Code, Diagnostic},
    frontend::Host,
    frontend::by_value::{Layout, Returned},
    llvm::{Builder, Function, Module, Opcode, Type, Value, demangled},
};
use adanalysis::activity::Param;

/// One of the things that a request returns.
pub(super) enum Item {
    /// A number or a pointer, or what the function returns in registers without reals in it.
    Value(Value),
    /// A value with members.
    Members(Layout, Vec<Value>),
}

impl Item {
    fn size_and_alignment(&self, module: Module) -> (u64, u64) {
        match self {
            Item::Value(v) => (module.alloc_size(v.ty()), module.alignment(v.ty())),
            Item::Members(l, _) => (l.size, l.alignment),
        }
    }
}

/// The offset of each item in a struct of them, as C lays it out, and the struct's size.
fn places(module: Module, items: &[Item]) -> (Vec<u64>, u64) {
    let (mut end, mut most) = (0u64, 1);
    let place = |item: &Item| {
        let (size, alignment) = item.size_and_alignment(module);
        let at = end.next_multiple_of(alignment);
        (end, most) = (at + size, most.max(alignment));
        at
    };
    let offsets = items.iter().map(place).collect();
    (offsets, end.next_multiple_of(most))
}

/// Writes the items where a struct of them is.
fn store(b: &Builder, items: &[Item], offsets: &[u64], at: Value) {
    for (item, &offset) in items.iter().zip(offsets) {
        let at = b.byte_offset(at, b.context().int(64).int(offset));
        match item {
            Item::Value(v) => b.store(*v, at).set_alignment(1),
            Item::Members(l, members) => l.store(b, members, at),
        }
    }
}

/// Of which types the items are, for messages.
fn types_of(items: &[Item]) -> String {
    let of = |item: &Item| match item {
        Item::Value(v) => v.ty().to_string(),
        Item::Members(l, _) => format!(
            "{{{}}}",
            l.members.iter().map(|m| m.ty.to_string()).collect::<Vec<_>>().join(", ")
        ),
    };
    const SHOWN: usize = 6;
    let mut types: Vec<String> = items.iter().take(SHOWN).map(of).collect();
    if items.len() > SHOWN {
        types.push(format!("{} more", items.len() - SHOWN));
    }
    format!("of type {}", types.join(", "))
}

impl Request {
    /// A value of the differentiated function's result type: the result, or a tangent of it.
    pub(super) fn result(&self, b: &Builder, value: Value) -> Item {
        match &self.shape.returned {
            Returned::Plain => Item::Value(value),
            Returned::Registers(l) | Returned::Memory(l, _) => {
                Item::Members(l.clone(), l.take_apart(b, value))
            }
        }
    }

    /// Whether the result has a derivative, which a tangent returns.
    pub(super) fn has_tangent(&self) -> bool {
        self.result != ResultActivity::Const && self.has_real_result()
    }

    /// Whether the function returns reals.
    pub(super) fn has_real_result(&self) -> bool {
        match self.shape.returned {
            Returned::Plain => self.function.ty().function_result().is_float(),
            Returned::Registers(..) | Returned::Memory(..) => true,
        }
    }

    /// The adjoints of by-value arguments that are returned, of one argument in all directions,
    /// then of the next, from a struct of those of all active parameters whose members start at
    /// `first`. Those that go to the user's memory are added there.
    pub(super) fn gained(&self, b: &Builder, all: Value, first: usize) -> Vec<Item> {
        let count = self.parameters.iter().filter(|p| p.activity == Param::Active).count();
        let mut params = (first..first + count * self.width).step_by(self.width);
        // Of a parameter, the adjoints in all directions.
        let mut next = || {
            let i = params.next().expect("there is one for each active parameter");
            (i..i + self.width).map(|i| b.extract(all, i as u32)).collect::<Vec<_>>()
        };
        let mut items = vec![];
        for gain in &self.gains {
            match gain {
                Gain::Number => items.extend(next().into_iter().map(Item::Value)),
                Gain::Members(l) => {
                    let member =
                        |ty: Type| if ty.is_float() { next() } else { vec![ty.zero(); self.width] };
                    let members: Vec<Vec<Value>> =
                        l.members.iter().map(|m| m.ty).map(member).collect();
                    let value =
                        |d: usize| Item::Members(l.clone(), members.iter().map(|m| m[d]).collect());
                    items.extend((0..self.width).map(value));
                }
                Gain::Memory(l, all) => {
                    for m in l.members.iter().filter(|m| m.ty.is_float()) {
                        for (&at, d) in all.iter().zip(next()) {
                            let place = b.byte_offset(at, b.context().int(64).int(m.offset));
                            let before = b.load(m.ty, place);
                            before.set_alignment(1);
                            b.store(b.fadd(before, d), place).set_alignment(1);
                        }
                    }
                }
            }
        }
        items
    }

    /// Whether nothing declares the request: C89 then takes it for a function of anything that
    /// returns an int.
    fn is_undeclared(&self) -> bool {
        let is_open = |f: Function| {
            f.is_variadic()
                && f.ty().function_params().is_empty()
                && f.ty().function_result().int_width() == 32
        };
        self.call
            .called()
            .as_function()
            .is_some_and(|f| f.ty().function_result().is_int() && is_open(f))
    }

    /// Whether the prototype returns a tuple of libstdc++, or what has one as a member.
    fn returns_tuple(&self) -> bool {
        let callee = demangled(&self.call.called().name());
        let by_name = callee.as_deref().and_then(spelling::returned_type);
        let in_memory = self.call.call_sret().map(|ty| ty.to_string());
        by_name.is_some_and(|ty| ty.contains("std::tuple<"))
            || in_memory.is_some_and(|ty| ty.contains("class.std::tuple"))
    }

    /// The items as the request's prototype returns them.
    pub(super) fn returned(
        &self,
        host: &dyn Host,
        b: &Builder,
        items: &[Item],
    ) -> Result<Option<Value>, Vec<Diagnostic>> {
        let module = host.module();
        let ty = self.call.ty();
        let fail = |what: String| {
            let text = format!("'{}' returns {what}", self.call.called().name());
            let remedy = match self.is_undeclared() {
                true => {
                    "declare the request, or include ad.h: without a declaration, C assumes that \
                    it returns an int"
                }
                false => {
                    "declare a prototype that returns the adjoint, or a struct of the adjoints in \
                    order (docs/reference/requests.md, section Results)"
                }
            };
            Err(vec![Diagnostic::new(Code::RequestResult, Some(self.call), text, remedy)])
        };
        let (offsets, size) = places(module, items);
        if items.len() > 1 && self.returns_tuple() {
            return fail(
                "a std::tuple, whose members lie in another order in memory than they are named"
                    .into(),
            );
        }
        if let Some(at) = self.sret {
            let of = self.call.call_sret().expect("it has an sret argument");
            if items.is_empty()
                || module.alloc_size(of) != size
                || !fits(module, of, false, items, &offsets)
            {
                return fail(format!(
                    "{} value(s) {}, but its prototype returns the struct {of}",
                    items.len(),
                    types_of(items)
                ));
            }
            store(b, items, &offsets, at);
            return Ok(None);
        }
        if ty.is_void() || self.call.users().is_empty() {
            return Ok(None);
        }
        if let [Item::Value(one)] = items
            && one.ty().is_float()
            && ty.is_float()
        {
            return Ok(Some(b.float_cast(*one, ty)));
        }
        if let [Item::Value(one)] = items
            && (one.ty() == ty || !ty.is_struct() && (ty.is_pointer() || one.ty().is_pointer()))
        {
            return if one.ty() == ty {
                Ok(Some(*one))
            } else {
                fail(format!("{}, but its prototype returns {ty}", one.ty()))
            };
        }
        if items.is_empty() {
            // At -O0 a result that nobody reads is stored in a variable all the same.
            if is_unread(self.call) {
                return Ok(Some(ty.zero()));
            }
            return fail(
                "nothing, because no argument by value is active, but the program uses its \
                result"
                    .into(),
            );
        }
        // Registers hold 8 bytes: three floats come back as two and one.
        if module.alloc_size(ty).div_ceil(8) != size.div_ceil(8)
            || !fits(module, ty, true, items, &offsets)
        {
            let (count, they) = (items.len(), types_of(items));
            return fail(format!("{count} value(s) {they}, but its prototype returns {ty}"));
        }
        let bytes = module.alloc_size(ty).max(size).next_multiple_of(16);
        let at = signature::slot(b, b.context().int(8).array(bytes));
        store(b, items, &offsets, at);
        let value = b.load(ty, at);
        value.set_alignment(16);
        Ok(Some(value))
    }
}

/// Whether nobody reads what a request returns.
pub fn is_unread(call: Value) -> bool {
    call.users().into_iter().all(|user| stays_unread(user, call))
}

/// Whether `user` stores `value` in a variable of its function that is never read.
fn stays_unread(user: Value, value: Value) -> bool {
    let is_store = |user: Value, to: Value| {
        user.is_instruction() && user.opcode() == Opcode::LLVMStore && user.operand(1) == to
    };
    if !user.is_instruction() || user.opcode() != Opcode::LLVMStore || user.operand(0) != value {
        return false;
    }
    let variable = user.operand(1);
    variable.is_instruction()
        && variable.opcode() == Opcode::LLVMAlloca
        && variable.users().into_iter().all(|other| is_store(other, variable))
}
