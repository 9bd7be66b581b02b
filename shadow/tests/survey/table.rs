//! What is expected of each instruction, by its name: independent of the runtime's own tables. A
//! line is a family: the names of its instructions, what their results' shadows have to be,
//! immediates that are tried.
//!
//! Names are as in `v?{add,sub}{ps,pd}`: alternatives in braces; `v?` is with `v` and without.
//! Instructions on strings have a `@` behind.

use std::collections::HashMap;

use adshadow::rules::Element;
use iced_x86::{Code, Mnemonic, OpCodeOperandKind};

/// What the shadow of a result has to be.
#[derive(Clone, Copy, Debug)]
pub enum Expect {
    /// That of the numbers' partials, found by central differences of the instruction itself. The
    /// name's last letters say the type.
    Differences,
    /// The same, from numbers of one type to those of another.
    Converts(Element, Element),
    /// The same, of an approximation in steps: the derivative of what it approximates.
    Approximates(fn(f64) -> f64),
    /// Shadows move as bytes do, found by running the instruction on bytes that tell where they
    /// come from.
    Moves,
    /// The same, where the operand of this number says where they go: it is an index, and not
    /// active.
    MovesBy(usize),
    /// The same, where the operand of this number decides what is moved: it may be active.
    Chooses(usize),
    /// As moves, or unknown.
    Carries,
    /// As a move, and what comes in beside has no derivative.
    Extends,
    /// Zero, whatever the operands have: a mask, an integer, flags.
    Zero,
    /// Zero, of integers that are not active.
    FromIntegers,
    /// Zero if nothing is active that it depends on, else there is none.
    Integers,
    /// The same, where the operand of this number says by how much bits are shifted.
    Shifts(usize),
    /// Differences, with one operand that is a mask: these values of it in turn. Numbers are of the
    /// types given, or of the name's; signs in the middle of a double are left out, and one sign of
    /// two floats.
    Masks(usize, &'static [u64], &'static [Element]),
    /// The same in general registers: of a double or a float as wide as the operand; bytes and
    /// words are integers.
    MaskedBits(usize, &'static [u64]),
    /// As integers, with operands whose quotient there is.
    Divides,
    /// Differences of doubles and floats, with one operand that adds to the exponent.
    Exponents(usize),
    /// Differences of what is on the stack of the x87 unit.
    Unit,
    /// The same, of positive numbers.
    UnitPositive,
    /// The same, of a number between 0 and 1/4.
    UnitBelow,
    /// No data: there is nothing to look at but values.
    NoData,
}

use Element::{F32, F64};
use Expect::*;

/// A family.
pub struct Row {
    pub names: &'static str,
    pub expect: Expect,
    pub immediates: &'static [u64],
}

pub const fn row(names: &'static str, expect: Expect) -> Row {
    Row { names, expect, immediates: &[0] }
}
pub const fn with(names: &'static str, expect: Expect, immediates: &'static [u64]) -> Row {
    Row { names, expect, immediates }
}

const ONES: u64 = u64::MAX;
const SIGN: u64 = 1 << 63;
const SIGNS: u64 = 1 << 63 | 1 << 31;
const BOTH: &[Element] = &[F64, F32];

fn reciprocal(x: f64) -> f64 {
    -1.0 / (x * x)
}
fn reciprocal_root(x: f64) -> f64 {
    -0.5 / (x * x.sqrt())
}

pub static TABLE: &[Row] = &[
    // Arithmetic.
    row("v?{add,sub,mul,div,min,max,sqrt}{ps,pd,ss,sd}", Differences),
    row("v?{addsub,hadd,hsub}{ps,pd}", Differences),
    row("vf{madd,msub,nmadd,nmsub}{132,213,231}{ps,pd,ss,sd}", Differences),
    row("vf{maddsub,msubadd}{132,213,231}{ps,pd}", Differences),
    with("v?dp{ps,pd}", Differences, &[0xff, 0x31, 0x12, 0x71, 0x4e]),
    with("v?round{ps,pd,ss,sd}", Differences, &[0, 1, 2, 3, 8]),
    with("vrndscale{ps,pd,ss,sd}", Differences, &[0, 1, 3, 0x10]),
    with("vreduce{ps,pd,ss,sd}", Differences, &[0, 1, 3]),
    row("vscalef{ps,pd,ss,sd}", Differences),
    row("vgetexp{ps,pd,ss,sd}", Differences),
    with("vgetmant{ps,pd,ss,sd}", Differences, &[0, 1, 3, 4]),
    with("vrange{ps,pd,ss,sd}", Differences, &[0, 1, 2, 3, 5, 8, 0xb, 0xc]),
    // Its table says for each kind of number whether it is taken, the other one, or a constant.
    row(
        "vfixupimm{ps,pd,ss,sd}",
        Masks(2, &[0, 0x1111_1111_1111_1111, 0xdddd_dddd_dddd_dddd, 0x1010_1010_1010_1010], &[]),
    ),
    row("v?rcp{ps,ss} vrcp{14,28}{ps,pd,ss,sd}", Approximates(reciprocal)),
    row("v?rsqrt{ps,ss} vrsqrt{14,28}{ps,pd,ss,sd}", Approximates(reciprocal_root)),
    row("v?cvt{ps2pd,ss2sd}", Converts(F32, F64)),
    row("v?cvt{pd2ps,sd2ss}", Converts(F64, F32)),
    // Numbers to integers and back; results that are no numbers.
    row("v?cvt{,t}{ps2dq,pd2dq,sd2si,ss2si}", Zero),
    row("vcvt{,t}{pd,ps}2{qq,uqq,udq} vcvt{,t}{sd,ss}2usi", Zero),
    row("cvt{,t}{ps,pd}2pi", Zero),
    row(
        "v?cvt{dq2ps,dq2pd,si2ss,si2sd} vcvt{u,}qq2{ps,pd} vcvtudq2{ps,pd} vcvtusi2{ss,sd} cvtpi2{ps,pd}",
        FromIntegers,
    ),
    with("v?cmp{ps,pd,ss,sd} vfpclass{ps,pd,ss,sd}", Zero, &[1, 4, 6]),
    row("v?{,u}comi{ss,sd} v?movmsk{ps,pd} v?pmovmskb v?ptest vtest{ps,pd}", Zero),
    row("v?pcmp{eq,gt}{b,w,d,q} vptest{m,nm}{b,w,d,q}", Zero),
    with("vpcmp{,u}{b,w,d,q}", Zero, &[0, 1, 5]),
    row(
        "vpmov{b,w,d,q}2m vpmovm2{b,w,d,q} vpbroadcastm{b2q,w2d} vpshufbitqmb vp2intersect{d,q}",
        Zero,
    ),
    with("v?pcmp{estri,estrm,istri,istrm} v?pcmp{estri,estrm}64", Zero, &[0, 0x1a, 0x58]),
    // Moves.
    row(
        "v?mov{aps,apd,ups,upd,dqa,dqu,ss,sd,d,q,hps,hpd,lps,lpd,hlps,lhps,ntps,ntpd,ntdq,ntdqa,ddup,shdup,sldup}",
        Moves,
    ),
    row("vmovdqa{32,64} vmovdqu{8,16,32,64} v?lddqu movntq movdq2q movq2dq movnt{ss,sd}", Moves),
    with("v?shuf{ps,pd} v?pshuf{d,hw,lw} pshufw", Moves, &[0, 0x1b, 0xb1, 0xe4]),
    with("vshuf{f,i}{32x4,64x2} vperm2{f,i}128", Moves, &[0, 0x1b, 0x31, 0x88]),
    row("v?unpck{h,l}{ps,pd} v?punpck{h,l}{bw,wd,dq} v?punpck{h,l}qdq", Moves),
    with("v?blend{ps,pd} v?pblendw vpblendd", Moves, &[0, 5, 0xca, 0xff]),
    row("vblendm{ps,pd} vpblendm{b,w,d,q}", Moves),
    with("v?insertps", Moves, &[0, 0x1d, 0x4e, 0xb2]),
    with("v?extractps v?pinsr{b,w,d,q} v?pextr{b,w,d,q}", Moves, &[0, 1, 3, 7]),
    with(
        "vinsert{f,i}128 vinsert{f,i}{32x4,32x8,64x2,64x4} vextract{f,i}128 vextract{f,i}{32x4,32x8,64x2,64x4}",
        Moves,
        &[0, 1, 3],
    ),
    row(
        "vbroadcast{ss,sd} vbroadcast{f,i}128 vbroadcast{f,i}{32x2,32x4,32x8,64x2,64x4} vpbroadcast{b,w,d,q}",
        Moves,
    ),
    with("v?palignr valign{d,q} v?p{sll,srl}dq", Moves, &[0, 1, 4, 9, 8, 17]),
    row("vcompress{ps,pd} vexpand{ps,pd} vp{compress,expand}{b,w,d,q}", Moves),
    row("vscatter{d,q}{ps,pd} vpscatter{d,q}{d,q}", Moves),
    row("vgather{d,q}{ps,pd} vpgather{d,q}{d,q}", Chooses(2)),
    row("pshufb vperm{b,w,d,ps}", MovesBy(1)),
    row("vpshufb", MovesBy(2)),
    with("vperm{q,pd}", MovesBy(1), &[0, 0x1b, 0xb1]),
    with("vpermil{ps,pd}", MovesBy(2), &[0, 0x1b, 0xb1]),
    row("vpermi2{b,w,d,q,ps,pd}", MovesBy(0)),
    row("vpermt2{b,w,d,q,ps,pd}", MovesBy(1)),
    row("blendv{ps,pd} pblendvb", Chooses(2)),
    row("maskmovq v?maskmovdqu", Chooses(2)),
    row("vblendv{ps,pd} vpblendvb", Chooses(3)),
    row("vmaskmov{ps,pd} vpmaskmov{d,q}", Chooses(1)),
    // Bits: signs taken, given, changed; numbers selected.
    row("and{ps,pd} pand", Masks(1, &[ONES, 0, !SIGN, !SIGNS], BOTH)),
    row("vand{ps,pd} vpand{,d,q}", Masks(2, &[ONES, 0, !SIGN, !SIGNS], BOTH)),
    row("andn{ps,pd} pandn", Masks(0, &[ONES, 0, SIGN, SIGNS], BOTH)),
    row("vandn{ps,pd} vpandn{,d,q}", Masks(1, &[ONES, 0, SIGN, SIGNS], BOTH)),
    row("or{ps,pd} xor{ps,pd} por pxor", Masks(1, &[0, SIGN, SIGNS], BOTH)),
    row("vor{ps,pd} vpor{,d,q} vxor{ps,pd} vpxor{,d,q}", Masks(2, &[0, SIGN, SIGNS], BOTH)),
    with("vpternlog{d,q}", Masks(2, &[ONES, 0, !SIGN, !SIGNS], BOTH), &[0xe4, 0xd8, 0xf0, 0xa0]),
    // Integers.
    with("ps{ll,rl,ra}{w,d} ps{ll,rl}q", Shifts(1), &[3]),
    with("vps{ll,rl,ra}{w,d,q}", Shifts(2), &[3]),
    row("p{add,sub}{d,q}", Exponents(1)),
    row("vp{add,sub}{d,q}", Exponents(2)),
    row(
        "v?pack{ssdw,sswb,uswb,usdw} v?p{add,sub}{b,w,sb,sw,usb,usw} v?pmadd{wd,ubsw} v?pmul{hw,lw,udq,huw,dq,ld,hrsw} vpmullq",
        Integers,
    ),
    with(
        "v?pavg{b,w} v?p{max,min}{sw,ub,sb,sd,ud,uw} vp{max,min}{s,u}q v?psadbw v?mpsadbw v?phminposuw vdbpsadbw",
        Integers,
        &[0, 5],
    ),
    row(
        "v?pmov{sx,zx}{bd,bq,bw,wd,wq} v?pabs{b,w,d} vpabsq v?ph{add,sub}{d,w,sw} v?psign{b,w,d}",
        Integers,
    ),
    row("vps{ll,rl}{vw,vd,vq} vpsravw", Integers),
    // What is left of a number is its sign, where counts are large.
    row("vpsrav{d,q}", Shifts(2)),
    row("v?pmov{sx,zx}dq", Extends),
    with("vpsh{l,r}d{w,d,q} vpsh{l,r}dv{w,d,q} vpro{l,r}{d,q} vpro{l,r}v{d,q}", Integers, &[3]),
    row("vpconflict{d,q} vplzcnt{d,q} vpopcnt{b,w,d,q} vpmultishiftqb vpmadd52{h,l}uq", Integers),
    row("vpmov{db,dw,qb,qd,qw,wb,sdb,sdw,sqb,sqd,sqw,swb,usdb,usdw,usqb,usqd,usqw,uswb}", Integers),
    row(
        "vpdp{busd,busds,wssd,wssds,wsud,wsuds,wusd,wusds,wuud,wuuds,bssd,bssds,bsud,bsuds,buud,buuds}",
        Integers,
    ),
    row(
        "v?aes{dec,declast,enc,enclast,imc} sha1{msg1,msg2,nexte} sha256{msg1,msg2,rnds2} v?gf2p8mulb",
        Integers,
    ),
    with("v?aeskeygenassist v?pclmulqdq v?gf2p8affine{inv,}qb sha1rnds4", Integers, &[0, 3]),
    row("vp4dpwssd vp4dpwssds vsha512{msg1,msg2,rnds2} vsm3{msg1,msg2} vsm4{key4,rnds4}", Integers),
    with("vsm3rnds2", Integers, &[3]),
    row("aes{enc,dec}{,wide}{128,256}kl encodekey{128,256}", Integers),
    // Mask registers, control words, hints.
    row("v{gather,scatter}pf{0,1}{d,q}{ps,pd}", NoData),
    with(
        "k{add,and,andn,or,xnor,xor,not,mov,ortest,test,shiftl,shiftr}{b,w,d,q} kunpck{bw,wd,dq}",
        NoData,
        &[3],
    ),
    row("v?{ldmxcsr,stmxcsr}", NoData),
];

fn expanded(pattern: &str) -> Vec<String> {
    let (prefixes, pattern) = match pattern.strip_prefix("v?") {
        Some(rest) => (vec!["", "v"], rest),
        None => (vec![""], pattern),
    };
    let mut all = vec![String::new()];
    let mut rest = pattern;
    while !rest.is_empty() {
        let (alternatives, after) = match rest.strip_prefix('{') {
            Some(inside) => {
                let end = inside.find('}').expect("a closing brace");
                (inside[..end].split(',').collect(), &inside[end + 1..])
            }
            None => {
                let end = rest.find('{').unwrap_or(rest.len());
                (vec![&rest[..end]], &rest[end..])
            }
        };
        all =
            all.iter().flat_map(|a| alternatives.iter().map(move |b| format!("{a}{b}"))).collect();
        rest = after;
    }
    prefixes.iter().flat_map(|p| all.iter().map(move |a| format!("{p}{a}"))).collect()
}

/// The name of a mnemonic.
pub fn name(m: Mnemonic) -> String {
    format!("{m:?}").to_lowercase()
}

/// The name of a form in the table.
pub fn name_of(code: Code) -> String {
    use OpCodeOperandKind as K;
    let is_string = code.op_code().op_kinds().iter().any(|k| matches!(k, K::seg_rSI | K::es_rDI));
    name(code.mnemonic()) + if is_string { "@" } else { "" }
}

/// Families by names; each name has one.
pub fn by_name(tables: &[&'static [Row]]) -> HashMap<String, &'static Row> {
    let mut all = HashMap::new();
    for row in tables.iter().flat_map(|t| t.iter()) {
        for name in row.names.split_whitespace().flat_map(expanded) {
            assert!(all.insert(name.clone(), row).is_none(), "{name} is in two families");
        }
    }
    all
}

/// The type that a name's last letters say.
pub fn element(code: Code) -> Element {
    let name = name(code.mnemonic());
    if name.ends_with("ps") || name.ends_with("ss") { F32 } else { F64 }
}
