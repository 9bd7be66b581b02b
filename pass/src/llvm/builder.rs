//! Building instructions at a place.

use super::{
    Block, Context, FastMath, Function, IntPredicate, Location, Opcode, RealPredicate, Type, Value,
};
use llvm_sys::{core::*, prelude::*};
use std::cell::Cell;

/// Inserts instructions at a position; every floating-point operation it builds carries
/// `fast_math`.
pub struct Builder {
    raw: LLVMBuilderRef,
    context: Context,
    place: Cell<Option<Place>>,
    location: Cell<Option<Location>>,
    /// Flags of the floating-point operations to come.
    pub fast_math: FastMath,
}

/// Where a builder inserts.
#[derive(Clone, Copy)]
struct Place {
    block: Block,
    /// Before this instruction of the block; else at its end.
    before: Option<Value>,
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: the builder is ours and disposed of once.
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl Builder {
    /// A builder without position.
    pub fn new(context: Context) -> Builder {
        Builder {
            // SAFETY: the context outlives the builder (module rule).
            raw: unsafe { LLVMCreateBuilderInContext(context.0) },
            context,
            place: Cell::new(None),
            location: Cell::new(None),
            fast_math: FastMath::default(),
        }
    }
    /// A builder at the end of `block`.
    pub fn at_end(context: Context, block: Block) -> Builder {
        let b = Builder::new(context);
        b.position_at_end(block);
        b
    }
    /// LLVM's. Panics where its place is gone: the block or the instruction was deleted, or the
    /// instruction lies in another block now.
    pub(super) fn raw(&self) -> LLVMBuilderRef {
        if let Some(Place { block, before }) = self.place.get() {
            let block = block.raw();
            // SAFETY: the instruction is alive, or `raw` panics.
            let is_there =
                before.is_none_or(|i| unsafe { LLVMGetInstructionParent(i.raw()) } == block);
            assert!(is_there, "the builder's place is in another block now");
        }
        self.raw
    }
    /// The context.
    pub fn context(&self) -> Context {
        self.context
    }
    /// Moves to the end of `block`.
    pub fn position_at_end(&self, block: Block) {
        // SAFETY: the builder is ours, and the handle names a live block (module rule).
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.raw()) }
        self.place.set(Some(Place { block, before: None }));
    }
    /// Moves before `instruction`, whose debug location is not inherited.
    pub fn position_before(&self, instruction: Value) {
        // SAFETY: the builder is ours, and the handle names a live value (module rule).
        unsafe { LLVMPositionBuilderBefore(self.raw, instruction.raw()) }
        self.place.set(Some(Place { block: instruction.block(), before: Some(instruction) }));
        self.locate(self.location.get());
    }
    /// The debug location of what is built from here on, wherever the builder moves.
    pub fn locate(&self, location: Option<Location>) {
        self.location.set(location);
        let raw = location.map_or(std::ptr::null_mut(), |l| l.0);
        // SAFETY: the builder is ours; a location lives as long as the context.
        unsafe { LLVMSetCurrentDebugLocation2(self.raw, raw) }
    }
    /// The debug location of what is built.
    pub fn location(&self) -> Option<Location> {
        self.location.get()
    }
    /// Another builder at the end of this one's block, with its flags and debug location.
    pub fn beside(&self) -> Builder {
        let mut b = Builder::at_end(self.context, self.block());
        b.fast_math = self.fast_math;
        b.locate(self.location.get());
        b
    }
    /// Moves before the first instruction of `block`.
    pub fn position_at_start(&self, block: Block) {
        match block.instructions().first() {
            Some(&first) => self.position_before(first),
            None => self.position_at_end(block),
        }
    }
    /// The block that the builder fills.
    pub fn block(&self) -> Block {
        self.place.get().map_or_else(|| Block::new(std::ptr::null_mut()), |place| place.block)
    }
    /// Inserts an instruction made elsewhere.
    pub fn insert(&self, instruction: Value) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMInsertIntoBuilder(self.raw(), instruction.raw()) }
    }
    fn float(&self, v: LLVMValueRef) -> Value {
        let v = Value::new(v);
        if self.fast_math != FastMath::default() {
            v.set_fast_math(self.fast_math);
        }
        v
    }
    /// x + y.
    pub fn fadd(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe { LLVMBuildFAdd(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x - y.
    pub fn fsub(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe { LLVMBuildFSub(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x y.
    pub fn fmul(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe { LLVMBuildFMul(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x / y.
    pub fn fdiv(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe { LLVMBuildFDiv(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// -x.
    pub fn fneg(&self, x: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe { LLVMBuildFNeg(self.raw(), x.raw(), NO_NAME) })
    }
    /// A floating-point comparison.
    pub fn fcmp(&self, p: RealPredicate, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildFCmp(self.raw(), p, x.raw(), y.raw(), NO_NAME) })
    }
    /// An integer comparison.
    pub fn icmp(&self, p: IntPredicate, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildICmp(self.raw(), p, x.raw(), y.raw(), NO_NAME) })
    }
    /// Integer sum.
    pub fn add(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildAdd(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Integer difference.
    pub fn sub(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildSub(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Integer product.
    pub fn mul(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildMul(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Integer product that is known not to wrap as signed.
    pub fn mul_exact(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildNSWMul(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Unsigned integer quotient.
    pub fn udiv(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildUDiv(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Bitwise and.
    pub fn and(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildAnd(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Bitwise or.
    pub fn or(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildOr(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Bitwise exclusive or.
    pub fn xor(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildXor(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x << y.
    pub fn shl(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildShl(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x >> y, filled up with the sign.
    pub fn ashr(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildAShr(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// x >> y, filled up with zeros.
    pub fn lshr(&self, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildLShr(self.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// c ? x : y.
    pub fn select(&self, c: Value, x: Value, y: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildSelect(self.raw(), c.raw(), x.raw(), y.raw(), NO_NAME) })
    }
    /// Some value where `x` is poison, else `x`.
    pub fn freeze(&self, x: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildFreeze(self.raw(), x.raw(), NO_NAME) })
    }
    /// Any cast.
    pub fn cast(&self, op: Opcode, x: Value, to: Type) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildCast(self.raw(), op, x.raw(), to.0, NO_NAME) })
    }
    /// Converts between floating-point types, or passes a value of the right type through.
    pub fn float_cast(&self, x: Value, to: Type) -> Value {
        if x.ty() == to {
            x
        } else {
            // SAFETY: the builder is ours, and the handles that it is given name live values
            // (module rule).
            Value::new(unsafe { LLVMBuildFPCast(self.raw(), x.raw(), to.0, NO_NAME) })
        }
    }
    /// Signed integer to floating point.
    pub fn int_to_float(&self, x: Value, to: Type) -> Value {
        self.cast(Opcode::LLVMSIToFP, x, to)
    }
    /// Reinterprets bits, or passes a value of the right type through.
    pub fn bitcast(&self, x: Value, to: Type) -> Value {
        if x.ty() == to { x } else { self.cast(Opcode::LLVMBitCast, x, to) }
    }
    /// A load.
    pub fn load(&self, ty: Type, ptr: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildLoad2(self.raw(), ty.0, ptr.raw(), NO_NAME) })
    }
    /// A store.
    pub fn store(&self, value: Value, ptr: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildStore(self.raw(), value.raw(), ptr.raw()) })
    }
    /// A stack variable at the builder's place.
    pub fn alloca(&self, ty: Type, name: &str) -> Value {
        let name = super::c_string(name);
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildAlloca(self.raw(), ty.0, name.as_ptr()) })
    }
    /// A getelementptr over `ty`.
    pub fn gep(&self, ty: Type, ptr: Value, indices: &[Value]) -> Value {
        let mut indices: Vec<_> = indices.iter().map(|v| v.raw()).collect();
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe {
            LLVMBuildInBoundsGEP2(
                self.raw(),
                ty.0,
                ptr.raw(),
                indices.as_mut_ptr(),
                indices.len() as u32,
                NO_NAME,
            )
        })
    }
    /// ptr + bytes.
    pub fn byte_offset(&self, ptr: Value, bytes: Value) -> Value {
        if bytes.is_null() { ptr } else { self.gep(self.context.int(8), ptr, &[bytes]) }
    }
    /// Address of member `i` of a struct.
    pub fn member(&self, ty: Type, ptr: Value, i: u32) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildStructGEP2(self.raw(), ty.0, ptr.raw(), i, NO_NAME) })
    }
    /// A call.
    pub fn call(&self, f: Function, args: &[Value]) -> Value {
        self.call_value(f.ty(), f.value(), args)
    }
    /// A call through a function's address.
    pub fn call_value(&self, ty: Type, f: Value, args: &[Value]) -> Value {
        let mut args: Vec<_> = args.iter().map(|v| v.raw()).collect();
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        self.float(unsafe {
            LLVMBuildCall2(self.raw(), ty.0, f.raw(), args.as_mut_ptr(), args.len() as u32, NO_NAME)
        })
    }
    /// *ptr += x, as one step for all threads.
    pub fn atomic_fadd(&self, x: Value, ptr: Value) -> Value {
        use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp};
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe {
            LLVMBuildAtomicRMW(
                self.raw(),
                LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd,
                ptr.raw(),
                x.raw(),
                LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
                0,
            )
        })
    }
    /// An empty phi.
    pub fn phi(&self, ty: Type, name: &str) -> Value {
        let name = super::c_string(name);
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildPhi(self.raw(), ty.0, name.as_ptr()) })
    }
    /// Element `i` of a vector.
    pub fn extract_element(&self, vector: Value, i: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildExtractElement(self.raw(), vector.raw(), i.raw(), NO_NAME) })
    }
    /// The vector with element `i` replaced.
    pub fn insert_element(&self, vector: Value, element: Value, i: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe {
            LLVMBuildInsertElement(self.raw(), vector.raw(), element.raw(), i.raw(), NO_NAME)
        })
    }
    /// The elements of `x` and `y` that `mask` names, by number in both together.
    pub fn shuffle(&self, x: Value, y: Value, mask: &[Option<u32>]) -> Value {
        let i32 = self.context.int(32);
        let mut numbers: Vec<_> =
            mask.iter().map(|m| m.map_or(i32.poison(), |m| i32.int(m.into())).raw()).collect();
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule); the slice outlives the calls.
        unsafe {
            let mask = LLVMConstVector(numbers.as_mut_ptr(), numbers.len() as u32);
            Value::new(LLVMBuildShuffleVector(self.raw(), x.raw(), y.raw(), mask, NO_NAME))
        }
    }
    /// A vector of type `to` with `x` in each element; `x` itself where `to` is no vector.
    pub fn splat(&self, x: Value, to: Type) -> Value {
        if !to.is_vector() || x.ty().is_vector() {
            return x;
        }
        let first = self.insert_element(
            x.ty().vector(to.vector_length()).poison(),
            x,
            self.context.int(32).zero(),
        );
        let mask = vec![Some(0); to.vector_length() as usize];
        self.shuffle(first, first.ty().poison(), &mask)
    }
    /// Member `i` of an aggregate value.
    pub fn extract(&self, aggregate: Value, i: u32) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildExtractValue(self.raw(), aggregate.raw(), i, NO_NAME) })
    }
    /// The aggregate with member `i` replaced.
    pub fn insert_value(&self, aggregate: Value, member: Value, i: u32) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe {
            LLVMBuildInsertValue(self.raw(), aggregate.raw(), member.raw(), i, NO_NAME)
        })
    }
    /// An unconditional branch.
    pub fn br(&self, to: Block) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMBuildBr(self.raw(), to.raw()) };
    }
    /// A two-way branch.
    pub fn cond_br(&self, c: Value, yes: Block, no: Block) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMBuildCondBr(self.raw(), c.raw(), yes.raw(), no.raw()) };
    }
    /// A switch: `cases` by value, else `default`.
    pub fn switch(&self, v: Value, default: Block, cases: &[(u64, Block)]) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe {
            let s = LLVMBuildSwitch(self.raw(), v.raw(), default.raw(), cases.len() as u32);
            for &(k, b) in cases {
                LLVMAddCase(s, LLVMConstInt(LLVMTypeOf(v.raw()), k, 0), b.raw());
            }
        }
    }
    /// Return without a value.
    pub fn ret_void(&self) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMBuildRetVoid(self.raw()) };
    }
    /// Return of a value.
    pub fn ret(&self, v: Value) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMBuildRet(self.raw(), v.raw()) };
    }
    /// End of a block that is never left.
    pub fn unreachable(&self) {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        unsafe { LLVMBuildUnreachable(self.raw()) };
    }
    /// The address of a constant string.
    pub fn text(&self, text: &str) -> Value {
        let text = super::c_string(text);
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule); the text outlives the call.
        Value::new(unsafe { LLVMBuildGlobalString(self.raw(), text.as_ptr(), c"ad.text".as_ptr()) })
    }
    /// memset(ptr, byte, length).
    pub fn memcpy(
        &self,
        to: Value,
        to_alignment: u32,
        from: Value,
        from_alignment: u32,
        length: Value,
    ) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe {
            LLVMBuildMemCpy(
                self.raw(),
                to.raw(),
                to_alignment,
                from.raw(),
                from_alignment,
                length.raw(),
            )
        })
    }
    /// memset of `length` bytes.
    pub fn memset(&self, ptr: Value, byte: Value, length: Value) -> Value {
        // SAFETY: the builder is ours, and the handles that it is given name live values (module
        // rule).
        Value::new(unsafe { LLVMBuildMemSet(self.raw(), ptr.raw(), byte.raw(), length.raw(), 1) })
    }
}
