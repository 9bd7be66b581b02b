//! Handles: numbers of values, which LLVM itself takes back when it deletes a value.
//!
//! A value of LLVM may go at any time: it is erased, its function is deleted, or a pass finds that
//! nobody needs it. Nothing in Rust's types says which handles named it. So a handle is a number in
//! a table of this thread, and LLVM reports each deletion of a value that has one
//! (shim/handles.cpp): the number names nothing from then on, and whoever uses it is stopped by a
//! panic, which the plugin reports as an internal error. A number is never given twice during one
//! pass: equality of handles is identity of values, also of those that are gone.
//!
//! On a generated module of 250 functions this takes 2% of the time and 15% of the memory of a
//! compilation with an adjoint.

use llvm_sys::prelude::*;
use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
    ffi::c_uint,
    hash::{BuildHasherDefault, Hasher},
    ptr::null_mut,
};

unsafe extern "C" {
    fn adshim_watch(value: LLVMValueRef, number: c_uint, deleted: extern "C" fn(c_uint));
    fn adshim_watch_none();
}

/// A value of the module, or none any more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Handle(u32);

#[derive(Default)]
struct Table {
    /// By number; null where the value was deleted.
    values: Vec<LLVMValueRef>,
    numbers: HashMap<LLVMValueRef, u32, BuildHasherDefault<AddressHasher>>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

impl Handle {
    /// The handle of a value that LLVM returned. Of null it is one that names nothing.
    pub(super) fn new(value: LLVMValueRef) -> Handle {
        let (number, is_new) = TABLE.with_borrow_mut(|table| {
            let next = table.values.len() as u32;
            match table.numbers.entry(value) {
                Entry::Occupied(known) => (*known.get(), false),
                Entry::Vacant(free) => {
                    free.insert(next);
                    table.values.push(value);
                    (next, !value.is_null())
                }
            }
        });
        if is_new {
            // SAFETY: LLVM returned the value just now, so it is alive; the watch ends before its
            // context does (`Scope`).
            unsafe { adshim_watch(value, number, deleted) };
        }
        Handle(number)
    }
    /// Whether the value is alive.
    pub(super) fn exists(self) -> bool {
        TABLE.with_borrow(|table| table.values.get(self.0 as usize).is_some_and(|v| !v.is_null()))
    }
    /// The value, which is alive. Panics if it was deleted.
    pub(super) fn get(self) -> LLVMValueRef {
        let value = TABLE.with_borrow(|table| table.values.get(self.0 as usize).copied());
        value.filter(|v| !v.is_null()).expect("a handle is used after its value was deleted")
    }
}

/// LLVM deletes a value.
extern "C" fn deleted(number: c_uint) {
    TABLE.with_borrow_mut(|table| {
        let value = std::mem::replace(&mut table.values[number as usize], null_mut());
        table.numbers.remove(&value);
    });
}

/// The time of one pass over a module: behind it, no handle of before names anything.
pub struct Scope(());

impl Scope {
    /// Begins one.
    pub fn begin() -> Scope {
        clear();
        Scope(())
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        clear();
    }
}

fn clear() {
    // SAFETY: ends all watches of this thread; the values are alive, or their watches are ended.
    unsafe { adshim_watch_none() };
    TABLE.with_borrow_mut(|table| *table = Table::default());
}

/// Addresses are multiples of 8 or 16: the multiplication moves what differs to where the table
/// looks.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_usize(b.into()));
    }
    fn write_usize(&mut self, n: usize) {
        let product = (self.0 ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Builder, Module, Type, Value};
    use super::*;
    use llvm_sys::core::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Runs `check` on x, y = x + x and z = y + y, of a function that returns z, with a builder
    /// before y.
    fn with_sums(check: impl FnOnce(&Builder, [Value; 3])) {
        // SAFETY: the module is alive until the end, and on this thread alone.
        unsafe {
            let context = LLVMContextCreate();
            let raw = LLVMModuleCreateWithNameInContext(c"sums".as_ptr(), context);
            let scope = Scope::begin();
            let module = Module::from_raw(raw);
            let f64 = module.context().f64();
            let f = module.add_function("f", Type::function(f64, &[f64], false));
            let b = Builder::at_end(module.context(), f.append_block("entry"));
            let x = f.params()[0];
            let y = b.fadd(x, x);
            let z = b.fadd(y, y);
            b.ret(z);
            b.position_before(y);
            check(&b, [x, y, z]);
            drop((b, scope));
            LLVMDisposeModule(raw);
            LLVMContextDispose(context);
        }
    }

    fn panics(run: impl FnOnce()) -> bool {
        catch_unwind(AssertUnwindSafe(run)).is_err()
    }

    #[test]
    fn a_handle_of_what_was_erased_is_not_used() {
        with_sums(|_, [x, y, z]| {
            y.erase();
            assert!(panics(|| _ = y.opcode()) && panics(|| y.erase()));
            assert!(z.operand(0).is_undef() && x.users().is_empty());
        });
    }

    #[test]
    fn what_passes_delete_is_gone() {
        with_sums(|_, [_, y, z]| {
            z.replace_uses(z.ty().zero());
            let f = z.block().function();
            f.run_passes("dce").expect("a known pass");
            assert!(panics(|| _ = y.ty()) && panics(|| _ = z.ty()));
            assert_eq!(f.blocks()[0].instructions().len(), 1);
        });
    }

    #[test]
    fn nothing_is_built_before_what_was_erased() {
        with_sums(|b, [x, y, _]| {
            b.fadd(x, x);
            y.erase();
            assert!(panics(|| _ = b.fadd(x, x)));
        });
    }

    #[test]
    fn a_handle_names_one_value_only() {
        with_sums(|b, [x, y, z]| {
            b.position_before(z);
            y.erase();
            let others: Vec<Value> = (0..100).map(|_| b.fadd(x, x)).collect();
            assert!(!others.contains(&y));
        });
    }
}
