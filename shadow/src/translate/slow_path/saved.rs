//! Instructions that save or restore all vector registers, as the loader does when it binds a
//! function at its first call: so with their shadows.

use std::{cell::RefCell, collections::HashMap};

use iced_x86::{Instruction, Mnemonic};

use super::operands::base_or_register;
use crate::{
    Error,
    machine::state::{State, Vector},
};

thread_local! {
    /// Shadows of vector registers that are saved in memory, by its address.
    static SAVED: RefCell<HashMap<u64, [Vector; 32]>> = RefCell::default();
}

fn is_save(m: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(m, Xsave | Xsave64 | Xsavec | Xsavec64 | Xsaveopt | Xsaveopt64 | Fxsave | Fxsave64)
}

/// Whether an instruction is one of these.
pub fn is_of(i: &Instruction) -> bool {
    is_save(i.mnemonic())
        || matches!(
            i.mnemonic(),
            Mnemonic::Xrstor | Mnemonic::Xrstor64 | Mnemonic::Fxrstor | Mnemonic::Fxrstor64
        )
}

/// Does what it does to shadows.
pub fn shadows(i: &Instruction, state: &mut State) -> Result<(), Error> {
    let refused = |why: &str| Error::Instruction {
        address: i.ip(),
        instruction: i.to_string(),
        why: why.into(),
    };
    let at = i
        .virtual_address(0, 0, |r, _, _| base_or_register(r, state))
        .ok_or_else(|| refused("its address is not known before it runs"))?;
    if is_save(i.mnemonic()) {
        SAVED.with_borrow_mut(|all| all.insert(at, state.vectors));
        return Ok(());
    }
    let vectors = SAVED.with_borrow_mut(|all| all.remove(&at));
    state.vectors = vectors
        .ok_or_else(|| refused("it restores registers that translated code did not save"))?;
    Ok(())
}
