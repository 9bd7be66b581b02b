// Defects of LLVM's fast instruction selection, which compiles at -O0, are kept away from generated code.
//
// `FastISel::tryToFoldLoad` (LLVM 22) makes a load an operand of the instruction that uses it, where that is found behind the load by following
// single uses. It follows them through phis too, from one iteration of a loop to the next: then the load moves behind the stores of its own
// iteration. clang's code at -O0 keeps variables in memory and has no such phi; derivatives have.
//
// `X86FastISel::X86SelectAddress` looks through conversions of an address, also through that of a real's bits, and takes the register of the
// real for one of an address. clang's code at -O0 reads a member of a union from memory; simplified code loads it once for both.

#include "select.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {
// How many users FastISel follows (its own number, and a few more).
constexpr unsigned Followed = 16;

// Whether single uses lead from a load to a phi of its block.
bool reachesOwnPhi(const LoadInst &Load) {
  const Instruction *At = &Load;
  for (unsigned Count = 0; Count < Followed && At->hasOneUse(); Count++) {
    const auto *User = dyn_cast<Instruction>(At->user_back());
    if (!User || User->getParent() != Load.getParent())
      return false;
    if (isa<PHINode>(User))
      return true;
    At = User;
  }
  return false;
}

bool hasCarriedLoad(const BasicBlock &Block) {
  if (Block.phis().empty())
    return false;
  for (const Instruction &I : Block)
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && reachesOwnPhi(*Load))
      return true;
  return false;
}
} // namespace

bool separateCarriedLoads(Function &F) {
  SmallVector<BasicBlock *, 8> Found;
  for (BasicBlock &Block : F)
    if (hasCarriedLoad(Block))
      Found.push_back(&Block);
  for (BasicBlock *Block : Found)
    if (auto At = Block->getFirstInsertionPt(); At != Block->end())
      Block->splitBasicBlock(At);
  return !Found.empty();
}

bool freezeBits(Function &F) {
  SmallVector<BitCastInst *, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Bits = dyn_cast<BitCastInst>(&I); Bits && Bits->getType()->isIntegerTy() && Bits->getOperand(0)->getType()->isFloatingPointTy())
      Found.push_back(Bits);
  for (BitCastInst *Bits : Found) {
    auto *Frozen = new FreezeInst(Bits, "", std::next(Bits->getIterator()));
    Frozen->setDebugLoc(Bits->getDebugLoc());
    Bits->replaceUsesWithIf(Frozen, [Frozen](const Use &U) { return U.getUser() != Frozen; });
  }
  return !Found.empty();
}
