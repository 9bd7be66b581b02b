//! Functions that read numbers from files, streams or text: what they read goes through variables of
//! their own to where it is wanted.
//!
//! What is read is constant; where it goes may hold active reals, before or after, and may be known
//! to no library. So a call in a canonical copy reads into variables, and plain stores and copies
//! take the numbers on, as far as some were read:
//! ```c
//! r = fscanf(file, "%lf", &t);          in.operator>>(t = MARK);         r = fread(t = malloc(n), 1, n, file);
//! *p = r > 0 ? t : *p;                  *p = bits(t) != MARK ? t : *p;   memcpy(p, t, r); free(t);
//! ```
//! Text that a file has beside numbers is allocated by the library and moved as text; other text stays
//! where it is: lines, `std::string`, `%s` of text in memory, which may have digits of active numbers.
//!
//! Source: ISO C, 7.21.8.1 (fread); ISO C++, [istream.formatted.arithmetic]: a
//! stream that is no longer good leaves the number alone; Fortran 2018, 13.10.3.2 (null values).

mod format;

use crate::{
    annotations::{
        attributes::{OWN, READS},
        outside,
    },
    canon::types::integers::MEMBER,
    llvm::{Builder, Function, IntPredicate, Module, Type, Value},
};
use adir::target;
use format::{Format, Kind};

/// A number that no text gives: a signalling NaN. Of a float, the lower half; of a long double, below
/// this sign and exponent.
const MARK: u64 = 0x7ff4_ad5e_7fa4_ad5e;
const SMALL_MARK: u64 = MARK & 0xffff_ffff;
const EXPONENT: u64 = 0x7fff;
/// How the names of functions begin that mean the same in different standards.
const STANDARDS: [&str; 2] = ["__isoc99_", "__isoc23_"];
/// Streams' operators, and the function that they call, for one number; the code of its type
/// follows.
const EXTRACTORS: [&str; 2] = ["_ZNSirsER", "_ZNSi10_M_extractI"];
/// `std::from_chars`, likewise.
const FROM_CHARS: &str = "_ZSt10from_charsPKcS0_R";
/// Fortran's input of one number, real or complex; the bits of a real follow.
const REAL: &str = "_FortranAioInputReal";
const COMPLEX: &str = "_FortranAioInputComplex";

/// Rewrites the calls of such functions.
pub fn rewrite(module: Module, function: Function) {
    let calls: Vec<(Value, Reader)> = super::unwind::calls(function)
        .filter(|call| call.call_string(READS).is_none())
        .filter_map(|call| Some((call, reader(module, call)?)))
        .collect();
    if calls.iter().any(|(call, _)| call.is_invoke()) {
        // What comes behind an invoke needs a place of its own.
        function.split_invokes();
    }
    for (call, reader) in calls {
        call.set_call_string(READS, "");
        let at = Place { module, b: Builder::new(module.context()), function, call };
        match reader {
            Reader::Formatted(first, format) => {
                at.through_variables(first, &format);
                if !format.has_addresses() {
                    call.set_call_string(READS, OWN);
                }
            }
            Reader::Numbers(argument, ty, many) => at.through_marked(argument, ty, many),
            Reader::Bytes { to, size, read } => at.through_buffer(to, size, read),
        }
    }
}

/// What a call reads.
enum Reader {
    /// What a format says, from this argument on; the result says how much of it there was.
    Formatted(usize, Format),
    /// So many numbers side by side: one, or a complex one.
    Numbers(usize, Type, u64),
    /// Bytes, to where an argument leads.
    Bytes { to: usize, size: Size, read: Read },
}

/// How many bytes there may be.
enum Size {
    Argument(usize),
    Product(usize, usize),
}

/// How many bytes there are afterwards.
enum Read {
    /// As many as the result says, if it is not negative.
    Result,
    /// So many elements as the result says, of this argument's size.
    Elements(usize),
    /// What a stream, the first argument, notes behind its pointer to virtual functions.
    Noted,
}

fn reader(module: Module, call: Value) -> Option<Reader> {
    let f = call.called().as_function().filter(|f| f.is_declaration())?;
    let name = f.name();
    let arguments = call.argument_count();
    let is_pointer = |i: usize| call.operand(i).ty().is_pointer();
    let plain = STANDARDS.iter().find_map(|s| name.strip_prefix(s)).unwrap_or(&name);

    let at = match plain {
        "scanf" => Some(0),
        "fscanf" | "sscanf" => Some(1),
        _ => None,
    };
    if let Some(at) = at {
        let (given, text) = (call.operand(at), call.operand(at).constant_text()?);
        let format = Format::of(module, &text)
            .filter(|_| given.variable().is_some_and(|v| v.offset == Some(0)))?;
        let first = at + 1;
        let fits = arguments == first + format.conversions.len();
        let is_one = fits && (first..arguments).all(is_pointer) && call.ty().is_int();
        return is_one.then_some(Reader::Formatted(first, format));
    }
    let is_size = |i: usize| i < arguments && call.operand(i).ty() == module.size_type();
    let bytes = |to: usize, size, read| {
        let has_sizes = match size {
            Size::Argument(i) => is_size(i),
            Size::Product(i, k) => is_size(i) && is_size(k),
        };
        let counts = matches!(read, Read::Noted) || call.ty() == module.size_type();
        let is_one = has_sizes && counts && arguments > to && is_pointer(to);
        is_one.then_some(Reader::Bytes { to, size, read })
    };
    match name.as_str() {
        "fread" | "fread_unlocked" => bytes(0, Size::Product(1, 2), Read::Elements(1)),
        "read" | "pread" | "pread64" => bytes(1, Size::Argument(2), Read::Result),
        "_ZNSi4readEPcl" | "_ZNSi4readEPci" => bytes(1, Size::Argument(2), Read::Noted),
        _ if name.starts_with(REAL) || name.starts_with(COMPLEX) => {
            let (many, bits) = match name.strip_prefix(REAL) {
                Some(bits) => (1, bits),
                None => (2, &name[COMPLEX.len()..]),
            };
            let ty = match bits {
                "32" => module.context().f32(),
                "64" => module.context().f64(),
                _ => return None,
            };
            (arguments == 2 && is_pointer(1)).then_some(Reader::Numbers(1, ty, many))
        }
        _ => {
            let (at, code) = match EXTRACTORS.iter().find_map(|e| name.strip_prefix(e)) {
                Some(code) => (1, code),
                None => (2, name.strip_prefix(FROM_CHARS)?),
            };
            // A result in memory comes first.
            let at = at + usize::from(call.call_sret().is_some());
            let ty = coded(module, code.chars().next()?)?;
            (arguments > at && is_pointer(at)).then_some(Reader::Numbers(at, ty, 1))
        }
    }
}

/// The type that a letter of a mangled name stands for, of a number.
fn coded(module: Module, letter: char) -> Option<Type> {
    let context = module.context();
    let long = 8 * target::pointer() as u32;
    Some(match letter {
        'f' => context.f32(),
        'd' => context.f64(),
        'e' => context.f80(),
        's' | 't' => context.int(16),
        'i' | 'j' => context.int(32),
        'l' | 'm' => context.int(long),
        'x' | 'y' => context.int(64),
        _ => return None,
    })
}

/// A call, and where code around it goes.
struct Place {
    module: Module,
    b: Builder,
    function: Function,
    call: Value,
}

impl Place {
    fn variable(&self, ty: Type) -> Value {
        self.b.position_before(self.function.blocks()[0].instructions()[0]);
        self.b.alloca(ty, "read")
    }

    fn position_after(&self) {
        if self.call.is_invoke() {
            self.b.position_at_start(self.call.successors()[0]);
        } else {
            let all = self.call.block().instructions();
            let at = all.iter().position(|i| *i == self.call).expect("a call is in its block");
            self.b.position_before(all[at + 1]);
        }
    }

    fn through_variables(&self, first: usize, format: &Format) {
        let (b, ptr) = (&self.b, self.module.context().ptr());
        let allocates = format.has_text() && self.reads_file();
        if allocates {
            b.position_before(self.call);
            self.call.set_operand(first - 1, b.text(&format.allocating()));
        }
        let mut places = vec![];
        for (i, kind) in format.conversions.iter().enumerate() {
            let ty = match kind {
                Kind::Number(ty) => *ty,
                Kind::Text(_) if allocates => ptr,
                _ => continue,
            };
            let (to, variable) = (self.call.operand(first + i), self.variable(ty));
            if ty == ptr {
                b.position_before(self.call);
                b.store(ptr.zero(), variable);
            }
            self.call.set_operand(first + i, variable);
            places.push((i, to, variable, ty));
        }
        self.position_after();
        for (before, to, variable, ty) in places {
            let before = self.call.ty().int(before as u64);
            let is_read = b.icmp(IntPredicate::LLVMIntSGT, self.call, before);
            if ty == ptr {
                self.move_text_if(is_read, variable, to);
            } else {
                self.move_if(is_read, variable, to, ty);
            }
        }
    }

    /// Whether the call reads a file that is no memory. Of text in memory it has to be known which
    /// is made of active numbers.
    fn reads_file(&self) -> bool {
        const MEMORY: [&str; 2] = ["fmemopen", "open_memstream"];
        !self.call.callee().name().ends_with("sscanf")
            && !outside::may_read_digits(self.call.callee())
            && MEMORY.iter().all(|name| self.module.function(name).is_none())
    }

    fn move_text_if(&self, is_read: Value, variable: Value, to: Value) {
        let (b, word, ptr) = (&self.b, self.module.size_type(), self.module.context().ptr());
        let declare = |name: &str, result: Type, params: &[Type]| {
            self.module.declare(name, Type::function(result, params, false))
        };
        let allocated = b.load(ptr, variable);
        let text = b.select(is_read, allocated, b.text(""));
        let length = b.call(declare("strlen", word, &[ptr]), &[text]);
        let bytes = b.select(is_read, b.add(length, word.int(1)), word.zero());
        let copy = b.call(declare("strncpy", ptr, &[ptr, ptr, word]), &[to, text, bytes]);
        self.call.copy_location(copy);
        b.call(declare("free", self.module.context().void(), &[ptr]), &[allocated]);
    }

    fn through_marked(&self, argument: usize, ty: Type, many: u64) {
        let (to, b) = (self.call.operand(argument), &self.b);
        let context = self.module.context();
        let variable = self.variable(if many == 1 { ty } else { ty.array(many) });
        b.position_before(self.call);
        if ty.is_int() {
            // What is not read stays what it was.
            let old = b.load(ty, to);
            let kept = b.store(old, variable);
            self.call.set_operand(argument, variable);
            self.position_after();
            let read = b.load(ty, variable);
            self.note([old, kept, read, b.store(read, to)], ty);
            return;
        }
        let mark = if ty == context.f32() {
            context.int(32).int(SMALL_MARK)
        } else {
            context.int(64).int(MARK)
        };
        let size = self.module.alloc_size(ty);
        let part = |of: Value, k: u64| match k {
            0 => of,
            _ => b.byte_offset(of, context.int(64).int(k * size)),
        };
        let marked: Vec<Value> = (0..many).map(|k| part(variable, k)).collect();
        for &at in &marked {
            b.store(mark, at);
        }
        let end = (ty == context.f80()).then(|| {
            let end = b.byte_offset(variable, context.int(64).int(8));
            b.store(context.int(16).int(EXPONENT), end);
            end
        });
        self.call.set_operand(argument, variable);
        self.position_after();
        let differs =
            |mark: Value, at: Value| b.icmp(IntPredicate::LLVMIntNE, b.load(mark.ty(), at), mark);
        for (k, from) in (0..).zip(marked) {
            let mut is_read = differs(mark, from);
            if let Some(end) = end {
                is_read = b.or(is_read, differs(context.int(16).int(EXPONENT), end));
            }
            self.move_if(is_read, from, part(to, k), ty);
        }
    }

    fn move_if(&self, is_read: Value, from: Value, to: Value, ty: Type) {
        let (read, old) = (self.b.load(ty, from), self.b.load(ty, to));
        let stored = self.b.store(self.b.select(is_read, read, old), to);
        self.note([read, old, stored], ty);
    }

    /// Gives accesses the call's line, and says that they are of a number of this type: nothing
    /// that is only moved.
    fn note(&self, accesses: impl IntoIterator<Item = Value>, ty: Type) {
        let context = self.module.context();
        let name = match ty {
            _ if ty.is_int() => MEMBER,
            _ if ty == context.f32() => "float",
            _ if ty == context.f64() => "double",
            _ => "long double",
        };
        for access in accesses {
            self.call.copy_location(access);
            access.set_lone_tbaa_type(name);
        }
    }

    fn through_buffer(&self, argument: usize, size: Size, read: Read) {
        let (b, word, ptr) = (&self.b, self.module.size_type(), self.module.context().ptr());
        let to = self.call.operand(argument);
        b.position_before(self.call);
        let number = |i: usize| self.call.operand(i);
        let bytes = match size {
            Size::Argument(i) => number(i),
            Size::Product(i, k) => b.mul(number(i), number(k)),
        };
        let malloc = self.module.declare("malloc", Type::function(ptr, &[word], false));
        let buffer = b.call(malloc, &[bytes]);
        self.call.set_operand(argument, buffer);
        self.position_after();
        let read = match read {
            Read::Result => {
                let is_none = b.icmp(IntPredicate::LLVMIntSLT, self.call, word.zero());
                b.select(is_none, word.zero(), self.call)
            }
            Read::Elements(i) => b.mul(self.call, number(i)),
            Read::Noted => {
                let at = self.module.context().int(64).int(target::pointer());
                b.load(word, b.byte_offset(number(0), at))
            }
        };
        self.call.copy_location(b.memcpy(to, 1, buffer, 1, read));
        let free = Type::function(self.module.context().void(), &[ptr], false);
        b.call(self.module.declare("free", free), &[buffer]);
    }
}
