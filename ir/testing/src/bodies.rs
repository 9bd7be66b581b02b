//! Random bodies: every operation, callee, type and attribute, over any graph. They are no sound
//! programs; what they are for is the round trip through text.

use adir::{
    BlockData, BlockId, Body, Callee, Cast, IntOp, LoopData, LoopId, Op, Ty, ValueData, ValueId,
    library::outside::Outside, loops,
};
use adrules::Precision;
use proptest::{collection::vec, option, prelude::*, sample::select};

/// A value before ids are known: operands are numbers, taken modulo the number of values.
#[derive(Clone, Debug)]
struct Draft {
    op: Op,
    operands: Vec<u32>,
    ty: Ty,
    symbol: Option<String>,
    constant: Option<i64>,
    bytes: Option<u64>,
    factor: Option<u64>,
    alignment: Option<u32>,
    flags: (bool, bool),
}

fn ty() -> impl Strategy<Value = Ty> {
    let plain =
        [Ty::Void, Ty::F16, Ty::BF16, Ty::F32, Ty::F64, Ty::F80, Ty::F128, Ty::Ptr, Ty::Other];
    let containers =
        [Ty::Vector(false), Ty::Vector(true), Ty::Aggregate(false), Ty::Aggregate(true)];
    prop_oneof![
        select([plain.as_slice(), containers.as_slice()].concat()),
        prop_oneof![select(vec![1u32, 8, 32, 64, 128]), any::<u32>()].prop_map(Ty::Int),
    ]
}

fn symbol() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_.$]{0,8}",
        any::<String>(),
        Just("const".into()),
        Just("\\\"\n// \r\"".into())
    ]
}

fn callee() -> impl Strategy<Value = Callee> {
    use Callee::*;
    let new = |symbol| Allocate(adir::library::memory::allocator(symbol).expect("a row"));
    let plain = vec![
        MemCpy,
        MemMove,
        MemSet,
        new("malloc"),
        new("calloc"),
        new("_ZnwmSt11align_val_t"),
        Free,
        KeptBytes,
        Inactive,
        PureInt,
        Defined,
        Unknown,
        Indirect,
        Assembly,
    ];
    let precision = select(vec![Precision::F32, Precision::F64, Precision::F80]);
    let rules = select(adrules::rules().iter().collect::<Vec<_>>());
    prop_oneof![
        select(plain),
        (rules, precision).prop_map(|(rule, precision)| Rule(rule, precision))
    ]
}

/// What stands in blocks. The ids in phis and geps are random numbers here, see `fit`.
fn op() -> impl Strategy<Value = Op> {
    use Op::*;
    let plain = vec![
        FNeg,
        FAdd,
        FSub,
        FMul,
        FDiv,
        FRem,
        ICmp,
        FCmp,
        Select,
        Freeze,
        Alloca(true),
        Alloca(false),
        Load,
        Store,
        ExtractElement,
        InsertElement,
        Update(adir::Update::Add),
        Update(adir::Update::Sub),
        Atomic,
        Br,
        CondBr,
        Switch,
        Ret,
        Unreachable,
        Other,
    ];
    let ints = [
        IntOp::Add,
        IntOp::Sub,
        IntOp::Mul,
        IntOp::Shl,
        IntOp::LShr,
        IntOp::And,
        IntOp::Or,
        IntOp::Xor,
        IntOp::Other,
    ];
    use self::Cast as C;
    let casts = [
        C::Float,
        C::FloatToInt,
        C::IntToFloat,
        C::Int,
        C::ZeroExtend,
        C::Bits,
        C::AddressSpace,
        C::PtrToInt,
        C::IntToPtr,
    ];
    prop_oneof![
        4 => select(plain),
        1 => select(ints.to_vec()).prop_map(IntBinary),
        1 => select(casts.to_vec()).prop_map(Cast),
        1 => vec(any::<u32>().prop_map(BlockId), 0..4).prop_map(Phi),
        1 => (any::<i64>(), vec((any::<u32>().prop_map(ValueId), any::<i64>()), 0..3)).prop_map(|(c, s)| Gep(c, s)),
        1 => vec(any::<u32>(), 0..3).prop_map(ExtractValue),
        1 => vec(any::<u32>(), 0..3).prop_map(InsertValue),
        1 => vec(option::of(any::<u32>()), 0..4).prop_map(Shuffle),
        2 => callee().prop_map(Call),
    ]
}

fn leaf() -> impl Strategy<Value = Op> {
    select(vec![
        Op::Constant,
        Op::ConstantExpr,
        Op::Global(false),
        Op::Global(true),
        Op::Function,
        Op::Undef,
    ])
}

fn draft(op: impl Strategy<Value = Op>) -> impl Strategy<Value = Draft> {
    let attributes = (
        option::weighted(0.2, any::<u64>()),
        option::weighted(0.2, any::<u64>()),
        option::weighted(0.2, any::<u32>()),
    );
    let flags = (proptest::bool::weighted(0.1), proptest::bool::weighted(0.1));
    (
        op,
        vec(any::<u32>(), 0..4),
        ty(),
        option::of(symbol()),
        option::of(any::<i64>()),
        attributes,
        flags,
    )
        .prop_map(|(op, operands, ty, symbol, constant, (bytes, factor, alignment), flags)| {
            Draft { op, operands, ty, symbol, constant, bytes, factor, alignment, flags }
        })
}

/// Makes a draft's random ids ids of this body.
fn fit(draft: Draft, block: Option<BlockId>, values: u32, blocks: u32) -> ValueData {
    let mut op = draft.op;
    let mut operands: Vec<ValueId> = draft.operands.iter().map(|o| ValueId(o % values)).collect();
    match &mut op {
        Op::Phi(from) => {
            from.iter_mut().for_each(|b| b.0 %= blocks);
            from.truncate(operands.len());
            operands.truncate(from.len());
        }
        Op::Gep(_, strides) => {
            strides.iter_mut().for_each(|(v, _)| v.0 %= values);
            match &operands[..] {
                [] | [_] => {
                    operands = vec![*operands.first().unwrap_or(&ValueId(0))];
                    operands.extend(strides.iter().map(|s| s.0));
                }
                // Others than the indices.
                [_, _, ..] => {}
            }
        }
        Op::Constant => operands.clear(),
        _ => {}
    }
    let is_constant = matches!(op, Op::Constant);
    let constant = draft.constant.filter(|_| is_constant);
    ValueData {
        operands,
        ty: draft.ty,
        block,
        place: 0,
        fields: adir::print::default_fields(draft.ty),
        bytes: draft.bytes.unwrap_or(adir::print::default_bytes(draft.ty)),
        factor: draft.factor.unwrap_or(adir::print::default_factor(draft.ty, constant)),
        alignment: draft.alignment.unwrap_or(1),
        is_integer: draft.flags.0,
        is_member: draft.flags.0 && draft.flags.1,
        is_untold: false,
        is_to_data: false,
        is_to_table: false,
        is_of_numbers: false,
        is_once: draft.flags.0 && draft.flags.1,
        constant,
        nowrap: draft.flags.1,
        is_hidden: matches!(op, Op::Global(_)) && draft.flags.0,
        steps: (matches!(op, Op::Global(true)) && draft.flags.1).then_some(1),
        outside: Outside::NONE,
        symbol: draft.symbol.map(Into::into),
        real: None,
        lane_bits: 0,
        is_unsigned: false,
        allocated_bytes: None,
        op,
    }
}

type Blocks = Vec<(Vec<Draft>, Vec<u32>)>;

/// Puts the parts together; `ids` says where in the table of values each goes.
fn assemble(
    name: String,
    params: Vec<(Draft, bool, bool)>,
    leaves: Vec<Draft>,
    blocks: Blocks,
    ids: &[u32],
) -> Body {
    let count =
        (params.len() + leaves.len() + blocks.iter().map(|b| b.0.len()).sum::<usize>()) as u32;
    let block_count = blocks.len() as u32;
    let mut ids = ids.iter().filter(|&&id| id < count).map(|&id| ValueId(id));
    let mut body = Body { name, ..Body::default() };
    let mut values = vec![];
    for (i, (mut draft, noalias, readonly)) in params.into_iter().enumerate() {
        (draft.op, draft.symbol) = (Op::Param(i as u32), None);
        draft.operands.clear();
        let id = ids.next().expect("enough ids");
        values.push((id, fit(draft, None, count, block_count)));
        body.params.push(id);
        body.noalias.push(noalias);
        body.readonly.push(readonly);
    }
    for draft in leaves {
        values.push((ids.next().expect("enough ids"), fit(draft, None, count, block_count)));
    }
    for (i, (drafts, succs)) in blocks.into_iter().enumerate() {
        let mut block = BlockData::default();
        for draft in drafts {
            let id = ids.next().expect("enough ids");
            values.push((id, fit(draft, Some(BlockId(i as u32)), count, block_count)));
            block.insts.push(id);
        }
        if !block.insts.is_empty() {
            block.succs = succs.iter().map(|s| BlockId(s % block_count)).collect();
        }
        body.blocks.push(block);
    }
    values.sort_by_key(|v| v.0);
    body.values = values.into_iter().map(|v| v.1).collect();
    for v in body.value_ids() {
        // A random alignment or the usual one.
        if body[v].alignment == 1 {
            body[v].alignment = body.default_alignment(v);
        }
    }
    let returns: Vec<_> = body.value_ids().filter(|&v| matches!(body[v].op, Op::Ret)).collect();
    if let [v] = returns[..] {
        body.exit = body[v].block;
    }
    loops::connect(&mut body);
    body.users = loops::users(&body);
    body
}

/// Lists the natural loops, with one random value in all roles.
fn add_loops(body: &mut Body, chosen: u32) {
    let headed =
        body.order.iter().filter_map(|&b| loops::natural_loop(body, b)).collect::<Vec<_>>();
    let value = ValueId(chosen % body.values.len().max(1) as u32);
    if body.values.is_empty() {
        return;
    }
    for (i, l) in headed.iter().enumerate() {
        let parent = headed[..i]
            .iter()
            .rposition(|o| o.blocks.contains(&l.header))
            .map(|p| LoopId(p as u32));
        let depth = parent.map_or(1, |p| body[p].depth + 1);
        let exits = body
            .block_ids()
            .filter(|b| !l.blocks.contains(b))
            .take(chosen as usize % 3)
            .map(|b| (b, value));
        let exits = exits.collect();
        body.loops.push(LoopData {
            header: l.header,
            preheader: BlockId(chosen % body.blocks.len() as u32),
            latch: l.latches[0],
            parent,
            depth,
            counter: value,
            taken: (chosen & 4 == 0).then_some(value),
            exits,
            single_exiting: chosen & 8 == 0,
        });
    }
    loops::assign_innermost(body, &headed);
}

const MOST_VALUES: usize = 3 + 5 + 6 * 5;

/// Any body that can be written.
pub fn bodies() -> impl Strategy<Value = Body> {
    let params = vec((draft(Just(Op::Undef)), any::<bool>(), any::<bool>()), 0..=3);
    let blocks = vec((vec(draft(op()), 0..=5), vec(any::<u32>(), 0..4)), 1..=6);
    let ids = Just((0..MOST_VALUES as u32).collect::<Vec<_>>()).prop_shuffle();
    (symbol(), params, vec(draft(leaf()), 0..=5), blocks, ids, any::<u32>()).prop_map(
        |(name, params, leaves, blocks, ids, chosen)| {
            let mut body = assemble(name, params, leaves, blocks, &ids);
            add_loops(&mut body, chosen);
            body
        },
    )
}
