//! Whether bits of reals may be characters of the program's strings.
//!
//! Strings hold text, and functions of the library move it where no shadow follows: to streams, and from
//! streams to other strings. That is right unless the program packs reals into strings, by characters
//! (`s.append((const char *)&x, sizeof x)`), and unpacks them. The source shows either before functions are inlined: what holds
//! reals is passed as an address of characters, copied to some or from some, or read byte by byte. Which strings these are is not
//! looked at.

use super::text;
use crate::llvm::{self, Function, Module, Opcode, Type, TypeKind, Value};
use adir::{hashed::HashSet, library, target};

/// Notes of modules that were looked at, and of those with such code.
const LOOKED_AT: &str = "adcc.text.looked_at";
const FOUND: &str = "adcc.text.bits";

/// How the names of functions begin that are looked at where they are called: they copy characters to
/// streams, or read them.
const OF_STREAMS: [&str; 3] = ["_ZNSo5write", "_ZNSi", "_ZNSt15basic_streambuf"];

/// What the names of C's functions contain that read numbers from text, to where they are told.
const OF_C: [&str; 2] = ["scanf", "strto"];

/// The front end's type of an address of characters in memory.
const CHARACTERS: &str = "p1 omnipotent char";

/// How far addresses are followed, and what of that one step to the callers of a function takes: each may
/// have many.
const DEPTH: u32 = 8;
const ON_CALLS: u32 = 4;

/// Notes whether functions of a module do so, straight from the front end.
pub fn note(module: Module) {
    module.add_note(LOOKED_AT);
    let takers = takers(module);
    let mut functions = module.functions().into_iter().filter(|f| !f.is_declaration());
    if functions.any(|f| packs(f, &takers)) {
        module.add_note(FOUND);
    }
}

/// Whether functions of a module, or of one that was linked into it, may do so.
pub fn may_be(module: Module) -> bool {
    module.has_note(FOUND) || !module.has_note(LOOKED_AT)
}

/// What functions take that are called through pointers: the number of their arguments, and the place of an
/// address of characters among them.
fn takers(module: Module) -> HashSet<(usize, usize)> {
    let is_callee = |u: &Value, f: Function| {
        matches!(operation(*u), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
            && u.called().as_function() == Some(f)
    };
    let mut found = HashSet::default();
    for f in module.functions() {
        if f.value().users().iter().all(|u| is_callee(u, f)) {
            continue;
        }
        let (count, declared) = (f.params().len(), parameters(&f.name()).unwrap_or_default());
        let Some(first) = count.checked_sub(declared.len()) else { continue };
        let places = declared.iter().enumerate().filter(|(_, ty)| is_characters(ty));
        found.extend(places.map(|(i, _)| (count, first + i)));
    }
    found
}

fn packs(f: Function, takers: &HashSet<(usize, usize)>) -> bool {
    let mut insts = f.blocks().into_iter().flat_map(|b| b.instructions());
    insts.any(|i| match i.opcode() {
        Opcode::LLVMLoad if i.ty().is_float() => is_text(i.operand(0), DEPTH),
        Opcode::LLVMLoad => is_byte(i.ty()) && leads_to_reals(i.operand(0), DEPTH),
        Opcode::LLVMStore => match i.operand(0) {
            real if real.ty().is_float() => is_text(i.operand(1), DEPTH),
            address => {
                i.tbaa_type().is_some_and(|ty| ty == CHARACTERS) && leads_to_reals(address, DEPTH)
            }
        },
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            copies(i)
                || match i.called().as_function() {
                    Some(callee) => callee.intrinsic().is_none() && passes(i, callee),
                    None => passes_on(i, takers),
                }
        }
        _ => false,
    })
}

/// Whether a call passes the address of reals as that of characters.
fn passes(call: Value, callee: Function) -> bool {
    let symbol = callee.name();
    if OF_STREAMS.iter().any(|s| symbol.starts_with(s)) {
        return false;
    }
    let Some(declared) = parameters(&symbol) else { return fills(call, callee) };
    // A result in memory and the object of a member come first, and are not in the name.
    let Some(first) = call.argument_count().checked_sub(declared.len()) else { return false };
    let is_one = |(i, ty): (usize, &String)| {
        is_characters(ty) && leads_to_reals(call.operand(first + i), DEPTH)
    };
    declared.iter().enumerate().any(is_one)
}

/// The same for a call through a pointer: one of the functions of this file takes characters there, or how many
/// bytes lie there is passed as well.
fn passes_on(call: Value, takers: &HashSet<(usize, usize)>) -> bool {
    let count = call.argument_count();
    (0..count).any(|i| {
        let address = call.operand(i);
        address.ty().is_pointer()
            && (takers.contains(&(count, i)) || (0..count).any(|k| is_size(call.operand(k))))
            && leads_to_reals(address, DEPTH)
    })
}

/// Whether an integer is the size of a real, or of several, in bytes.
fn is_size(v: Value) -> bool {
    let is_one = |v: Value| v.as_int().is_some_and(|n| n > 0 && n % 4 == 0);
    v.ty().is_int()
        && v.ty().int_width() == 8 * target::pointer() as u32
        && match operation(v) {
            Some(Opcode::LLVMMul) => is_one(v.operand(0)) || is_one(v.operand(1)),
            _ => is_one(v),
        }
}

/// Whether a function of C, from another file, is given a buffer of characters and reals. Those of the library
/// read and write text.
fn fills(call: Value, callee: Function) -> bool {
    let arguments = || (0..call.argument_count()).map(|i| call.operand(i));
    let is_buffer = |a: Value| {
        a.ty().is_pointer() && operation(a) == Some(Opcode::LLVMAlloca) && is_text(a, DEPTH)
    };
    callee.is_declaration()
        && !OF_C.iter().any(|part| callee.name().contains(part))
        && arguments().any(is_buffer)
        && arguments().any(|a| a.ty().is_pointer() && leads_to_reals(a, DEPTH))
}

/// Whether a call copies reals to where text may lie, or from there.
fn copies(call: Value) -> bool {
    let is_copy = call.intrinsic().is_some_and(|i| i.is_memcpy() || i.is_memmove());
    is_copy && {
        let (to, from) = (call.operand(0), call.operand(1));
        let is_typed = |v: Value| type_at(v).is_some_and(|ty| !is_array_of_characters(ty));
        // Compilers copy single reals without a call.
        let is_one = |v: Value| type_at(v).is_some_and(Type::is_float);
        // Elements that change places within an array.
        let is_array = |v: Value| call.operand(2).as_int().is_none() && is_told_reals(v, DEPTH);
        let may_be = |reals: Value, characters: Value| {
            is_one(reals) && !is_typed(characters) && !is_array(characters)
                || leads_to_reals(reals, DEPTH) && is_text(characters, DEPTH)
        };
        may_be(from, to) || may_be(to, from)
    }
}

/// The type of a variable, or of a part of one, that an address leads to; `None` where it is not spelled.
fn type_at(address: Value) -> Option<Type> {
    if address.is_global_variable() {
        return Some(address.global_type());
    }
    match operation(address)? {
        Opcode::LLVMAlloca => Some(address.allocated_type()),
        Opcode::LLVMGetElementPtr => {
            let element = stepped_to(address)?;
            // Bytes beyond something, or of an array that may be a union's.
            match is_array_of_characters(address.gep_type()) {
                true => type_at(address.operand(0)),
                false => Some(element),
            }
        }
        _ => None,
    }
}

/// The type of what a `getelementptr` leads to; `None` beyond what its type has.
fn stepped_to(gep: Value) -> Option<Type> {
    (2..gep.operand_count()).try_fold(gep.gep_type(), |ty, i| match ty.kind() {
        TypeKind::LLVMStructTypeKind => {
            ty.struct_members().get(usize::try_from(gep.operand(i).as_int()?).ok()?).copied()
        }
        _ => Some(ty.element()),
    })
}

/// What makes a value, if an instruction or a constant expression does.
fn operation(v: Value) -> Option<Opcode> {
    if v.is_instruction() { Some(v.opcode()) } else { v.const_opcode() }
}

fn is_byte(ty: Type) -> bool {
    ty.is_int() && ty.int_width() == 8
}

/// Whether a variable has nothing but characters: an array, or a class of one.
fn is_array_of_characters(ty: Type) -> bool {
    let parts = || if ty.is_struct() { ty.struct_members() } else { vec![ty.element()] };
    is_byte(ty) || ty.is_aggregate() && parts().into_iter().all(is_array_of_characters)
}

/// Whether the source says that reals lie at an address, or does not say what does.
fn leads_to_reals(address: Value, depth: u32) -> bool {
    match type_at(address) {
        Some(ty) if !ty.is_pointer() => ty.holds_float(),
        _ => comes_from(address, depth, leads_to_reals, |v| match parameter(v) {
            Some(ty) => is_reals(&ty) || is_untyped(&ty),
            None => called(v).is_some_and(|symbol| {
                !library::is_text(&symbol)
                    && llvm::demangled(&symbol).is_some_and(|name| returns_reals(&name))
            }),
        }),
    }
}

/// Whether the source says that an address comes from a parameter that leads to reals alone.
fn is_told_reals(address: Value, depth: u32) -> bool {
    let is_one = |ty: &str| matches!(ty, "double" | "float" | "long double");
    let is_told = |v: Value| parameter(v).is_some_and(|ty| pointee(&ty).is_some_and(is_one));
    type_at(address).is_none_or(Type::is_pointer)
        && comes_from(address, depth, is_told_reals, is_told)
}

/// Whether the source says that characters lie at an address, of a string or a buffer.
fn is_text(address: Value, depth: u32) -> bool {
    match type_at(address) {
        Some(ty) if !ty.is_pointer() => is_array_of_characters(ty),
        _ => comes_from(address, depth, is_text, |v| match parameter(v) {
            Some(ty) => is_characters(&ty) || is_untyped(&ty),
            None => called(v).is_some_and(|symbol| text::is_member(&symbol)),
        }),
    }
}

/// Whether an address is calculated from one of which `follow` says so: through variables that hold it,
/// choices, and calls that pass it; or whether `is` does of its origin.
fn comes_from(
    address: Value,
    depth: u32,
    follow: fn(Value, u32) -> bool,
    is: impl Fn(Value) -> bool,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let next = |v: Value| follow(v, depth);
    match operation(address) {
        Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast) => next(address.operand(0)),
        Some(Opcode::LLVMPHI) => address.incoming().into_iter().any(|(v, _)| next(v)),
        Some(Opcode::LLVMSelect) => next(address.operand(1)) || next(address.operand(2)),
        Some(Opcode::LLVMLoad) => {
            let holder = address.operand(0);
            operation(holder) == Some(Opcode::LLVMAlloca)
                && holder.users().into_iter().any(|u| {
                    operation(u) == Some(Opcode::LLVMStore)
                        && u.operand(1) == holder
                        && next(u.operand(0))
                })
        }
        None if is_of_c(address) => match depth.checked_sub(ON_CALLS) {
            Some(depth) => given(address).into_iter().any(|a| follow(a, depth)),
            None => false,
        },
        _ => is(address),
    }
}

/// Whether this is a parameter of a function of C, whose symbol has no types.
fn is_of_c(v: Value) -> bool {
    v.parameter_of().is_some_and(|f| !f.name().starts_with("_Z"))
}

/// What calls pass for a parameter, those that name the function.
fn given(parameter: Value) -> Vec<Value> {
    let Some(function) = parameter.parameter_of() else { return vec![] };
    let Some(at) = function.params().into_iter().position(|p| p == parameter) else {
        return vec![];
    };
    let calls = function.value().users().into_iter().filter(|u| {
        matches!(operation(*u), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
            && u.called().as_function() == Some(function)
            && u.argument_count() > at
    });
    calls.map(|call| call.operand(at)).collect()
}

/// The type that the source gives a parameter, by the name of its function.
fn parameter(v: Value) -> Option<String> {
    let function = v.parameter_of()?;
    let params = function.params();
    let mut declared = parameters(&function.name())?;
    let first = params.len().checked_sub(declared.len())?;
    let at = params.into_iter().position(|p| p == v)?.checked_sub(first)?;
    Some(declared.swap_remove(at))
}

/// The symbol of the function whose result this is.
fn called(v: Value) -> Option<String> {
    let is_call = matches!(operation(v), Some(Opcode::LLVMCall | Opcode::LLVMInvoke));
    is_call.then(|| v.called().as_function().map(Function::name)).flatten()
}

/// The types of a function's parameters as the source spells them; `None` where its symbol does not say.
fn parameters(symbol: &str) -> Option<Vec<String>> {
    listed(&llvm::demangled(symbol)?)
}

/// The last list in parentheses of a name, at its commas.
fn listed(name: &str) -> Option<Vec<String>> {
    let end = name.rfind(')')?;
    let mut depth = 0;
    let start = name[..=end].char_indices().rev().find_map(|(i, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(i)
    })?;
    let (mut found, mut depth, mut begin) = (vec![], 0, start + 1);
    for (i, c) in name[..end].char_indices().skip_while(|&(i, _)| i <= start) {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(name[begin..i].trim().to_owned());
                begin = i + 1;
            }
            _ => {}
        }
    }
    let last = name[begin..end].trim();
    if !last.is_empty() {
        found.push(last.to_owned());
    }
    Some(found)
}

/// What a pointer or a reference leads to, as the source spells it, without `const`.
fn pointee(ty: &str) -> Option<&str> {
    let plain = ty.trim_end_matches("const").trim();
    let inner = plain.strip_suffix('*').or_else(|| plain.strip_suffix('&'))?;
    Some(inner.trim_end_matches('&').trim_end_matches(" const"))
}

fn is_characters(ty: &str) -> bool {
    pointee(ty).is_some_and(|t| matches!(t, "char" | "unsigned char" | "signed char" | "std::byte"))
}

fn is_untyped(ty: &str) -> bool {
    pointee(ty) == Some("void")
}

/// Whether a function of a container of reals returns where some of them lie.
fn returns_reals(name: &str) -> bool {
    const ENDS: [&str; 10] = [
        "data()", "begin()", "end()", "front()", "back()", "get()", "operator*()", "operator->()",
        "operator[](unsigned long)", "at(unsigned long)",
    ];
    let plain = name.trim_end_matches(" const");
    let is_address = plain.contains("addressof<") || plain.contains("std::data<");
    is_reals(plain) && (is_address || ENDS.iter().any(|end| plain.ends_with(end)))
}

/// Whether a type, or the name of a function, is of reals.
fn is_reals(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|w| matches!(w, "double" | "float"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_the_last_list() {
        let of = |name: &str| listed(name).unwrap_or_default();
        assert_eq!(
            of("f(double const&, std::map<int, char>)"),
            ["double const&", "std::map<int, char>"]
        );
        assert_eq!(of("std::function<void (int)>::operator()(int) const"), ["int"]);
        assert_eq!(of("g(void (*)(int, int), char*)"), ["void (*)(int, int)", "char*"]);
        assert!(of("h()").is_empty() && listed("variable").is_none());
    }

    #[test]
    fn types_are_told_by_what_they_lead_to() {
        assert!(
            is_characters("char const*")
                && is_characters("unsigned char*")
                && is_characters("char&")
        );
        assert!(
            !is_characters("char") && !is_characters("char const**") && is_untyped("void const*")
        );
        assert!(is_reals("std::vector<double, std::allocator<double> >&") && !is_reals("doubles&"));
    }
}
