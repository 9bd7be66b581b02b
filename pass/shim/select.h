// What the instruction selection of -O0 must not meet.
#pragma once

namespace llvm {
class Function;
}

// Gives phis that loads of their own block reach a block of their own; whether there were any.
bool separateCarriedLoads(llvm::Function &F);

// Keeps the bits of reals out of the computation of addresses; whether there were any.
bool freezeBits(llvm::Function &F);
