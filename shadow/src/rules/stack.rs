//! The x87 unit.

use iced_x86::Mnemonic;

use super::kinds::{Rule, X87};

/// The rule of a mnemonic of the x87 unit.
pub(super) fn rule(mnemonic: Mnemonic) -> Option<Rule> {
    use Mnemonic::*;
    Some(match mnemonic {
        Fld => Rule::X87(X87::Load),
        Fst | Fstp | Fstpnce => Rule::X87(X87::Store),
        Fxch => Rule::X87(X87::Exchange),
        Fcmovb | Fcmovbe | Fcmove | Fcmovnb | Fcmovnbe | Fcmovne | Fcmovnu | Fcmovu => {
            Rule::X87(X87::MoveIf)
        }
        Fld1 | Fldz | Fldpi | Fldl2e | Fldl2t | Fldlg2 | Fldln2 => Rule::X87(X87::Constant),
        Fild | Fbld => Rule::X87(X87::FromInteger),
        Fist | Fistp | Fisttp | Fbstp => Rule::X87(X87::ToInteger),
        Fadd | Faddp | Fiadd => Rule::X87(X87::Add),
        Fsub | Fsubp | Fisub => Rule::X87(X87::Sub),
        Fsubr | Fsubrp | Fisubr => Rule::X87(X87::SubReversed),
        Fmul | Fmulp | Fimul => Rule::X87(X87::Mul),
        Fdiv | Fdivp | Fidiv => Rule::X87(X87::Div),
        Fdivr | Fdivrp | Fidivr => Rule::X87(X87::DivReversed),
        Fsqrt => Rule::X87(X87::Sqrt),
        Fabs => Rule::X87(X87::Abs),
        Fchs => Rule::X87(X87::Negate),
        Frndint => Rule::X87(X87::Round),
        Fprem => Rule::X87(X87::Remainder),
        Fprem1 => Rule::X87(X87::RemainderNearest),
        Fsin => Rule::X87(X87::Sin),
        Fcos => Rule::X87(X87::Cos),
        Fsincos => Rule::X87(X87::SinCos),
        Fptan => Rule::X87(X87::Tan),
        Fpatan => Rule::X87(X87::Atan),
        F2xm1 => Rule::X87(X87::Exp2m1),
        Fyl2x => Rule::X87(X87::Log2),
        Fyl2xp1 => Rule::X87(X87::Log2p1),
        Fscale => Rule::X87(X87::Scale),
        Fxtract => Rule::X87(X87::Extract),
        Fcom | Fcomp | Fcompp | Fucom | Fucomp | Fucompp | Fcomi | Fcomip | Fucomi | Fucomip
        | Ficom | Ficomp | Ftst | Fxam => Rule::X87(X87::Compare),
        Fnop | Fclex | Fnclex | Fdisi | Fndisi | Feni | Fneni | Fsetpm | Fnsetpm | Ffree
        | Ffreep | Fincstp | Fdecstp | Fldcw | Fstcw | Fnstcw | Fstsw | Fnstsw | Fstenv
        | Fnstenv | Fldenv | Wait => Rule::X87(X87::Control),
        Finit | Fninit => Rule::X87(X87::Initialize),
        Fsave | Fnsave | Frstor => {
            Rule::Refused("it saves or restores registers in a format without shadows")
        }
        _ => return None,
    })
}
