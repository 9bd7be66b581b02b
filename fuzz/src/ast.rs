//! The random programs: a subset of C whose meaning does not depend on the order of evaluation.
//!
//! Expressions are pure: they read, and call functions that take only values. Everything that
//! writes is a statement. All integers stay small and are read as `int`, so that the interpreter
//! computes with `i64`. The generator avoids undefined behaviour where it can and the interpreter
//! rejects the programs where it did not.

/// A variable of a function: index into `Func::vars`; parameters come first.
pub type VarId = usize;
/// A function: index into `Program::funcs`; 0 is the one that is differentiated.
pub type FuncId = usize;
/// A forward goto's label, unique in its function.
pub type Label = usize;

/// A variable of the program, outside of functions or static in one: index into `Program::globals`.
pub type GlobalId = usize;

/// Floating-point types, narrow ones first. The oracle computes `long double` in double: bounds are
/// far wider.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Real {
    F32,
    F64,
    F80,
}

/// Integer types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Int {
    U8,
    I16,
    I32,
    U32,
    I64,
    U64,
}

/// Types of objects.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Ty {
    Real(Real),
    Int(Int),
    Array(Box<Ty>, usize),
    Struct(usize),
    Ptr(Box<Ty>),
    /// GCC's `vector_size`.
    Vector(Real, usize),
    /// A pointer to a function of the type of this one.
    Func(FuncId),
}

/// What is called, or a pointer to a function.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum FuncE {
    Name(FuncId),
    /// An element of a constant table of functions.
    Table(usize, Box<IntE>),
    Var(VarId),
    Sel(Box<CondE>, Box<FuncE>, Box<FuncE>),
}

/// An lvalue.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum LValue {
    Var(VarId),
    /// Of an array or through a pointer.
    Index(Box<LValue>, IntE),
    Field(Box<LValue>, usize),
    /// Of a constant table of the program.
    Table(usize, IntE),
}

/// A pointer value.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum PtrE {
    /// `place + i` for an array or a pointer.
    At(LValue, IntE),
    /// `&place`.
    Addr(LValue),
    /// `cond ? a : b`.
    Sel(Box<CondE>, Box<PtrE>, Box<PtrE>),
    /// What a function returns that writes nothing.
    Call(FuncE, Vec<Arg>),
}

/// Binary operations on reals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RealOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// Binary operations on integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Shr,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Cmp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// A real expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum RealE {
    Lit(f64, Real),
    Load(LValue),
    Neg(Box<RealE>),
    Bin(RealOp, Box<RealE>, Box<RealE>),
    /// A libm function by its name for double, in a precision.
    Math(&'static str, Real, Vec<RealE>),
    Ldexp(Box<RealE>, Box<IntE>),
    /// One of `idioms`, by name: what comes out is a double.
    Idiom(&'static str, Box<RealE>),
    Sel(Box<CondE>, Box<RealE>, Box<RealE>),
    OfInt(Real, Box<IntE>),
    Cast(Real, Box<RealE>),
    /// A function with by-value parameters only.
    Call(FuncE, Vec<Arg>),
}

/// A vector expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum VecE {
    Load(LValue),
    /// All elements, in the element type.
    List(Real, Vec<RealE>),
    Bin(RealOp, Box<VecE>, Box<VecE>),
    /// With one number for all elements, cast to the element type.
    Scale(RealOp, Box<VecE>, Real, Box<RealE>),
    Shuffle(Box<VecE>, Vec<usize>),
}

/// An integer expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum IntE {
    Lit(i64),
    Load(Box<LValue>),
    Bin(IntOp, Box<IntE>, Box<IntE>),
    Of(Box<CondE>),
    OfReal(Box<RealE>),
    Sel(Box<CondE>, Box<IntE>, Box<IntE>),
}

/// A condition.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum CondE {
    Real(Cmp, RealE, RealE),
    Int(Cmp, IntE, IntE),
    And(Box<CondE>, Box<CondE>),
    Or(Box<CondE>, Box<CondE>),
    Not(Box<CondE>),
}

/// An argument of a call.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Arg {
    Real(RealE),
    Int(IntE),
    Ptr(PtrE),
    /// A struct by value.
    Struct(LValue),
    Func(FuncE),
    Vector(VecE),
}

/// How a local variable starts.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Init {
    None,
    /// `= {0}` or `= 0`.
    Zero,
    Real(RealE),
    Int(IntE),
    Ptr(PtrE),
    /// `= {a, b, ..}` for an array of reals; the rest is zero.
    List(Vec<RealE>),
    /// `= place` for a struct.
    Copy(LValue),
}

/// A local variable of a block.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Local {
    pub var: VarId,
    pub init: Init,
}

/// Declarations in order, then statements.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Block {
    pub locals: Vec<Local>,
    pub stmts: Vec<Stmt>,
}

/// One case of a switch.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Case {
    /// `None` is `default`.
    pub value: Option<i64>,
    pub body: Block,
    /// Whether a break ends it.
    pub stops: bool,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    Block(Block),
    /// `place = e`, or with an operation.
    Set(LValue, Option<RealOp>, RealE),
    SetInt(LValue, Option<IntOp>, IntE),
    SetPtr(LValue, PtrE),
    SetVec(LValue, Option<RealOp>, VecE),
    /// Two reals of a type change places.
    Swap(LValue, LValue),
    /// Struct assignment.
    Copy(LValue, LValue),
    If(CondE, Block, Block),
    /// `for (v = from; v < to; v += step)`; downwards: `for (v = to; v-- > from; )`, step 1.
    For {
        var: VarId,
        from: IntE,
        to: IntE,
        step: i64,
        down: bool,
        body: Block,
    },
    /// `v = 0; while (v < fuel && cond) { v++; body }`; or
    /// `do { v++; body } while (v < fuel && cond)`.
    While {
        var: VarId,
        fuel: i64,
        cond: Option<CondE>,
        first: bool,
        body: Block,
    },
    /// `for (p = base; p != base + count; p++)`.
    Walk {
        var: VarId,
        base: PtrE,
        count: IntE,
        body: Block,
    },
    Break,
    Continue,
    Return(Option<RealE>),
    /// Of a struct.
    ReturnPlace(LValue),
    ReturnPtr(PtrE),
    Switch(IntE, Vec<Case>),
    Call(Option<LValue>, FuncE, Vec<Arg>),
    /// memcpy, or memmove with `true`, of so many elements of the type.
    Memcpy(bool, PtrE, PtrE, IntE, Ty),
    Memset(PtrE, IntE, Ty),
    /// malloc, or calloc with `true`.
    Malloc(bool, VarId, IntE),
    Realloc(VarId, IntE),
    Free(VarId),
    /// The block, then the label.
    Labelled(Label, Block),
    Goto(Label),
    /// `place = frexp(e, &exponent)`.
    Frexp(LValue, RealE, VarId),
    /// `place = modf(e, &whole)`.
    Modf(LValue, RealE, VarId),
}

/// A variable.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Var {
    pub ty: Ty,
    /// For pointers: to const.
    pub is_const: bool,
    /// A name for a variable of the program.
    pub global: Option<GlobalId>,
}

/// A variable of the program. It has its values again before each run.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Global {
    pub ty: Ty,
    pub values: Vec<f64>,
    pub visibility: Visibility,
}

/// Where a variable of the program is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Visibility {
    /// Other files may see it.
    Program,
    File,
    /// Static in a function: only that one knows it.
    Inside(FuncId),
}

/// A function.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Func {
    pub params: usize,
    pub vars: Vec<Var>,
    pub ret: Option<Ty>,
    pub body: Block,
    /// Kept out of line.
    pub is_noinline: bool,
}

/// What a parameter of function 0 gets.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Input {
    /// So many elements; the cells in order, integers among them.
    Memory(usize, Vec<f64>),
    Real(f64),
    Int(i64),
    /// The parameter was left out by the shrinker.
    Absent,
}

/// A program; function 0 is the one that is differentiated.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Program {
    pub structs: Vec<Vec<Ty>>,
    pub tables: Vec<Vec<f64>>,
    /// Constant tables of functions, all of the type of the first.
    pub dispatch: Vec<Vec<FuncId>>,
    pub globals: Vec<Global>,
    pub funcs: Vec<Func>,
    pub inputs: Vec<Input>,
    /// Of the loops and statements that may be checkpointed, one in so many is; none without.
    pub checkpoints: Option<usize>,
    /// What of it is in a library.
    pub boundary: Option<crate::boundary::Boundary>,
    /// Where the program has several files, what draws how it is divided.
    pub files: Option<u64>,
    /// The program, where it is one of `structures`: text with `@` for the prefix of its names.
    /// Function 0 then has no body, and there are no others.
    pub text: Option<String>,
}

/// The elements of vectors.
pub static ELEMENTS: [Ty; 3] = [Ty::Real(Real::F32), Ty::Real(Real::F64), Ty::Real(Real::F80)];

/// What a cell of memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CellKind {
    Real(Real),
    Int(Int),
    Ptr,
    Func,
}

impl Int {
    /// The C type.
    pub fn name(self) -> &'static str {
        match self {
            Int::U8 => "unsigned char",
            Int::I16 => "short",
            Int::I32 => "int",
            Int::U32 => "unsigned",
            Int::I64 => "long",
            Int::U64 => "size_t",
        }
    }

    /// Whether the type can hold the value.
    pub fn holds(self, v: i64) -> bool {
        match self {
            Int::U8 => (0..256).contains(&v),
            Int::I16 => (-32768..32768).contains(&v),
            Int::I32 | Int::I64 => v.abs() < LIMIT,
            Int::U32 | Int::U64 => (0..LIMIT).contains(&v),
        }
    }
}

/// Bound of every integer value.
pub const LIMIT: i64 = 1 << 30;

impl Real {
    /// The C type.
    pub fn name(self) -> &'static str {
        match self {
            Real::F32 => "float",
            Real::F64 => "double",
            Real::F80 => "long double",
        }
    }

    /// The value rounded to the type.
    pub fn round(self, v: f64) -> f64 {
        match self {
            Real::F32 => f64::from(v as f32),
            Real::F64 | Real::F80 => v,
        }
    }
}

impl Program {
    /// Whether two functions have the same type.
    pub fn is_alike(&self, f: FuncId, like: FuncId) -> bool {
        let (Some(f), Some(like)) = (self.funcs.get(f), self.funcs.get(like)) else { return false };
        let params = |f: &'_ Func| {
            f.vars.iter().take(f.params).map(|v| (v.ty.clone(), v.is_const)).collect::<Vec<_>>()
        };
        f.ret == like.ret && params(f) == params(like)
    }

    /// The type of a place in a function; `None` for places without an address, as elements of
    /// vectors are.
    pub fn type_of(&self, vars: &[Var], place: &LValue) -> Option<Ty> {
        match place {
            LValue::Var(v) => Some(vars.get(*v)?.ty.clone()),
            LValue::Index(base, _) => match self.type_of(vars, base)? {
                Ty::Array(e, _) | Ty::Ptr(e) => Some(*e),
                _ => None,
            },
            LValue::Field(base, f) => match self.type_of(vars, base)? {
                Ty::Struct(s) => self.structs.get(s)?.get(*f).cloned(),
                _ => None,
            },
            LValue::Table(..) => Some(Ty::Real(Real::F64)),
        }
    }

    /// Cells of an object of the type.
    pub fn size(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Real(_) | Ty::Int(_) | Ty::Ptr(_) | Ty::Func(_) => 1,
            Ty::Vector(_, n) => *n,
            Ty::Array(e, n) => n * self.size(e),
            Ty::Struct(s) => self.structs[*s].iter().map(|f| self.size(f)).sum(),
        }
    }

    /// What the cells of an object of the type hold.
    pub fn kinds(&self, ty: &Ty, into: &mut Vec<CellKind>) {
        match ty {
            Ty::Real(r) => into.push(CellKind::Real(*r)),
            Ty::Int(i) => into.push(CellKind::Int(*i)),
            Ty::Ptr(_) => into.push(CellKind::Ptr),
            Ty::Func(_) => into.push(CellKind::Func),
            Ty::Vector(r, n) => (0..*n).for_each(|_| into.push(CellKind::Real(*r))),
            Ty::Array(e, n) => (0..*n).for_each(|_| self.kinds(e, into)),
            Ty::Struct(s) => self.structs[*s].iter().for_each(|f| self.kinds(f, into)),
        }
    }

    /// The cells of a parameter of function 0: of what it points to, or of itself.
    pub fn input_kinds(&self, param: usize) -> Vec<CellKind> {
        let mut kinds = vec![];
        match (&self.funcs[0].vars[param].ty, &self.inputs[param]) {
            (_, Input::Absent) => {}
            (Ty::Ptr(e), Input::Memory(n, _)) => (0..*n).for_each(|_| self.kinds(e, &mut kinds)),
            (ty, _) => self.kinds(ty, &mut kinds),
        }
        kinds
    }

    /// Whether any variable or operation is in single precision.
    pub fn has_float(&self) -> bool {
        if self.text.as_ref().is_some_and(|t| t.contains("float ")) {
            return true;
        }
        let has = |ty: &Ty| {
            let mut kinds = vec![];
            self.kinds(ty, &mut kinds);
            kinds.contains(&CellKind::Real(Real::F32))
        };
        let pointee = |ty: &Ty| match ty {
            Ty::Ptr(e) => has(e),
            other => has(other),
        };
        let vars = self
            .funcs
            .iter()
            .any(|f| f.vars.iter().any(|v| pointee(&v.ty)) || f.ret.as_ref().is_some_and(pointee));
        vars || format!("{:?}{:?}", self.funcs, self.globals).contains("F32")
    }
}
