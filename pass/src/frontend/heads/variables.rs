//! Variables among the dependents and independents of a head: those of Fortran's modules, COMMON
//! blocks, variables of C and C++.
//!
//! A head `f(y)/(x, m::c)` differentiates, in place of f,
//! ```c
//! void f.data(x, y, c_data) { c = *c_data; f(x, y); }
//! ```
//! where `c_data` leads to a copy of what the variable holds. The shadow of this copy is what the
//! generated function is given. A dependent is copied back: `*c_data = c`. Of allocatables and
//! pointers of Fortran the argument is the memory that they lead to: `c.base = c_data` changes
//! nothing, and gives this memory its shadow. They must not be deallocated.

use super::Head;
use crate::{
    annotations::{attributes::LED, named, registry},
    codegen::globals,
    diagnostics::{Code, Diagnostic, names::fortran_parts},
    frontend::Host,
    llvm::{Builder, Function, IntPredicate, Module, Type, TypeKind, Value},
};
use adanalysis::types::ScalarKind;

/// A variable that a head names.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub variable: Value,
    /// Its own name.
    pub name: String,
    is_independent: bool,
    is_dependent: bool,
}

/// Offsets and codes of flang's descriptors.
const LENGTH: u64 = 8;
const DIMENSIONS: u64 = 24;
const DIMENSION: u64 = 24;
const EXTENT: u64 = 8;
const STRIDE: u64 = 16;

/// Takes the names of variables out of the lists of a head. `is_parameter` says which names are
/// those of parameters or of the result.
pub(super) fn take(
    module: Module,
    head: &mut Head,
    is_parameter: &dyn Fn(&str) -> bool,
) -> Result<Vec<Variable>, Diagnostic> {
    let mut found: Vec<Variable> = vec![];
    let lists = [(&mut head.dependents, true), (&mut head.independents, false)];
    for (list, dependent) in lists.into_iter().filter_map(|(list, d)| Some((list.as_mut()?, d))) {
        let mut rest = vec![];
        for name in list.drain(..) {
            if is_parameter(&name) {
                rest.push(name);
                continue;
            }
            match meant(module, &name)? {
                None => rest.push(name),
                Some(variable) => {
                    let at = found.iter().position(|v| v.variable == variable);
                    let at = at.unwrap_or_else(|| {
                        found.push(Variable {
                            variable,
                            name: own_name(&name),
                            is_independent: false,
                            is_dependent: false,
                        });
                        found.len() - 1
                    });
                    let is = if dependent {
                        &mut found[at].is_dependent
                    } else {
                        &mut found[at].is_independent
                    };
                    *is = true;
                }
            }
        }
        *list = rest;
    }
    Ok(found)
}

fn own_name(name: &str) -> String {
    name.rsplit([':', '%']).next().unwrap_or(name).trim().to_lowercase()
}

/// The variable of that name, if there is one.
fn meant(module: Module, name: &str) -> Result<Option<Value>, Diagnostic> {
    let fail =
        |text: String, remedy: &str| Err(Diagnostic::new(Code::HeadParameter, None, text, remedy));
    let mut all = named::variables(module, name);
    all.retain(|v| !globals::is_any_shadow(*v));
    let variable = match all[..] {
        [] => return Ok(None),
        [only] => only,
        _ => {
            let called = |v: &Value| {
                let name = v.name();
                fortran_parts(&name, 'E').map_or(name.clone(), |parts| parts.join("::"))
            };
            let names: Vec<String> = all.iter().map(called).collect();
            let text = format!("'{name}' may be {}", names.join(" or "));
            return fail(text, "write the whole name, with its module");
        }
    };
    let ty = variable.global_type();
    // The compiler may have put values in place of what such a variable holds.
    if variable.is_private_global() {
        let text = format!("variable '{name}' is private to its file or procedure");
        return fail(text, "let it be a variable of a module, or one that other files know");
    }
    if variable.is_global_constant() || registry::is_inactive_global(variable) {
        let why = if variable.is_global_constant() { "constant" } else { "declared inactive" };
        let text = format!("variable '{name}' is {why}: it has no derivative");
        return fail(text, "leave it out of the head");
    }
    let holds_reals = ty.holds_float() || is_descriptor(ty) || globals::is_bytes(ty);
    if !ty.is_sized() || !holds_reals {
        let text = format!("variable '{name}' holds no floating-point data that is known here");
        return fail(text, "name variables of real type, of known size");
    }
    if ty.holds_pointer() && !is_descriptor(ty) {
        let text = format!("variable '{name}' has components that are pointers or allocatable");
        return fail(text, "pass what they lead to as an argument");
    }
    Ok(Some(variable))
}

/// Whether this is the descriptor of an allocatable or a pointer, of what is no object.
fn is_descriptor(ty: Type) -> bool {
    dimensions(ty).is_some()
}

/// The number of dimensions in a descriptor.
fn dimensions(ty: Type) -> Option<u64> {
    if ty.kind() != TypeKind::LLVMStructTypeKind {
        return None;
    }
    let members = ty.struct_members();
    let is_int = |i: usize, bits: u32| {
        members.get(i).is_some_and(|m: &Type| m.is_int() && m.int_width() == bits)
    };
    let begins = members.first().is_some_and(|m| m.is_pointer())
        && is_int(1, 64)
        && is_int(2, 32)
        && (3..7).all(|i| is_int(i, 8));
    match members.len() {
        7 if begins => Some(0),
        8 if begins && members[7].kind() == TypeKind::LLVMArrayTypeKind => {
            Some(members[7].array_length())
        }
        _ => None,
    }
}

impl Variable {
    /// How Fortran declares its shadow, as `-ad-argtypes` does; empty where that is not known.
    pub(super) fn declared(&self) -> String {
        let ty = self.variable.global_type();
        let of = |name: &str, rank: u64| match rank {
            0 => format!("|{name}"),
            _ => format!("|{name}, dimension(*)|{rank}"),
        };
        match (element(ty), code(self.variable)) {
            (Some((is_double, rank)), _) => of(if is_double { "real(8)" } else { "real(4)" }, rank),
            (None, Some((name, rank))) => of(name, rank),
            (None, None) => String::new(),
        }
    }

    /// The reals that its shadow leads to, if it leads to nothing else.
    pub(super) fn reals(&self) -> Option<ScalarKind> {
        let kind = |is_double| if is_double { ScalarKind::F64 } else { ScalarKind::F32 };
        match element(self.variable.global_type()) {
            Some((is_double, _)) => Some(kind(is_double)),
            None => match code(self.variable)?.0 {
                "real(8)" => Some(kind(true)),
                "real(4)" => Some(kind(false)),
                _ => None,
            },
        }
    }

    fn is_descriptor(&self) -> bool {
        is_descriptor(self.variable.global_type())
    }

    /// Emits the end of the program where elements do not follow one another.
    fn check(&self, module: Module, b: &Builder, f: Function) {
        let Some(rank) = dimensions(self.variable.global_type()).filter(|rank| *rank > 0) else {
            return;
        };
        let context = module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let at = globals::address(module, b, self.variable);
        let word = |offset: u64| b.load(i64, b.byte_offset(at, i64.int(offset)));
        let mut stride = word(LENGTH);
        let mut is_whole = b.icmp(IntPredicate::LLVMIntEQ, b.load(ptr, at), ptr.zero());
        let mut is_contiguous = context.int(1).int(1);
        for d in 0..rank {
            let dimension = DIMENSIONS + DIMENSION * d;
            let extent = word(dimension + EXTENT);
            let is_next = b.icmp(IntPredicate::LLVMIntEQ, word(dimension + STRIDE), stride);
            let is_short = b.icmp(IntPredicate::LLVMIntSLT, extent, i64.int(2));
            is_contiguous = b.and(is_contiguous, b.or(is_next, is_short));
            stride = b.mul(stride, extent);
        }
        is_whole = b.or(is_whole, is_contiguous);
        let text = "leads to elements that do not follow one another";
        self.require(module, b, f, is_whole, text);
    }

    /// Emits the end of the program where a condition does not hold.
    fn require(&self, module: Module, b: &Builder, f: Function, holds: Value, what: &str) {
        let context = module.context();
        let (ptr, i32) = (context.ptr(), context.int(32));
        let [stop, go] = ["stop", "go"].map(|name| f.append_block(name));
        b.cond_br(holds, go, stop);
        b.position_at_end(stop);
        let end = Type::function(context.void(), &[ptr, ptr, i32], false);
        let text = format!("adcc: variable '{}' of a head {what}", self.name);
        let arguments = [b.text(&text), ptr.zero(), i32.zero()];
        b.call(module.declare("_FortranAReportFatalUserError", end), &arguments);
        b.unreachable();
        b.position_at_end(go);
    }

    /// Emits what happens to the variable before and after the call.
    fn copy(&self, module: Module, b: &Builder, memory: Value, is_inward: bool) {
        let ty = self.variable.global_type();
        let at = globals::address(module, b, self.variable);
        if self.is_descriptor() {
            if is_inward {
                b.store(memory, at);
            }
            return;
        }
        let (to, from) = if is_inward { (at, memory) } else { (memory, at) };
        if ty.is_float() {
            b.store(b.load(ty, from), to);
            return;
        }
        let bytes = module.context().int(64).int(module.alloc_size(ty));
        b.memcpy(to, 1, from, 1, bytes);
    }

    /// What stands for it among arguments, with the shadows that the caller gives.
    pub(super) fn begin(
        &self,
        module: Module,
        b: &Builder,
        f: Function,
        given: Vec<Value>,
    ) -> Stand {
        let context = module.context();
        let at = globals::address(module, b, self.variable);
        let word = module.size_type();
        let malloc = module.declare("malloc", Type::function(context.ptr(), &[word], false));
        if !self.is_descriptor() {
            let bytes = module.alloc_size(self.variable.global_type());
            let primal = b.call(malloc, &[word.int(bytes)]);
            let bytes = context.int(64).int(bytes);
            b.memcpy(primal, 1, at, 1, bytes);
            return Stand { primal, shadows: given.clone(), given, bytes };
        }
        self.check(module, b, f);
        let primal = b.load(context.ptr(), at);
        let bytes = self.bytes(module, b, primal);
        // The derivative frees them with the variable.
        let copy = |given: &Value| {
            let shadow = b.call(malloc, &[b.add(bytes, word.int(1))]);
            b.memcpy(shadow, 1, *given, 1, bytes);
            shadow
        };
        Stand { primal, shadows: given.iter().map(copy).collect(), given, bytes }
    }

    /// Emits what happens to it when the derivative has been computed.
    pub(super) fn end(&self, module: Module, b: &Builder, f: Function, stand: &Stand) {
        let context = module.context();
        let free = Type::function(context.void(), &[context.ptr()], false);
        let free = module.declare("free", free);
        if !self.is_descriptor() {
            b.call(free, &[stand.primal]);
            return;
        }
        let at = globals::address(module, b, self.variable);
        let now = b.load(context.ptr(), at);
        let is_same = b.icmp(IntPredicate::LLVMIntEQ, now, stand.primal);
        let what = "was deallocated, or allocated anew: its derivative has no place";
        self.require(module, b, f, is_same, what);
        for (given, shadow) in stand.given.iter().zip(&stand.shadows) {
            b.memcpy(*given, 1, *shadow, 1, stand.bytes);
            b.call(free, &[*shadow]);
        }
    }

    /// How many bytes an allocatable has at `base`: none where that is null.
    fn bytes(&self, module: Module, b: &Builder, base: Value) -> Value {
        let context = module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let at = globals::address(module, b, self.variable);
        let word = |offset: u64| b.load(i64, b.byte_offset(at, i64.int(offset)));
        let mut bytes = word(LENGTH);
        for d in 0..dimensions(self.variable.global_type()).unwrap_or(0) {
            bytes = b.mul(bytes, word(DIMENSIONS + DIMENSION * d + EXTENT));
        }
        let is_there = b.icmp(IntPredicate::LLVMIntNE, base, ptr.zero());
        b.select(is_there, bytes, i64.zero())
    }
}

/// What stands for a variable among arguments.
pub(super) struct Stand {
    pub primal: Value,
    pub shadows: Vec<Value>,
    /// The shadows that the caller gives.
    given: Vec<Value>,
    bytes: Value,
}

/// Whether the reals that a variable consists of have eight bytes, not four, and the rank of the array
/// that they are.
fn element(ty: Type) -> Option<(bool, u64)> {
    let (mut inner, mut rank) = (ty, 0);
    while inner.kind() == TypeKind::LLVMArrayTypeKind {
        (inner, rank) = (inner.element(), rank + 1);
    }
    match inner.kind() {
        TypeKind::LLVMDoubleTypeKind => Some((true, rank)),
        TypeKind::LLVMFloatTypeKind => Some((false, rank)),
        _ => None,
    }
}

/// What a descriptor's initial value says of elements, and the rank.
fn code(variable: Value) -> Option<(&'static str, u64)> {
    const TYPE: u32 = 21;
    let rank = dimensions(variable.global_type())?;
    let name = match variable.constant_byte(TYPE)? {
        27 => "real(4)",
        28 => "real(8)",
        29 => "real(10)",
        34 => "complex(4)",
        35 => "complex(8)",
        _ => return None,
    };
    Some((name, rank))
}

/// The function that is differentiated in place of `f`; its last parameters stand for the
/// variables.
pub(super) fn wrap(
    host: &mut dyn Host,
    f: Function,
    variables: &[Variable],
) -> Result<Function, Vec<Diagnostic>> {
    let module = host.module();
    let context = module.context();
    let mut types = f.ty().function_params();
    let own = types.len();
    types.extend(variables.iter().map(|_| context.ptr()));
    let result = f.ty().function_result();
    let ty = Type::function(result, &types, false);
    let wrapper = host.new_function(&format!("{}.data", f.name()), ty, f);
    let given = wrapper.params();
    for i in (0..own).filter(|&i| f.param_has_attribute(i, "noalias")) {
        wrapper.add_param_attribute(i, "noalias");
    }
    let led = variables.iter().filter(|v| v.is_descriptor()).map(|v| v.variable.name());
    wrapper.add_attribute_string(LED, &led.collect::<Vec<_>>().join(" "));
    let b = Builder::at_end(context, wrapper.append_block("entry"));
    let stand_ins = || variables.iter().zip(&given[own..]);
    let is_given = |v: &Variable| v.is_independent || v.is_descriptor();
    for (variable, memory) in stand_ins().filter(|(v, _)| is_given(v)) {
        variable.copy(module, &b, *memory, true);
    }
    let call = b.call(f, &given[..own]);
    for (variable, memory) in stand_ins().filter(|(v, _)| v.is_dependent) {
        variable.copy(module, &b, *memory, false);
    }
    if result.is_void() {
        b.ret_void();
    } else {
        b.ret(call);
    }
    host.finish(wrapper)?;
    Ok(wrapper)
}
