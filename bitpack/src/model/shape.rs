//! What the operands of a record are.
//!
//! A shape is a text with a letter for each operand; those behind `*` are repeated.

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A number.
    Plain,
    /// A character of a text.
    Text,
    /// A value, relative to the next one, and its type behind it if it comes later.
    ValueAndType,
    /// A value, relative to the next one.
    Value,
    /// The same with a sign in the lowest bit.
    Signed,
    /// A value by its number.
    Absolute,
    /// A block of the function.
    Block,
    /// A type.
    Type,
    /// A number that is close to the one of the former record.
    Near,
    /// Metadata, plus one; zero is none.
    Node,
    /// Metadata.
    NodeAlways,
    /// Where a name starts in the table of strings.
    Name,
    /// An instruction by its number.
    Instruction,
}

/// Numbers of LLVM's blocks.
pub mod block {
    pub const MODULE: u32 = 8;
    pub const CONSTANTS: u32 = 11;
    pub const FUNCTION: u32 = 12;
    pub const IDENTIFICATION: u32 = 13;
    pub const SYMBOLS: u32 = 14;
    pub const METADATA: u32 = 15;
    pub const ATTACHMENT: u32 = 16;
    pub const TYPES: u32 = 17;
    pub const TAGS: u32 = 21;
    pub const KINDS: u32 = 22;
    pub const STRINGS: u32 = 23;
    pub const SCOPES: u32 = 26;
}

/// The shape of a record.
pub fn shape(block: u32, code: u64) -> &'static [u8] {
    match (block, code) {
        (block::IDENTIFICATION, 1) | (block::MODULE, 2..=6 | 11 | 16) => b"*t",
        (block::MODULE, 12) => b"sp",
        (block::MODULE, 7) => b"spTppppp",
        (block::MODULE, 8) => b"spTppppp",
        (block::MODULE, 14 | 18) => b"spTpAp",
        (block::TYPES, 19) => b"*t",
        (block::TYPES, 11 | 12) => b"pT",
        (block::TYPES, 18 | 20 | 21) => b"p*T",
        (block::CONSTANTS, 1) => b"T",
        (block::CONSTANTS, 7) => b"*A",
        (block::CONSTANTS, 8 | 9) => b"*t",
        (block::CONSTANTS, 11) => b"pTA",
        (block::CONSTANTS, 20 | 24 | 32) => b"Tp*TA",
        (block::TAGS | block::SCOPES, _) => b"*t",
        (block::KINDS, 6) => b"n*t",
        (block::SYMBOLS, _) => b"n*t",
        (block::METADATA, code) => metadata(code),
        (block::ATTACHMENT, 11) => b"i*pN",
        (block::FUNCTION, code) => instruction(code),
        _ => b"*p",
    }
}

fn instruction(code: u64) -> &'static [u8] {
    match code {
        2 => b"Vvpp",
        3 => b"VTpp",
        6 => b"VV",
        7 => b"VvV",
        8 => b"Vvv",
        10 => b"V",
        11 => b"bbv",
        12 => b"Tvb*Ab",
        5 => b"ppbbTV*v",
        16 => b"T*Sb",
        19 => b"TTAp",
        20 => b"VTpp",
        23 => b"TvT",
        26 => b"V*p",
        27 => b"VV*p",
        28 => b"Vvpp",
        29 => b"VvVp",
        33 => b"",
        34 => b"ppTV*v",
        35 => b"nnMMp",
        36 => b"pp",
        39 | 58 => b"V",
        41 => b"VTpppp",
        43 => b"pT*V",
        44 => b"VVpp",
        45 => b"VVpppp",
        46 => b"VVvppppp",
        47 => b"Tpp*pV",
        55 => b"p*V",
        56 => b"Vpp",
        59 => b"VVppppp",
        61..=63 | 66 => b"N*N",
        64 => b"NNNV",
        65 => b"NN",
        _ => b"*p",
    }
}

fn metadata(code: u64) -> &'static [u8] {
    match code {
        2 => b"TA",
        3 | 5 => b"*M",
        4 => b"*t",
        6 => b"n*t",
        7 => b"pnpNMp",
        10 => b"*N",
        13 | 45 => b"pMMMM",
        14 => b"ppMp",
        15 => b"ppMppppp",
        16 => b"pMMpMM",
        17 => b"ppMMnMMMpMpMpMp",
        18 => b"ppMMnMMMpMpMpMMMMMMMMMMMM",
        19 => b"ppMp",
        20 => b"ppMMpMpMpMMMMMpppp",
        21 => b"pMMMMnMnMpppMMMMpMMM",
        22 => b"pMMnp",
        23 => b"pMMp",
        24 => b"pMMn",
        25 => b"pMMp",
        26 => b"ppMMpM",
        27 => b"pMMMMnMppMMpM",
        28 => b"pMMMnMpppM",
        31 => b"ppMMnMMM",
        36 => b"n*pN",
        37 => b"pMM",
        40 => b"pMMMn",
        41 => b"ppMMMMppp",
        44 => b"pMMMMn",
        46 => b"*N",
        47 => b"p",
        48 => b"pMMnMMMpMMMMM",
        _ => b"*p",
    }
}

/// Walks along a shape.
#[derive(Clone)]
pub struct Walk {
    shape: &'static [u8],
    at: usize,
    /// Where what is repeated starts.
    again: Option<usize>,
    /// Whether a type comes in between.
    is_type_next: bool,
}

impl Walk {
    /// At the start of a shape.
    pub fn new(shape: &'static [u8]) -> Walk {
        Walk { shape, at: 0, again: None, is_type_next: false }
    }
    /// The type of the last value follows.
    pub fn insert_type(&mut self) {
        self.is_type_next = true;
    }
    /// What the next operand is, and its number in the shape.
    pub fn next(&mut self) -> (Role, u32) {
        if std::mem::take(&mut self.is_type_next) {
            return (Role::Type, 31);
        }
        if self.shape.get(self.at) == Some(&b'*') {
            self.again = Some(self.at + 1);
            self.at += 1;
        }
        if self.at >= self.shape.len() {
            match self.again {
                Some(again) => self.at = again,
                None => return (Role::Plain, 30),
            }
        }
        let place = self.at as u32;
        self.at += 1;
        let role = match self.shape[place as usize] {
            b'V' => Role::ValueAndType,
            b'v' => Role::Value,
            b'S' => Role::Signed,
            b'A' => Role::Absolute,
            b'b' => Role::Block,
            b'T' => Role::Type,
            b'n' => Role::Near,
            b'M' => Role::Node,
            b'N' => Role::NodeAlways,
            b's' => Role::Name,
            b'i' => Role::Instruction,
            b't' => Role::Text,
            _ => Role::Plain,
        };
        (role, place)
    }
}
