//! Import of a canonical LLVM function as a [`Body`].
//!
//! Comes in: a canonical function, and what was noted of its loops. Goes out: an [`Imported`]. Must
//! hold: what [`Body::verify`] checks, which the caller runs.

use super::{Imported, Origins, exceptions, factors::Factors, handed, rounding::is_rounding};
use crate::{
    annotations::{
        attributes, outside,
        registry::{self, Registered},
        visibility,
    },
    canon::{self, Canon},
    llvm::{AtomicOperation, Block, Intrinsic, Module, Opcode, Type, Unconstrained, Value},
};
use adir::{
    BlockData, BlockId, Body, Callee, Cast, EntityMap, Field, Growth, IntOp, LoopData, LoopId, Op,
    ScalarKind, Ty, Update, ValueData, ValueId,
    hashed::HashMap,
    library::{self, outside::Outside, strings},
    loops, target,
};
use adrules::{Precision, Rule};
use llvm_sys::LLVMTypeKind as TypeKind;

/// Why a function has no image: an instruction (or the function itself) and the reason.
pub struct Refusal {
    /// The cause.
    pub site: Option<Value>,
    /// Worded for the user.
    pub reason: String,
}

/// Imports `canon`. Fails where control flow cannot be reversed.
pub fn import(module: Module, canon: &Canon) -> Result<Imported, Refusal> {
    let factors = Factors::compute(canon.function);
    let mut importer = Importer {
        module,
        body: Body::default(),
        origins: Origins { values: EntityMap::default(), blocks: EntityMap::default() },
        factors,
        ids: HashMap::default(),
        blocks: HashMap::default(),
    };
    importer.run(canon)?;
    importer.body.has_own_streams = has_own_streams(module);
    importer.body.has_bits_in_text = canon::models::bits::may_be(module);
    Ok(Imported::join(importer.body, importer.origins))
}

struct Importer {
    module: Module,
    body: Body,
    origins: Origins,
    factors: Factors,
    ids: HashMap<Value, ValueId>,
    blocks: HashMap<Block, BlockId>,
}

/// Whether the program derives classes from those whose functions the library's streams call.
fn has_own_streams(module: Module) -> bool {
    let is_own = |g: &Value| {
        let name = g.name();
        name.starts_with("_ZTI") && !["_ZTISt", "_ZTINSt"].iter().any(|std| name.starts_with(std))
    };
    let mut bases = strings::CALLED_BY_STREAMS.iter().filter_map(|name| module.global(name));
    bases.any(|base| base.holders().iter().any(is_own))
}

/// A sum that is there to round. Where sums are rounded only when they go to memory, it is unknown
/// whether it does: it is refused if it is active.
fn rounding() -> Op {
    if target::rounds_late() { Op::Other } else { Op::Call(Callee::PureInt) }
}

impl Importer {
    fn run(&mut self, canon: &Canon) -> Result<(), Refusal> {
        let f = canon.function;
        self.body.name = canon.source.name();
        for (i, p) in f.params().into_iter().enumerate() {
            let id = self.add(p, Op::Param(i as u32), None);
            self.body.params.push(id);
            self.body.noalias.push(f.param_has_attribute(i, "noalias"));
            self.body
                .readonly
                .push(f.param_has_attribute(i, "readonly") || f.param_has_attribute(i, "readnone"));
        }
        for (i, b) in f.blocks().into_iter().enumerate() {
            self.blocks.insert(b, BlockId(i as u32));
            self.body.blocks.push(BlockData::default());
            self.origins.blocks.push(b);
        }
        // Ids first, so that a phi may use what follows it.
        for b in f.blocks() {
            let block = self.blocks[&b];
            for inst in b.instructions() {
                let id = self.add(inst, Op::Other, Some(block));
                self.body[block].insts.push(id);
            }
        }
        for b in f.blocks() {
            self.place_invoke(b);
        }
        for b in f.blocks() {
            for inst in b.instructions() {
                self.instruction(inst)?;
            }
        }
        loops::connect(&mut self.body);
        self.settle_pads();
        self.loops(canon)?;
        for g in &canon.growths {
            let growth = Growth {
                phi: self.ids[&g.phi],
                first: self.id(g.first),
                second: g.second.map(|s| self.id(s)),
            };
            self.body.growths.push(growth);
        }
        for (load, store, header) in &canon.apart {
            if let Some(l) = self.body.loop_headed_by(self.blocks[header]) {
                self.body.apart.insert((self.ids[load], self.ids[store]), l);
            }
        }
        self.body.users = loops::users(&self.body);
        self.settle_handed(canon);
        let of_block = |inst: Value| self.blocks[&inst.block()];
        self.body.exceptions = exceptions::of(canon.function, |v| self.ids[&v], of_block);
        Ok(())
    }

    /// Where what calls have handed over is found. Where that is not known, it may be anywhere behind
    /// the call.
    fn settle_handed(&mut self, canon: &Canon) {
        let blocks = canon.function.blocks();
        let insts = || blocks.iter().flat_map(|b| b.instructions());
        if let Some(place) = canon::calls::pending::place(canon.source, canon.function) {
            let stores = insts().filter(|&i| handed::hands_over(i, place.0));
            self.body.handing.extend(stores.map(|store| self.ids[&store]));
            self.body.hands_over = true;
        }
        for call in insts().filter(|i| i.is_call() && outside::hands_over(*i)) {
            let id = self.ids[&call];
            match handed::blocks_behind(call) {
                Some(found) => found.into_iter().for_each(|b| {
                    self.body.handed.entry(self.blocks[&b]).or_default().push(id);
                }),
                None => self.body[id].outside = self.body[id].outside.with_thrown_text(),
            }
        }
    }

    /// An invoke is a terminator in its own block, and a call at the start of its normal
    /// destination.
    fn place_invoke(&mut self, b: Block) {
        let Some(invoke) = b.terminator().filter(|t| t.is_invoke()) else { return };
        let (normal, unwind) = invoke.invoke_destinations();
        let (from, to) = (self.blocks[&b], self.blocks[&normal]);
        let call = self.ids[&invoke];
        let terminator = ValueId(self.body.values.len() as u32);
        let mut data = self.body[call].clone();
        (data.op, data.ty, data.bytes, data.fields) = (Op::Invoke, Ty::Void, 0, vec![]);
        self.body.values.push(data);
        self.origins.values.push(invoke);
        self.body[from].insts.pop();
        self.body[from].insts.push(terminator);
        self.body[from].succs = vec![to, self.blocks[&unwind]];
        let phis =
            normal.instructions().iter().take_while(|i| i.opcode() == Opcode::LLVMPHI).count();
        self.body[to].insts.insert(phis, call);
        self.body[call].block = Some(to);
    }

    /// On a path without return nobody asks what a call did until it threw.
    fn settle_pads(&mut self) {
        let is_pad = |v: &ValueId| self.origins.value(*v).opcode() == Opcode::LLVMLandingPad;
        let ends = |v: &ValueId| self.body[*v].block.is_some_and(|b| !self.body[b].returns);
        let pads: Vec<ValueId> = self.body.insts().filter(|v| is_pad(v) && ends(v)).collect();
        for pad in pads {
            self.body[pad].op = Op::Call(Callee::PureInt);
            self.body[pad].operands.clear();
        }
    }

    /// The invoke whose exceptions a landing pad takes.
    fn invoke_of(&self, pad: Value) -> Option<Value> {
        let block = self.body[self.ids[&pad]].block?;
        let invokes = |b: &BlockId| matches!(self.body[self.body.terminator(*b)].op, Op::Invoke);
        let from = self
            .body
            .block_ids()
            .find(|b| self.body[*b].succs.get(1) == Some(&block) && invokes(b))?;
        Some(self.origins.value(self.body.terminator(from)))
    }

    fn add(&mut self, v: Value, op: Op, block: Option<BlockId>) -> ValueId {
        let id = ValueId(self.body.values.len() as u32);
        let (ty, bytes) = self.ty(v.ty());
        let mut fields = vec![];
        fields_of(self.module, v.ty(), 0, &mut fields);
        let factor = if matches!(ty, Ty::Int(_)) { self.factors.of(v) } else { 1 };
        let is_integer = block.is_some() && canon::is_integer_access(v);
        let is_access =
            block.is_some() && matches!(v.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore);
        let alignment = if is_access { v.alignment() } else { 1 };
        let constant = if matches!(op, Op::Constant) { v.as_int() } else { None };
        let real = if matches!(op, Op::Constant) { v.as_real() } else { None };
        let lane_bits = match v.ty().is_vector() && v.ty().element().is_int() {
            true => v.ty().element().int_width(),
            false => 0,
        };
        let is_alloca = block.is_some() && v.opcode() == Opcode::LLVMAlloca;
        let allocated_bytes = v.variable().filter(|_| is_alloca).map(|variable| variable.bytes);
        let symbol = matches!(op, Op::Global(_) | Op::Function).then(|| v.name().into());
        let is_hidden = matches!(op, Op::Global(_)) && visibility::is_hidden(v);
        let steps = matches!(op, Op::Global(true)).then(|| steps(v, MOST_STEPS)).flatten();
        let is_of_numbers = block.is_some() && moves_numbers(v);
        self.body.values.push(ValueData {
            op,
            operands: vec![],
            ty,
            block,
            place: 0,
            bytes,
            fields,
            factor,
            alignment,
            is_integer,
            is_member: is_access && is_integer && canon::is_member_access(v),
            is_of_numbers,
            is_untold: is_access
                && v.opcode() == Opcode::LLVMLoad
                && ty == Ty::Ptr
                && canon::is_untold(v),
            is_to_data: is_access
                && v.opcode() == Opcode::LLVMLoad
                && ty == Ty::Ptr
                && v.tbaa_type().is_some_and(|name| canon::names_pointer(&name)),
            is_to_table: is_access
                && v.opcode() == Opcode::LLVMLoad
                && ty == Ty::Ptr
                && v.tbaa_type().is_some_and(|name| name == canon::TABLE),
            is_once: is_access && (v.is_volatile() || v.is_atomic()),
            constant,
            real,
            lane_bits,
            is_unsigned: block.is_some() && is_unsigned_conversion(v),
            allocated_bytes,
            nowrap: false,
            is_hidden,
            steps,
            outside: Outside::NONE,
            symbol,
        });
        self.origins.values.push(v);
        self.ids.insert(v, id);
        id
    }

    fn ty(&self, t: Type) -> (Ty, u64) {
        let ty = match t.kind() {
            TypeKind::LLVMVoidTypeKind => return (Ty::Void, 0),
            TypeKind::LLVMLabelTypeKind
            | TypeKind::LLVMMetadataTypeKind
            | TypeKind::LLVMTokenTypeKind => {
                return (Ty::Other, 0);
            }
            TypeKind::LLVMFunctionTypeKind | TypeKind::LLVMTargetExtTypeKind => {
                return (Ty::Other, 0);
            }
            TypeKind::LLVMIntegerTypeKind => Ty::Int(t.int_width()),
            TypeKind::LLVMFloatTypeKind => Ty::F32,
            TypeKind::LLVMDoubleTypeKind => Ty::F64,
            TypeKind::LLVMHalfTypeKind => Ty::F16,
            TypeKind::LLVMBFloatTypeKind => Ty::BF16,
            TypeKind::LLVMX86_FP80TypeKind => Ty::F80,
            TypeKind::LLVMFP128TypeKind => Ty::F128,
            TypeKind::LLVMPointerTypeKind => Ty::Ptr,
            TypeKind::LLVMVectorTypeKind => Ty::Vector(holds_float(t)),
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                Ty::Aggregate(holds_float(t))
            }
            _ => return (Ty::Other, 0),
        };
        (ty, self.module.store_size(t))
    }

    /// The id of an operand; constants are added as they are met.
    fn id(&mut self, v: Value) -> ValueId {
        if let Some(&id) = self.ids.get(&v) {
            return id;
        }
        if v.as_function().is_some() {
            return self.add(v, Op::Function, None);
        }
        if v.is_global_variable() {
            return self.add(v, Op::Global(v.is_global_constant() && !leads_to_variables(v)), None);
        }
        if v.is_undef() {
            return self.add(v, Op::Undef, None);
        }
        if v.const_opcode().is_some() {
            let operands = (0..v.operand_count()).map(|i| self.id(v.operand(i))).collect();
            let id = self.add(v, Op::ConstantExpr, None);
            self.body[id].operands = operands;
            if v.const_opcode() == Some(Opcode::LLVMGetElementPtr)
                && let Op::Gep(at, strides) = self.gep(v)
                && strides.is_empty()
            {
                self.body[id].constant = Some(at);
            }
            return id;
        }
        self.add(v, Op::Constant, None)
    }

    fn instruction(&mut self, inst: Value) -> Result<(), Refusal> {
        let id = self.ids[&inst];
        let block = self.body.block_of(id);
        let refuse = |reason: &str| Err(Refusal { site: Some(inst), reason: reason.into() });
        let (op, operands) = match inst.opcode() {
            Opcode::LLVMPHI => {
                let incoming = inst.incoming();
                let from = incoming.iter().map(|(_, b)| self.blocks[b]).collect();
                (Op::Phi(from), incoming.iter().map(|(v, _)| self.id(*v)).collect())
            }
            // The address of a thread-local variable, for this thread.
            Opcode::LLVMCall if inst.intrinsic() == Some(Intrinsic::ThreadLocalAddress) => {
                (Op::Cast(Cast::Bits), vec![self.id(inst.operand(0))])
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                if !inst.does_not_throw() {
                    self.body.unwinds.insert(id);
                }
                let unconstrained = inst.unconstrained();
                let args = (0..inst.argument_count())
                    .map(|i| inst.operand(i))
                    .filter(|a| unconstrained.is_none() || !a.is_metadata())
                    .collect::<Vec<_>>();
                self.body[id].symbol = inst.called().as_function().map(|f| f.name().into());
                self.body[id].outside = outside::of_call(inst);
                self.body[id].is_once |= unconstrained.is_some();
                let op = match unconstrained {
                    _ if is_rounding(inst) => rounding(),
                    Some(Unconstrained::Instruction(opcode)) => self.plain(opcode, inst, block),
                    Some(Unconstrained::Function(name)) => {
                        let callee = library::classify(&name);
                        self.body[id].symbol = Some(name.into());
                        Op::Call(intrinsic(callee, inst))
                    }
                    None => Op::Call(self.callee(inst)),
                };
                let args = args.into_iter().map(|a| self.id(a)).collect();
                (op, args)
            }
            Opcode::LLVMGetElementPtr => {
                let op = self.gep(inst);
                (op, (0..inst.operand_count()).map(|i| self.id(inst.operand(i))).collect())
            }
            Opcode::LLVMBr | Opcode::LLVMSwitch => {
                let succs: Vec<_> = inst.successors().iter().map(|b| self.blocks[b]).collect();
                self.body[block].succs = succs;
                match inst.opcode() {
                    Opcode::LLVMBr if inst.operand_count() == 1 => (Op::Br, vec![]),
                    Opcode::LLVMBr => (Op::CondBr, vec![self.id(inst.operand(0))]),
                    _ => (Op::Switch, vec![self.id(inst.operand(0))]),
                }
            }
            Opcode::LLVMRet => {
                if self.body.exit.replace(block).is_some() {
                    return refuse("the function still has several returns");
                }
                (Op::Ret, (0..inst.operand_count()).map(|i| self.id(inst.operand(i))).collect())
            }
            Opcode::LLVMUnreachable => (Op::Unreachable, vec![]),
            Opcode::LLVMIndirectBr => {
                return refuse(
                    "a computed goto may jump to addresses other than the labels that are known",
                );
            }
            Opcode::LLVMLandingPad => {
                let Some(invoke) = self.invoke_of(inst) else {
                    return refuse("a landing pad without its invoke");
                };
                let given =
                    (0..invoke.argument_count()).map(|i| self.id(invoke.operand(i))).collect();
                // What a function does that takes no part in derivatives, it does as well before it
                // throws.
                let callee = match self.callee(invoke) {
                    Callee::Inactive | Callee::Passive => Callee::Passive,
                    _ => Callee::Unwound,
                };
                (Op::Call(callee), given)
            }
            Opcode::LLVMResume => {
                self.body.unwinds.insert(id);
                (Op::Unreachable, vec![])
            }
            Opcode::LLVMCatchSwitch
            | Opcode::LLVMCatchPad
            | Opcode::LLVMCleanupPad
            | Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet => {
                return refuse(
                    "the reverse sweep does not support the exception handling of this target",
                );
            }
            Opcode::LLVMCallBr => return refuse("the reverse sweep does not support asm goto"),
            _ => {
                let operands: Vec<_> =
                    (0..inst.operand_count()).map(|i| self.id(inst.operand(i))).collect();
                (self.plain(inst.opcode(), inst, block), operands)
            }
        };
        let may_say =
            matches!(op, Op::IntBinary(IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Shl));
        self.body[id].nowrap = may_say && inst.is_nsw()
            || matches!(op, Op::IntBinary(IntOp::Or)) && inst.is_disjoint();
        self.body[id].op = op;
        self.body[id].operands = operands;
        Ok(())
    }

    fn plain(&self, opcode: Opcode, inst: Value, block: BlockId) -> Op {
        use Opcode::*;
        match opcode {
            LLVMFNeg => Op::FNeg,
            // Of a real, with derivative zero.
            LLVMFAdd | LLVMFSub if is_rounding(inst) => rounding(),
            LLVMFAdd => Op::FAdd,
            LLVMFSub => Op::FSub,
            LLVMFMul => Op::FMul,
            LLVMFDiv => Op::FDiv,
            LLVMFRem => Op::FRem,
            LLVMAdd => Op::IntBinary(IntOp::Add),
            LLVMSub => Op::IntBinary(IntOp::Sub),
            LLVMMul => Op::IntBinary(IntOp::Mul),
            LLVMShl => Op::IntBinary(IntOp::Shl),
            LLVMLShr => Op::IntBinary(IntOp::LShr),
            LLVMAnd => Op::IntBinary(IntOp::And),
            LLVMOr => Op::IntBinary(IntOp::Or),
            LLVMXor => Op::IntBinary(IntOp::Xor),
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem | LLVMAShr => Op::IntBinary(IntOp::Other),
            LLVMICmp => Op::ICmp,
            LLVMFCmp => Op::FCmp,
            LLVMFPTrunc | LLVMFPExt => Op::Cast(Cast::Float),
            LLVMFPToUI | LLVMFPToSI => Op::Cast(Cast::FloatToInt),
            LLVMUIToFP | LLVMSIToFP => Op::Cast(Cast::IntToFloat),
            LLVMTrunc | LLVMSExt => Op::Cast(Cast::Int),
            LLVMZExt => Op::Cast(Cast::ZeroExtend),
            LLVMBitCast => Op::Cast(Cast::Bits),
            LLVMAddrSpaceCast => Op::Cast(Cast::AddressSpace),
            LLVMPtrToInt => Op::Cast(Cast::PtrToInt),
            LLVMIntToPtr => Op::Cast(Cast::IntToPtr),
            LLVMSelect => Op::Select,
            LLVMFreeze => Op::Freeze,
            LLVMAlloca => Op::Alloca(block == BlockId(0) && inst.operand(0).as_int().is_some()),
            LLVMLoad => Op::Load,
            LLVMStore => Op::Store,
            LLVMAtomicRMW if inst.ty().is_float() => match inst.atomic_operation() {
                AtomicOperation::LLVMAtomicRMWBinOpFAdd => Op::Update(Update::Add),
                AtomicOperation::LLVMAtomicRMWBinOpFSub => Op::Update(Update::Sub),
                _ => Op::Atomic,
            },
            LLVMFence | LLVMAtomicRMW | LLVMAtomicCmpXchg => Op::Atomic,
            LLVMExtractValue => Op::ExtractValue(inst.aggregate_indices()),
            LLVMInsertValue => Op::InsertValue(inst.aggregate_indices()),
            LLVMExtractElement => Op::ExtractElement,
            LLVMInsertElement => Op::InsertElement,
            LLVMShuffleVector => Op::Shuffle(inst.shuffle_mask()),
            _ => Op::Other,
        }
    }

    fn callee(&self, call: Value) -> Callee {
        let target = call.called();
        if target.is_assembly() {
            let is_integer = |t: Type| !t.holds_float() && !t.is_pointer();
            let numbers = (0..call.argument_count()).all(|i| is_integer(call.operand(i).ty()))
                && is_integer(call.ty());
            return if numbers && !target.assembly().clobbers_memory() {
                Callee::Inactive
            } else {
                Callee::Assembly
            };
        }
        let Some(f) = target.as_function() else { return Callee::Indirect };
        if library::is_leaving(&f.name()) {
            return Callee::Inactive;
        }
        // Numbers that it reads go through variables of the canonical copy, and the rest is text.
        if call.call_string(attributes::READS).as_deref() == Some(attributes::OWN) {
            return Callee::Passive;
        }
        let stands_for = attributes::stands_for(f);
        let symbol = match registry::of(f) {
            Some(Registered::Inactive) => return Callee::Passive,
            Some(Registered::Custom | Registered::Prebuilt) => return Callee::Custom,
            Some(Registered::Allocator(size)) => {
                return Callee::Allocate(library::memory::allocator_of_user(&f.name(), size));
            }
            Some(Registered::Deallocator) => return Callee::Free,
            Some(Registered::Like(name)) => name,
            None if !f.is_declaration() && stands_for.is_none() => return Callee::Defined,
            None => stands_for.unwrap_or(f.name()),
        };
        match library::classify(&symbol) {
            callee @ Some(Callee::Rule(..)) if library::is_intrinsic(&symbol) => {
                intrinsic(callee, call)
            }
            // A function of that name with other parameters is another function.
            Some(Callee::Rule(rule, _)) if !fits(rule, call) => Callee::Unknown,
            Some(callee) => callee,
            None => Callee::Unknown,
        }
    }

    /// Constant bytes and strides of a getelementptr.
    fn gep(&mut self, inst: Value) -> Op {
        let mut constant = 0i64;
        let mut strides = vec![];
        let mut ty = inst.gep_type();
        for i in 1..inst.operand_count() {
            let index = inst.operand(i);
            if i > 1 && ty.is_struct() {
                let member = index.as_int().unwrap_or(0) as u32;
                constant += self.module.member_offset(ty, member) as i64;
                ty = ty.struct_members()[member as usize];
                continue;
            }
            if i > 1 {
                ty = ty.element();
            }
            let unit = self.module.alloc_size(ty) as i64;
            match index.as_int() {
                Some(k) => constant = constant.wrapping_add(k.wrapping_mul(unit)),
                None => strides.push((
                    self.id(index),
                    unit.saturating_mul(self.factors.of(index).max(1) as i64),
                )),
            }
        }
        Op::Gep(constant, strides)
    }

    fn loops(&mut self, canon: &Canon) -> Result<(), Refusal> {
        let natural = match loops::natural_loops(&self.body) {
            Ok(natural) => natural,
            Err(b) => {
                return Err(Refusal {
                    site: Some(self.origins.value(self.body.terminator(b))),
                    reason: "control flow is irreducible and could not be made reducible".into(),
                });
            }
        };
        loops::assign_innermost(&mut self.body, &natural);
        for (i, l) in natural.iter().enumerate() {
            let header = l.header;
            let site = Some(self.origins.value(self.body.terminator(header)));
            let refuse = |reason: &str| Refusal { site, reason: reason.into() };
            let llvm_header = self.origins.blocks[header];
            let count = canon.counts.iter().find(|c| c.header == llvm_header);
            let count =
                count.ok_or_else(|| refuse("a loop could not be brought into simplified form"))?;
            let outside: Vec<_> =
                self.body[header].preds.iter().copied().filter(|p| !l.blocks.contains(p)).collect();
            let ([latch], [preheader]) = (&l.latches[..], &outside[..]) else {
                return Err(refuse("a loop could not be brought into simplified form"));
            };
            let parent = natural[..i]
                .iter()
                .rposition(|o| o.blocks.contains(&header))
                .map(|p| LoopId(p as u32));
            let depth = parent.map_or(1, |p| self.body[p].depth + 1);
            let exiting = l
                .blocks
                .iter()
                .filter(|&&b| self.body[b].succs.iter().any(|s| !l.blocks.contains(s)))
                .count();
            let exits = canon.exits.iter().filter(|e| e.header == llvm_header);
            let exits = exits.map(|e| (self.blocks[&e.block], self.ids[&e.last])).collect();
            let taken = count.taken.map(|t| self.id(t));
            self.body.loops.push(LoopData {
                header,
                preheader: *preheader,
                latch: *latch,
                parent,
                depth,
                counter: self.ids[&count.counter],
                taken,
                exits,
                single_exiting: exiting == 1,
            });
        }
        Ok(())
    }
}

/// What an intrinsic does; the precision of its rule is that of its operands.
fn intrinsic(callee: Option<Callee>, call: Value) -> Callee {
    match callee {
        Some(Callee::Rule(rule, _)) => {
            match precision(call.ty()).or_else(|| precision(call.operand(0).ty())) {
                Some(precision) => Callee::Rule(rule, precision),
                None => Callee::Unknown,
            }
        }
        other => other.unwrap_or(Callee::Unknown),
    }
}

/// Whether the source declares all members of what a copy moves, and none of them is an address, an
/// integer as large, or something that may be either.
fn moves_numbers(copy: Value) -> bool {
    let members = if copy.opcode() == Opcode::LLVMCall { copy.tbaa_struct() } else { vec![] };
    if members.is_empty() {
        return false;
    }
    let word = target::pointer();
    let is_number = |size: u64, name: &str| {
        size < word || matches!(name, "double" | "float" | "long double" | "__float128")
    };
    let mut end = 0;
    let Some(length) = copy.operand(2).as_int().and_then(|n| u64::try_from(n).ok()) else {
        return false;
    };
    // What is declared nowhere is padding, if no address fits there.
    let is_known = members.iter().all(|(at, size, name)| {
        let follows = at.saturating_sub(end) < word;
        end = end.max(at + size);
        follows && is_number(*size, name)
    });
    is_known && length.saturating_sub(end) < word
}

/// Whether an instruction makes integers without sign of reals.
fn is_unsigned_conversion(inst: Value) -> bool {
    match inst.operation() {
        Opcode::LLVMFPToUI => true,
        Opcode::LLVMCall => inst.intrinsic() == Some(Intrinsic::FptouiSat),
        _ => false,
    }
}

/// Whether a constant table leads to variables: pointers to what may have a shadow. What compilers
/// make for virtual functions and types does not.
fn leads_to_variables(table: Value) -> bool {
    if table.name().starts_with("_ZT") {
        return false;
    }
    let (mut seen, mut stack) = (vec![], vec![table]);
    while let Some(v) = stack.pop() {
        if !v.is_global_constant() {
            return true;
        }
        if !seen.contains(&v) {
            seen.push(v);
            stack.extend(v.named_by_initializer());
        }
    }
    false
}

/// Tables behind tables that are looked at.
const MOST_STEPS: u32 = 3;

/// How many pointers, one behind the other, lead on from a constant table, that of a string for
/// example: to tables only, and at most so many.
fn steps(table: Value, most: u32) -> Option<u32> {
    let named = table.named_by_initializer();
    if named.is_empty() && (!table.global_type().holds_pointer() || table.starts_with_null()) {
        return Some(0);
    }
    if most == 0 || named.is_empty() || table.initializer_names_function() {
        return None;
    }
    let behind = named.into_iter().map(|t| steps(t, most - 1)).collect::<Option<Vec<_>>>()?;
    behind.into_iter().max().map(|n| n + 1)
}

/// Whether a call passes and returns what a rule speaks of.
fn fits(rule: &Rule, call: Value) -> bool {
    let members = if call.ty().is_struct() { call.ty().struct_members().len() } else { 0 };
    call.argument_count() == rule.params.len() && members == rule.elements.len()
}

fn holds_float(t: Type) -> bool {
    match t.kind() {
        TypeKind::LLVMStructTypeKind => t.struct_members().into_iter().any(holds_float),
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => holds_float(t.element()),
        _ => t.is_float(),
    }
}

/// Appends the reals and pointers that memory holds where a value of type `t` is stored at `at`.
fn fields_of(module: Module, t: Type, at: u64, fields: &mut Vec<Field>) {
    const MOST: u64 = 256;
    let scalar = match t.kind() {
        TypeKind::LLVMStructTypeKind => {
            for (i, member) in t.struct_members().into_iter().enumerate() {
                fields_of(module, member, at + module.member_offset(t, i as u32), fields);
            }
            return;
        }
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
            let is_array = t.kind() == TypeKind::LLVMArrayTypeKind;
            let (count, element) =
                (if is_array { t.array_length() } else { t.vector_length().into() }, t.element());
            let size =
                if is_array { module.alloc_size(element) } else { module.store_size(element) };
            (0..count.min(MOST)).for_each(|i| fields_of(module, element, at + i * size, fields));
            return;
        }
        TypeKind::LLVMPointerTypeKind => ScalarKind::Ptr,
        TypeKind::LLVMHalfTypeKind => ScalarKind::F16,
        TypeKind::LLVMBFloatTypeKind => ScalarKind::BF16,
        TypeKind::LLVMFloatTypeKind => ScalarKind::F32,
        TypeKind::LLVMDoubleTypeKind => ScalarKind::F64,
        TypeKind::LLVMX86_FP80TypeKind => ScalarKind::F80,
        TypeKind::LLVMFP128TypeKind => ScalarKind::F128,
        _ => return,
    };
    fields.push((at, scalar));
}

/// Precision in which the rule of an intrinsic on this type is meant; `None` where there is none.
fn precision(t: Type) -> Option<Precision> {
    match t.kind() {
        TypeKind::LLVMVectorTypeKind => precision(t.element()),
        // Their partials are computed in float.
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(Precision::F32),
        TypeKind::LLVMFloatTypeKind => Some(Precision::F32),
        TypeKind::LLVMDoubleTypeKind => Some(Precision::F64),
        TypeKind::LLVMX86_FP80TypeKind => Some(Precision::F80),
        _ => None,
    }
}
