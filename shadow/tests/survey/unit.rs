//! The x87 unit: three numbers on its stack and one in memory, the instruction, and all that is on
//! the stack behind it. Partials are found by differences.

use adshadow::{rules::Element, translate::Mode};
use iced_x86::{Code, Instruction, MemoryOperand, OpCodeOperandKind, OpKind, Register};

use super::{
    case::{Case, Touched},
    check::{Check, EXECUTIONS, Found, filled},
    frame::MEMORY,
    machine::{bytes_mut, memory, place},
    oracle::{Lane, Partials},
    table::{
        Expect::{self, Unit, UnitBelow, UnitPositive},
        Row, name, row,
    },
};

pub static TABLE: &[Row] = &[
    row(
        "fld fst fstp fstpnce fxch fcmov{b,be,e,ne,nb,nbe,u,nu} fld1 fldl2t fldl2e fldpi fldlg2 fldln2 fldz",
        Unit,
    ),
    row("f{add,sub,subr,mul,div,divr}{,p} fi{add,sub,subr,mul,div,divr} fchs fabs", Unit),
    row("fsin fcos fsincos fptan fpatan fscale fxtract fprem fprem1 frndint", Unit),
    row("fsqrt fyl2x", UnitPositive),
    row("f2xm1 fyl2xp1", UnitBelow),
    row("fild fbld fist fistp fisttp fbstp", Unit),
    row(
        "fcom fcomp fcompp fucom fucomp fucompp fcomi fcomip fucomi fucomip ficom ficomp ftst fxam",
        Unit,
    ),
    row(
        "fnop fldcw fnstcw fstcw fnstsw fstsw fnclex fclex fneni feni fndisi fdisi fnsetpm fsetpm wait",
        Unit,
    ),
];

/// Numbers on the stack, the operand in memory, the same of 80 bits as a double, and where results
/// go.
const STACK: usize = MEMORY;
const OPERAND: usize = MEMORY + 32;
const WIDE: usize = MEMORY + 56;
const RESULTS: usize = MEMORY + 64;
/// The operand that was stored, of 80 bits, as a double.
const STORED: usize = RESULTS + 64;
const DEPTH: usize = 3;

/// Whether a family is of the unit.
pub fn is_of(expect: Expect) -> bool {
    matches!(expect, Unit | UnitPositive | UnitBelow)
}

/// The only instance of a form.
pub fn instance(code: Code) -> Option<Instruction> {
    use OpCodeOperandKind as K;
    let mut i = Instruction::default();
    i.set_code(code);
    for (k, &kind) in code.op_code().op_kinds().iter().enumerate() {
        let k = k as u32;
        let register = match kind {
            K::st0 => Register::ST0,
            K::sti_opcode => Register::ST2,
            K::ax => Register::AX,
            K::mem => {
                i.set_op_kind(k, OpKind::Memory);
                i.set_memory_base(Register::RDI);
                i.set_memory_displacement64(OPERAND as u64);
                i.set_memory_displ_size(8);
                continue;
            }
            _ => return None,
        };
        i.set_op_kind(k, OpKind::Register);
        i.set_op_register(k, register);
    }
    Some(i)
}

fn is_wide(i: &Instruction) -> bool {
    matches!(i.code(), Code::Fld_m80fp | Code::Fstp_m80fp)
}

/// How many numbers are on the stack behind it.
fn left(i: &Instruction) -> usize {
    (DEPTH as i32 - i.fpu_stack_increment_info().increment()) as usize
}

/// The instruction, with loads before it and stores behind.
pub fn surrounded(i: &Instruction) -> Vec<Instruction> {
    let of = |code: Code, at: usize| {
        Instruction::with1(code, MemoryOperand::with_base_displ(Register::RDI, at as i64))
            .expect("an instruction")
    };
    let mut all = vec![Instruction::with(Code::Fninit)];
    if is_wide(i) {
        all.extend([of(Code::Fld_m64fp, WIDE), of(Code::Fstp_m80fp, OPERAND)]);
    }
    all.extend((0..DEPTH).rev().map(|k| of(Code::Fld_m64fp, STACK + 8 * k)));
    all.push(*i);
    all.extend((0..left(i)).map(|k| of(Code::Fstp_m64fp, RESULTS + 8 * k)));
    if is_wide(i) {
        all.extend([of(Code::Fld_m80fp, OPERAND), of(Code::Fstp_m64fp, STORED)]);
    }
    all.push(Instruction::with(Code::Fninit));
    all
}

/// The case of an instance.
pub fn case(i: Instruction, row: &'static Row, function: usize) -> Case {
    let mut touched = vec![Touched { place: memory(), is_written: true, is_address: false }];
    if i.op_count() > 0 && i.op0_register() == Register::AX {
        touched.push(Touched {
            place: place(Register::AX).expect("a register"),
            is_written: true,
            is_address: false,
        });
    }
    Case {
        i,
        row,
        function,
        is_wrapped: true,
        touched,
        result: Some(OPERAND..MEMORY + memory().len()),
    }
}

impl Check<'_> {
    /// Partials behind an instruction of the unit.
    pub fn unit(&mut self, case: &Case) -> Found {
        let i = &case.i;
        let kind = i.memory_size().element_type();
        let has_memory = i.op_count() > 0 && i.op0_kind() == OpKind::Memory;
        for round in 0..4 {
            let mut start = filled(&mut self.seeds, Element::F64, !matches!(case.row.expect, Unit));
            if matches!(case.row.expect, UnitBelow) {
                let first = Lane { at: STACK, element: Element::F64 };
                first.set(&mut start, 0.2 + (self.seeds.next() % 64) as f64 / 1024.0);
            }
            if name(i.mnemonic()).starts_with("fprem") {
                // A remainder away from its jumps.
                let at = |k: usize| Lane { at: STACK + 8 * k, element: Element::F64 };
                at(0).set(&mut start, 7.25 + (self.seeds.next() % 64) as f64 / 1024.0);
                at(1).set(&mut start, 2.0625);
            }
            let mut inputs: Vec<Lane> = Lane::all(STACK..STACK + 8 * DEPTH, Element::F64).collect();
            let mut results: Vec<Lane> =
                Lane::all(RESULTS..RESULTS + 8 * left(i), Element::F64).collect();
            if has_memory {
                bytes_mut(&mut start)[OPERAND..OPERAND + 16].fill(0);
                match kind {
                    iced_x86::MemorySize::Float32 | iced_x86::MemorySize::Float64 => {
                        let lane = Lane {
                            at: OPERAND,
                            element: if kind == iced_x86::MemorySize::Float32 {
                                Element::F32
                            } else {
                                Element::F64
                            },
                        };
                        lane.set(&mut start, 1.375 + (self.seeds.next() % 64) as f64 / 1024.0);
                        inputs.push(lane);
                        results.push(lane);
                    }
                    iced_x86::MemorySize::Float80 => {
                        inputs.push(Lane { at: WIDE, element: Element::F64 });
                        results.push(Lane { at: STORED, element: Element::F64 });
                    }
                    // An integer, or a control word.
                    _ if name(i.mnemonic()) == "fldcw" => bytes_mut(&mut start)
                        [OPERAND..OPERAND + 2]
                        .copy_from_slice(&0x37fu16.to_le_bytes()),
                    _ => bytes_mut(&mut start)[OPERAND] = 3,
                }
            }
            let partials =
                Partials::by_differences(self.machine, case.function, &start, inputs, results);
            let choices =
                if round < 2 { vec![usize::MAX] } else { (0..=partials.inputs.len()).collect() };
            for choice in choices {
                let active: Vec<bool> = (0..partials.inputs.len())
                    .map(|k| choice == usize::MAX || k == choice)
                    .collect();
                let none = vec![false; active.len()];
                for &execution in &EXECUTIONS[..2] {
                    let numbers = (active.as_slice(), none.as_slice());
                    let done = if self.machine.mode() == Mode::Recording {
                        self.bars(case, execution, &start, &partials, numbers)
                    } else {
                        self.dots(case, execution, &start, &partials, numbers)
                    };
                    done.map_err(|e| format!("{execution:?}, active {choice}: {e}"))?;
                    self.compared += usize::from(active.contains(&true));
                }
            }
        }
        Ok(())
    }
}
