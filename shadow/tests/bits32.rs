//! Code of 32 bits: the forms that 64-bit mode does not have, and that programs for i386 have, have
//! rules. (What is left without one is of processors before SSE2, or for systems only: active data
//! that meets it is refused.)

use adshadow::rules::{self, Rule, Steering};
use iced_x86::{Code, Decoder, DecoderOptions};

/// The only instruction of these bytes, in 32-bit mode.
fn decoded(bytes: &[u8]) -> Code {
    let i = Decoder::new(32, bytes, DecoderOptions::NONE).decode();
    assert!(!i.is_invalid() && i.len() == bytes.len(), "{bytes:02x?}: {i}");
    i.code()
}

#[test]
fn forms_of_32_bits_only_have_rules() {
    let moves = Rule::Move(Steering::None);
    let cases: [(&[u8], Code, Rule); 22] = [
        (&[0x40], Code::Inc_r32, Rule::Integer),
        (&[0x49], Code::Dec_r32, Rule::Integer),
        (&[0x50], Code::Push_r32, moves),
        (&[0x58], Code::Pop_r32, moves),
        (&[0xff, 0x30], Code::Push_rm32, moves),
        (&[0x68, 1, 0, 0, 0], Code::Pushd_imm32, moves),
        (&[0x9c], Code::Pushfd, Rule::Compare),
        (&[0x9d], Code::Popfd, Rule::Compare),
        (&[0xa1, 0, 0, 0, 0], Code::Mov_EAX_moffs32, moves),
        (&[0xa3, 0, 0, 0, 0], Code::Mov_moffs32_EAX, moves),
        (&[0xe8, 0, 0, 0, 0], Code::Call_rel32_32, Rule::Compare),
        (&[0xff, 0xd0], Code::Call_rm32, Rule::Compare),
        (&[0xc3], Code::Retnd, Rule::Control),
        (&[0xc9], Code::Leaved, moves),
        (&[0x67, 0xe3, 0], Code::Jcxz_rel8_32, Rule::Control),
        (&[0xce], Code::Into, Rule::Control),
        (&[0x62, 0x08], Code::Bound_r32_m3232, Rule::Compare),
        (&[0xd4, 0x0a], Code::Aam_imm8, Rule::Integer),
        (&[0x27], Code::Daa, Rule::Integer),
        (&[0xd6], Code::Salc, Rule::Compare),
        (&[0x60], Code::Pushad, Rule::Refused("it moves all general registers at once")),
        (&[0x61], Code::Popad, Rule::Refused("it moves all general registers at once")),
    ];
    for (bytes, code, rule) in cases {
        assert_eq!((decoded(bytes), rules::rule(code)), (code, rule), "{bytes:02x?}");
    }
}
