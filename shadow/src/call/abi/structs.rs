//! Structs that are passed by value, or returned, in memory.
//!
//! Generated code has a pointer in place of the struct. Of a result the callee gets that pointer:
//! it is an argument like others. Of an argument the callee gets a copy among its arguments on the
//! stack; what the pointer leads to is an object of the call as well, so its dots or indices are in
//! shadow memory when the callee starts, and go along with the copy, as they would if machine code
//! had made it. What the callee does to its copy nobody sees.
//!
//! The size is known from the type: where nothing else says how long the object is, it is that.

use crate::{
    Error,
    call::{
        objects::{
            extents::{self, Variable},
            reach::Pointer,
        },
        thread::with,
    },
    machine::word::BYTES,
    memory::space,
};

/// A struct.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// Which pointer of the call leads to it.
    pointer: usize,
    bytes: u64,
    /// Where among the arguments on the stack its copy is; none of a result.
    copy: Option<u64>,
}

/// `adshadow_struct`.
pub fn next(bytes: u64, copy: Option<u64>) {
    with(|boundary| {
        let call = boundary.call()?;
        call.structs.push(Struct { pointer: call.pointers.len(), bytes, copy });
        Ok(())
    });
}

/// `adshadow_integer`.
pub fn check_integer(shadow: u64) {
    with(|_| match shadow {
        0 => Ok(()),
        _ => Err(Error::SharedRegister),
    });
}

impl Struct {
    /// What its pointer leads to, if no other word says how long that is.
    pub fn variable(&self, pointers: &[Pointer], variables: &[Variable]) -> Option<Variable> {
        let pointer = pointers.get(self.pointer)?;
        let is_unknown = |at: u64| at != 0 && extents::of(at, variables).is_none();
        let needed = is_unknown(pointer.primal) || is_unknown(pointer.shadow);
        needed.then(|| Variable::new(pointer.primal, pointer.shadow, self.bytes))
    }

    /// The callee is about to run, its arguments on the stack start there: their copy of the struct
    /// gets its shadows.
    pub fn copy_shadows(&self, pointers: &[Pointer], arguments: u64) {
        let (Some(copy), Some(pointer)) = (self.copy, pointers.get(self.pointer)) else { return };
        let (from, to) =
            (space::of(pointer.primal) as *const u8, space::of(arguments + copy) as *mut u8);
        let (bytes, whole) =
            (self.bytes as usize, self.bytes.next_multiple_of(BYTES as u64) as usize);
        // What has no shadow memory has no shadow.
        let known = if space::covers(pointer.primal..pointer.primal + self.bytes).is_ok() {
            bytes
        } else {
            0
        };
        // SAFETY: shadow memory of an object of the call, and of the stack.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, known);
            to.add(known).write_bytes(0, bytes - known);
            to.add(bytes).write_bytes(0, whole - bytes);
        }
    }
}
