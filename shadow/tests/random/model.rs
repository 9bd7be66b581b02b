//! Numbers to start from, and what the rules say of a step.

use adshadow::rules::{
    Element,
    native::{self, OPERANDS, WIDTH},
    power::{Cuts, Dots, How},
    tangent::{self, Operand},
};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::{
    forms::Numbers,
    frame::{Frame, MEMORY, STATUS},
};

/// Fills a frame with numbers of this type.
pub fn filled(seeds: &mut Numbers, element: Element) -> Box<Frame> {
    let mut frame = Frame::zero();
    for (k, v) in frame.vectors.iter_mut().enumerate() {
        *v = seeds.reals(element, k % 8, false);
    }
    for (k, m) in frame.memory.chunks_exact_mut(64).enumerate() {
        m.copy_from_slice(&seeds.reals(element, k, false));
    }
    for (k, g) in frame.general.iter_mut().enumerate() {
        *g = match seeds.next() % 3 {
            0 => seeds.next(),
            _ => u64::from_le_bytes(
                seeds.reals(element, k, false)[..8].try_into().expect("eight bytes"),
            ),
        };
    }
    (frame.flags, frame.masks) = (seeds.next() & STATUS | 2, std::array::from_fn(|_| seeds.next()));
    // Masks of operations with bits.
    for n in 0..8 {
        let masks =
            [0, u64::MAX, 1 << 63, u64::MAX >> 1, 0x8000_0000_8000_0000, 0x7fff_ffff_7fff_ffff];
        if seeds.next().is_multiple_of(5) {
            let mask = masks[seeds.next() as usize % masks.len()];
            frame.vectors[n]
                .chunks_exact_mut(8)
                .for_each(|c| c.copy_from_slice(&mask.to_le_bytes()));
        }
    }
    // Constants that round, and other large numbers.
    for n in 0..8 {
        let doubles = [
            6755399441055744.0, 4503599627370496.0, 3298534883328.0, -1688849860263936.0,
            4.503599627370496e16, 824633720832.0,
        ];
        let floats = [12582912.0f32, 8388608.0, -12582912.0, 6291456.0, 1342177280.0, 50331648.0];
        if seeds.next().is_multiple_of(6) {
            let k = seeds.next() as usize % doubles.len();
            let word = match element {
                Element::F32 => {
                    u64::from(floats[k].to_bits()) << 32 | u64::from(floats[k].to_bits())
                }
                _ => f64::to_bits(doubles[k]),
            };
            frame.vectors[n]
                .chunks_exact_mut(8)
                .for_each(|c| c.copy_from_slice(&word.to_le_bytes()));
        }
    }
    frame
}

/// Dots for a frame: some are zero.
pub fn dots_for(seeds: &mut Numbers, element: Element) -> Box<Frame> {
    let mut dots = filled(seeds, element);
    dots.general.iter_mut().for_each(|g| {
        *g = if seeds.next() & 1 == 0 {
            0
        } else {
            u64::from_le_bytes(seeds.reals(element, 1, false)[..8].try_into().expect("eight bytes"))
        }
    });
    dots.vectors.iter_mut().for_each(|v| {
        if seeds.next() & 1 == 0 {
            *v = [0; 64]
        }
    });
    dots.memory.chunks_exact_mut(64).for_each(|m| {
        if seeds.next() & 1 == 0 {
            m.fill(0)
        }
    });
    (dots.flags, dots.masks, dots.target, dots.pad) = (0, [0; 8], 0, [0; 6]);
    without_signs(&mut dots);
    // Those of registers that the driver needs.
    (dots.general[4], dots.general[5], dots.general[7]) = (0, 0, 0);
    dots
}

pub fn number(r: Register) -> usize {
    r.full_register().number()
}

/// What the rules say of a step from these values and dots; none if they refuse.
pub fn expected(i: &Instruction, frame: &Frame, dots: &Frame) -> Option<Box<Frame>> {
    let mut operands = [Operand::default(); OPERANDS];
    let mut used: Vec<Register> = (0..i.op_count()).map(|k| i.op_register(k)).collect();
    if native::has_hidden_mask(i) {
        used.push(Register::XMM0);
    }
    let place = i.memory_displacement64() as usize
        - if i.memory_base() == Register::RDI { MEMORY } else { 0 };
    for (k, o) in operands.iter_mut().enumerate() {
        if k < i.op_count() as usize && i.op_kind(k as u32) == OpKind::Memory {
            let n = i.memory_size().size().min(WIDTH);
            o.value[..n].copy_from_slice(&frame.memory[place..place + n]);
            o.dot[..n].copy_from_slice(&dots.memory[place..place + n]);
        } else if let Some(r) = used.get(k) {
            if r.is_vector_register() {
                *o = Operand { value: frame.vectors[r.number()], dot: dots.vectors[r.number()] };
            } else if r.is_gpr() {
                o.value[..8].copy_from_slice(&frame.general[number(*r)].to_le_bytes());
                o.dot[..8].copy_from_slice(&dots.general[number(*r)].to_le_bytes());
            }
        }
    }
    // Parts of reals are known by what other instructions do beside them: `parts.rs` tests that.
    let is_stored = i.op0_kind() == OpKind::Memory;
    let (bytes, word) = (i.memory_size().size(), place & !7);
    let is_part = bytes < 4 || bytes == 4 && i.mnemonic() == Mnemonic::Mov;
    if is_stored && is_part && dots.memory[word..word + 8].iter().any(|b| *b != 0) {
        return None;
    }
    // The mask of strings goes to this register beside the operands.
    if matches!(i.mnemonic(), Mnemonic::Vpcmpistrm | Mnemonic::Vpcmpestrm)
        && i.op0_register() == Register::XMM0
    {
        return None;
    }
    let mut after = Box::new(dots.clone());
    if i.mnemonic() == Mnemonic::Vzeroupper {
        after.vectors[..16].iter_mut().for_each(|v| v[16..].fill(0));
        return Some(after);
    }
    if i.mnemonic() == Mnemonic::Vzeroall {
        after.vectors[..16].fill([0; 64]);
        return Some(after);
    }
    let mask = if i.has_op_mask() { frame.masks[i.op_mask().number()] } else { u64::MAX };
    let cuts = Cuts::default();
    let result = tangent::shadow(i, &operands, mask, How { scale: &Dots, cuts: &cuts }).ok()?;
    // What a cut means depends on what the same instruction did before.
    if cuts.are_any() {
        return None;
    }
    match i.op0_kind() {
        OpKind::Register if i.op0_register().is_vector_register() => {
            after.vectors[i.op0_register().number()] = result
        }
        OpKind::Register if i.op0_register().is_gpr() => {
            after.general[number(i.op0_register())] =
                u64::from_le_bytes(result[..8].try_into().expect("eight bytes"))
        }
        OpKind::Memory => {
            let n = i.memory_size().size();
            after.memory[place..place + n].copy_from_slice(&result[..n]);
        }
        _ => {}
    }
    Some(after)
}

/// The same numbers, in one of the ways in which bytes are numbers: zeros have two signs, and what
/// is no number has many forms.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    a.chunks_exact(8).zip(b.chunks_exact(8)).all(|(a, b)| {
        let (x, y) = (
            u64::from_le_bytes(a.try_into().expect("eight bytes")),
            u64::from_le_bytes(b.try_into().expect("eight bytes")),
        );
        // The signs of two floats that are zero are a small double.
        let is_tiny = |x: f64| x.abs() < f64::MIN_POSITIVE;
        let equal = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || is_tiny(x) && is_tiny(y);
        let half = |n: u64, by: u32| f64::from(f32::from_bits((n >> by) as u32));
        x == y
            || equal(f64::from_bits(x), f64::from_bits(y))
            || equal(half(x, 0), half(y, 0)) && equal(half(x, 32), half(y, 32))
    })
}

/// Zeros lose their signs: two signs of floats would be a small double.
pub fn without_signs(dots: &mut Frame) {
    const SIGNS: u64 = 1 << 63 | 1 << 31;
    let plain = |c: &mut [u8]| {
        if c.iter().zip(SIGNS.to_le_bytes()).all(|(b, s)| b & !s == 0) {
            c.fill(0);
        }
    };
    dots.vectors.iter_mut().for_each(|v| v.chunks_exact_mut(8).for_each(plain));
    dots.memory.chunks_exact_mut(8).for_each(plain);
}

pub fn differences(got: &Frame, expected: &Frame) -> Vec<String> {
    let mut all = Vec::new();
    for n in 0..32 {
        if !same(&got.vectors[n], &expected.vectors[n]) {
            all.push(format!(
                "zmm{n}: {:x?}, not {:x?}",
                words(&got.vectors[n]),
                words(&expected.vectors[n])
            ));
        }
    }
    for n in (0..16).filter(|n| ![4, 5, 7].contains(n)) {
        if !same(&got.general[n].to_le_bytes(), &expected.general[n].to_le_bytes()) {
            all.push(format!("general {n}: {:x}, not {:x}", got.general[n], expected.general[n]));
        }
    }
    if !same(&got.memory, &expected.memory) {
        all.push(format!("memory: {:x?}, not {:x?}", words(&got.memory), words(&expected.memory)));
    }
    all
}

pub fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes"))).collect()
}
