//! Values: constants, parameters, instructions.

use super::{
    Block, Described, Function, Opcode, Type, c_string, handle::Handle, shim, take_message,
};
use adir::hashed::HashSet;
use llvm_sys::{core::*, debuginfo::*, prelude::*};
use std::fmt;

/// Any value of the module: a constant, a global, a parameter or an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value {
    handle: Handle,
}

/// The three kinds of memory that generated code accesses, and that never overlap: the user's
/// (primal), the shadows', the tape's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Space {
    Primal,
    Shadow,
    Tape,
}

impl Space {
    const ALL: [Space; 3] = [Space::Primal, Space::Shadow, Space::Tape];
}

/// What tells accesses apart, in the metadata of LLVM's scoped aliasing.
enum Scope {
    Space(Space),
    Direction(usize),
}

impl Scope {
    fn other_spaces(space: Space) -> Vec<Scope> {
        Space::ALL.into_iter().filter(|s| *s != space).map(Scope::Space).collect()
    }

    /// The names of the domain and of the scope. The shim's `renewSpaces` knows the domains.
    fn names(&self) -> (&'static str, String) {
        match self {
            Scope::Space(space) => ("adcc.spaces", format!("adcc.{space:?}")),
            Scope::Direction(d) => ("adcc.directions", format!("adcc.direction{d}")),
        }
    }
}

/// Fast-math flags of a floating-point operation, as LLVM's bit set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FastMath(pub u32);

impl FastMath {
    /// `reassoc`: of sums of adjoints over the iterations of a loop, whose order is ours to choose.
    pub const SUM: FastMath = FastMath(1 << 0);
    /// `nsz`: the sign of a zero does not matter. For sums of adjoints alone: what is added to a
    /// zero is then the sum itself. Not for partials, which may ask for the sign of a zero of the
    /// primal.
    pub const NO_SIGNED_ZEROS: FastMath = FastMath(1 << 3);
    /// What derivatives of an operation may assume of those the operation itself carries: all but
    /// the absence of NaN and infinity, which a partial may be where the value is not.
    pub fn of_derivative(self) -> FastMath {
        FastMath(self.0 & !((1 << 1) | (1 << 2)))
    }
    /// Whether two compilations of an operation may round differently: reassociated, contracted, by
    /// a reciprocal, approximated.
    pub fn rounds_freely(self) -> bool {
        self.0 & ((1 << 0) | (1 << 4) | (1 << 5) | (1 << 6)) != 0
    }
    /// Both sets.
    pub fn union(self, other: FastMath) -> FastMath {
        FastMath(self.0 | other.0)
    }
}

impl Value {
    /// What the byte at an offset from this pointer is, whenever it was stored, if the function and
    /// the module show it. Functions that are called are taken to leave it.
    pub fn constant_byte(self, offset: u32) -> Option<u8> {
        shim::constant_byte(self, offset)
    }
    /// The variable whose address is stored at an offset from this pointer, in the same way. With
    /// `some`, the only one that is seen, whatever else is not.
    pub fn constant_pointer(self, offset: u32, some: bool) -> Option<Value> {
        shim::constant_pointer(self, offset, some)
    }
    /// What the byte at an offset from a pointer is right before this instruction, if stores in front
    /// of it show that.
    pub fn byte_before(self, pointer: Value, offset: u32) -> Option<u8> {
        shim::byte_before(self, pointer, offset)
    }
    /// The variable whose address is there, in the same way.
    pub fn pointer_before(self, pointer: Value, offset: u32) -> Option<Value> {
        shim::pointer_before(self, pointer, offset)
    }
    /// The rank of a descriptor of flang's that is a variable here, and whether it has an addendum.
    pub fn descriptor_rank(self) -> Option<(u8, bool)> {
        let found = shim::descriptor_rank(self)?;
        Some(((found & 0xff) as u8, found > 0xff))
    }
    /// The description of the derived type of which a descriptor is a component here, as flang spells
    /// it, and at which offset.
    pub fn component(self) -> Option<(Value, u64)> {
        shim::component(self)
    }
    /// Where this call finds a type-bound procedure of Fortran in the table of the object's type, in
    /// bytes, as flang spells it.
    pub fn binding(self) -> Option<u32> {
        shim::binding(self)
    }
    /// Notes what flang spells of the descriptor that is an operand of this call, with the type of its
    /// objects if they are all of one; whether it spells anything.
    pub fn note_descriptor(self, operand: u32, is_one: bool) -> bool {
        shim::note_descriptor(self, operand, is_one)
    }
    /// What was noted.
    pub fn noted_descriptor(self, operand: u32) -> Option<Described> {
        shim::noted_descriptor(self, operand)
    }
    /// The handle of what LLVM returned.
    pub(super) fn new(raw: LLVMValueRef) -> Value {
        Value { handle: Handle::new(raw) }
    }
    /// Whether it was not deleted.
    pub fn is_alive(self) -> bool {
        self.handle.exists()
    }
    /// LLVM's value, which is alive.
    pub(super) fn raw(self) -> LLVMValueRef {
        self.handle.get()
    }
    /// Its type.
    pub fn ty(self) -> Type {
        // SAFETY: a handle names a live value (module rule).
        Type(unsafe { LLVMTypeOf(self.raw()) })
    }
    /// Its name; empty where it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the handle names a live value (module rule); LLVM returns `length` bytes.
        unsafe {
            let ptr = LLVMGetValueName2(self.raw(), &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(ptr.cast(), length)).into_owned()
        }
    }
    /// Whether this is an instruction.
    pub fn is_instruction(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { !LLVMIsAInstruction(self.raw()).is_null() }
    }
    /// Whether this is undef or poison.
    pub fn is_undef(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsUndef(self.raw()) != 0 }
    }
    /// Whether this is a constant: a number, or an address that is known when the program is linked.
    pub fn is_constant(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsConstant(self.raw()) != 0 }
    }
    /// Whether nobody may rely on the address of this global value.
    pub fn has_no_address(self) -> bool {
        // SAFETY: the handle names a live value (module rule); only global values are asked.
        unsafe {
            LLVMGetUnnamedAddress(self.raw()) == llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr
        }
    }
    /// Whether this is a constant zero of its type.
    pub fn is_null(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsNull(self.raw()) != 0 }
    }
    /// The function that this value is.
    pub fn as_function(self) -> Option<Function> {
        // SAFETY: the handle names a live value (module rule).
        let f = unsafe { LLVMIsAFunction(self.raw()) };
        (!f.is_null()).then_some(Function::new(f))
    }
    /// Whether this is a global variable.
    pub fn is_global_variable(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { !LLVMIsAGlobalVariable(self.raw()).is_null() }
    }
    /// Whether this is a global variable that is constant.
    pub fn is_global_constant(self) -> bool {
        // SAFETY: the handle names a live value (module rule); only global variables are asked.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.raw()) != 0 }
    }
    /// Says of this global variable that nothing writes it.
    pub fn make_global_constant(self) {
        // SAFETY: the handle names a live value (module rule); only global variables are asked.
        unsafe { LLVMSetGlobalConstant(self.raw(), 1) }
    }
    /// Global variables whose addresses the initialiser of this one holds.
    pub fn named_by_initializer(self) -> Vec<Value> {
        let named = self.in_initializer().into_iter();
        named.filter(|v| v.is_global_variable()).collect()
    }
    /// Global variables whose initialisers hold the address of this one.
    pub fn holders(self) -> Vec<Value> {
        let (mut stack, mut found) = (vec![self], vec![]);
        while let Some(v) = stack.pop() {
            for user in v.users() {
                match () {
                    () if user.is_global_variable() => found.push(user),
                    () if !user.is_instruction() => stack.push(user),
                    () => {}
                }
            }
        }
        found
    }
    /// Whether the initialiser of this global variable holds the address of a function.
    pub fn initializer_names_function(self) -> bool {
        self.in_initializer().into_iter().any(|v| v.as_function().is_some())
    }
    /// Whether this global variable starts with null where it holds pointers.
    pub fn starts_with_null(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        let is_defined = unsafe { LLVMIsDeclaration(self.raw()) == 0 };
        is_defined && self.in_initializer().is_empty()
    }
    /// Global variables, functions and numbers whose addresses the initialiser of this variable
    /// holds.
    fn in_initializer(self) -> Vec<Value> {
        // SAFETY: the handle names a live value (module rule).
        let initializer = unsafe { LLVMGetInitializer(self.raw()) };
        let (mut seen, mut found) = (HashSet::default(), vec![]);
        let mut stack = if initializer.is_null() { vec![] } else { vec![Value::new(initializer)] };
        while let Some(v) = stack.pop() {
            if !seen.insert(v) {
                continue;
            }
            let is_number = v.const_opcode() == Some(Opcode::LLVMIntToPtr);
            if v.is_global_variable() || v.as_function().is_some() || is_number {
                found.push(v);
            } else {
                stack.extend((0..v.operand_count()).map(|i| v.operand(i)));
            }
        }
        found
    }
    /// Type of what this global variable holds.
    pub fn global_type(self) -> Type {
        // SAFETY: the handle names a live value (module rule).
        Type(unsafe { LLVMGlobalGetValueType(self.raw()) })
    }
    /// Whether each thread has this global variable of its own.
    pub fn is_thread_local(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsThreadLocal(self.raw()) != 0 }
    }
    /// The opcode of a constant expression.
    pub fn const_opcode(self) -> Option<Opcode> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            (!LLVMIsAConstantExpr(self.raw()).is_null()).then(|| LLVMGetConstOpcode(self.raw()))
        }
    }
    /// The constant's value, sign-extended, where this is an integer constant of at most 64 bits.
    pub fn as_int(self) -> Option<i64> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            let c = LLVMIsAConstantInt(self.raw());
            (!c.is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(c)) <= 64)
                .then(|| LLVMConstIntGetSExtValue(c))
        }
    }
    /// The values of an integer constant, or of a vector of such, sign-extended, of at most 64 bits
    /// each.
    pub fn as_ints(self) -> Option<Vec<i64>> {
        if !self.ty().is_vector() {
            return self.as_int().map(|c| vec![c]);
        }
        // SAFETY: the handle names a live value (module rule).
        let is_constant =
            unsafe { LLVMIsConstant(self.raw()) != 0 } && self.const_opcode().is_none();
        if !is_constant || !self.ty().element().is_int() {
            return None;
        }
        // SAFETY: the handle names a live value (module rule); the numbers are those of elements.
        let element = |i: u32| unsafe {
            Some(LLVMGetAggregateElement(self.raw(), i)).filter(|e| !e.is_null()).map(Value::new)
        };
        (0..self.ty().vector_length()).map(|i| element(i)?.as_int()).collect()
    }
    /// Number of operands.
    pub fn operand_count(self) -> usize {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetNumOperands(self.raw()) as usize }
    }
    /// Operand `i`.
    pub fn operand(self, i: usize) -> Value {
        debug_assert!(i < self.operand_count());
        // SAFETY: the handle names a live value (module rule).
        Value::new(unsafe { LLVMGetOperand(self.raw(), i as u32) })
    }
    /// Replaces operand `i`.
    pub fn set_operand(self, i: usize, value: Value) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMSetOperand(self.raw(), i as u32, value.raw()) }
    }
    /// Replaces every use.
    pub fn replace_uses(self, value: Value) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMReplaceAllUsesWith(self.raw(), value.raw()) }
    }
    /// The users of this value, one entry per use.
    pub fn users(self) -> Vec<Value> {
        let mut users = vec![];
        // SAFETY: the handle names a live value (module rule); the list is only read.
        unsafe {
            let mut u = LLVMGetFirstUse(self.raw());
            while !u.is_null() {
                users.push(Value::new(LLVMGetUser(u)));
                u = LLVMGetNextUse(u);
            }
        }
        users
    }
    /// Erases an instruction: its handles name nothing any more. What still uses it uses poison.
    pub fn erase(self) {
        self.replace_rest();
        // SAFETY: the handle names a live value (module rule) without uses. One that was never
        // inserted is ours alone.
        unsafe {
            match LLVMGetInstructionParent(self.raw()).is_null() {
                true => LLVMDeleteInstruction(self.raw()),
                false => LLVMInstructionEraseFromParent(self.raw()),
            }
        }
    }
    /// Deletes a global variable: its handles name nothing any more. What still uses it uses
    /// poison.
    pub fn delete_global(self) {
        self.replace_rest();
        // SAFETY: the handle names a live value (module rule) without uses.
        unsafe { LLVMDeleteGlobal(self.raw()) }
    }
    /// Puts poison in place of the uses that are left.
    pub(super) fn replace_rest(self) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            if !LLVMGetFirstUse(self.raw()).is_null() {
                LLVMReplaceAllUsesWith(self.raw(), LLVMGetPoison(LLVMTypeOf(self.raw())));
            }
        }
    }
    /// A copy of an instruction, not yet in a block.
    pub fn clone_instruction(self) -> Value {
        // SAFETY: the handle names a live value (module rule).
        let copy = Value::new(unsafe { LLVMInstructionClone(self.raw()) });
        // It assigns to another variable than debug information says.
        copy.clear_metadata("DIAssignID");
        copy
    }
    /// The instruction's opcode.
    pub fn opcode(self) -> Opcode {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetInstructionOpcode(self.raw()) }
    }
    /// The block that holds the instruction.
    pub fn block(self) -> Block {
        // SAFETY: the handle names a live value (module rule).
        Block::new(unsafe { LLVMGetInstructionParent(self.raw()) })
    }
    /// Whether integer arithmetic is known not to wrap as signed.
    pub fn is_nsw(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetNSW(self.raw()) != 0 }
    }
    /// What an integer comparison asks.
    pub fn int_predicate(self) -> super::IntPredicate {
        // SAFETY: the handle names a live value (module rule); only comparisons are asked.
        unsafe { LLVMGetICmpPredicate(self.raw()) }
    }
    /// Whether a division, or a shift to the right, is known to leave no remainder.
    pub fn is_exact(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetExact(self.raw()) != 0 }
    }
    /// Whether no bit is set in both operands of an or.
    pub fn is_disjoint(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetIsDisjoint(self.raw()) != 0 }
    }
    /// Successor blocks of a terminator, in order.
    pub fn successors(self) -> Vec<Block> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            (0..LLVMGetNumSuccessors(self.raw()))
                .map(|i| Block::new(LLVMGetSuccessor(self.raw(), i)))
                .collect()
        }
    }
    /// The number for which a switch goes to its successor `i`; `None` of the first, which is for all
    /// others.
    pub fn case(self, i: usize) -> Option<Value> {
        // SAFETY: the handle names a live value (module rule); only switches are asked, and there is
        // one number for each successor but the first.
        (i > 0).then(|| Value::new(unsafe { LLVMGetSwitchCaseValue(self.raw(), i as u32) }))
    }
    /// Makes a terminator lead to these blocks, as many as before.
    pub fn set_successors(self, to: &[Block]) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            to.iter().enumerate().for_each(|(i, b)| LLVMSetSuccessor(self.raw(), i as u32, b.raw()))
        }
    }
    /// Indices of an extractvalue or insertvalue.
    pub fn aggregate_indices(self) -> Vec<u32> {
        // SAFETY: the handle names a live value (module rule); LLVM reports the number of indices.
        unsafe {
            std::slice::from_raw_parts(
                LLVMGetIndices(self.raw()),
                LLVMGetNumIndices(self.raw()) as usize,
            )
            .to_vec()
        }
    }
    /// Numbers of the elements that a shufflevector takes; `None` for those that do not matter.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            let undefined = LLVMGetUndefMaskElem();
            let elements =
                (0..LLVMGetNumMaskElements(self.raw())).map(|i| LLVMGetMaskValue(self.raw(), i));
            elements.map(|m| (m != undefined).then_some(m as u32)).collect()
        }
    }
    /// Incoming values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            (0..LLVMCountIncoming(self.raw()))
                .map(|i| {
                    (
                        Value::new(LLVMGetIncomingValue(self.raw(), i)),
                        Block::new(LLVMGetIncomingBlock(self.raw(), i)),
                    )
                })
                .collect()
        }
    }
    /// Adds one incoming edge to a phi.
    pub fn add_incoming(self, value: Value, block: Block) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            LLVMAddIncoming(self.raw(), [value.raw()].as_mut_ptr(), [block.raw()].as_mut_ptr(), 1)
        }
    }
    /// The callee of a call; poison for what is none, as a landing pad, which the image of a
    /// function may have for a call.
    pub fn called(self) -> Value {
        // SAFETY: the handle names a live value (module rule); only calls are asked.
        unsafe {
            if !self.has_arguments() {
                return Value::new(LLVMGetPoison(LLVMPointerTypeInContext(
                    LLVMGetTypeContext(LLVMTypeOf(self.raw())),
                    0,
                )));
            }
            Value::new(LLVMGetCalledValue(self.raw()))
        }
    }
    /// The function that a call by name calls. Panics for all others: [`Value::called`] is for
    /// calls of which nothing is known.
    pub fn callee(self) -> Function {
        self.called().as_function().expect("the call names its function")
    }
    /// Whether this is an instruction that calls: a call, an invoke, or a `callbr`.
    fn has_arguments(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            !LLVMIsACallInst(self.raw()).is_null()
                || !LLVMIsAInvokeInst(self.raw()).is_null()
                || !LLVMIsACallBrInst(self.raw()).is_null()
        }
    }
    /// Makes a call (no invoke) call `f`, which has the same type.
    pub fn set_called(self, f: Function) {
        self.set_operand(self.operand_count() - 1, f.value());
    }
    /// Function type of a call.
    pub fn called_type(self) -> Type {
        // SAFETY: the handle names a live value (module rule).
        Type(unsafe { LLVMGetCalledFunctionType(self.raw()) })
    }
    /// Number of arguments of a call; what is none has no arguments.
    pub fn argument_count(self) -> usize {
        // SAFETY: the handle names a live value (module rule); only calls are asked.
        if self.has_arguments() { unsafe { LLVMGetNumArgOperands(self.raw()) as usize } } else { 0 }
    }
    /// Function that a parameter belongs to.
    pub fn parameter_of(self) -> Option<Function> {
        // SAFETY: the handle names a live value (module rule); only a parameter is asked for its
        // parent.
        unsafe {
            (!LLVMIsAArgument(self.raw()).is_null())
                .then(|| Function::new(LLVMGetParamParent(self.raw())))
        }
    }
    /// Allocated type of an alloca.
    pub fn allocated_type(self) -> Type {
        // SAFETY: the handle names a live value (module rule).
        Type(unsafe { LLVMGetAllocatedType(self.raw()) })
    }
    /// Alignment of a load, a store, an alloca or a global, in bytes.
    pub fn alignment(self) -> u32 {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetAlignment(self.raw()) }
    }
    /// Sets the alignment, in bytes.
    pub fn set_alignment(self, bytes: u32) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMSetAlignment(self.raw(), bytes) }
    }
    /// Whether a load or store is volatile.
    pub fn is_volatile(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetVolatile(self.raw()) != 0 }
    }
    /// Makes a load or store volatile.
    pub fn make_volatile(self) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMSetVolatile(self.raw(), 1) }
    }
    /// Makes a load or store one that is neither volatile nor atomic.
    pub fn make_plain(self) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            LLVMSetVolatile(self.raw(), 0);
            LLVMSetOrdering(self.raw(), llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic);
        }
    }
    /// What an atomicrmw does.
    pub fn atomic_operation(self) -> super::AtomicOperation {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMGetAtomicRMWBinOp(self.raw()) }
    }
    /// Sets among which threads an atomic access is one step; the empty name is that of all.
    pub fn set_scope(self, name: &str) {
        // SAFETY: the handle names a live value (module rule), which is an atomic access.
        unsafe { LLVMSetAtomicSyncScopeID(self.raw(), self.scope_id(name)) }
    }
    /// Whether this is an `atomicrmw` with that scope.
    pub fn has_scope(self, name: &str) -> bool {
        // SAFETY: the handle names a live value (module rule).
        self.opcode() == Opcode::LLVMAtomicRMW
            && unsafe { LLVMGetAtomicSyncScopeID(self.raw()) == self.scope_id(name) }
    }
    fn scope_id(self, name: &str) -> u32 {
        // SAFETY: the handle names a live value (module rule); the name has that length.
        unsafe {
            let context = LLVMGetTypeContext(self.ty().0);
            LLVMGetSyncScopeID(context, name.as_ptr().cast(), name.len())
        }
    }
    /// Whether a load or store is atomic.
    pub fn is_atomic(self) -> bool {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMIsAtomic(self.raw()) != 0 }
    }
    /// The type that a getelementptr steps over.
    pub fn gep_type(self) -> Type {
        // SAFETY: the handle names a live value (module rule).
        Type(unsafe { LLVMGetGEPSourceElementType(self.raw()) })
    }
    /// Fast-math flags, none where the operation cannot carry any.
    pub fn fast_math(self) -> FastMath {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            FastMath(if LLVMCanValueUseFastMathFlags(self.raw()) != 0 {
                LLVMGetFastMathFlags(self.raw())
            } else {
                0
            })
        }
    }
    /// Sets fast-math flags where the operation can carry them.
    pub fn set_fast_math(self, flags: FastMath) {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            if self.is_instruction() && LLVMCanValueUseFastMathFlags(self.raw()) != 0 {
                LLVMSetFastMathFlags(self.raw(), flags.0);
            }
        }
    }
    /// Drops the instruction's debug location.
    pub fn clear_location(self) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMInstructionSetDebugLoc(self.raw(), std::ptr::null_mut()) }
    }
    /// clang's source location of a call, as the cookie that its diagnostics understand; 0 where
    /// there is none.
    pub fn srcloc(self) -> u64 {
        shim::srcloc(self)
    }
    /// Adds an enum attribute to the call itself.
    pub fn add_call_attribute(self, name: &str) {
        // SAFETY: the handle names a live value (module rule); the attribute exists in LLVM 22 or
        // its kind is 0, which is skipped.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            if kind != 0 {
                let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
                let attribute = LLVMCreateEnumAttribute(context, kind, 0);
                LLVMAddCallSiteAttribute(
                    self.raw(),
                    llvm_sys::LLVMAttributeFunctionIndex,
                    attribute,
                );
            }
        }
    }
    /// Adds an attribute with a type, such as `byval`, to argument `i` of the call.
    pub fn add_call_type_attribute(self, i: usize, name: &str, ty: Type) {
        // SAFETY: the handle names a live value (module rule); callers name attributes that carry a
        // type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute =
                LLVMCreateTypeAttribute(LLVMGetTypeContext(LLVMTypeOf(self.raw())), kind, ty.0);
            LLVMAddCallSiteAttribute(self.raw(), i as u32 + 1, attribute);
        }
    }
    /// Gives `other` the debug location of this instruction.
    pub fn copy_location(self, other: Value) {
        // SAFETY: the handle names a live value (module rule).
        unsafe { LLVMInstructionSetDebugLoc(other.raw(), LLVMInstructionGetDebugLoc(self.raw())) }
    }
    /// Type of the call's `sret` attribute on its first argument.
    pub fn call_sret(self) -> Option<Type> {
        self.call_type_attribute(0, "sret")
    }
    /// Type of an attribute such as `byval` on argument `i` of the call, or on that parameter of
    /// what is called.
    pub fn call_type_attribute(self, i: usize, name: &str) -> Option<Type> {
        // SAFETY: the handle names a live value (module rule); callers name attributes that carry a
        // type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let a = LLVMGetCallSiteEnumAttribute(self.raw(), i as u32 + 1, kind);
            let of_call = (!a.is_null()).then(|| Type(LLVMGetTypeAttributeValue(a)));
            of_call.or_else(|| self.called().as_function()?.param_type_attribute(i, name))
        }
    }
    /// The alignment that a call states of argument `i`; 1 where it states none.
    pub fn call_alignment(self, i: usize) -> u64 {
        // SAFETY: the handle names a live value (module rule); only calls are asked.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let a = LLVMGetCallSiteEnumAttribute(self.raw(), i as u32 + 1, kind);
            if a.is_null() { 1 } else { LLVMGetEnumAttributeValue(a) }
        }
    }
    /// Drops the promise of a call, and of the function without body that it calls, that no
    /// argument is undefined.
    pub fn allow_undefined_arguments(self) {
        let callee = self.called().as_function().filter(|f| f.is_declaration());
        // SAFETY: the handle names a live value (module rule); attributes of arguments are numbered
        // from 1, and one that is absent is left alone.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"noundef".as_ptr(), 7);
            for i in 1..=self.argument_count() as u32 {
                LLVMRemoveCallSiteEnumAttribute(self.raw(), i, kind);
                if let Some(f) = callee {
                    LLVMRemoveEnumAttributeAtIndex(f.value().raw(), i, kind);
                }
            }
        }
    }
    /// Drops what a call says of the alignment of its arguments.
    pub fn drop_call_alignments(self) {
        // SAFETY: the handle names a live value (module rule); attributes of arguments are numbered
        // from 1.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            for i in 1..=self.argument_count() as u32 {
                LLVMRemoveCallSiteEnumAttribute(self.raw(), i, kind);
            }
        }
    }
    /// The same, in a tree that has this type only: nothing is said of aliases.
    pub fn set_lone_tbaa_type(self, name: &str) {
        self.set_tbaa_path(&format!("adcc {name}"), &[name]);
    }
    /// Attaches a `tbaa` tag that calls the access one of the last type of `path`, in a type tree
    /// of our own: a type may alias those before it.
    pub fn set_tbaa_type(self, path: &[&str]) {
        self.set_tbaa_path("adcc", path);
    }
    /// Attaches a `tbaa` tag that calls the access one of the last type of `path` in the tree of
    /// that root.
    pub fn set_tbaa_path(self, root: &str, path: &[&str]) {
        // SAFETY: the handle names a live value (module rule); the arrays outlive the calls.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let text = |s: &str| LLVMMDStringInContext2(context, s.as_ptr().cast(), s.len());
            let node = |mut list: Vec<LLVMMetadataRef>| {
                LLVMMDNodeInContext2(context, list.as_mut_ptr(), list.len())
            };
            let zero = LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), 0, 0));
            let ty = path
                .iter()
                .fold(node(vec![text(root)]), |parent, name| node(vec![text(name), parent, zero]));
            let tag = node(vec![ty, ty, zero]);
            let id = LLVMGetMDKindIDInContext(context, c"tbaa".as_ptr(), 4);
            LLVMSetMetadata(self.raw(), id, LLVMMetadataAsValue(context, tag));
        }
    }
    /// Says which kind of memory a load, a store or a memory function accesses: it overlaps no
    /// access of another kind.
    pub fn set_space(self, space: Space) {
        self.set_scopes(&[Scope::Space(space)], &Scope::other_spaces(space));
    }
    /// Says that a load, a store or a memory function accesses a shadow of this one of several
    /// directions: shadows of different directions do not overlap.
    pub fn set_shadow_space(self, direction: usize, width: usize) {
        let mut own = vec![Scope::Space(Space::Shadow)];
        let mut others = Scope::other_spaces(Space::Shadow);
        if width > 1 {
            own.push(Scope::Direction(direction));
            others.extend((0..width).filter(|&d| d != direction).map(Scope::Direction));
        }
        self.set_scopes(&own, &others);
    }
    fn set_scopes(self, own: &[Scope], others: &[Scope]) {
        // SAFETY: the handle names a live value (module rule); the arrays outlive the calls.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let text = |s: &str| LLVMMDStringInContext2(context, s.as_ptr().cast(), s.len());
            let node = |mut list: Vec<LLVMMetadataRef>| {
                LLVMMDNodeInContext2(context, list.as_mut_ptr(), list.len())
            };
            let scope = |s: &Scope| {
                let (domain, name) = s.names();
                node(vec![text(&name), node(vec![text(domain)])])
            };
            for (kind, list) in [(c"alias.scope", own), (c"noalias", others)] {
                let id =
                    LLVMGetMDKindIDInContext(context, kind.as_ptr(), kind.to_bytes().len() as u32);
                let list = node(list.iter().map(scope).collect());
                LLVMSetMetadata(self.raw(), id, LLVMMetadataAsValue(context, list));
            }
        }
    }
    /// Name of the scalar type that the access's `tbaa` tag gives.
    pub fn tbaa_type(self) -> Option<String> {
        tag_type(self.metadata("tbaa")?)
    }
    /// Names of the tree's root, and of all types from there to the scalar type that the access's
    /// `tbaa` tag gives.
    pub fn tbaa_path(self) -> Vec<String> {
        let mut at = self.metadata("tbaa").and_then(|tag| node_operand(tag, 1));
        let mut path = vec![];
        while let Some(ty) = at {
            path.extend(type_name(ty));
            at = node_operand(ty, 1);
        }
        path.reverse();
        path
    }
    /// Names of the scalar types in the struct of which the access's `tbaa` tag says that it is of
    /// a member; none for other accesses.
    pub fn tbaa_members(self) -> Vec<String> {
        let tag = |i| node_operand(self.metadata("tbaa")?, i);
        match (tag(0), tag(1)) {
            (Some(base), Some(access)) if base != access => {
                let mut names = vec![];
                type_names(base, TYPE_DEPTH, &mut names);
                names
            }
            _ => vec![],
        }
    }
    /// The members that a copy's `tbaa.struct` names: offset, size and scalar type of each.
    pub fn tbaa_struct(self) -> Vec<(u64, u64, String)> {
        let Some(list) = self.metadata("tbaa.struct") else { return vec![] };
        let number =
            |i| node_operand(list, i).and_then(|n| Value::new(n).as_int()).map(|n| n as u64);
        let mut members = vec![];
        let mut i = 0;
        while let (Some(at), Some(size), Some(tag)) =
            (number(i), number(i + 1), node_operand(list, i + 2))
        {
            members.push((at, size, tag_type(tag).unwrap_or_default()));
            i += 3;
        }
        members
    }
    fn metadata(self, kind: &str) -> Option<LLVMValueRef> {
        // SAFETY: the handle names a live value (module rule).
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let id = LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let node = LLVMGetMetadata(self.raw(), id);
            (!node.is_null()).then_some(node)
        }
    }
    /// Drops metadata of the given kind.
    pub fn clear_metadata(self, kind: &str) {
        let name = c_string(kind);
        // SAFETY: the handle names a live value (module rule); a null node removes the attachment.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(
                LLVMGetTypeContext(LLVMTypeOf(self.raw())),
                name.as_ptr(),
                name.as_bytes().len() as u32,
            );
            LLVMSetMetadata(self.raw(), kind, std::ptr::null_mut());
        }
    }
}

/// How deep members of structs are looked into.
const TYPE_DEPTH: u32 = 6;

/// The names of the scalar types that a struct of `tbaa` is made of. Arrays in it are called
/// characters.
fn type_names(ty: LLVMValueRef, depth: u32, names: &mut Vec<String>) {
    // Types of members, each before its offset.
    for part in (1..).step_by(2).map_while(|i| node_operand(ty, i)) {
        let Some(name) = type_name(part) else { continue };
        // A scalar type has its parent as the only member.
        if node_operand(part, 3).is_some() && depth > 0 {
            type_names(part, depth - 1, names);
        } else if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// Name of the scalar type that a `tbaa` tag gives.
fn tag_type(tag: LLVMValueRef) -> Option<String> {
    type_name(node_operand(tag, 1)?)
}

/// Name of a type of `tbaa`.
fn type_name(ty: LLVMValueRef) -> Option<String> {
    let name = node_operand(ty, 0)?;
    let mut length = 0;
    // SAFETY: metadata operands live as long as their node; LLVM returns `length` bytes, or null
    // for what is no string.
    unsafe {
        if LLVMIsAMDString(name).is_null() {
            return None;
        }
        let text = LLVMGetMDString(name, &mut length);
        (!text.is_null()).then(|| {
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize))
                .into_owned()
        })
    }
}

/// Operand `i` of a metadata node seen as a value; `None` where it is missing or null.
fn node_operand(node: LLVMValueRef, i: usize) -> Option<LLVMValueRef> {
    // SAFETY: the node lives as long as the module; the buffer has the length that LLVM reports.
    unsafe {
        if LLVMIsAMDNode(node).is_null() {
            return None;
        }
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
        operands.get(i).copied().filter(|o| !o.is_null())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the handle names a live value (module rule); the message is freed by
        // `take_message`.
        f.write_str(
            take_message(unsafe { LLVMPrintValueToString(self.raw()) }).unwrap_or_default().trim(),
        )
    }
}
