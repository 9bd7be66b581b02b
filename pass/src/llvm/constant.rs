//! Constants that initialise globals, and linkage: what the registry reads and changes.

use super::{Function, Module, TypeKind, Value, c_string, shim};
use llvm_sys::{LLVMLinkage, LLVMVisibility, core::*};

/// How the linker treats a function of this name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// Visible to other modules.
    External,
    /// Known in this module only.
    Internal,
    /// One of several equal definitions: passes do not look into it to tell what it returns.
    Several,
    /// A definition that gives way to another object's.
    Replaceable,
    /// A copy, for the passes alone, of what another object or library defines.
    Elsewhere,
    /// Any other.
    Other,
}

impl Value {
    /// The initial value of a global variable.
    pub fn initializer(self) -> Option<Value> {
        // SAFETY: a handle names a live value (module rule); only global variables are asked.
        unsafe {
            let v = if self.is_global_variable() {
                LLVMGetInitializer(self.raw())
            } else {
                std::ptr::null_mut()
            };
            (!v.is_null()).then_some(Value::new(v))
        }
    }
    /// Element `i` of a constant array or struct; `None` where there is none.
    pub fn constant_element(self, i: u32) -> Option<Value> {
        // SAFETY: the handle names a live value (module rule); LLVM returns null for what is no
        // aggregate or has no such element.
        unsafe {
            let ty = self.ty();
            let has_parts =
                ty.is_struct() || ty.is_vector() || ty.kind() == TypeKind::LLVMArrayTypeKind;
            if LLVMIsAConstant(self.raw()).is_null() || !has_parts {
                return None;
            }
            let v = LLVMGetAggregateElement(self.raw(), i);
            (!v.is_null()).then_some(Value::new(v))
        }
    }
    /// The value of a constant real, as a double; `None` where that loses something.
    pub fn as_real(self) -> Option<f64> {
        let mut loses = 0;
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            let c = LLVMIsAConstantFP(self.raw());
            let value = (!c.is_null()).then(|| LLVMConstRealGetDouble(c, &mut loses));
            value.filter(|_| loses == 0)
        }
    }
    /// The number that was made an address (`(void *)2`).
    pub fn address_as_int(self) -> Option<i64> {
        (self.const_opcode() == Some(super::Opcode::LLVMIntToPtr))
            .then(|| self.operand(0).as_int())
            .flatten()
    }
    /// The text of a constant C string, or of the global variable that holds it.
    pub fn constant_text(self) -> Option<String> {
        let scalar = self.initializer().unwrap_or(self);
        // SAFETY: the handle names a live value (module rule); LLVM returns `length` bytes of a
        // string.
        unsafe {
            if LLVMIsAConstantDataArray(scalar.raw()).is_null()
                || LLVMIsConstantString(scalar.raw()) == 0
            {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetAsString(scalar.raw(), &mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
            Some(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned())
        }
    }
    /// Whether it is metadata, as an argument of a call.
    pub fn is_metadata(self) -> bool {
        self.ty().kind() == TypeKind::LLVMMetadataTypeKind
    }
    /// The text of a string of metadata.
    pub fn metadata_text(self) -> Option<String> {
        // SAFETY: the handle names a live value (module rule); LLVM returns `length` bytes of a
        // string, and null of all that is none.
        unsafe {
            let mut length = 0;
            let text = LLVMGetMDString(self.raw(), &mut length);
            (!text.is_null()).then(|| {
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
                String::from_utf8_lossy(bytes).into_owned()
            })
        }
    }
    /// Gives it another name; none, if that is empty.
    pub fn set_name(self, name: &str) {
        let c = c_string(name);
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMSetValueName2(self.raw(), c.as_ptr(), c.as_bytes().len()) }
    }
    /// Whether another module may define a variable of this name: passes do not know its value.
    pub fn set_open(self, is_open: bool) {
        // SAFETY: the handle names a live value (module rule), and only global variables are given.
        unsafe {
            if is_open {
                LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMWeakAnyLinkage);
                LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMHiddenVisibility);
            } else {
                LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMDefaultVisibility);
                LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMInternalLinkage);
            }
        }
    }
    /// Whether no other module can see a global variable.
    pub fn is_private_global(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            matches!(
                LLVMGetLinkage(self.raw()),
                LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
            )
        }
    }
    /// Takes a global variable or a function off the lists that keep it in the module.
    pub fn forget_used(self) {
        shim::forget_used(self);
    }
    /// Keeps a global variable or a function in the module, whether something refers to it or not.
    pub fn keep_used(self) {
        shim::keep_used(self);
    }
    /// Whether a module may do without this definition if nothing refers to it.
    pub fn is_discardable(self) -> bool {
        shim::is_discardable(self)
    }
    /// Deletes constant expressions over it that nothing uses.
    pub fn drop_dead_users(self) {
        shim::drop_dead_users(self);
    }
    /// Marks a global variable; see [`Value::has_mark`].
    pub fn set_mark(self, mark: &str) {
        // SAFETY: the handle names a live value (module rule); the empty node outlives the call.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let kind = LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32);
            LLVMGlobalSetMetadata(
                self.raw(),
                kind,
                LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0),
            );
        }
    }
    /// The module of a global variable.
    pub fn global_module(self) -> Module {
        // SAFETY: the handle names a live global value (module rule).
        unsafe { Module::from_raw(LLVMGetGlobalParent(self.raw())) }
    }
    /// Marks a global variable with a text.
    pub fn set_mark_text(self, mark: &str, text: &str) {
        // SAFETY: the handle names a live value (module rule); the node outlives the call.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let kind = LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32);
            let mut text = LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len());
            let node = LLVMMDNodeInContext2(context, &mut text, 1);
            LLVMGlobalSetMetadata(self.raw(), kind, node);
        }
    }
    /// The text that a global variable was marked with.
    pub fn mark_text(self, mark: &str) -> Option<String> {
        // SAFETY: the handle names a live value (module rule); the list is disposed of; a mark with a
        // text has one operand.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let kind = LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32);
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let node = (0..count as u32)
                .find(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == kind)
                .map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i));
            LLVMDisposeValueMetadataEntries(entries);
            let node = LLVMMetadataAsValue(context, node?);
            if LLVMGetMDNodeNumOperands(node) != 1 {
                return None;
            }
            let mut text = std::ptr::null_mut();
            LLVMGetMDNodeOperands(node, &mut text);
            Value::new(text).metadata_text()
        }
    }
    /// Whether a global variable was marked.
    pub fn has_mark(self, mark: &str) -> bool {
        // SAFETY: the handle names a live value (module rule); the list is disposed of.
        unsafe {
            if LLVMIsAGlobalVariable(self.raw()).is_null() {
                return false;
            }
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let kind = LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32);
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let found =
                (0..count as u32).any(|i| LLVMValueMetadataEntriesGetKind(entries, i) == kind);
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }
    /// The names of those of `kinds` that a global variable or a function has metadata of.
    pub fn metadata_kinds(self, kinds: &[&'static str]) -> Vec<&'static str> {
        // SAFETY: the handle names a live value (module rule), and only global variables and
        // functions are given; the list is disposed of.
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let id = |kind: &str| {
                LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32)
            };
            let has = |kind: &&&'static str| {
                let id = id(kind);
                (0..count as u32).any(|i| LLVMValueMetadataEntriesGetKind(entries, i) == id)
            };
            let found = kinds.iter().filter(|_| count > 0).filter(has).copied().collect();
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }
    /// Takes a mark away.
    pub fn clear_mark(self, mark: &str) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            LLVMGlobalEraseMetadata(
                self.raw(),
                LLVMGetMDKindIDInContext(context, mark.as_ptr().cast(), mark.len() as u32),
            );
        }
    }
}

impl Function {
    /// Its linkage.
    pub fn linkage(self) -> Linkage {
        // SAFETY: a handle names a live function (module rule).
        match unsafe { LLVMGetLinkage(self.raw()) } {
            LLVMLinkage::LLVMExternalLinkage => Linkage::External,
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage => Linkage::Internal,
            LLVMLinkage::LLVMWeakODRLinkage => Linkage::Several,
            LLVMLinkage::LLVMWeakAnyLinkage => Linkage::Replaceable,
            LLVMLinkage::LLVMAvailableExternallyLinkage => Linkage::Elsewhere,
            _ => Linkage::Other,
        }
    }
    /// Lets the program be linked without this function, which has no body: its address is null
    /// then.
    pub fn make_weak_reference(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMExternalWeakLinkage) }
    }
    /// Keeps it from other libraries.
    pub fn hide(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMHiddenVisibility) }
    }
    /// Sets one of the linkages that have a name here. What was known in this module only stays
    /// hidden from other libraries.
    pub fn set_linkage(self, linkage: Linkage) {
        let was_internal = self.linkage() == Linkage::Internal;
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            match linkage {
                Linkage::External => LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMExternalLinkage),
                Linkage::Internal => {
                    // The verifier wants private functions visible by default.
                    LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMDefaultVisibility);
                    LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMInternalLinkage);
                }
                Linkage::Several => {
                    LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMWeakODRLinkage);
                    if was_internal {
                        LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMHiddenVisibility);
                    }
                }
                Linkage::Replaceable => {
                    LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMWeakAnyLinkage);
                }
                Linkage::Elsewhere | Linkage::Other => {}
            }
        }
    }
    /// Removes a string attribute.
    pub fn remove_attribute_string(self, name: &str) {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            LLVMRemoveStringAttributeAtIndex(
                self.raw(),
                index,
                name.as_ptr().cast(),
                name.len() as u32,
            );
        }
    }
}
