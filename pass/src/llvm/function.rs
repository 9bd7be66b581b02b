//! Functions and blocks.

use super::{
    AccessRange, Builder, Debug, Extents, Loops, Reach, StripNames, Type, Value, c_string, shim,
    take_message,
};
use llvm_sys::{LLVMLinkage, core::*, prelude::*, transforms::pass_builder::*};

/// A function, defined or declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    value: Value,
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    value: Value,
}

/// What flang spells of a descriptor.
#[derive(Clone, Copy)]
pub struct Described {
    /// Its rank.
    pub rank: u8,
    /// Whether the type of a derived object follows.
    pub has_addendum: bool,
    /// The code of an intrinsic type.
    pub ty: Option<u8>,
    /// Whether it is a pointer or allocatable.
    pub attribute: Option<u8>,
    /// The description of its type, of which all its objects are.
    pub derived: Option<Value>,
}

/// What a member of a structure is that a parameter leads to.
#[derive(Clone, Copy)]
pub enum Member {
    /// A number of so many bytes.
    Number {
        /// Its size.
        bytes: u32,
        /// Itself.
        number: u64,
    },
    /// The address of a variable.
    Variable(Value),
}

impl Function {
    /// The handle of what LLVM returned.
    pub(super) fn new(raw: LLVMValueRef) -> Function {
        Function { value: Value::new(raw) }
    }
    /// LLVM's function, which is alive.
    pub(super) fn raw(self) -> LLVMValueRef {
        self.value.raw()
    }
    /// The function as a value: its address.
    pub fn value(self) -> Value {
        self.value
    }
    /// Its symbol.
    pub fn name(self) -> String {
        self.value().name()
    }
    /// Its function type.
    pub fn ty(self) -> Type {
        // SAFETY: a handle names a live function (module rule).
        Type(unsafe { LLVMGlobalGetValueType(self.raw()) })
    }
    /// Whether it has no body here.
    pub fn is_declaration(self) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMIsDeclaration(self.raw()) != 0 }
    }
    /// Whether a definition elsewhere may take this one's place at link time.
    pub fn is_interposable(self) -> bool {
        shim::is_interposable(self)
    }
    /// Makes blocks of the heap that each iteration of a loop allocates and frees one for all
    /// iterations; whether there were any.
    pub fn share_temporaries(self) -> bool {
        shim::share_temporaries(self)
    }
    /// Whether another function is the same code, apart from debug information.
    pub fn is_same_code(self, other: Function) -> bool {
        shim::is_same_code(self, other)
    }
    /// Its parameters.
    pub fn params(self) -> Vec<Value> {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            (0..LLVMCountParams(self.raw()))
                .map(|i| Value::new(LLVMGetParam(self.raw(), i)))
                .collect()
        }
    }
    /// Names of the parameters, from the IR or from debug information: (index, name), possibly
    /// several per index.
    pub fn parameter_names(self) -> Vec<(usize, String)> {
        shim::parameter_names(self)
    }
    /// Its blocks in order, the entry first.
    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = vec![];
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let mut b = LLVMGetFirstBasicBlock(self.raw());
            while !b.is_null() {
                blocks.push(Block::new(b));
                b = LLVMGetNextBasicBlock(b);
            }
        }
        blocks
    }
    /// Appends an empty block.
    pub fn append_block(self, name: &str) -> Block {
        let name = c_string(name);
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            Block::new(LLVMAppendBasicBlockInContext(
                LLVMGetTypeContext(LLVMTypeOf(self.raw())),
                self.raw(),
                name.as_ptr(),
            ))
        }
    }
    /// Clones `source`'s body into this empty function; `map(old, new)` is told each block (as a
    /// value) and instruction.
    pub fn clone_body(self, source: Function, debug: Debug, map: impl FnMut(Value, Value)) {
        shim::clone_into(self, source, debug, map);
    }
    /// Runs a textual pipeline of function passes on this function alone. Handles of what they
    /// delete name nothing any more.
    pub fn run_passes(self, pipeline: &str) -> Result<(), String> {
        let text = c_string(pipeline);
        // SAFETY: the handle names a live function (module rule); options are disposed of.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error =
                LLVMRunPassesOnFunction(self.raw(), text.as_ptr(), std::ptr::null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            super::passes_result(error)
        }
    }
    /// Forgets what it says of its loops.
    pub fn forget_loops(self) {
        shim::forget_loops(self);
    }
    /// Makes loads of a member at an offset from a parameter what it is.
    pub fn fix_member(self, parameter: u32, offset: u32, member: Member) {
        shim::fix_member(self, parameter, offset, member);
    }
    /// Makes computed gotos switches over the labels, in a function that is nothing yet but a copy
    /// of `source`, where all that they jump to is known to be labels of that function.
    pub fn number_labels(self, source: Function) {
        shim::number_labels(self, source);
    }
    /// Makes accesses to one of two members, as pointers, branches with an access on each side;
    /// whether there were any.
    pub fn split_choices(self) -> bool {
        shim::split_choices(self)
    }
    /// Makes loads from one of several objects, chosen by pointers, branches with a load of one object
    /// on each side; whether there were any.
    pub fn split_sources(self) -> bool {
        shim::split_sources(self)
    }
    /// Carries the cells of arrays that neighbouring iterations of an innermost loop work on in
    /// registers; in how many loops.
    pub fn carry_windows(self) -> u32 {
        shim::carry_windows(self)
    }
    /// Cuts innermost loops that add to shadows of shared memory into strips within which each thread
    /// adds at one distance; how many loops.
    pub fn cut_strips(self, names: &StripNames) -> u32 {
        shim::cut_strips(self, names)
    }
    /// Divides the function, if it is large, into parts of about `size` instructions that it calls
    /// one after the other; these.
    pub fn divide(self, size: u32) -> Vec<Function> {
        shim::divide(self, size)
    }
    /// Gives each loop a counter and, where known at its entry, a trip count; each exit a phi of
    /// the counter; says what follows from counters.
    pub fn count_loops(self) -> Loops {
        shim::count_loops(self)
    }
    /// Appends to `block`, in a function whose first parameters are this one's, code that computes
    /// from them how far these accesses of this function reach, per memory, and the same of
    /// shadows: `shadow_params` are the numbers of the parameters' shadows there. With `wants_sure`,
    /// also what is surely accessed.
    pub fn emit_extents(
        self,
        block: Block,
        accesses: &[Reach],
        shadow_params: &[Option<u32>],
        memories: u32,
        wants_sure: bool,
    ) -> Extents {
        shim::emit_extents(self, block, accesses, shadow_params, memories, wants_sure)
    }
    /// Emits what accesses of this function reach from its pointers, where `builder` stands and it
    /// is called with these arguments; `None` where nobody can tell.
    pub fn emit_ranges(
        self,
        builder: &Builder,
        arguments: &[Option<Value>],
        accesses: &[Reach],
    ) -> Vec<Option<AccessRange>> {
        shim::emit_ranges(self, builder.raw(), arguments, accesses)
    }
    /// What LLVM's verifier says against the function.
    pub fn verify(self) -> Result<(), String> {
        shim::verify(self)
    }
    /// Whether parameter `i` carries the enum attribute.
    pub fn param_has_attribute(self, i: usize, name: &str) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.raw(), i as u32 + 1, kind).is_null()
        }
    }
    /// Type behind parameter 0's `sret` attribute, or of parameter `i`'s `byval` attribute.
    pub fn param_type_attribute(self, i: usize, name: &str) -> Option<Type> {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let a = LLVMGetEnumAttributeAtIndex(self.raw(), i as u32 + 1, kind);
            (!a.is_null()).then(|| Type(LLVMGetTypeAttributeValue(a)))
        }
    }
    /// The alignment that parameter `i` promises.
    pub fn param_alignment(self, i: usize) -> Option<u64> {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let a = LLVMGetEnumAttributeAtIndex(self.raw(), i as u32 + 1, kind);
            (!a.is_null()).then(|| LLVMGetEnumAttributeValue(a))
        }
    }
    /// Adds an enum attribute to the function.
    pub fn add_attribute(self, name: &str) {
        self.add_attribute_at(llvm_sys::LLVMAttributeFunctionIndex, name);
    }
    /// Lets exceptions pass through it.
    pub fn add_unwind_table(self) {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let name = "uwtable";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            const ASYNCHRONOUS: u64 = 2;
            LLVMAddAttributeAtIndex(
                self.raw(),
                llvm_sys::LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(context, kind, ASYNCHRONOUS),
            );
        }
    }
    /// Adds an enum attribute to parameter `i`.
    pub fn add_param_attribute(self, i: usize, name: &str) {
        self.add_attribute_at(i as u32 + 1, name);
    }
    fn add_attribute_at(self, index: u32, name: &str) {
        // SAFETY: the handle names a live function (module rule); unknown attributes have kind 0
        // and are skipped.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 {
                let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
                LLVMAddAttributeAtIndex(
                    self.raw(),
                    index,
                    LLVMCreateEnumAttribute(context, kind, 0),
                );
            }
        }
    }
    /// Whether the function has an enum attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.raw(), llvm_sys::LLVMAttributeFunctionIndex, kind)
                .is_null()
        }
    }
    /// Removes an enum attribute from the function.
    pub fn remove_attribute(self, name: &str) {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(self.raw(), llvm_sys::LLVMAttributeFunctionIndex, kind);
        }
    }
    /// Drops all that attributes say of its result.
    pub fn clear_result_attributes(self) {
        self.clear_attributes_at(llvm_sys::LLVMAttributeReturnIndex);
    }
    /// Drops what is said of a parameter, but for strings.
    pub fn clear_param_attributes(self, i: usize) {
        self.clear_attributes_at(i as u32 + 1);
    }
    fn clear_attributes_at(self, at: u32) {
        // SAFETY: the handle names a live function (module rule); LLVM fills in as many attributes
        // as it counted.
        unsafe {
            let count = LLVMGetAttributeCountAtIndex(self.raw(), at) as usize;
            let mut all = vec![std::ptr::null_mut(); count];
            LLVMGetAttributesAtIndex(self.raw(), at, all.as_mut_ptr());
            for attribute in all.into_iter().filter(|a| LLVMIsStringAttribute(*a) == 0) {
                let kind = LLVMGetEnumAttributeKind(attribute);
                LLVMRemoveEnumAttributeAtIndex(self.raw(), at, kind);
            }
        }
    }
    /// Drops its debug information.
    pub fn clear_debug(self) {
        // SAFETY: the handle names a live function (module rule); a null subprogram removes the
        // attachment.
        unsafe { llvm_sys::debuginfo::LLVMSetSubprogram(self.raw(), std::ptr::null_mut()) }
    }
    /// Turns a definition into a declaration.
    pub fn delete_body(self) {
        shim::delete_body(self);
    }
    /// Adds a string attribute to parameter `i`.
    pub fn add_param_string(self, i: u32, name: &str, value: &str) {
        // SAFETY: the handle names a live function (module rule), which has this parameter.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let (n, v) = (name.as_ptr().cast(), value.as_ptr().cast());
            let a = LLVMCreateStringAttribute(context, n, name.len() as u32, v, value.len() as u32);
            LLVMAddAttributeAtIndex(self.raw(), i + 1, a);
        }
    }
    /// The string attribute of that name of parameter `i`.
    pub fn param_string(self, i: u32, name: &str) -> Option<String> {
        let found = self.strings_at(i + 1, name).into_iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value)
    }
    /// Adds a string attribute.
    pub fn add_attribute_string(self, name: &str, value: &str) {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let (n, v) = (name.as_ptr().cast(), value.as_ptr().cast());
            let a = LLVMCreateStringAttribute(context, n, name.len() as u32, v, value.len() as u32);
            LLVMAddAttributeAtIndex(self.raw(), llvm_sys::LLVMAttributeFunctionIndex, a);
        }
    }
    /// Its string attributes whose names begin with `prefix`, and what they say.
    pub fn attribute_strings(self, prefix: &str) -> Vec<(String, String)> {
        self.strings_at(llvm_sys::LLVMAttributeFunctionIndex, prefix)
    }
    /// The same of its parameters.
    pub fn param_attribute_strings(self, prefix: &str) -> Vec<(String, String)> {
        let params = 1..=self.ty().function_params().len() as u32;
        params.flat_map(|i| self.strings_at(i, prefix)).collect()
    }
    fn strings_at(self, index: u32, prefix: &str) -> Vec<(String, String)> {
        // SAFETY: the handle names a live function (module rule); LLVM fills in as many attributes
        // as it counted.
        let all = unsafe {
            let count = LLVMGetAttributeCountAtIndex(self.raw(), index) as usize;
            let mut all = vec![std::ptr::null_mut(); count];
            LLVMGetAttributesAtIndex(self.raw(), index, all.as_mut_ptr());
            all
        };
        let text = |get: unsafe extern "C" fn(_, *mut u32) -> *const std::ffi::c_char, a| {
            let mut length = 0;
            // SAFETY: the attribute lives as long as its context; LLVM returns `length` bytes.
            unsafe {
                let text = get(a, &mut length);
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
                String::from_utf8_lossy(bytes).into_owned()
            }
        };
        all.into_iter()
            // SAFETY: as above.
            .filter(|a| unsafe { LLVMIsStringAttribute(*a) } != 0)
            .map(|a| (text(LLVMGetStringAttributeKind, a), a))
            .filter(|(kind, _)| kind.starts_with(prefix))
            .map(|(kind, a)| (kind, text(LLVMGetStringAttributeValue, a)))
            .collect()
    }
    /// Value of a string attribute of the function.
    pub fn attribute_string(self, name: &str) -> Option<String> {
        // SAFETY: the handle names a live function (module rule); LLVM returns `length` bytes.
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let a = LLVMGetStringAttributeAtIndex(
                self.raw(),
                index,
                name.as_ptr().cast(),
                name.len() as u32,
            );
            if a.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(a, &mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
    /// The number of its calling convention.
    pub fn calling_convention(self) -> u32 {
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMGetFunctionCallConv(self.raw()) }
    }
    /// Whether it takes a variable number of arguments.
    pub fn is_variadic(self) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMIsFunctionVarArg(LLVMGlobalGetValueType(self.raw())) != 0 }
    }
    /// Copies the attributes that steer code generation (target-cpu, target-features, …) and
    /// sanitizers from `source`.
    pub fn copy_target_attributes(self, source: Function) {
        const SANITIZERS: [&str; 7] = [
            "sanitize_address", "sanitize_hwaddress", "sanitize_memory", "sanitize_thread",
            "sanitize_memtag", "sanitize_numerical_stability", "sanitize_type",
        ];
        SANITIZERS
            .into_iter()
            .filter(|a| source.has_attribute(a))
            .for_each(|a| self.add_attribute(a));
        for name in [
            "target-cpu", "target-features", "tune-cpu", "frame-pointer", "no-trapping-math",
            "stack-protector-buffer-size",
        ] {
            // SAFETY: the handle names a live function (module rule).
            unsafe {
                let a = LLVMGetStringAttributeAtIndex(
                    source.raw(),
                    llvm_sys::LLVMAttributeFunctionIndex,
                    name.as_ptr().cast(),
                    name.len() as u32,
                );
                if !a.is_null() {
                    LLVMAddAttributeAtIndex(self.raw(), llvm_sys::LLVMAttributeFunctionIndex, a);
                }
            }
        }
    }
    /// Makes it visible to other modules, or private to this one.
    pub fn set_external(self, external: bool) {
        let linkage = if external {
            LLVMLinkage::LLVMExternalLinkage
        } else {
            LLVMLinkage::LLVMInternalLinkage
        };
        // SAFETY: the handle names a live function (module rule).
        unsafe { LLVMSetLinkage(self.raw(), linkage) }
    }
    /// Whether no other module can see it.
    pub fn is_private(self) -> bool {
        // SAFETY: the handle names a live function (module rule).
        unsafe {
            matches!(
                LLVMGetLinkage(self.raw()),
                LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
            )
        }
    }
    /// Inlines all calls of it in another function.
    pub fn inline_calls_in(self, caller: Function) {
        for user in self.value().users() {
            if user.is_instruction() && user.block().function() == caller {
                user.inline();
            }
        }
    }
    /// Inlines it into its caller, which is returned, and deletes it, if it is private, of a
    /// moderate size, and called once.
    pub fn inline_only_call(self) -> Option<Function> {
        shim::inline_only_call(self)
    }
    /// Deletes a function: handles of it and of what is in it name nothing any more. What still
    /// uses it uses poison.
    pub fn delete(self) {
        self.value().replace_rest();
        // SAFETY: the handle names a live function (module rule) without uses.
        unsafe { LLVMDeleteFunction(self.raw()) }
    }
    /// Textual IR.
    pub fn print(self) -> String {
        // SAFETY: the handle names a live function (module rule).
        take_message(unsafe { LLVMPrintValueToString(self.raw()) }).unwrap_or_default()
    }
}

impl Block {
    /// The handle of what LLVM returned.
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Block {
        // SAFETY: a block is a value; the pointer is only seen as one.
        Block { value: Value::new(unsafe { LLVMBasicBlockAsValue(raw) }) }
    }
    /// LLVM's block, which is alive.
    pub(super) fn raw(self) -> LLVMBasicBlockRef {
        // SAFETY: the value is alive, and a block.
        unsafe { LLVMValueAsBasicBlock(self.value.raw()) }
    }
    /// The block as a value, as phis of the shim's clone map name it.
    pub fn value(self) -> Value {
        self.value
    }
    /// The block that a value is.
    pub fn from_value(value: Value) -> Option<Block> {
        // SAFETY: the handle names a live value (module rule).
        (unsafe { LLVMValueIsBasicBlock(value.raw()) } != 0).then_some(Block { value })
    }
    /// The function that holds it.
    pub fn function(self) -> Function {
        // SAFETY: the handle names a live block (module rule).
        Function::new(unsafe { LLVMGetBasicBlockParent(self.raw()) })
    }
    /// Its instructions in order.
    pub fn instructions(self) -> Vec<Value> {
        let mut list = vec![];
        // SAFETY: the handle names a live block (module rule).
        unsafe {
            let mut i = LLVMGetFirstInstruction(self.raw());
            while !i.is_null() {
                list.push(Value::new(i));
                i = LLVMGetNextInstruction(i);
            }
        }
        list
    }
    /// Its terminator; `None` while it is being built.
    pub fn terminator(self) -> Option<Value> {
        // SAFETY: the handle names a live block (module rule).
        let t = unsafe { LLVMGetBasicBlockTerminator(self.raw()) };
        (!t.is_null()).then_some(Value::new(t))
    }
}
