//! Source locations and names from debug information, and remarks that are placed by them.

use super::{Context, Function, Module, Remark, Value, shim};
use llvm_sys::{core::*, debuginfo::*, prelude::*};
use std::ffi::{c_char, c_uint};

/// A debug location: a place in the source, and where its function was inlined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Location(pub(super) LLVMMetadataRef);

/// A file of the source: its name as the compiler was given it, and the folder that a relative name
/// starts from.
pub struct File {
    /// Name.
    pub name: String,
    /// Folder.
    pub folder: String,
}

impl Location {
    /// Its line; 0 for code without one.
    pub fn line(self) -> u32 {
        // SAFETY: the handle names a location of the live module (module rule).
        unsafe { LLVMDILocationGetLine(self.0) }
    }
    /// Its column, 0 where it is not known.
    pub fn column(self) -> u32 {
        // SAFETY: the handle names a location of the live module.
        unsafe { LLVMDILocationGetColumn(self.0) }
    }
    /// Its file.
    pub fn file(self) -> Option<File> {
        // SAFETY: the handle names a location of the live module; a location has a scope.
        unsafe { file_of(LLVMDILocationGetScope(self.0)) }
    }
    /// Where the code was inlined.
    pub fn inlined_at(self) -> Option<Location> {
        // SAFETY: the handle names a location of the live module.
        let at = unsafe { LLVMDILocationGetInlinedAt(self.0) };
        (!at.is_null()).then_some(Location(at))
    }
}

/// # Safety
/// `scope` is a debug scope of a live module.
unsafe fn file_of(scope: LLVMMetadataRef) -> Option<File> {
    type Get = unsafe extern "C" fn(LLVMMetadataRef, *mut c_uint) -> *const c_char;
    // SAFETY: the caller's promise; LLVM returns `length` bytes.
    unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return None;
        }
        let text = |get: Get| {
            let mut length = 0;
            let text = get(file, &mut length);
            if text.is_null() {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize))
                .into_owned()
        };
        Some(File { name: text(LLVMDIFileGetFilename), folder: text(LLVMDIFileGetDirectory) })
    }
}

impl Value {
    /// The debug location of an instruction.
    pub fn debug_location(self) -> Option<Location> {
        // SAFETY: a handle names a live value (module rule).
        let at = unsafe { LLVMInstructionGetDebugLoc(self.raw()) };
        (!at.is_null()).then_some(Location(at))
    }
    /// Where the loop starts whose latch this terminator ends, as `llvm.loop` says.
    pub fn loop_location(self) -> Option<Location> {
        // SAFETY: the handle names a live value (module rule); the buffer has the length that LLVM
        // reports.
        unsafe {
            let id = LLVMGetMDKindIDInContext(
                LLVMGetTypeContext(LLVMTypeOf(self.raw())),
                c"llvm.loop".as_ptr(),
                9,
            );
            let node = LLVMGetMetadata(self.raw(), id);
            if node.is_null() {
                return None;
            }
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
            let metadata =
                operands.into_iter().filter(|o| !o.is_null()).map(|o| LLVMValueAsMetadata(o));
            metadata
                .into_iter()
                .find(|&m| {
                    matches!(LLVMGetMetadataKind(m), LLVMMetadataKind::LLVMDILocationMetadataKind)
                })
                .map(Location)
        }
    }
    /// The source variable that an instruction's value is, as debug information tells.
    pub fn variable_name(self) -> Option<String> {
        shim::variable_name(self)
    }
}

impl Function {
    /// File and line of its definition.
    pub fn definition(self) -> Option<(File, u32)> {
        // SAFETY: a handle names a live function (module rule).
        unsafe {
            let subprogram = LLVMGetSubprogram(self.raw());
            if subprogram.is_null() {
                return None;
            }
            Some((file_of(subprogram)?, LLVMDISubprogramGetLine(subprogram)))
        }
    }
    /// Its name in the source.
    pub fn source_name(self) -> String {
        shim::source_name(self).unwrap_or_else(|| self.name())
    }
    /// Gives a remark of pass `ad` about this function, which has a body; at its own line without a
    /// location.
    pub fn remark(self, kind: Remark, name: &str, text: &str, at: Option<Location>) {
        shim::remark(self, kind, name, text, at.map_or(std::ptr::null_mut(), |l| l.0));
    }
}

impl Context {
    /// Whether anybody listens to remarks of pass `ad`.
    pub fn wants_remarks(self, kind: Remark) -> bool {
        shim::remarks_wanted(self, kind)
    }
}

impl Module {
    /// The source file: what the module says, or its debug information where the front end (flang)
    /// names none.
    pub fn primary_file(self) -> String {
        let named = self.source_file();
        if named.is_empty() || named == "FIRModule" {
            shim::unit_file(self).unwrap_or(named)
        } else {
            named
        }
    }
}
