//! What cannot be differentiated is refused here, before anything is generated: no case falls
//! through to a wrong number.

mod blocks;
pub mod copied;
mod custom;
mod disguised;
mod foreign;
mod indirect;
mod parallel;
mod parts;
mod text;
mod unread;
mod vectors;

use copied::{holds_no_address, moved};

use crate::{
    annotations::registry,
    canon::stand_ins,
    codegen::{adjoint::leftovers, inner, kept},
    diagnostics::{Code, Diagnostic, names::readable},
    image::{Imported, unit::Unit},
    llvm::{AtomicOperation, Opcode},
};
use adanalysis::{
    activity::{Activity, Shadow},
    addresses,
    context::Context,
    points_to::{Object, ends},
    summary::Known,
    types::{ScalarKind, is_copy, is_passed_on},
};
use adir::{
    Callee, Cast, Op, Ty, ValueId,
    library::{
        self,
        outside::{self, Outside},
    },
    target,
};

/// The mode that is about to be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One sweep.
    Tangent,
    /// Forward and reverse sweep.
    Adjoint,
}

/// Collects everything in `unit` that has no derivative here.
pub fn check(
    unit: &Unit,
    known: Known,
    context: &Context,
    activity: &Activity,
    mode: Mode,
) -> Result<(), Vec<Diagnostic>> {
    inner::check_directions(&unit.body)?;
    let mut check = Check { unit, body: &unit.body, activity, mode, found: vec![] };
    for v in unit.body.insts() {
        check.inst(v);
    }
    for v in unit.body.value_ids() {
        check.address_space(v);
    }
    check.found.extend(foreign::check(unit, known, context, activity));
    check.found.extend(parallel::check(unit, known, context, activity, mode));
    if check.found.is_empty() { Ok(()) } else { Err(check.found) }
}

struct Check<'a> {
    unit: &'a Unit,
    body: &'a Imported,
    activity: &'a Activity,
    mode: Mode,
    found: Vec<Diagnostic>,
}

/// Address spaces from here on are not memory as all: FS, GS, SS, pointers of 32 bits.
const FIRST_SEGMENT: u32 = 256;
/// Nothing lies before this address.
const FIRST_PAGE: i64 = 4096;
/// The family of `setjmp`.
const TWICE: &str = "control that returns twice";
const TWICE_REMEDY: &str =
    "call it outside of the differentiated code, or return a status instead of jumping";

const SHADOW_REMEDY: &str = "pass the memory as an active argument (ad_dup, value and shadow), or keep active data out of it";

impl Check<'_> {
    fn say(&mut self, code: Code, v: ValueId, reason: impl Into<String>, remedy: &str) {
        self.found.push(Diagnostic::new(code, Some(self.body.llvm(v)), reason, remedy));
    }

    /// Shadows are not in the segments of FS and GS, nor in the memory of 32-bit pointers.
    fn address_space(&mut self, v: ValueId) {
        let space = self.body.llvm(v).ty().scalar().address_space();
        if space < FIRST_SEGMENT
            || !self.is_active_pointer(v)
            || self.unit.memory.points_to(v).next().is_none()
        {
            return;
        }
        let site = if self.body[v].block.is_some() {
            Some(v)
        } else {
            self.body.users[v].first().copied()
        };
        let text = format!(
            "a pointer in address space {space} points to active memory, which has \
            no shadow there"
        );
        let site = site.map(|s| self.body.llvm(s));
        self.found.push(Diagnostic::new(
            Code::Type,
            site,
            text,
            "keep active data in memory that ordinary pointers reach",
        ));
    }

    /// Whether an address is a number that the code says, and not null or a step from there, on a
    /// way that is not gone.
    fn is_number(&self, address: ValueId) -> bool {
        let mut at = address;
        while matches!(
            self.body[at].op,
            Op::Gep(..) | Op::Freeze | Op::Cast(Cast::Bits | Cast::AddressSpace)
        ) {
            at = self.body.operand(at, 0);
        }
        if !matches!(self.body[at].op, Op::ConstantExpr) {
            return false;
        }
        let llvm = self.body.llvm(at);
        llvm.address_as_int().is_some_and(|n| {
            !(0..FIRST_PAGE).contains(&n) || llvm.ty().address_space() >= FIRST_SEGMENT
        })
    }

    fn is_active_pointer(&self, v: ValueId) -> bool {
        matches!(self.activity.shadow(v), Shadow::Yes | Shadow::Mixed)
    }

    fn inst(&mut self, v: ValueId) {
        let data = &self.body[v];
        let returns = data.block.is_none_or(|b| self.body[b].returns);
        // The adjoint of a path that does not return is never asked for; copies are looked at by
        // the forward sweep.
        if self.mode == Mode::Adjoint
            && !returns
            && !matches!(data.op, Op::Call(Callee::MemCpy | Callee::MemMove))
        {
            return;
        }
        let operands = &data.operands;
        let varied = self.activity.is_varied(v);
        let varied_operand = operands.iter().any(|&o| self.activity.is_varied(o));
        // The tangent moves bits whatever they are; an adjoint is one of reals of a kind.
        let contradicts =
            |o: ValueId| self.activity.is_varied(o) && self.unit.bits.is_contradictory(o);
        if self.mode == Mode::Adjoint
            && (contradicts(v) || operands.iter().any(|&o| contradicts(o)))
        {
            self.copy_type(v);
            return;
        }
        if self.mode == Mode::Adjoint && self.breaks_vector(v) {
            return;
        }
        match &data.op {
            Op::Load => self.access(v, operands[0], varied),
            Op::Store => self.store(v, operands[0], operands[1]),
            Op::Ret if operands.first().is_some_and(|&o| self.body.holds_pointer(o)) => self.returned(v, operands[0]),
            Op::Call(callee) => self.call(v, callee),
            Op::Gep(_, strides) if self.is_active_pointer(v) && strides.iter().any(|s| self.is_distance_of_blocks(s.0)) => self.say(
                Code::Distance,
                v,
                "a pointer to active memory moves by the distance between two blocks of memory: \
                the shadows of the blocks have another distance",
                "take the new block's address and add the old offset (new + (p - old))",
            ),
            Op::Update(_) => match self.activity.shadow(operands[0]) {
                Shadow::Mixed => self.mixed(v),
                Shadow::No if self.activity.is_varied(operands[1]) => self.store(v, operands[1], operands[0]),
                _ => {}
            },
            Op::Atomic if (varied_operand || operands.iter().any(|&o| self.touches_reals(o))) && !self.is_counter(v) => self.say(
                Code::Atomic,
                v,
                "an atomic exchange or integer operation accesses active data: it has no \
                derivative",
                "use plain accesses, or atomic addition of float or double \
                (__c11_atomic_fetch_add, OpenMP atomic)",
            ),
            // What only decides may do with the bits what it likes; so may what an address or a
            // branch makes of them.
            Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend) if varied_operand && !self.unit.bits.is_decision(v) && !self.moves_whole(v) => {
                self.integer_bits(v);
            }
            Op::Cast(Cast::PtrToInt) if varied_operand => self.integer_bits(v),
            // A real that code takes for an address, and moves on, loses its derivative.
            Op::Cast(Cast::IntToPtr) if varied_operand && self.is_moved_on(v) => self.copy_type(v),
            Op::Cast(Cast::PtrToInt) if self.is_active_pointer(operands[0]) && addresses::is_passed_on(self.body, v) => self.say(
                Code::CopyType,
                v,
                "the address of active memory is stored, passed or returned as an integer: a \
                pointer made from the integer has no shadow",
                "pass, store and return pointers as pointers",
            ),
            // Where its bits go, code takes them for those of a real, another time.
            Op::Cast(Cast::PtrToInt)
                if self.is_active_pointer(operands[0]) && self.unit.bits.has_reals(v) && is_passed_on(self.body, v) =>
            {
                self.copy_type(v)
            }
            // Adjoints of structs have no place for reals in the bits of integers.
            Op::InsertValue(_) if self.activity.is_varied(operands[1]) && self.is_integer(operands[1]) && self.mode == Mode::Adjoint => {
                self.unsupported_type(operands[1]);
            }
            Op::ExtractValue(_) if varied && self.is_integer(v) && self.mode == Mode::Adjoint => self.unsupported_type(v),
            Op::Cast(Cast::IntToFloat) if varied_operand => self.integer_bits(v),
            Op::Other if varied_operand || operands.iter().any(|&o| self.is_active_pointer(o)) => self.say(
                Code::Instruction,
                v,
                "an instruction without a derivative rule uses active data",
                "rewrite the statement, or keep active data out of it",
            ),
            _ => {}
        }
        let computes = !matches!(data.op, Op::Load | Op::Store | Op::Call(_));
        if self.activity.is_active(v) && computes && !data.ty.holds_float() && !self.moves_bits(v) {
            self.unsupported_type(v);
        }
    }

    /// Whether the bits of active data may be moved in integers of that type: all in the tangent,
    /// whole reals in the adjoint.
    fn moves_bits(&self, v: ValueId) -> bool {
        match self.body[v].ty {
            Ty::Int(16 | 32 | 64 | 80 | 128) => true,
            Ty::Int(_) => self.mode == Mode::Tangent,
            Ty::Vector(false) => {
                self.mode == Mode::Tangent || matches!(self.element_bytes(v), 2 | 4 | 8)
            }
            _ => false,
        }
    }

    /// Size of an integer, or of one of those in a vector.
    fn element_bytes(&self, v: ValueId) -> u64 {
        let ty = self.body.llvm(v).ty().scalar();
        if ty.is_int() { u64::from(ty.int_width()) / 8 } else { 0 }
    }

    /// Whether an atomic operation is one on integers: counters of references, flags. Bits of reals
    /// are exchanged only, so where integers lie, and nothing else of their size, an exchange is one of
    /// these.
    fn is_counter(&self, v: ValueId) -> bool {
        use AtomicOperation::*;
        let inst = self.body.llvm(v);
        let is_counter = inst.opcode() == Opcode::LLVMAtomicRMW && inst.ty().is_int() && {
            matches!(
                inst.atomic_operation(),
                LLVMAtomicRMWBinOpAdd
                    | LLVMAtomicRMWBinOpSub
                    | LLVMAtomicRMWBinOpAnd
                    | LLVMAtomicRMWBinOpOr
                    | LLVMAtomicRMWBinOpNand
                    | LLVMAtomicRMWBinOpMax
                    | LLVMAtomicRMWBinOpMin
                    | LLVMAtomicRMWBinOpUMax
                    | LLVMAtomicRMWBinOpUMin
            )
        };
        let operands = &self.body[v].operands;
        let finds_integers = || {
            let [address, exchanged, ..] = operands[..] else { return false };
            let bytes = self.body[exchanged].bytes;
            let kinds = self.unit.types.scalar(&self.unit.memory, address, bytes);
            matches!(self.body[exchanged].ty, Ty::Int(_))
                && kinds.contains(&ScalarKind::Int)
                && !kinds.iter().any(|k| *k != ScalarKind::Int && k.bytes() == bytes)
        };
        !operands.iter().any(|&o| self.activity.is_varied(o)) && (is_counter || finds_integers())
    }

    /// Whether `store` copies bits that may be those of a pointer with a shadow, which the forward
    /// sweep would have to copy as well: reals wait for the reverse sweep.
    fn may_copy_pointer(&self, store: ValueId, stored: ValueId, to: ValueId) -> bool {
        if !is_copy(self.body, stored) || !self.is_active_pointer(self.body.operand(stored, 0)) {
            return false;
        }
        let from = self.body.operand(stored, 0);
        let scalar = |v, address| self.unit.accessed(v, address, 8);
        let all = [scalar(stored, from), scalar(store, to)].concat();
        (all.is_empty() && !self.activity.is_varied(stored)) || all.contains(&ScalarKind::Ptr)
    }

    /// Whether a pointer leads to constant tables only: what is read there later has derivative
    /// zero, shadow or not.
    fn is_constant_table(&self, pointer: ValueId) -> bool {
        let is_constant = |o: usize| match self.unit.memory.objects[o] {
            Object::Global(g) => matches!(self.body[g].op, Op::Global(true)),
            _ => false,
        };
        let mut objects = self.unit.memory.points_to(pointer).peekable();
        objects.peek().is_some() && objects.all(is_constant)
    }

    fn touches_reals(&self, pointer: ValueId) -> bool {
        self.body[pointer].ty == Ty::Ptr && self.is_active_pointer(pointer)
    }

    fn unsupported_type(&mut self, v: ValueId) {
        let ty = self.body.llvm(v).ty().to_string();
        self.say(
            Code::Type,
            v,
            format!("active data of type {ty} cannot be differentiated yet"),
            "move active data as whole reals of their own type, apart from bytes and pointers",
        );
    }

    fn integer_bits(&mut self, v: ValueId) {
        self.say(
            Code::IntegerBits,
            v,
            "integer arithmetic on the bits of an active floating-point value has no derivative",
            "use the floating-point function instead (fabs, copysign, frexp, ldexp …)",
        );
    }

    fn mixed(&mut self, v: ValueId) {
        self.say(
            Code::MixedActivity,
            v,
            "a pointer may point to memory with a shadow or to memory without one",
            SHADOW_REMEDY,
        );
    }

    fn access(&mut self, v: ValueId, address: ValueId, varied: bool) {
        let data = &self.body[v];
        if self.activity.shadow(address) == Shadow::Mixed {
            // Where only integers are read, it does not matter which memory it is.
            if !self.touches_integers(v, address, data.ty, data.bytes) {
                self.mixed(v);
            }
        } else if self.disguises_pointer(v, address)
            || self.finds_moved_pointer(v, address)
            || self.disguises_real(v, address)
            || self.mode == Mode::Adjoint && varied && leftovers::is_ambiguous(self.unit, v)
        {
            self.copy_type(v);
        } else if varied && matches!(data.ty, Ty::Int(_) | Ty::Vector(false)) {
            if !self.is_moved(v) {
                self.integer_bits(v);
            } else if self.tears(v) {
                self.torn(v);
            } else if self.mode == Mode::Adjoint
                && !self.is_covered(v, v, address)
                && !self.goes_to_one_real(v)
                && !self.is_taken_apart(v)
            {
                self.copy_type(v);
            }
        } else if !varied
            && self.activity.shadow(address) == Shadow::Yes
            && self.hides_reals(v, v, address)
        {
            self.copy_type(v);
        } else if self.activity.is_active(v) && !data.ty.holds_float() || self.mixes(v) {
            self.unsupported_type(v);
        }
    }

    /// Whether an integer is the distance of two addresses that surely lie in different blocks, one
    /// of which is the function's own.
    fn is_distance_of_blocks(&self, v: ValueId) -> bool {
        let Some((a, b)) = ends(self.body, v) else { return false };
        let objects = |p: ValueId| {
            self.unit
                .memory
                .points_to(p)
                .map(|o| (o, self.unit.memory.objects[o]))
                .collect::<Vec<_>>()
        };
        let (a, b) = (objects(a), objects(b));
        let is_own = |all: &[(usize, Object)]| {
            !all.is_empty() && all.iter().all(|(_, o)| matches!(o, Object::Local(_)))
        };
        let is_known = |all: &[(usize, Object)]| {
            all.iter()
                .all(|(_, o)| matches!(o, Object::Local(_) | Object::Param(_) | Object::Global(_)))
        };
        let apart = || !a.is_empty() && !b.is_empty() && a.iter().all(|x| !b.contains(x));
        (is_own(&a) || is_own(&b)) && is_known(&a) && is_known(&b) && apart()
    }

    /// Whether a load moves what a caller knows to be a pointer, where its shadow would be taken
    /// for a derivative. Bits of which pointers are known here are copied as those.
    fn disguises_pointer(&self, v: ValueId, address: ValueId) -> bool {
        let scalar = || self.unit.accessed(v, address, self.body[v].bytes);
        let copies_pointers = |scalar: &[ScalarKind]| {
            scalar.contains(&ScalarKind::Ptr) && !scalar.iter().any(|h| h.is_real())
        };
        matches!(self.body[v].op, Op::Load)
            && self.activity.shadow(address) == Shadow::Yes
            && self.unit.types.disguises_pointer(self.body, &self.unit.memory, v)
            && (self.body[v].ty == Ty::F64 || !copies_pointers(&scalar()))
    }

    /// Whether a load brings a pointer of which all that is known is that others have moved it
    /// there, as an integer, from where a pointer to active memory lies, and memory is accessed
    /// through it.
    fn finds_moved_pointer(&self, v: ValueId, address: ValueId) -> bool {
        let (body, memory) = (self.body, &self.unit.memory);
        let is_unknown = |o: usize| matches!(memory.objects[o], Object::Unknown);
        // Where addresses have four bytes, structs are copied by words of eight, and their shadows
        // with them (canon/integers.rs).
        if target::pointer() == 4 && self.activity.shadow(address) == Shadow::Yes {
            return false;
        }
        // Null leads nowhere.
        let is_null = memory.points_to(v).next().is_none();
        if body[v].ty != Ty::Ptr
            || !matches!(body[v].op, Op::Load)
            || is_null
            || !memory.points_to(v).all(is_unknown)
            || memory.points_to(address).any(is_unknown)
        {
            return false;
        }
        let is_accessed = |u: &ValueId| match body[*u].op {
            // Memory is freed whatever it holds.
            Op::Call(Callee::Free) => false,
            Op::Load | Op::Gep(..) | Op::Call(_) | Op::Phi(_) | Op::Select => true,
            Op::Store => body.operand(*u, 1) == v,
            _ => false,
        };
        let sources = self.unit.types.words_from(memory, address);
        let lies_there = |to: ValueId| memory.points_to(to).any(|o| sources.contains(&o));
        let is_stored = |store: ValueId| {
            let is_pointer =
                matches!(body[store].op, Op::Store) && body[body.operand(store, 0)].ty == Ty::Ptr;
            is_pointer
                && lies_there(body.operand(store, 1))
                && self.leads_to_varied(body.operand(store, 0))
        };
        !sources.is_empty() && body.users[v].iter().any(is_accessed) && body.insts().any(is_stored)
    }

    /// Whether something varied is stored where a pointer leads, or its memory has a shadow.
    fn leads_to_varied(&self, pointer: ValueId) -> bool {
        let memory = &self.unit.memory;
        let is_there =
            |to: ValueId| memory.points_to(to).any(|o| memory.points_to(pointer).any(|p| p == o));
        let stores = |v: ValueId| match self.body[v].op {
            Op::Store | Op::Update(_) => {
                let (value, to) =
                    if matches!(self.body[v].op, Op::Store) { (0, 1) } else { (1, 0) };
                self.activity.is_varied(self.body.operand(v, value))
                    && is_there(self.body.operand(v, to))
            }
            _ => false,
        };
        self.is_active_pointer(pointer) || self.body.insts().any(stores)
    }

    /// Whether the source calls the memory that an access moves `bits` from or to an integer, while
    /// the bits are seen as reals elsewhere: their derivative would be lost there.
    fn hides_reals(&self, access: ValueId, bits: ValueId, address: ValueId) -> bool {
        let data = &self.body[bits];
        self.unit.bits.has_reals(bits)
            && self.touches_integers(access, address, data.ty, data.bytes)
    }

    /// Whether a value that is loaded or stored as one has pointers beside other members.
    fn mixes(&self, v: ValueId) -> bool {
        self.body[v].ty != Ty::Ptr && self.body.holds_pointer(v)
    }

    /// Whether the bits of `v` are, from what memory holds, those of one real, or of one in each
    /// element of a vector.
    fn is_one_real(&self, scalar: &[ScalarKind], v: ValueId) -> bool {
        matches!(scalar, [one] if one.is_real() && *one != ScalarKind::BF16 && one.bytes() == self.element_bytes(v))
    }

    /// Whether the bits are seen as one real somewhere, or stored only where one real of their size
    /// is known to lie.
    fn goes_to_one_real(&self, v: ValueId) -> bool {
        if self.body[v].ty == Ty::Vector(false) {
            return self.goes_to_reals(v);
        }
        let users = &self.body.users[v];
        let is_seen = |u: &ValueId| {
            matches!(self.body[*u].op, Op::Cast(Cast::Bits))
                && self.body[*u].ty.is_real()
                && self.body[*u].ty != Ty::BF16
        };
        if users.iter().any(is_seen) {
            return true;
        }
        !users.is_empty()
            && users.iter().all(|&u| {
                let data = &self.body[u];
                matches!(data.op, Op::Store)
                    && data.operands[0] == v
                    && self.is_covered(u, v, data.operands[1])
            })
    }

    /// A caller takes the shadow of a returned pointer for what it names: all of it must have one,
    /// or none.
    fn returned(&mut self, ret: ValueId, pointer: ValueId) {
        let is_vague = || {
            self.unit
                .memory
                .points_to(pointer)
                .any(|o| matches!(self.unit.memory.objects[o], Object::Unknown))
        };
        match self.activity.shadow(pointer) {
            Shadow::Mixed => self.mixed(ret),
            Shadow::No if is_vague() => self.mixed(ret),
            _ => {}
        }
    }

    /// Whether the access surely moves an integer, and no bits of a real.
    fn touches_integers(&self, access: ValueId, address: ValueId, ty: Ty, bytes: u64) -> bool {
        let scalar = self.unit.accessed(access, address, bytes);
        matches!(ty, Ty::Int(_)) && *scalar == [ScalarKind::Int]
    }

    /// Whether integer uses of the bits are comparisons and moves only; arithmetic is looked at
    /// where it stands.
    fn is_moved(&self, v: ValueId) -> bool {
        self.body.users[v].iter().all(|&u| match self.body[u].op {
            Op::ICmp
            | Op::Cast(Cast::Bits | Cast::Int | Cast::ZeroExtend)
            | Op::Phi(_)
            | Op::Select
            | Op::Freeze => true,
            Op::Switch
            | Op::Gep(..)
            | Op::IntBinary(_)
            | Op::InsertValue(_)
            | Op::Ret
            | Op::Call(_) => true,
            Op::Shuffle(_) | Op::InsertElement => true,
            Op::ExtractElement => self.body.operand(u, 0) == v,
            Op::Store => self.body.operand(u, 0) == v,
            _ => false,
        })
    }

    /// Whether integer arithmetic moves the reals in the bits of its varied operands unbroken.
    fn moves_whole(&self, v: ValueId) -> bool {
        let bits = &self.unit.bits;
        let operands =
            self.body[v].operands.iter().enumerate().filter(|(_, o)| self.activity.is_varied(**o));
        operands.into_iter().all(|(i, &o)| bits.has_reals(o) && bits.moves_whole(self.body, v, i))
    }

    /// Whether bits, some of which are known to be reals, go to functions and operations that tell
    /// which of them they use: what lies beside these and is not used has no derivative. Where such
    /// a function stores bits, it must know them all.
    fn is_taken_apart(&self, v: ValueId) -> bool {
        let tells = |u: &ValueId| {
            matches!(
                self.body[*u].op,
                Op::Call(Callee::Defined) | Op::Cast(Cast::Int) | Op::IntBinary(_) | Op::ICmp
            )
        };
        self.unit.bits.has_reals(v) && self.body.users[v].iter().all(tells)
    }

    fn is_integer(&self, v: ValueId) -> bool {
        matches!(self.body[v].ty, Ty::Int(_) | Ty::Vector(false))
    }

    /// Whether an integer holds several reals, or one beside other bits.
    fn is_packed(&self, v: ValueId) -> bool {
        let mut lanes = self.unit.bits.lanes(v);
        matches!(self.body[v].ty, Ty::Int(_))
            && !lanes
                .next()
                .is_some_and(|(at, scalar)| at == 0 && scalar.bytes() == self.body[v].bytes)
    }

    /// Whether it is known of all bytes that an access moves as the integer `v` what they are.
    fn is_covered(&self, access: ValueId, v: ValueId, address: ValueId) -> bool {
        let bytes = self.body[v].bytes;
        if self.body[v].ty == Ty::Vector(false) {
            return self.is_one_real(&self.unit.accessed(access, address, bytes), v);
        }
        let fields = self.unit.types.within(self.body, &self.unit.memory, access, address, bytes);
        let is_known =
            |k: u64| fields.iter().any(|&(at, scalar)| at <= k && k < at + scalar.bytes());
        // Less than a float is padding.
        let mut unknown = 0;
        for k in 0..bytes {
            unknown = if is_known(k) { 0 } else { unknown + 1 };
            if unknown >= 4 {
                return false;
            }
        }
        true
    }

    fn copy_type(&mut self, v: ValueId) {
        self.say(
            Code::CopyType,
            v,
            "cannot deduce whether this copy moves floating-point data, integers or pointers",
            "copy member by member, or access the memory with its type in the same function",
        );
    }

    fn store(&mut self, v: ValueId, stored: ValueId, address: ValueId) {
        let data = &self.body[stored];
        let varied = self.activity.is_varied(stored);
        match self.activity.shadow(address) {
            Shadow::Yes | Shadow::None if varied && self.is_number(address) => self.say(
                Code::InactiveMemory,
                v,
                "an active value is stored at a fixed numeric address: memory there has no shadow",
                SHADOW_REMEDY,
            ),
            // It is annotated: nothing in it has a derivative.
            Shadow::No if is_inactive_memory(self.unit, address) => {}
            Shadow::Mixed if self.touches_integers(v, address, data.ty, data.bytes) => {}
            Shadow::Mixed => self.mixed(v),
            Shadow::No if self.is_left(v, address) => {}
            Shadow::No if varied => match self.unknown_source(address) {
                Some(call) => self.unknown_callee(call),
                None => self.say(
                    Code::InactiveMemory,
                    v,
                    "an active value is stored in memory that has no shadow (an argument marked \
                    constant, or a global variable): its derivative would be lost",
                    SHADOW_REMEDY,
                ),
            },
            Shadow::No if data.ty == Ty::Ptr && self.is_active_pointer(stored) && !self.is_constant_table(stored) => self.say(
                Code::InactiveMemory,
                v,
                "a pointer to active memory is stored in memory that has no shadow: the pointer \
                that is loaded from there would have no shadow",
                SHADOW_REMEDY,
            ),
            Shadow::Yes if data.ty == Ty::Ptr && unread::is_unread(self.unit, self.activity, stored) => {}
            Shadow::Yes if data.ty == Ty::Ptr && matches!(self.activity.shadow(stored), Shadow::No | Shadow::Mixed) => {
                self.mixed(v)
            }
            Shadow::Yes if varied && !data.ty.holds_float() && !self.moves_bits(stored) => self.unsupported_type(stored),
            Shadow::Yes if self.mode == Mode::Adjoint && self.may_copy_pointer(v, stored, address) => self.copy_type(v),
            Shadow::Yes if varied && self.is_packed(stored) && self.mode == Mode::Adjoint && !self.is_covered(v, stored, address) => {
                self.copy_type(v)
            }
            Shadow::Yes if self.mixes(stored) => self.unsupported_type(stored),
            Shadow::Yes if varied && self.hides_reals(v, stored, address) => self.copy_type(v),
            _ => {}
        }
    }

    /// Whether a store is part of an exception, or of a message, that leaves the function: its handlers find no
    /// derivatives there (codegen/kept.rs).
    fn is_left(&self, store: ValueId, address: ValueId) -> bool {
        let is_own = |o: usize| matches!(self.unit.memory.objects[o], Object::Local(_));
        let is_of_message = || {
            let mut objects = self.unit.memory.points_to(address).peekable();
            objects.peek().is_some()
                && objects.all(is_own)
                && self.body[self.body.operand(store, 0)].ty != Ty::Ptr
        };
        self.activity.is_left(self.body, store, address)
            || !self.body[self.body.block_of(store)].returns && is_of_message()
    }

    fn call(&mut self, v: ValueId, callee: &Callee) {
        let data = &self.body[v];
        let operands = &data.operands;
        let active = self.activity.is_active_call(v);
        if let Some(family) = self.leaves(v) {
            let name = readable(outside::base(&self.symbol(v)));
            let text = match family {
                Some(family) if !self.returns_twice(v) && family.name != TWICE => {
                    format!(
                        "'{name}' ({}) runs other code, whose effects the derivative cannot follow",
                        family.name
                    )
                }
                _ => format!(
                    "'{name}' may return a second time, with values that the derivative cannot \
                    follow"
                ),
            };
            self.say(Code::Control, v, text, family.map_or(TWICE_REMEDY, |f| f.remedy));
            return;
        }
        match callee {
            Callee::Unknown if kept::refuses_request(self.body, self.activity, v) => {
                self.unknown_callee(v);
            }
            Callee::Unknown => {}
            Callee::Indirect if active || data.ty.holds_float() => self.indirect(v),
            Callee::Assembly if active || data.ty.holds_float() => self.say(
                Code::Assembly,
                v,
                "inline assembly on active data has no derivative",
                "write the statement in C, C++ or Fortran",
            ),
            Callee::Defined if active && self.body.llvm(v).passes_error() => self.say(
                Code::Instruction,
                v,
                "a call that passes a Swift error (swifterror) has no derivative",
                "let the function return its error",
            ),
            Callee::Defined => self.defined(v, active),
            Callee::Unwound => self.caught(v),
            // Whether its rule can take the arguments is for the registry to say.
            Callee::Passive if library::is_text(&self.symbol(v)) && self.moves_unseen(v) => {
                self.unknown_callee(v)
            }
            Callee::Custom | Callee::Passive => {}
            Callee::MemCpy | Callee::MemMove => self.copy(v),
            Callee::MemSet if self.activity.shadow(operands[0]) == Shadow::Mixed => self.mixed(v),
            Callee::PureInt
                if operands
                    .iter()
                    .any(|&o| self.activity.is_varied(o) && !self.body[o].ty.holds_float()) =>
            {
                self.integer_bits(v)
            }
            Callee::Free if self.activity.shadow(operands[0]) == Shadow::Mixed => self.mixed(v),
            Callee::Rule(rule, _) => {
                let counts = |i: usize, o: ValueId| {
                    self.activity.is_varied(o) && rule.partials_of(i).next().is_some()
                };
                let wide = operands
                    .iter()
                    .enumerate()
                    .any(|(i, &o)| counts(i, o) && !self.body[o].ty.holds_float());
                let result = data.ty.holds_float();
                if self.activity.is_active(v) && (wide || !result) {
                    self.unsupported_type(v);
                }
                for &p in &rule.float_pointees {
                    match self.activity.shadow(operands[p]) {
                        Shadow::Mixed => self.mixed(v),
                        Shadow::No
                            if operands.iter().enumerate().any(|(i, &o)| {
                                self.activity.is_varied(o)
                                    && rule.partial(adrules::Output::Pointee(p), i).is_some()
                            }) =>
                        {
                            self.say(
                                Code::InactiveMemory,
                                v,
                                format!(
                                    "'{}' stores an active value in memory that has no shadow",
                                    rule.name
                                ),
                                SHADOW_REMEDY,
                            );
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether control comes back to this call once more, or goes on elsewhere before it does,
    /// whatever was said of the function; its family, if it has one.
    fn leaves(&self, call: ValueId) -> Option<Option<&'static outside::Family>> {
        let found = self.body[call]
            .symbol
            .as_deref()
            .filter(|_| !matches!(self.body[call].op, Op::Call(Callee::Defined)));
        let family = found
            .and_then(|s| outside::find(outside::base(s)))
            .filter(|(_, effect)| effect.has(Outside::LEAVES))
            .map(|f| f.0);
        let family = family.filter(|f| {
            f.name != outside::SIGNALS
                || !crate::annotations::outside::is_harmless_signal(self.body.llvm(call))
        });
        (family.is_some() || self.returns_twice(call)).then_some(family)
    }

    /// Whether control comes back to this call from elsewhere: setjmp and its like.
    fn returns_twice(&self, call: ValueId) -> bool {
        self.body.called(call).is_some_and(|f| f.has_attribute("returns_twice"))
    }

    /// The exception of a call is caught. Where the function that threw is known, the forward sweep
    /// ends with an error; what is called through a pointer has no name.
    fn caught(&mut self, pad: ValueId) {
        let call = self.body.call_of_pad(pad);
        let (ends, why) = match self.mode {
            Mode::Adjoint => {
                (kept::takes_half_a_call(self.body, self.activity, pad), kept::NOT_UNDONE)
            }
            Mode::Tangent => (kept::takes_reals(self.body, self.activity, pad), kept::NO_SHADOW),
        };
        if ends && call.is_none_or(|call| self.body.called(call).is_none()) {
            self.say(
                Code::Control,
                call.unwrap_or(pad),
                format!(
                    "the function catches an exception that a differentiated call may throw: {why}"
                ),
                "catch it outside of the differentiated code, or test for the error before the \
                call",
            );
        }
    }

    fn symbol(&self, call: ValueId) -> String {
        self.body[call].symbol.as_deref().unwrap_or_default().to_owned()
    }

    fn unknown_callee(&mut self, call: ValueId) {
        let name = self.body.llvm(call).called().name();
        let why = self.body.called(call).and_then(stand_ins::refusal);
        // flang calls its runtime for whole arrays where it does not optimise.
        let remedy = match () {
            () if name.starts_with("_FortranA") && name.ends_with("F128") => {
                "functions of real(16) have no derivatives: use real(8) or real(10)"
            }
            () if name.starts_with("_FortranA") => {
                "compile with -O1 or higher, where flang expands most array operations, or write the loop"
            }
            () if library::is_intrinsic(&name) => {
                "use operators and library functions instead, or keep the call out of the \
                differentiated code"
            }
            () if why.is_some() => {
                "compile its source together with this file, or keep the call out of the \
                differentiated code"
            }
            () => {
                "compile its source together with this file; or build with adcc, which \
                differentiates its machine code (docs/reference/prebuilt-code.md); or keep the call out of \
                the differentiated code"
            }
        };
        let why = why
            .map(|w| format!(", and its machine code cannot be differentiated: {w}"))
            .unwrap_or_default();
        let reads = self
            .shared_by(call)
            .map(|g| format!("; it may read '{g}', which holds active data"))
            .unwrap_or_default();
        let text = format!(
            "function '{name}' has no body in this file and no derivative \
            rule{why}{reads}"
        );
        self.say(Code::UnknownCallee, call, text, remedy);
    }

    /// The variable that a call may read which is given nothing active.
    fn shared_by(&self, call: ValueId) -> Option<String> {
        let is_active = |o: &ValueId| {
            self.activity.is_varied(*o)
                || matches!(self.activity.shadow(*o), Shadow::Yes | Shadow::Mixed)
        };
        if self.body[call].operands.iter().any(is_active) {
            return None;
        }
        let is_one = |v: &ValueId| {
            let data = &self.body[*v];
            matches!(data.op, Op::Global(false))
                && !data.is_hidden
                && !adir::foreign::is_memory_address(self.body, *v)
                && self.activity.has_shadow(*v)
        };
        self.body
            .value_ids()
            .find(is_one)
            .and_then(|v| Some(readable(self.body[v].symbol.as_ref()?)))
    }

    /// The call to an unknown function that returned the memory which `pointer` leads to.
    fn unknown_source(&self, pointer: ValueId) -> Option<ValueId> {
        let mut at = pointer;
        loop {
            match &self.body[at].op {
                Op::Gep(..) | Op::Cast(_) | Op::Freeze => at = self.body.operand(at, 0),
                Op::Call(Callee::Unknown) => return Some(at),
                _ => return None,
            }
        }
    }

    /// Arguments of a function with a body that its derivative cannot take.
    fn defined(&mut self, v: ValueId, active: bool) {
        if !active {
            return;
        }
        for &o in &self.body[v].operands {
            let data = &self.body[o];
            if self.activity.shadow(o) == Shadow::Mixed {
                self.mixed(v);
            } else if self.activity.is_varied(o) && !data.ty.holds_float() && !self.moves_bits(o) {
                self.unsupported_type(o);
            }
        }
        if let Some(boundary) = self.unit.boundaries.get(&v) {
            let values = self.body[v]
                .operands
                .iter()
                .zip(&boundary.params)
                .map(|(&o, f)| (o, f))
                .chain([(v, &boundary.result)]);
            let (bits, is_tangent) = (&self.unit.bits, self.mode == Mode::Tangent);
            // Dots are bits beside those of the value, whatever they are; bars are of reals.
            let is_seen = |o, fields: &Vec<_>| {
                bits.agrees(o, fields) && (is_tangent || bits.is_known_to(o, fields))
            };
            let is_lost = |o: ValueId, fields: &Vec<_>| {
                matches!(self.body[o].ty, Ty::Int(_))
                    && self.activity.is_varied(o)
                    && !is_seen(o, fields)
            };
            if values.into_iter().any(|(o, fields)| is_lost(o, fields)) {
                self.integer_bits(v);
            }
        }
        if self.body[v].ty != Ty::Ptr && self.body.holds_pointer(v) && self.mode == Mode::Adjoint {
            self.say(
                Code::Instruction,
                v,
                "adjoint mode does not support a call of a function that returns a struct with a \
                pointer to active memory yet",
                "let the function fill memory that its caller passes",
            );
        }
    }

    fn copy(&mut self, v: ValueId) {
        if self.unit.copies_text(v) {
            return;
        }
        let operands = &self.body[v].operands;
        let (to, from) = (self.activity.shadow(operands[0]), self.activity.shadow(operands[1]));
        match (to, from) {
            (Shadow::Mixed, _) | (_, Shadow::Mixed) => self.mixed(v),
            (Shadow::No, Shadow::Yes) if is_inactive_memory(self.unit, operands[0]) => {}
            (Shadow::No, Shadow::Yes) if self.activity.is_moving(v) => self.say(
                Code::InactiveMemory,
                v,
                "active memory is copied to memory that has no shadow: its derivatives would be \
                lost",
                SHADOW_REMEDY,
            ),
            (Shadow::Yes, _) if self.mode == Mode::Adjoint => match moved(self.unit, v) {
                None => self.copy_type(v),
                Some(moved)
                    if from != Shadow::Yes
                        && moved.holds_pointers()
                        && !holds_no_address(self.unit, operands[1]) =>
                {
                    self.mixed(v)
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Whether a pointer leads to variables only that the user declared constant: what is stored there,
/// they do not ask for.
fn is_inactive_memory(unit: &Unit, pointer: ValueId) -> bool {
    let is_inactive = |o: usize| match unit.memory.objects[o] {
        Object::Global(g) => registry::is_inactive_global(unit.body.llvm(g)),
        _ => false,
    };
    let mut objects = unit.memory.points_to(pointer).peekable();
    objects.peek().is_some() && objects.all(is_inactive)
}
