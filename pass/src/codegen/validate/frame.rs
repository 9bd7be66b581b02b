//! Where the arguments, the results and their shadows lie while a function is validated.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use adanalysis::activity::Param;

/// Alignment of each place.
const PLACE: u64 = 16;

/// First byte and the one behind the last: of what a parameter leads to, and of what lies behind
/// pointers there.
pub type Spans = [Option<(Value, Value)>; 2];

/// Offsets in the frame, in bytes.
pub struct Frame {
    /// Arguments, by parameter.
    pub values: Vec<u64>,
    /// The first of their shadows; none of constants.
    pub shadows: Vec<Option<u64>>,
    /// How far one shadow is from that of the next direction.
    strides: Vec<u64>,
    /// Four numbers for each parameter: where accesses lie to what it leads to, and to what lies behind
    /// pointers there.
    pub spans: Vec<u64>,
    /// The result, and its first shadow.
    pub result: u64,
    pub result_shadow: u64,
    result_stride: u64,
    /// Addresses of variables and of their shadows, one pair after the other.
    pub variables: Vec<(u64, u64)>,
    bytes: u64,
    /// Number of directions.
    pub width: usize,
}

impl Frame {
    /// That of a function.
    pub fn new(module: Module, function: Function, params: &[Param], width: usize) -> Frame {
        let ty = function.ty();
        let mut bytes = 0;
        let mut place = |size: u64, count: usize| {
            let (at, stride) = (bytes, size.next_multiple_of(PLACE).max(PLACE));
            bytes += stride * count as u64;
            (at, stride)
        };
        let sizes: Vec<u64> = ty.function_params().iter().map(|t| module.alloc_size(*t)).collect();
        let values = sizes.iter().map(|&size| place(size, 1).0).collect();
        let (mut shadows, mut strides) = (vec![], vec![]);
        for (&size, param) in sizes.iter().zip(params) {
            let count = if param.is_active() { width } else { 0 };
            let (at, stride) = place(size, count);
            shadows.push((count > 0).then_some(at));
            strides.push(stride);
        }
        let spans = params.iter().map(|_| place(2 * PLACE, 1).0).collect();
        let result = ty.function_result();
        let size = if result.is_void() { 0 } else { module.alloc_size(result) };
        let (result, _) = place(size, 1);
        let (result_shadow, result_stride) = place(size, width);
        Frame {
            values,
            shadows,
            strides,
            spans,
            result,
            result_shadow,
            result_stride,
            variables: vec![],
            bytes,
            width,
        }
    }

    /// Adds room for the addresses of variables and of their shadows.
    pub fn with_variables(mut self, count: usize) -> Frame {
        for _ in 0..count {
            self.variables.push((self.bytes, self.bytes + PLACE));
            self.bytes += 2 * PLACE;
        }
        self
    }

    /// A stack variable for it.
    pub fn room(&self, b: &Builder) -> Value {
        crate::annotations::signature::slot(b, b.context().int(8).array(self.bytes))
    }

    /// Puts arguments and the shadows of `Param::Shadowed` parameters in, and zeros for spans.
    /// What comes by value has derivatives that the runtime chooses.
    pub fn fill(&self, b: &Builder, frame: Value, primals: &[Value], shadows: &[Value]) {
        let zero = b.context().int(8).zero();
        b.memset(frame, zero, b.context().int(64).int(self.bytes));
        primals.iter().enumerate().for_each(|(i, &v)| self.store(b, frame, self.values[i], v));
        let mut shadows = shadows.iter();
        let pointers = (0..self.values.len())
            .filter(|&i| self.shadows[i].is_some() && primals[i].ty().is_pointer());
        for i in pointers {
            for direction in 0..self.width {
                let Some(&shadow) = shadows.next() else { return };
                self.store(b, frame, self.shadow(i, direction).expect("it has one"), shadow);
            }
        }
    }

    /// Puts in where accesses lie.
    pub fn set_spans(&self, b: &Builder, frame: Value, param: usize, levels: Spans) {
        let i64 = b.context().int(64);
        let wide = |v: Value| match v.ty() {
            ty if ty.is_pointer() => b.cast(Opcode::LLVMPtrToInt, v, i64),
            ty if ty.is_int() && ty.int_width() < 64 => b.cast(Opcode::LLVMZExt, v, i64),
            _ => v,
        };
        for (level, (low, high)) in
            levels.into_iter().enumerate().filter_map(|(n, span)| Some((n as u64, span?)))
        {
            let at = self.spans[param] + level * PLACE;
            self.store(b, frame, at, wide(low));
            self.store(b, frame, at + PLACE / 2, wide(high));
        }
    }

    /// The place of a shadow.
    pub fn shadow(&self, param: usize, direction: usize) -> Option<u64> {
        Some(self.shadows[param]? + self.strides[param] * direction as u64)
    }
    /// The place of a shadow of the result.
    pub fn of_result(&self, direction: usize) -> u64 {
        self.result_shadow + self.result_stride * direction as u64
    }

    /// Stores at a place.
    pub fn store(&self, b: &Builder, frame: Value, at: u64, v: Value) {
        b.store(v, b.byte_offset(frame, b.context().int(64).int(at)));
    }
    /// Loads from one.
    pub fn load(&self, b: &Builder, frame: Value, at: u64, ty: Type) -> Value {
        b.load(ty, b.byte_offset(frame, b.context().int(64).int(at)))
    }
}
