//! What the tangent and the forward sweep of the adjoint share: a copy of the canonical function in
//! which every pointer that has a shadow has it beside it.

use crate::{
    annotations::registry::Rule,
    canon::stand_ins,
    codegen::{
        blocks, composite, files, globals, handles,
        prebuilt::{
            layout::{self, Letters},
            objects,
            runtime::Runtime,
        },
        refusal,
    },
    diagnostics::Diagnostic,
    image::{Imported, unit::Unit},
    llvm::{
        Builder, Debug, DebugScope, Function, IntPredicate, Intrinsic, Module, Opcode, Space, Type,
        Value, Which,
    },
};
use adanalysis::{
    activity::Activity,
    calls::Caller,
    context::Context,
    in_out::{InOut, MemoryRange},
};
use adir::{
    BlockId, Body, Callee, Op, Ty, ValueId,
    hashed::HashMap,
    library::{
        memory::{Allocator, Size},
        ranks,
    },
};

/// Bytes of the words that shadows consist of.
const WORD: u64 = 8;

/// A copy of `unit` under transformation.
pub struct Sweep<'a> {
    /// What is copied.
    pub unit: &'a Unit,
    /// What its caller knows.
    pub context: &'a Context,
    /// What is active in it.
    pub activity: &'a Activity,
    /// The module.
    pub module: Module,
    /// Emits at the current instruction.
    pub builder: Builder,
    function: Function,
    /// Its debug information, if there is any.
    scope: Option<&'a DebugScope>,
    /// What shadows of constant tables are for.
    pub zeros: Zeros,
    /// Copies of instructions and blocks.
    copies: HashMap<Value, Value>,
    /// Calls that are made earlier than in the primal.
    brought: Vec<ValueId>,
    /// Primal parameters of the new function.
    params: Vec<Value>,
    /// Shadow pointers, and in the tangent derivatives of reals; of each direction.
    shadows: Vec<HashMap<ValueId, Value>>,
    /// The direction of which shadows are asked and set.
    pub direction: usize,
    /// What follows each instruction in the copy before anything is inserted; for a phi, what
    /// follows all phis.
    following: HashMap<ValueId, Value>,
    /// What follows the phis of each block, likewise.
    heads: HashMap<BlockId, Value>,
    /// Variables that were described to the shadow runtime when the function began.
    described_variables: u64,
}

impl<'a> Sweep<'a> {
    /// Copies the body of `unit` into a function, whose first parameters are the primal ones;
    /// `shadow_params[i]` are the shadows or derivatives of parameter i, one for each of `width`
    /// directions, or none.
    pub fn new(
        module: Module,
        unit: &'a Unit,
        caller: &Caller<'a>,
        Filled { function, scope }: Filled<'a>,
        shadow_params: &[Vec<Value>],
        width: usize,
        zeros: Zeros,
    ) -> Sweep<'a> {
        let &Caller { context, activity, .. } = caller;
        let mut copies = HashMap::default();
        function.clone_body(unit.canon.function, Debug::Own(scope), |old, new| {
            copies.insert(old, new);
        });
        let body = &unit.body;
        let given = |direction: usize| {
            let params = body.params.iter().zip(shadow_params);
            params.filter_map(|(&p, s)| Some((p, *s.get(direction)?))).collect()
        };
        let shadows = (0..width).map(given).collect();
        let params = function.params()[..body.params.len()].to_vec();
        let builder = Builder::new(module.context());
        builder.locate(scope.map(DebugScope::start));
        let (following, heads) = (HashMap::default(), HashMap::default());
        let mut sweep = Sweep {
            unit,
            context,
            activity,
            module,
            builder,
            function,
            scope,
            zeros,
            copies,
            brought: vec![],
            params,
            shadows,
            direction: 0,
            following,
            heads,
            described_variables: 0,
        };
        sweep.drop_marks(caller);
        sweep
    }

    /// What is emitted from here on belongs to `v` in the source.
    pub fn visit(&self, v: ValueId) {
        let Some(scope) = self.scope else { return };
        if let Some(place) = scope.location(self.body().llvm(v)) {
            self.builder.locate(Some(place));
        }
    }
    /// What is emitted from here on belongs to the beginning of `b` in the source.
    pub fn visit_block(&self, b: BlockId) {
        let Some(scope) = self.scope else { return };
        let mut places = self.body()[b].insts.iter().map(|&v| scope.location(self.body().llvm(v)));
        if let Some(place) = places.find_map(|place| place) {
            self.builder.locate(Some(place));
        }
    }
    /// Names the shadows of the source's variables for debuggers.
    pub fn name_shadows(&self) {
        let Some(scope) = self.scope else { return };
        for (direction, known) in self.shadows.iter().enumerate() {
            let of = |v: ValueId| Some((self.body().llvm(v), *known.get(&v)?));
            let named: Vec<(Value, Value)> =
                self.body().value_ids().filter_map(of).filter(|(_, s)| s.is_alive()).collect();
            scope.name_shadows(self.function, &named, Which::Shadow(direction, self.width()));
        }
    }

    /// The image that is copied.
    pub fn body(&self) -> &'a Imported {
        &self.unit.body
    }
    /// The copy of a value.
    pub fn value(&self, v: ValueId) -> Value {
        let data = &self.body()[v];
        match data.op {
            Op::Param(i) => self.params[i as usize],
            _ => {
                let llvm = self.body().llvm(v);
                self.copies.get(&llvm).copied().unwrap_or(llvm)
            }
        }
    }
    /// The copy of a block.
    pub fn block(&self, b: BlockId) -> crate::llvm::Block {
        let llvm = self.body().llvm_block(b);
        crate::llvm::Block::from_value(self.copies[&llvm.value()])
            .expect("blocks are copied to blocks")
    }
    /// Replaces the copy of `v` by `new`, in the map and in the code.
    pub fn replace(&mut self, v: ValueId, new: Value) {
        let old = self.value(v);
        if self.body()[v].ty != Ty::Void {
            old.replace_uses(new);
        }
        old.erase();
        let llvm = self.body().llvm(v);
        self.copies.insert(llvm, new);
    }
    /// Makes the call `w`, which comes later in this block, where the builder stands; once. What is
    /// left in its place has no effect, and goes.
    pub fn bring_forward(&mut self, w: ValueId) {
        if self.brought.contains(&w) {
            return;
        }
        self.brought.push(w);
        let late = self.value(w);
        let early = late.clone_instruction();
        self.builder.insert(early);
        late.replace_uses(early);
        for attribute in ["memory", "nounwind", "willreturn"] {
            late.add_call_attribute(attribute);
        }
        let llvm = self.body().llvm(w);
        self.copies.insert(llvm, early);
    }
    /// Erases the copy of `v`, which has no uses left.
    pub fn erase(&mut self, v: ValueId) {
        self.value(v).erase();
    }
    /// Emits from here on where the arguments of the copy of the call `v` are to be computed.
    pub fn position_for_arguments(&mut self, v: ValueId) {
        self.position_after(v);
        let copy = self.value(v);
        if copy.is_invoke() {
            self.builder.position_before(copy);
        }
    }

    /// Calls `f` in place of the copy of the call `v`, which the caller replaces; the builder is
    /// left after it.
    pub fn call_instead(&mut self, v: ValueId, f: Function, args: &[Value]) -> Value {
        self.position_after(v);
        match self.value(v) {
            copy if copy.is_invoke() => copy.invoke_like(f, args),
            _ => self.builder.call(f, args),
        }
    }

    /// Calls a function of the user's in place of the copy of the call `v`, or, where that stays,
    /// after it: the call, and the members of what it returns. The builder is left after it.
    pub fn call_rule(
        &mut self,
        v: ValueId,
        rule: &Rule,
        args: &[Value],
        replaces: bool,
    ) -> (Value, Vec<Value>) {
        if !replaces {
            self.position_after(v);
            return rule.call(self.module, &self.builder, args);
        }
        self.position_for_arguments(v);
        let (all, through) = rule.arguments(&self.builder, args);
        let call = self.call_instead(v, rule.function, &all);
        (call, rule.returned(self.module, &self.builder, call, through))
    }

    /// Puts the error that its callee has no derivative before the copy of a call: neither it nor
    /// what follows runs.
    pub fn refuse(&mut self, v: ValueId, source: Function, found: &[Diagnostic]) {
        let copy = self.value(v);
        self.builder.position_before(copy);
        self.refuse_here(source, found);
        if self.body()[v].ty != Ty::Void {
            self.set_shadows(v, &vec![copy.ty().zero(); self.width()]);
        }
    }

    /// Puts the error that a function has no derivative where instructions are emitted.
    pub fn refuse_here(&self, source: Function, found: &[Diagnostic]) {
        refusal::emit(self.module, &self.builder, source, found);
    }

    /// Emits from here on after the copy of `v`; after all phis if it is one, before it if it ends
    /// its block.
    pub fn position_after(&mut self, v: ValueId) {
        self.builder.position_before(self.following[&v]);
        self.builder.fast_math = self.body().llvm(v).fast_math().of_derivative();
    }

    /// Emits from here on after the phis of the copy of `b`, before its other instructions.
    pub fn position_after_phis(&mut self, b: BlockId) {
        self.builder.position_before(self.heads[&b]);
    }
    /// Emits from here on before the terminator of the copy of `b`.
    pub fn position_at_terminator(&mut self, b: BlockId) {
        let last = self.body().terminator(b);
        self.builder.position_before(self.value(last));
    }

    /// Number of directions.
    pub fn width(&self) -> usize {
        self.shadows.len()
    }
    /// The shadow or derivative of `v` in every direction: zero where it has none.
    pub fn shadows(&mut self, v: ValueId) -> Vec<Value> {
        let (zero, width) = (self.value(v).ty().zero(), self.width());
        let of = |direction| {
            self.direction = direction;
            self.shadow(v).unwrap_or(zero)
        };
        let all = (0..width).map(of).collect();
        self.direction = 0;
        all
    }
    /// Sets the shadow or derivative of `v` in every direction.
    pub fn set_shadows(&mut self, v: ValueId, shadows: &[Value]) {
        for (direction, &shadow) in shadows.iter().enumerate() {
            self.shadows[direction].insert(v, shadow);
        }
    }
    /// The shadow of a pointer that has one; in the tangent, also the derivative of a varied real.
    pub fn shadow(&self, v: ValueId) -> Option<Value> {
        if let Some(&s) = self.shadows[self.direction].get(&v) {
            return Some(s);
        }
        match self.body()[v].op {
            Op::Constant | Op::Undef if self.body()[v].ty == Ty::Ptr => Some(self.value(v)),
            Op::Undef => Some(self.value(v)),
            Op::Global(_) | Op::ConstantExpr if self.activity.has_shadow(v) => Some(leaf_shadow(
                self.module,
                &self.builder,
                self.body(),
                v,
                (self.zeros, self.direction),
            )),
            _ => None,
        }
    }
    /// Sets the shadow or derivative of `v`.
    pub fn set_shadow(&mut self, v: ValueId, shadow: Value) {
        self.shadows[self.direction].insert(v, shadow);
    }
    /// Creates empty shadow phis for the pointers among the phis (in the tangent, for reals too).
    pub fn start_phis(&mut self, wants: impl Fn(&Activity, &Body, ValueId) -> bool) {
        for v in self.phis() {
            if wants(self.activity, self.body(), v) {
                self.builder.position_before(self.value(v));
                let phi = self.builder.phi(self.value(v).ty(), "");
                self.set_shadow(v, phi);
            }
        }
    }
    /// Fills them; `zero` where an operand has no derivative.
    pub fn finish_phis(&mut self) {
        for v in self.phis() {
            let Some(phi) = self.shadows[self.direction].get(&v).copied() else { continue };
            let primal = self.value(v);
            let operands = self.body()[v].operands.clone();
            for ((_, block), o) in primal.incoming().into_iter().zip(operands) {
                // What a constant expression's shadow is computed from stands where control comes
                // from; the builder's last place may be gone.
                if let Some(end) = block.terminator() {
                    self.builder.position_before(end);
                }
                phi.add_incoming(self.shadow(o).unwrap_or_else(|| phi.ty().zero()), block);
            }
        }
    }
    fn phis(&self) -> Vec<ValueId> {
        self.body().insts().filter(|&v| matches!(self.body()[v].op, Op::Phi(_))).collect()
    }

    /// Emits the shadow of the pointer that `v` computes, after it; true where this settles `v`
    /// (`false` where `v` is no pointer with a shadow, or a call to differentiate). Static stack
    /// variables get theirs from `alloca`, heap objects a zeroed one.
    pub fn shadow_pointer(&mut self, v: ValueId) -> bool {
        let data = &self.body()[v];
        if !self.body().holds_pointer(v) || !self.activity.has_shadow(v) {
            handles::check_constant(self, v);
            return false;
        }
        let operands = data.operands.clone();
        self.position_after(v);
        let copy = self.value(v);
        let shadow = match &data.op {
            Op::Phi(_) => return true,
            Op::InsertValue(_) => {
                let shadow = self.shadow_instruction(copy);
                for (i, &o) in operands.iter().enumerate() {
                    shadow.set_operand(i, self.pointer_shadow(o));
                }
                shadow
            }
            Op::Gep(..) | Op::Cast(_) | Op::Freeze | Op::ExtractValue(_) => {
                let shadow = self.shadow_instruction(copy);
                shadow.set_operand(0, self.pointer_shadow(operands[0]));
                shadow
            }
            Op::Select => {
                let (yes, no) =
                    (self.pointer_shadow(operands[1]), self.pointer_shadow(operands[2]));
                self.builder.select(self.value(operands[0]), yes, no)
            }
            Op::Load if data.ty == Ty::Ptr => {
                let address = self
                    .shadow(operands[0])
                    .expect("a shadowed pointer is loaded from shadowed memory");
                let shadow = self.shadow_instruction(copy);
                shadow.set_operand(0, address);
                let shadow = blocks::touch(self, v, copy, shadow);
                handles::check(self, v, (copy, shadow));
                shadow
            }
            Op::Alloca(_) => {
                let bytes = self.allocated_bytes(copy);
                let shadow = self.shadow_variable(copy);
                self.describe_variable(v, copy, shadow, bytes);
                shadow
            }
            Op::Call(Callee::Allocate(allocator)) => {
                if self.direction == 0
                    && objects::are_needed(self.module)
                    && !self.unit.holds_reals_only(v)
                {
                    self.clear_allocated(copy, copy, allocator);
                }
                let shadow = self.shadow_allocation(copy, allocator);
                blocks::add(self, copy, shadow);
                shadow
            }
            Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
                self.pointer_shadow(operands[0])
            }
            _ => return false,
        };
        self.set_shadow(v, shadow);
        true
    }

    /// Tells the shadow runtime of a stack variable that lives as long as the function runs, if
    /// machine code may get to know it.
    pub fn describe_variable(&mut self, v: ValueId, primal: Value, shadow: Value, bytes: Value) {
        let lives = self.body()[v].block == self.body().order.first().copied();
        if lives
            && self.direction == 0
            && objects::are_needed(self.module)
            && objects::is_passed_on(self.unit, v)
        {
            let runtime = Runtime { module: self.module, b: &self.builder };
            // Of the function, for its copy may live in the arena.
            let ty = self.body().llvm(v).allocated_type();
            let letters = layout::of_variable(self.module, self.unit, v, ty);
            if letters.as_ref().is_none_or(Letters::may_hold_pointers) {
                self.clear(primal, bytes);
            }
            runtime.layout_of_variable(letters.as_ref());
            runtime.object(primal, shadow, bytes);
            self.described_variables += 1;
        }
    }
    /// Makes fresh memory zero that a library may store pointers in. The shadow runtime sees that a
    /// library stored a pointer by the change of the word: a pointer that an earlier object has
    /// left there may be the same.
    fn clear(&self, fresh: Value, bytes: Value) {
        self.builder.memset(fresh, self.module.context().int(8).zero(), bytes);
    }
    /// The function returns: its variables are gone.
    pub fn forget_variables(&self) {
        if self.described_variables > 0 {
            Runtime { module: self.module, b: &self.builder }.object_pop(self.described_variables);
        }
    }

    /// Whether derivative code reads or writes memory through the shadow of a pointer, or hands it
    /// on.
    pub fn uses_shadow(&self, pointer: ValueId, seen: &mut Vec<ValueId>) -> bool {
        if seen.contains(&pointer) {
            return false;
        }
        seen.push(pointer);
        let body = self.body();
        body.users[pointer].iter().any(|&u| match &body[u].op {
            Op::ICmp | Op::Call(Callee::Inactive | Callee::PureInt | Callee::Free) => false,
            // Differences of addresses: counts of loops.
            Op::IntBinary(_) | Op::CondBr | Op::Switch => self.uses_shadow(u, seen),
            Op::Gep(..) | Op::Cast(_) | Op::Phi(_) | Op::Select | Op::Freeze => {
                self.uses_shadow(u, seen)
            }
            Op::Load => self.activity.is_active(u) || body.holds_pointer(u),
            Op::Call(Callee::Defined) => {
                self.activity.is_active_call(u) && self.is_accessed_in(u, pointer)
            }
            Op::Call(Callee::Custom) if let Some(roles) = ranks::roles_of(&body[u]) => {
                let mut given = body[u].operands.iter().zip(&roles);
                given.any(|(&o, role)| o == pointer && role.is_buffer())
            }
            // A null shadow says that it is constant, or a library's own.
            Op::Call(Callee::Custom) if stand_ins::is_called(body.llvm(u)) => false,
            _ => true,
        })
    }

    /// Whether a called function may access memory by way of a pointer that it is given, or let others do so:
    /// not where it only hands a handle on, of a communicator for one.
    fn is_accessed_in(&self, call: ValueId, pointer: ValueId) -> bool {
        let body = self.body();
        let Some(summary) = self.unit.callees.get(&call) else { return true };
        let InOut { reads, writes, .. } = &*summary.in_out;
        let mut operands = body[call].operands.iter().zip(0..).filter(|(o, _)| **o == pointer);
        operands.any(|(_, i)| {
            let is_there = |place: &MemoryRange| {
                summary.memory.entry(place.object).is_some_and(|(param, _)| param == i)
            };
            body.holds_pointer(call)
                || !summary.memory.keeps_to_itself(i)
                || reads.iter().chain(writes).any(is_there)
        })
    }

    /// Inserts a copy of an instruction for shadows, without the promises that hold of the primal's
    /// value alone.
    pub fn shadow_instruction(&self, copy: Value) -> Value {
        let shadow = copy.clone_instruction();
        if matches!(shadow.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore) {
            shadow.make_plain();
            // What the source calls integers may be reals.
            if copy.ty().is_int()
                || copy.opcode() == Opcode::LLVMStore && copy.operand(0).ty().is_int()
            {
                shadow.clear_metadata("tbaa");
            }
        }
        for kind in [
            "noundef", "nonnull", "range", "invariant.load", "dereferenceable", "align",
            "tbaa.struct",
        ] {
            shadow.clear_metadata(kind);
        }
        self.builder.insert(shadow);
        match copy.opcode() {
            Opcode::LLVMLoad => {
                shadow.set_alignment(composite::shadow_alignment(copy.ty(), copy.alignment()))
            }
            Opcode::LLVMStore => shadow
                .set_alignment(composite::shadow_alignment(copy.operand(0).ty(), copy.alignment())),
            Opcode::LLVMCall => shadow.drop_call_alignments(),
            _ => {}
        }
        if !matches!(copy.opcode(), Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast) {
            shadow.set_shadow_space(self.direction, self.width());
        }
        shadow
    }

    /// The shadow of a pointer that is null or has one.
    pub fn pointer_shadow(&self, v: ValueId) -> Value {
        self.shadow(v).unwrap_or_else(|| self.value(v).ty().zero())
    }

    /// Size of a stack variable in bytes, an i64.
    pub fn allocated_bytes(&self, alloca: Value) -> Value {
        let i64 = self.module.context().int(64);
        let size = i64.int(self.module.alloc_size(alloca.allocated_type()));
        let count = alloca.operand(0);
        let wide = if count.ty() == i64 {
            count
        } else {
            self.builder.cast(crate::llvm::Opcode::LLVMZExt, count, i64)
        };
        self.builder.mul(wide, size)
    }

    /// A zeroed variable for the shadow of one, in whole words: where an integer is less than a real, the
    /// runtime looks at the word that it lies in (runtime/src/integers.rs).
    fn shadow_variable(&mut self, copy: Value) -> Value {
        let context = self.module.context();
        let size = self.module.alloc_size(copy.allocated_type());
        let rest = size.next_multiple_of(WORD) - size;
        let shadow = if rest > 0 && copy.operand(0).as_int() == Some(1) {
            self.builder.alloca(context.int(8).array(size + rest), "")
        } else {
            let shadow = copy.clone_instruction();
            if rest > 0 {
                let count = copy.operand(0);
                let more = count.ty().int(WORD.div_ceil(size.max(1)));
                shadow.set_operand(0, self.builder.add(count, more));
            }
            self.builder.insert(shadow);
            shadow
        };
        shadow.set_alignment(copy.alignment().max(WORD as u32));
        let bytes = self.allocated_bytes(shadow);
        self.builder.memset(shadow, context.int(8).zero(), bytes);
        shadow
    }

    /// Zeroed memory of the size that `copy` allocates, which is freed as what `copy` allocates is.
    fn shadow_allocation(&mut self, copy: Value, allocator: &Allocator) -> Value {
        let size = copy.operand(0).ty();
        let ptr = self.module.context().ptr();
        if allocator.symbol == "malloc" {
            let calloc = self.module.declare("calloc", Type::function(ptr, &[size, size], false));
            return self.builder.call(calloc, &[size.int(1), copy.operand(0)]);
        }
        let shadow = copy.clone_instruction();
        self.builder.insert(shadow);
        self.clear_allocated(copy, shadow, allocator);
        shadow
    }

    /// Makes the block zero at `block`, which is allocated like `copy`.
    fn clear_allocated(&self, copy: Value, block: Value, allocator: &Allocator) {
        let bytes = match allocator.size {
            _ if allocator.is_zeroed => return,
            Size::Text => return,
            Size::Argument(i) => copy.operand(i as usize),
            Size::Product(i, j) => {
                self.builder.mul(copy.operand(i as usize), copy.operand(j as usize))
            }
        };
        // There may be no memory: then there is nothing to zero.
        let none =
            self.builder.icmp(IntPredicate::LLVMIntEQ, block, self.module.context().ptr().zero());
        let bytes = self.builder.select(none, bytes.ty().zero(), bytes);
        self.clear(block, bytes);
    }

    /// What a `realloc` keeps fits the shadow of each direction as well: of what fits those before,
    /// so much is kept as fits this one.
    pub fn kept_bytes(&mut self, v: ValueId) {
        let block = self.body().operand(v, 0);
        if !self.activity.has_shadow(block) {
            return;
        }
        let (kept, shadow) = (self.value(v), self.pointer_shadow(block));
        if self.direction == 0 {
            kept.set_operand(1, shadow);
            return;
        }
        self.position_after(v);
        let less = kept.clone_instruction();
        self.builder.insert(less);
        kept.replace_uses(less);
        less.set_operand(1, shadow);
        less.set_operand(2, kept);
        let llvm = self.body().llvm(v);
        self.copies.insert(llvm, less);
    }

    /// Shadows, and memory that the reverse sweep reads, live longer than the primal's scopes: the
    /// marks of stack variables' lives, and of the scopes in which pointers do not alias, are
    /// dropped. So are marks of calls that write constants.
    fn drop_marks(&mut self, caller: &Caller) {
        let body = self.body();
        for &b in &body.order {
            let mut following = None;
            for &v in body[b].insts.iter().rev() {
                let copy = self.value(v);
                copy.clear_metadata("alias.scope");
                copy.clear_metadata("noalias");
                if accesses_memory(&body[v].op) {
                    copy.set_space(Space::Primal);
                }
                if matches!(body[v].op, Op::Call(Callee::Inactive))
                    && (copy.intrinsic().is_some_and(is_scope_mark)
                        || files::is_of_constants(caller, v))
                {
                    copy.erase();
                    continue;
                }
                self.following.insert(v, following.unwrap_or(copy));
                // The call of an invoke stands in the block before; nothing comes before a landing
                // pad but phis.
                let is_head =
                    matches!(body[v].op, Op::Phi(_)) || copy.opcode() == Opcode::LLVMLandingPad;
                let is_elsewhere = copy.is_invoke() && matches!(body[v].op, Op::Call(_));
                if !is_head && !is_elsewhere {
                    following = Some(copy);
                    self.heads.insert(b, copy);
                }
            }
        }
    }
}

/// The shadows among the parameters `extra` that follow the primal ones of a sweep: `width` for
/// each parameter that `has` some.
pub fn shadow_params(
    extra: &[Value],
    width: usize,
    has: impl Iterator<Item = bool>,
) -> Vec<Vec<Value>> {
    let mut given = extra.chunks(width);
    let mut next =
        || given.next().expect("each parameter with a shadow has one in each direction").to_vec();
    has.map(|has| if has { next() } else { vec![] }).collect()
}

/// A function that a sweep fills.
#[derive(Clone, Copy)]
pub struct Filled<'a> {
    /// The function.
    pub function: Function,
    /// Its debug information, if there is any.
    pub scope: Option<&'a DebugScope>,
}

/// What the shadow of a constant table is for: tangents read zeros there; adjoints add what nobody
/// reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeros {
    /// Tangent.
    Source,
    /// Adjoint.
    Sink,
}

/// The shadow of a constant pointer: null for null; for a constant table, memory of its size beside
/// it.
pub fn leaf_shadow(
    module: Module,
    b: &Builder,
    body: &Imported,
    v: ValueId,
    (zeros, direction): (Zeros, usize),
) -> Value {
    let llvm = body.llvm(v);
    match &body[v].op {
        Op::Global(false) => globals::shadow(module, llvm, direction),
        Op::Global(true) => {
            llvm.shadow_table(if zeros == Zeros::Source { ".ad.zeros" } else { ".ad.sink" })
        }
        // As far into the shadow as the constant is into the table.
        Op::ConstantExpr => {
            let base = body[v].operands.iter().copied().find(|&o| body[o].ty == Ty::Ptr);
            // A number as an address: null and a step from there, on a way that is not gone. There
            // is no memory, and no shadow.
            let Some(base) = base else { return llvm };
            let i64 = module.context().int(64);
            let address = |p: Value| b.cast(Opcode::LLVMPtrToInt, p, i64);
            let offset = b.sub(address(llvm), address(body.llvm(base)));
            b.byte_offset(leaf_shadow(module, b, body, base, (zeros, direction)), offset)
        }
        _ => llvm,
    }
}

/// Whether an instruction accesses memory and nothing else.
fn accesses_memory(op: &Op) -> bool {
    matches!(op, Op::Load | Op::Store | Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet))
}

fn is_scope_mark(intrinsic: Intrinsic) -> bool {
    intrinsic.is_lifetime() || intrinsic == Intrinsic::NoaliasScope
}
