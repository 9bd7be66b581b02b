//! Type identifiers: how front ends say which classes a table of virtual functions serves, and of
//! which class a table is that was loaded.
//!
//! Source: LLVM, "Type Metadata".

use super::Value;
use llvm_sys::{
    core::*,
    prelude::{LLVMContextRef, LLVMMetadataRef},
};

/// How `tbaa` names types of pointers.
const POINTER_TO: &str = "p1 ";
/// How the linker's names of classes begin.
const CLASS_NAME: &str = "_ZTS";

/// The identifier of a class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeIdentifier {
    /// The symbol of its name (`_ZTS…`): the same in all files.
    Named(String),
    /// Of a class that other files do not see: a node of metadata.
    Local(LLVMMetadataRef),
}

impl TypeIdentifier {
    /// # Safety
    /// The metadata is one of a live context.
    unsafe fn read(context: LLVMContextRef, metadata: LLVMMetadataRef) -> TypeIdentifier {
        // SAFETY: as promised by the caller.
        let value = unsafe { Value::new(LLVMMetadataAsValue(context, metadata)) };
        value.metadata_text().map_or(TypeIdentifier::Local(metadata), TypeIdentifier::Named)
    }
}

/// # Safety
/// The handle names a live value.
unsafe fn context_of(value: Value) -> LLVMContextRef {
    // SAFETY: as promised by the caller.
    unsafe { LLVMGetTypeContext(LLVMTypeOf(value.raw())) }
}

impl Value {
    /// The identifier that an argument of a call is.
    pub fn as_type_identifier(self) -> Option<TypeIdentifier> {
        // SAFETY: the handle names a live value (module rule), which is metadata; contexts outlive
        // what is in them.
        self.is_metadata().then(|| unsafe {
            TypeIdentifier::read(context_of(self), LLVMValueAsMetadata(self.raw()))
        })
    }
    /// The class of the object to which a pointer leads (`_ZTS…`), as the `tbaa` tag of the load or the store of
    /// the pointer says.
    pub fn class_behind(self) -> Option<String> {
        let pointer = self.tbaa_type()?;
        let class = pointer.strip_prefix(POINTER_TO).filter(|c| c.starts_with(CLASS_NAME))?;
        Some(class.to_owned())
    }
    /// The classes that a global variable serves as a table of virtual functions, each with the
    /// bytes from its start to the address that objects hold.
    pub fn type_identifiers(self) -> Vec<(u64, TypeIdentifier)> {
        let mut found = vec![];
        // SAFETY: the handle names a live global variable (module rule); the list is disposed of;
        // nodes of this kind have two operands, and buffers the length that LLVM reports.
        unsafe {
            let context = context_of(self);
            let kind = LLVMGetMDKindIDInContext(context, c"type".as_ptr(), 4);
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            for i in 0..count as u32 {
                if LLVMValueMetadataEntriesGetKind(entries, i) != kind {
                    continue;
                }
                let node = LLVMValueMetadataEntriesGetMetadata(entries, i);
                let node = LLVMMetadataAsValue(context, node);
                let mut operands =
                    vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
                LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
                if let [offset, identifier] = operands[..]
                    && let Some(offset) = Value::new(offset).as_int()
                {
                    let identifier = LLVMValueAsMetadata(identifier);
                    found.push((offset as u64, TypeIdentifier::read(context, identifier)));
                }
            }
            LLVMDisposeValueMetadataEntries(entries);
        }
        found
    }
}
