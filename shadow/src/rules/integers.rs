//! Vector instructions that compute with integers, those that touch no data, and those that are
//! refused.

use iced_x86::Mnemonic;

use super::kinds::{Direction, Rule};

/// Half precision.
pub(super) const HALF: &str =
    "half precision has no room for the index of a recording, and a tangent would lose digits";
/// The other 16 bits.
const BRAIN: &str = "16-bit numbers have no room for the index of a recording, and a tangent would \
    lose digits";
/// Registers in memory.
const SAVED: &str = "it saves or restores registers in a format without shadows";

/// The rule of a mnemonic, if it is in this table.
pub(super) fn rule(mnemonic: Mnemonic) -> Option<Rule> {
    use Mnemonic::*;
    Some(match mnemonic {
        Packssdw | Packsswb | Packuswb | Packusdw | Paddb | Paddsb | Paddsw | Paddusb | Paddusw
        | Paddw | Pmaddwd | Pmulhw | Pmullw | Psubb | Psubsb | Psubsw | Psubusb | Psubusw
        | Psubw | Pmuludq => Rule::Integer,
        Pavgb | Pavgw | Pmaxsw | Pmaxub | Pminsw | Pminub | Pmulhuw | Psadbw | Mpsadbw
        | Phminposuw | Pmaxsb | Pmaxsd | Pmaxud | Pmaxuw | Pminsb | Pminsd | Pminud | Pminuw => {
            Rule::Integer
        }
        Pmovsxbd | Pmovsxbq | Pmovsxbw | Pmovsxdq | Pmovsxwd | Pmovsxwq | Pmovzxbd | Pmovzxbq
        | Pmovzxbw | Pmovzxdq | Pmovzxwd | Pmovzxwq | Pmuldq | Pmulld => Rule::Integer,
        Pabsb | Pabsd | Pabsw | Phaddd | Phaddsw | Phaddw | Phsubd | Phsubsw | Phsubw
        | Pmaddubsw | Pmulhrsw | Psignb | Psignd | Psignw => Rule::Integer,
        Vmpsadbw | Vpabsb | Vpabsd | Vpabsw | Vpabsq | Vpackssdw | Vpacksswb | Vpackusdw
        | Vpackuswb | Vpaddb | Vpaddsb | Vpaddsw | Vpaddusb | Vpaddusw | Vpaddw | Vpavgb
        | Vpavgw => Rule::Integer,
        Vphaddd | Vphaddsw | Vphaddw | Vphminposuw | Vphsubd | Vphsubsw | Vphsubw | Vpmaddubsw
        | Vpmaddwd | Vpmaxsb | Vpmaxsd | Vpmaxsw | Vpmaxub | Vpmaxud | Vpmaxuw | Vpmaxsq
        | Vpmaxuq | Vpminsb | Vpminsd | Vpminsw | Vpminub | Vpminud | Vpminuw | Vpminsq
        | Vpminuq => Rule::Integer,
        Vpmovsxbd | Vpmovsxbq | Vpmovsxbw | Vpmovsxdq | Vpmovsxwd | Vpmovsxwq | Vpmovzxbd
        | Vpmovzxbq | Vpmovzxbw | Vpmovzxdq | Vpmovzxwd | Vpmovzxwq => Rule::Integer,
        Vpmuldq | Vpmulhrsw | Vpmulhuw | Vpmulhw | Vpmulld | Vpmullw | Vpmullq | Vpmuludq
        | Vpsadbw | Vpsignb | Vpsignd | Vpsignw | Vpsubb | Vpsubsb | Vpsubsw | Vpsubusb
        | Vpsubusw | Vpsubw => Rule::Integer,
        Psraw | Vpsraw | Vpsravw | Vpsravd | Vpsravq => Rule::Integer,
        Psllw | Psrlw | Vpsllw | Vpsrlw | Vpsllvw | Vpsrlvw | Vpshldw | Vpshldd | Vpshldq
        | Vpshldvw | Vpshldvd | Vpshldvq | Vpshrdw | Vpshrdd | Vpshrdq | Vpshrdvw | Vpshrdvd
        | Vpshrdvq => Rule::Integer,
        Vpsllvd | Vpsllvq | Vpsrlvd | Vpsrlvq | Vprold | Vprolq | Vprolvd | Vprolvq | Vprord
        | Vprorq | Vprorvd | Vprorvq => Rule::Integer,
        Vdbpsadbw | Vpconflictd | Vpconflictq | Vplzcntd | Vplzcntq | Vpopcntb | Vpopcntw
        | Vpopcntd | Vpopcntq | Vpmultishiftqb | Vpmadd52huq | Vpmadd52luq => Rule::Integer,
        Vpmovdb | Vpmovdw | Vpmovqb | Vpmovqd | Vpmovqw | Vpmovwb | Vpmovsdb | Vpmovsdw
        | Vpmovsqb | Vpmovsqd | Vpmovsqw | Vpmovswb | Vpmovusdb | Vpmovusdw | Vpmovusqb
        | Vpmovusqd | Vpmovusqw | Vpmovuswb => Rule::Integer,
        Vpdpbusd | Vpdpbusds | Vpdpwssd | Vpdpwssds | Vpdpwsud | Vpdpwsuds | Vpdpwusd
        | Vpdpwusds | Vpdpwuud | Vpdpwuuds | Vpdpbssd | Vpdpbssds | Vpdpbsud | Vpdpbsuds
        | Vpdpbuud | Vpdpbuuds | Vp4dpwssd | Vp4dpwssds => Rule::Integer,
        Aesdec | Aesdeclast | Aesenc | Aesenclast | Aesimc | Aeskeygenassist | Vaesdec
        | Vaesdeclast | Vaesenc | Vaesenclast | Vaesimc | Vaeskeygenassist | Aesdec128kl
        | Aesdec256kl | Aesenc128kl | Aesenc256kl | Aesdecwide128kl | Aesdecwide256kl
        | Aesencwide128kl | Aesencwide256kl | Loadiwkey | Encodekey128 | Encodekey256 => {
            Rule::Integer
        }
        Pclmulqdq | Vpclmulqdq | Gf2p8affineinvqb | Gf2p8affineqb | Gf2p8mulb
        | Vgf2p8affineinvqb | Vgf2p8affineqb | Vgf2p8mulb => Rule::Integer,
        Sha1msg1 | Sha1msg2 | Sha1nexte | Sha1rnds4 | Sha256msg1 | Sha256msg2 | Sha256rnds2
        | Vsha512msg1 | Vsha512msg2 | Vsha512rnds2 | Vsm3msg1 | Vsm3msg2 | Vsm3rnds2 | Vsm4key4
        | Vsm4rnds4 => Rule::Integer,
        Paddd | Vpaddd => Rule::AddInteger(32),
        Paddq | Vpaddq => Rule::AddInteger(64),
        Psubd | Vpsubd => Rule::SubInteger(32),
        Psubq | Vpsubq => Rule::SubInteger(64),
        Pslld | Vpslld => Rule::Shift(Direction::Left, 32),
        Psllq | Vpsllq => Rule::Shift(Direction::Left, 64),
        Psrld | Vpsrld | Psrad | Vpsrad => Rule::Shift(Direction::Right, 32),
        Psrlq | Vpsrlq | Vpsraq => Rule::Shift(Direction::Right, 64),
        Kaddb | Kaddw | Kaddd | Kaddq | Kandb | Kandw | Kandd | Kandq | Kandnb | Kandnw
        | Kandnd | Kandnq | Kmovb | Kmovw | Kmovd | Kmovq | Knotb | Knotw | Knotd | Knotq
        | Korb | Korw | Kord | Korq | Kortestb | Kortestw | Kortestd | Kortestq | Kshiftlb
        | Kshiftlw | Kshiftld | Kshiftlq | Kshiftrb | Kshiftrw | Kshiftrd | Kshiftrq | Ktestb
        | Ktestw | Ktestd | Ktestq | Kunpckbw | Kunpckwd | Kunpckdq | Kxnorb | Kxnorw | Kxnord
        | Kxnorq | Kxorb | Kxorw | Kxord | Kxorq => Rule::Control,
        Vgatherpf0dpd | Vgatherpf0dps | Vgatherpf0qpd | Vgatherpf0qps | Vgatherpf1dpd
        | Vgatherpf1dps | Vgatherpf1qpd | Vgatherpf1qps | Vscatterpf0dpd | Vscatterpf0dps
        | Vscatterpf0qpd | Vscatterpf0qps | Vscatterpf1dpd | Vscatterpf1dps | Vscatterpf1qpd
        | Vscatterpf1qps => Rule::Control,
        Ldmxcsr | Stmxcsr | Vldmxcsr | Vstmxcsr | Emms => Rule::Control,
        Vzeroall => Rule::ZeroAll,
        Vzeroupper => Rule::ZeroUpper,
        Vcvtph2ps | Vcvtps2ph | Vbcstnesh2ps | Vcvtneeph2ps | Vcvtneoph2ps => Rule::Refused(HALF),
        Vcvtne2ps2bf16 | Vcvtneps2bf16 | Vdpbf16ps | Vbcstnebf162ps | Vcvtneebf162ps
        | Vcvtneobf162ps => Rule::Refused(BRAIN),
        V4fmaddps | V4fmaddss | V4fnmaddps | V4fnmaddss | Vexp2ps | Vexp2pd => {
            Rule::Refused("only discontinued processors have it (AVX-512 of Knights)")
        }
        Vfmaddpd | Vfmaddps | Vfmaddsd | Vfmaddss | Vfmaddsubpd | Vfmaddsubps | Vfmsubaddpd
        | Vfmsubaddps | Vfmsubpd | Vfmsubps | Vfmsubsd | Vfmsubss | Vfnmaddpd | Vfnmaddps
        | Vfnmaddsd | Vfnmaddss | Vfnmsubpd | Vfnmsubps | Vfnmsubsd | Vfnmsubss | Vpermil2ps
        | Vpermil2pd => Rule::Refused("only discontinued processors have it (FMA4, XOP)"),
        Extrq | Insertq => Rule::Refused("it moves bit fields (SSE4a)"),
        Fxsave | Fxsave64 | Fxrstor | Fxrstor64 | Xsave | Xsave64 | Xsavec | Xsavec64
        | Xsaveopt | Xsaveopt64 | Xsaves | Xsaves64 | Xrstor | Xrstor64 | Xrstors | Xrstors64 => {
            Rule::Refused(SAVED)
        }
        Tcmmimfp16ps | Tcmmrlfp16ps | Tdpbf16ps | Tdpfp16ps | Tdpbssd | Tdpbsud | Tdpbusd
        | Tdpbuud | Tileloadd | Tileloaddt1 | Tilestored | Tilezero | Tilerelease | Ldtilecfg
        | Sttilecfg => Rule::Refused("it uses tiles (AMX), which have no shadows"),
        _ => return None,
    })
}
