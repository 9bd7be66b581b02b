//! Calls of the shadow runtime (`shadow/include/adshadow.h`).

use super::{
    layout::Letters,
    passed::{Passed, Struct},
    reals,
};
use crate::{
    annotations::visibility,
    llvm::{Builder, Function, Module, Opcode, Type, TypeKind, Value},
};
use adir::target;

/// How a call runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Mode {
    /// Each real has a dot.
    Tangent = 0,
    /// Each active operation is recorded.
    Recording = 1,
}

/// Emits calls of the runtime.
pub struct Runtime<'a> {
    /// The module.
    pub module: Module,
    /// Where they go.
    pub b: &'a Builder,
}

impl Runtime<'_> {
    fn call(&self, name: &str, result: Type, args: &[Value]) -> Value {
        let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let f =
            self.module.declare(&format!("adshadow_{name}"), Type::function(result, &types, false));
        f.add_attribute("nounwind");
        self.b.call(f, args)
    }
    fn void(&self) -> Type {
        self.module.context().void()
    }
    fn ptr(&self) -> Type {
        self.module.context().ptr()
    }
    fn i32(&self) -> Type {
        self.module.context().int(32)
    }

    /// A call begins.
    pub fn begin(&self, function: Function, mode: Mode, passed: &Passed) {
        let context = self.module.context();
        let stack = context.int(64).int(passed.stack);
        let args = [
            function.value(),
            self.b.text(&function.name()),
            context.int(32).int(mode as u64),
            stack,
        ];
        self.call("begin", self.void(), &args);
    }
    /// The next pointer leads to a struct that is passed or returned in memory.
    pub fn structure(&self, s: &Struct) {
        let i64 = self.module.context().int(64);
        self.call("struct", self.void(), &[i64.int(s.bytes), i64.int(s.copy.unwrap_or(u64::MAX))]);
        if let Some(letters) = &s.letters {
            self.layout("layout", letters);
        }
    }
    fn layout(&self, function: &str, letters: &Letters) {
        self.call(
            function,
            self.void(),
            &[self.b.text(&letters.text), self.i32().int(letters.stride)],
        );
    }
    /// The content of the next variable that is described to the runtime.
    pub fn layout_of_variable(&self, letters: Option<&Letters>) {
        if let Some(letters) = letters {
            self.layout("variable_layout", letters);
        }
    }
    /// A pointer argument, its shadow, and what is there.
    pub fn pointer(&self, primal: Value, shadow: Value, kind: Value) {
        self.call("pointer", self.void(), &[primal, shadow, kind]);
    }
    /// A new index, for a real that is an argument.
    pub fn input(&self) -> Value {
        self.call("input", self.i32(), &[])
    }
    /// Hands over the shadows of the arguments: calls the code that keeps them with the function's
    /// parameters.
    pub fn capture(&self, function: Function, shadows: &[Value], passed: &Passed) {
        if let Some(words) = &passed.words {
            self.call("arguments", self.void(), &[self.b.text(words)]);
        }
        if passed.floats != 0 {
            self.call("floats", self.void(), &[self.i32().int(passed.floats.into())]);
        }
        let place = self.call("capture", self.ptr(), &[]);
        let ty = Type::function(self.void(), &passed.types, false);
        self.b.call_value(ty, place, shadows).copy_parameter_abi(function);
    }
    /// Runs the function.
    pub fn enter(&self, function: Function, arguments: &[Value]) -> Value {
        let place = self.call("entry", self.ptr(), &[]);
        let arguments = super::given(self.b, function, arguments);
        let call = self.b.call_value(function.ty(), place, &arguments);
        call.copy_abi(function);
        call
    }
    /// The call has returned.
    pub fn leave(&self) {
        self.call("leave", self.void(), &[]);
    }
    /// The dots of the result.
    pub fn dots(&self, ty: Type) -> Value {
        if returns_by_x87(ty) {
            return self.b.float_cast(self.result_x87(), ty);
        }
        let dots = self.result(ty);
        self.check_integers(dots);
        dots
    }
    /// The indices of the result's reals.
    pub fn indices(&self, ty: Type) -> Vec<Value> {
        if returns_by_x87(ty) {
            return vec![reals::to_index(self.b, self.result_x87())];
        }
        let indices = self.result(ty);
        self.check_integers(indices);
        reals::take(self.b, indices).into_iter().map(|real| reals::to_index(self.b, real)).collect()
    }
    /// Ends the program where a result that is an integer or a pointer here is bits of active
    /// reals. (i386 returns complex floats so.)
    pub fn check_words(&self, ty: Type) {
        let bytes = match ty.kind() {
            TypeKind::LLVMPointerTypeKind => target::pointer(),
            TypeKind::LLVMIntegerTypeKind if matches!(ty.int_width(), 32 | 64 | 128) => {
                ty.int_width() as u64 / 8
            }
            _ => return,
        };
        self.call("returned_bits", self.void(), &[self.i32().int(bytes)]);
    }
    fn result(&self, ty: Type) -> Value {
        let long = reals::of_result(ty)
            .unwrap_or_default()
            .iter()
            .filter(|t| t.kind() == TypeKind::LLVMX86_FP80TypeKind)
            .count();
        let place = match long {
            0 => self.call("result", self.ptr(), &[]),
            _ => self.call("result_x87", self.ptr(), &[self.i32().int(long as u64)]),
        };
        self.b.call_value(Type::function(ty, &[], false), place, &[])
    }
    /// The same of a real that comes back in st(0), whatever its type.
    fn result_x87(&self) -> Value {
        let place = self.call("result_x87", self.ptr(), &[self.i32().int(1)]);
        self.b.call_value(Type::function(self.module.context().f80(), &[], false), place, &[])
    }
    /// Ends the program where a register of the result that is an integer here holds a real as
    /// well.
    fn check_integers(&self, result: Value) {
        let i64 = self.module.context().int(64);
        for integer in reals::integers(self.b, result) {
            self.call("integer", self.void(), &[self.b.cast(Opcode::LLVMZExt, integer, i64)]);
        }
    }
    /// The shadow of a pointer that the call returned.
    pub fn returned(&self, pointer: Value) -> Value {
        self.call("returned", self.ptr(), &[pointer])
    }
    /// The same, where the code that gets it looks at what is there.
    pub fn returned_memory(&self, pointer: Value, kind: Value, levels: Value) -> Value {
        self.call("returned_memory", self.ptr(), &[pointer, kind, levels])
    }
    /// The index of a real of the result.
    pub fn output(&self, index: Value) {
        self.call("output", self.void(), &[index]);
    }
    /// The reverse sweep of the last call begins.
    pub fn reverse(&self, function: Function) {
        self.call("reverse", self.void(), &[self.b.text(&function.name())]);
    }
    /// What tells the call that was recorded last from others.
    pub fn tape(&self) -> Value {
        self.call("tape", self.ptr(), &[])
    }
    /// Checks that the call that is reversed is that one.
    pub fn reverse_tape(&self, tape: Value) {
        self.call("reverse_tape", self.void(), &[tape]);
    }
    /// The adjoint of a real of the result, a double.
    pub fn reverse_output(&self, k: u32, bar: Value) {
        self.call("reverse_output", self.void(), &[self.i32().int(k.into()), bar]);
    }
    /// The shadow of a pointer argument in the reverse sweep.
    pub fn reverse_pointer(&self, k: u32, shadow: Value) {
        self.call("reverse_pointer", self.void(), &[self.i32().int(k.into()), shadow]);
    }
    /// Evaluates the recording.
    pub fn reverse_run(&self) {
        self.call("reverse_run", self.void(), &[]);
    }
    /// The adjoint of a real that was an argument, a double.
    pub fn reverse_input(&self, k: u32) -> Value {
        self.call("reverse_input", self.module.context().f64(), &[self.i32().int(k.into())])
    }
    /// A derivative is asked for: what prebuilt code keeps is constant.
    pub fn evaluation(&self) {
        self.call("evaluation", self.void(), &[]);
    }
    /// A pointer that the derivative is asked for with: libraries may know what it leads to from
    /// before.
    pub fn active(&self, primal: Value, shadow: Value) {
        self.call("active", self.void(), &[primal, shadow]);
    }
    /// The function that knows the shadows of blocks from before the request, or null.
    pub fn blocks(&self, of_block: Value) {
        self.call("blocks", self.void(), &[of_block]);
    }
    /// Calls will be recorded: shadows of library memory that tangents have left lead nowhere.
    pub fn records(&self) {
        self.call("records", self.void(), &[]);
    }
    /// Code reads so many bytes as constants.
    pub fn constant(&self, at: Value, bytes: Value) {
        self.call("constant", self.void(), &[at, bytes]);
    }
    /// Code writes so many bytes as constants.
    pub fn constant_store(&self, at: Value, bytes: Value) {
        self.call("constant_store", self.void(), &[at, bytes]);
    }
    /// Code reads as constants all that a pointer leads to, directly or by others.
    pub fn constant_behind(&self, pointer: Value) {
        self.call("constant_behind", self.void(), &[pointer]);
    }
    /// What tells calls that are recorded from now on from others.
    pub fn calls(&self) -> Value {
        self.call("calls", self.ptr(), &[])
    }
    /// The derivative has been computed, or its forward sweep.
    pub fn evaluation_end(&self) {
        self.call("evaluation_end", self.void(), &[]);
    }
    /// A variable of the function that runs.
    pub fn object(&self, primal: Value, shadow: Value, bytes: Value) {
        self.call("object", self.void(), &[primal, shadow, bytes]);
    }
    /// A variable of which nothing is known but where it is.
    pub fn extent(&self, start: Value, bytes: u64) {
        self.call("extent", self.void(), &[start, self.module.context().int(64).int(bytes)]);
    }
    /// The last so many variables are gone.
    pub fn object_pop(&self, count: u64) {
        self.call("object_pop", self.void(), &[self.module.context().int(64).int(count)]);
    }
    /// Pointers that a variable of the program, or of a library, holds when a request starts, so
    /// many of them and so many bytes apart: those without a shadow that lead to memory of
    /// libraries get one.
    pub fn library_pointers(&self, primal: Value, shadow: Value, stride: Value, count: Value) {
        self.call("library_pointers", self.void(), &[primal, shadow, stride, count]);
    }
    /// A variable of the program, where it is for this thread, and its shadow.
    pub fn global(&self, variable: Value, primal: Value, shadow: Value, bytes: Value) {
        let name = match () {
            () if visibility::is_hidden(variable) => "hidden_global",
            // At run time it is unknown which module can name a thread-local variable.
            () if visibility::address_escapes(variable) || variable.is_thread_local() => {
                "shared_global"
            }
            () => "global",
        };
        self.call(name, self.void(), &[primal, shadow, bytes]);
    }
}

/// The function that gives up calls that were recorded since `Runtime::calls`.
pub fn giver_up(module: Module) -> Function {
    let context = module.context();
    let f =
        module.declare("adshadow_give_up", Type::function(context.void(), &[context.ptr()], false));
    f.add_attribute("nounwind");
    f
}

/// Whether a result is a real that the ABI returns in st(0): all are on i386.
fn returns_by_x87(ty: Type) -> bool {
    target::pointer() == 4 && ty.is_float()
}
