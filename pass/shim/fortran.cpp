// What the C API lacks for models over flang's descriptors: which bytes of a descriptor are constants where it is passed, and copies of
// a model for such constants.

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm-c/Core.h"
#include <optional>

using namespace llvm;

namespace {

// Copies of descriptors are followed as deep as this.
constexpr unsigned MostCopies = 6;
// Instructions before a call that are searched for what is stored.
constexpr unsigned MostBefore = 200;
// Dimensions begin here: what is reached through an index is behind.
constexpr int64_t Dimensions = 24;

struct Search {
  const DataLayout &DL;
  // Whether the address of a variable is looked for, instead of a byte.
  bool IsPointer;
  // What the byte is where it was found, or the variable, and whether it may be something else.
  std::optional<uint8_t> Found;
  GlobalVariable *Variable = nullptr;
  bool IsOpen = false, Differs = false;
  SmallSet<std::pair<Value *, int64_t>, 8> Seen;

  Search(const DataLayout &DL, bool IsPointer) : DL(DL), IsPointer(IsPointer) {}

  void add(uint8_t Byte) {
    if (Found && *Found != Byte)
      Differs = true;
    Found = Byte;
  }

  void addConstant(Constant *C, int64_t At) {
    if (IsPointer) {
      Constant *Pointer = ConstantFoldLoadFromConst(C, PointerType::get(C->getContext(), 0), APInt(64, At), DL);
      if (Pointer && isa<UndefValue>(Pointer))
        return;
      auto *G = dyn_cast_or_null<GlobalVariable>(Pointer);
      if (!G)
        return void(IsOpen = true);
      if (Variable && Variable != G)
        Differs = true;
      Variable = G;
      return;
    }
    Constant *Byte = ConstantFoldLoadFromConst(C, Type::getInt8Ty(C->getContext()), APInt(64, At), DL);
    if (!Byte)
      IsOpen = true;
    else if (isa<UndefValue>(Byte))
      return;
    else if (auto *I = dyn_cast<ConstantInt>(Byte))
      add(uint8_t(I->getZExtValue()));
    else
      IsOpen = true;
  }

  // The byte of a value that is stored.
  void addValue(Value *V, int64_t At) {
    if (auto *C = dyn_cast<Constant>(V))
      return addConstant(C, At);
    Type *Ty = V->getType();
    SmallVector<unsigned, 4> Path;
    while (Ty->isAggregateType()) {
      auto *S = dyn_cast<StructType>(Ty);
      uint64_t Size = DL.getTypeAllocSize(S ? Ty : Ty->getArrayElementType());
      if (!Size)
        return void(IsOpen = true);
      unsigned Index = S ? DL.getStructLayout(S)->getElementContainingOffset(At) : unsigned(At / Size);
      At -= S ? int64_t(DL.getStructLayout(S)->getElementOffset(Index)) : int64_t(Index * Size);
      Path.push_back(Index);
      Ty = S ? S->getElementType(Index) : Ty->getArrayElementType();
    }
    Value *Part = Path.empty() ? nullptr : FindInsertedValue(V, Path);
    if (auto *C = dyn_cast_or_null<Constant>(Part))
      addConstant(C, At);
    else
      IsOpen = true;
  }

  void addMemory(Value *Pointer, int64_t At, unsigned Depth) {
    APInt Offset(64, 0);
    Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
    At += Offset.getSExtValue();
    if (auto *G = dyn_cast<GlobalVariable>(Base)) {
      if (G->hasInitializer() && At >= 0 && uint64_t(At) < DL.getTypeAllocSize(G->getValueType()))
        return addConstant(G->getInitializer(), At);
      return void(IsOpen = true);
    }
    if (!isa<AllocaInst>(Base) || !Depth)
      return void(IsOpen = true);
    if (!Seen.insert({Base, At}).second)
      return;
    SmallVector<std::pair<Value *, int64_t>, 8> Work{{Base, 0}};
    while (!Work.empty()) {
      auto [P, Off] = Work.pop_back_val();
      for (User *U : P->users()) {
        auto Covers = [&, Off = Off](uint64_t Size) { return Off <= At && At < Off + int64_t(Size); };
        if (auto *G = dyn_cast<GetElementPtrInst>(U)) {
          APInt By(64, 0);
          SmallMapVector<Value *, APInt, 4> Variable;
          if (!G->collectOffset(DL, 64, Variable, By))
            return void(IsOpen = true);
          if (Variable.empty())
            Work.push_back({G, Off + By.getSExtValue()});
          else if (Off + By.getSExtValue() < Dimensions)
            return void(IsOpen = true);
        } else if (auto *S = dyn_cast<StoreInst>(U)) {
          if (S->getPointerOperand() == P && Covers(DL.getTypeStoreSize(S->getValueOperand()->getType())))
            addValue(S->getValueOperand(), At - Off);
        } else if (auto *M = dyn_cast<MemTransferInst>(U)) {
          auto *Length = dyn_cast<ConstantInt>(M->getLength());
          if (M->getRawDest() == P && (!Length || Covers(Length->getZExtValue())))
            addMemory(M->getRawSource(), At - Off, Depth - 1);
        } else if (auto *M = dyn_cast<MemSetInst>(U)) {
          auto *Length = dyn_cast<ConstantInt>(M->getLength()), *Byte = dyn_cast<ConstantInt>(M->getValue());
          if (!Length || !Byte)
            IsOpen = true;
          else if (Covers(Length->getZExtValue()))
            add(uint8_t(Byte->getZExtValue()));
        } else if (isa<PHINode>(U) || isa<SelectInst>(U)) {
          return void(IsOpen = true);
        }
      }
    }
  }
};

// What is in memory right before a call: what the instructions before it store there, if nothing else can have written there since.
void addBefore(Search &S, Instruction *Call, Value *Pointer, int64_t At) {
  APInt Offset(64, 0);
  Value *Base = Pointer->stripAndAccumulateConstantOffsets(S.DL, Offset, true);
  At += Offset.getSExtValue();
  const int64_t Width = S.IsPointer ? 8 : 1;
  BasicBlock *Block = Call->getParent();
  auto Next = Call->getReverseIterator();
  ++Next;
  for (unsigned I = 0; I < MostBefore; ++I) {
    if (Next == Block->rend()) {
      Block = Block->getSinglePredecessor();
      if (!Block)
        break;
      Next = Block->rbegin();
      continue;
    }
    Instruction &Before = *Next++;
    if (!Before.mayWriteToMemory() || Before.isLifetimeStartOrEnd() || Before.isDebugOrPseudoInst())
      continue;
    auto *Store = dyn_cast<StoreInst>(&Before);
    auto *Copy = dyn_cast<MemCpyInst>(&Before);
    if (!Store && !Copy)
      break;
    APInt To(64, 0);
    Value *Other = (Store ? Store->getPointerOperand() : Copy->getRawDest())->stripAndAccumulateConstantOffsets(S.DL, To, true);
    // A variable of this function is in no memory that it is given.
    if (Other != Base && isa<Argument>(Base) && isa<AllocaInst>(Other))
      continue;
    auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
    if (Other != Base || (Copy && !Length))
      break;
    int64_t From = To.getSExtValue();
    uint64_t Size = Copy ? Length->getZExtValue() : S.DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue();
    if (At + Width <= From || At >= From + int64_t(Size))
      continue;
    // A pointer is stored in one piece.
    if (At < From)
      break;
    return Store ? S.addValue(Store->getValueOperand(), At - From) : S.addMemory(Copy->getRawSource(), At - From, MostCopies);
  }
  S.IsOpen = true;
}

const Module *moduleOf(Value *P) {
  if (auto *I = dyn_cast<Instruction>(P))
    return I->getModule();
  auto *G = dyn_cast<GlobalVariable>(P->stripInBoundsConstantOffsets());
  return G ? G->getParent() : nullptr;
}

} // namespace

extern "C" {

// What a byte behind a pointer is, whenever it was stored: at each place that the function shows, and before the program runs in
// variables of the module. Functions that are called do not change it. -1 where that is not known.
int adshim_constant_byte(LLVMValueRef Pointer, unsigned Offset) {
  Value *P = unwrap(Pointer);
  const Module *M = moduleOf(P);
  if (!M)
    return -1;
  Search S(M->getDataLayout(), false);
  S.addMemory(P, Offset, MostCopies);
  return S.IsOpen || S.Differs || !S.Found ? -1 : *S.Found;
}

// What a byte behind a pointer is where it is passed to a call; -1 where that is not known.
int adshim_byte_before(LLVMValueRef Call, LLVMValueRef Pointer, unsigned Offset) {
  auto *I = cast<Instruction>(unwrap(Call));
  Search S(I->getDataLayout(), false);
  addBefore(S, I, unwrap(Pointer), Offset);
  return S.IsOpen || S.Differs || !S.Found ? -1 : *S.Found;
}

// The same of a pointer to a variable; null where it is not known.
LLVMValueRef adshim_pointer_before(LLVMValueRef Call, LLVMValueRef Pointer, unsigned Offset) {
  auto *I = cast<Instruction>(unwrap(Call));
  Search S(I->getDataLayout(), true);
  addBefore(S, I, unwrap(Pointer), Offset);
  return S.IsOpen || S.Differs ? nullptr : wrap(S.Variable);
}

// As adshim_constant_byte, of a pointer to a variable; null where it is not known. With `Some`, where one is seen and no other it is that one, whatever
// else is not seen.
LLVMValueRef adshim_constant_pointer(LLVMValueRef Pointer, unsigned Offset, int Some) {
  Value *P = unwrap(Pointer);
  const Module *M = moduleOf(P);
  if (!M)
    return nullptr;
  Search S(M->getDataLayout(), true);
  S.addMemory(P, Offset, MostCopies);
  return (S.IsOpen && !Some) || S.Differs ? nullptr : wrap(S.Variable);
}

// The rank of a descriptor that is a variable of that type, with 256 added if there is an addendum; -1 where that is not known.
int adshim_descriptor_rank(LLVMValueRef Pointer) {
  Value *P = unwrap(Pointer);
  Type *Ty = nullptr;
  if (auto *A = dyn_cast<AllocaInst>(P))
    Ty = A->getAllocatedType();
  else if (auto *G = dyn_cast<GlobalVariable>(P))
    Ty = G->getValueType();
  auto *S = dyn_cast_or_null<StructType>(Ty);
  static const unsigned Widths[] = {64, 32, 8, 8, 8, 8};
  if (!S || S->getNumElements() < 7 || !S->getElementType(0)->isPointerTy())
    return -1;
  for (unsigned I = 0; I < 6; ++I)
    if (!S->getElementType(I + 1)->isIntegerTy(Widths[I]))
      return -1;
  unsigned Next = 7, Rank = 0;
  if (Next < S->getNumElements())
    if (auto *Dims = dyn_cast<ArrayType>(S->getElementType(Next)); Dims && Dims->getElementType()->isArrayTy()) {
      Rank = unsigned(Dims->getNumElements());
      ++Next;
    }
  bool HasAddendum = Next < S->getNumElements() && S->getElementType(Next)->isPointerTy();
  // Descriptors of any rank have room for all dimensions.
  return Rank >= 15 ? -1 : int(Rank) + (HasAddendum ? 256 : 0);
}

// Forgets what a function says of its loops: those over dimensions are unrolled, or their number is not known.
void adshim_forget_loops(LLVMValueRef Function) {
  for (BasicBlock &B : *unwrap<llvm::Function>(Function))
    B.getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
}

// Makes loads at an offset from a parameter a number of so many bytes, or the address of a variable.
void adshim_fix_member(LLVMValueRef Function, unsigned Parameter, unsigned Offset, unsigned Bytes, uint64_t Number, LLVMValueRef Variable) {
  auto *F = unwrap<llvm::Function>(Function);
  const DataLayout &DL = F->getParent()->getDataLayout();
  for (BasicBlock &B : *F)
    for (Instruction &I : make_early_inc_range(B)) {
      auto *L = dyn_cast<LoadInst>(&I);
      if (!L || !(Variable ? L->getType()->isPointerTy() : L->getType()->isIntegerTy(8 * Bytes)))
        continue;
      APInt At(64, 0);
      Value *Base = L->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, At, true);
      if (Base != F->getArg(Parameter) || At != Offset)
        continue;
      L->replaceAllUsesWith(Variable ? unwrap(Variable) : ConstantInt::get(L->getType(), Number));
      L->eraseFromParent();
    }
}
}
