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
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm-c/Core.h"
#include <optional>

using namespace llvm;

namespace {

// Copies of descriptors are followed as deep as this.
constexpr unsigned MostCopies = 6;
// Instructions before a call that are searched for what is stored.
constexpr unsigned MostBefore = 200;
// Members of a descriptor. What is reached through an index is behind the last.
constexpr int64_t Code = 21, Attribute = 22, Dimensions = 24;

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

  // What comes from a stack of temporaries: descriptors of what was pushed there, but for their attribute.
  static bool isTaken(CallInst &C) {
    return isCalled(C, "_FortranAValueAt") || isCalled(C, "_FortranADescriptorAt");
  }
  // Whether a call shows that a descriptor is that of a polymorphic object, which may have other types than those that are seen.
  static bool isPolymorphic(CallInst &C, Value *P) {
    StringRef Name = C.getCalledFunction() ? C.getCalledFunction()->getName() : StringRef();
    if (!Name.consume_front("_FortranA") || !C.arg_size() || C.getArgOperand(0) != P)
      return false;
    return any_of(ArrayRef<StringRef>{"Polymorphic", "ApplyMold", "InitDerived", "NullifyDerived", "InitIntrinsic"},
                  [&](StringRef Part) { return Name.contains(Part); });
  }
  static bool isCalled(CallInst &C, StringRef Name) { return C.getCalledFunction() && C.getCalledFunction()->getName() == Name; }
  void addStack(Value *Stack, int64_t At, unsigned Depth) {
    if (!isa<CallInst>(Stack) || At == Attribute)
      return void(IsOpen = true);
    for (User *U : Stack->users())
      if (auto *C = dyn_cast<CallInst>(U); C && (isCalled(*C, "_FortranAPushValue") || isCalled(*C, "_FortranAPushDescriptor")))
        addMemory(C->getArgOperand(1), At, Depth);
  }

  void addMemory(Value *Pointer, int64_t At, unsigned Depth) {
    APInt Offset(64, 0);
    Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true);
    At += Offset.getSExtValue();
    if (auto *G = dyn_cast<GlobalVariable>(Base)) {
      // Text, such as the name of the source file, is no descriptor.
      if (auto *A = dyn_cast<ArrayType>(G->getValueType()); A && A->getElementType()->isIntegerTy(8))
        return void(IsOpen = true);
      for (User *U : G->users())
        if (auto *C = dyn_cast<CallInst>(U); C && IsPointer && isPolymorphic(*C, G))
          return void(IsOpen = true);
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
        } else if (auto *C = dyn_cast<CallInst>(U); C && isTaken(*C) && C->getArgOperand(2) == P) {
          addStack(C->getArgOperand(0), At - Off, Depth - 1);
        } else if (C && IsPointer && isPolymorphic(*C, P)) {
          IsOpen = true;
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

// The rank of descriptors of a type, with HasAddendum added if there is an addendum; -1 of other types, and where the rank is open.
constexpr int HasAddendum = 256;
int rankOf(Type *Ty) {
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
  bool Adds = Next < S->getNumElements() && S->getElementType(Next)->isPointerTy();
  // Descriptors of any rank have room for all dimensions.
  return Rank >= 15 ? -1 : int(Rank) + (Adds ? HasAddendum : 0);
}

// The component of a derived type that a pointer leads to, as the front end spells it.
struct Component {
  StructType *Of = nullptr;
  uint64_t At = 0;
  bool operator<(const Component &C) const { return std::tie(Of, At) < std::tie(C.Of, C.At); }
};
std::optional<Component> componentOf(Value *P, const DataLayout &DL) {
  auto *G = dyn_cast<GEPOperator>(P);
  if (!G || rankOf(G->getResultElementType()) < 0 || G->getNumIndices() < 2)
    return {};
  SmallVector<Value *, 4> Outer(G->idx_begin(), G->idx_end() - 1);
  auto *Of = dyn_cast_or_null<StructType>(GetElementPtrInst::getIndexedType(G->getSourceElementType(), Outer));
  auto *Index = dyn_cast<ConstantInt>(*(G->idx_end() - 1));
  if (!Of || !Of->hasName() || !Index)
    return {};
  return Component{Of, DL.getStructLayout(Of)->getElementOffset(unsigned(Index->getZExtValue()))};
}

// How flang describes a derived type: what it names _QMmTt is described by _QMmEXdtXt.
GlobalVariable *descriptionOf(StructType *Of, Module &M) {
  StringRef Name = Of->getName().split('.').first;
  size_t T = Name.rfind('T');
  if (!Name.starts_with("_Q") || T == StringRef::npos)
    return nullptr;
  auto *G = M.getNamedGlobal((Name.take_front(T) + "EXdtX" + Name.drop_front(T + 1)).str());
  return G && G->isConstant() && G->hasInitializer() ? G : nullptr;
}

// A row of the table of components (derived.h): all numbers and addresses in it are constants.
class Row {
  GlobalVariable *Table = nullptr;
  uint64_t Begin = 0;
  const DataLayout &DL;
  static constexpr uint64_t Bytes = 256, Components = 232;

  static Constant *load(GlobalVariable *G, uint64_t At, Type *Ty, const DataLayout &DL) {
    return ConstantFoldLoadFromConst(G->getInitializer(), Ty, APInt(64, At), DL);
  }

public:
  enum { Genre = 24, Category, Kind, Rank, Offset = 32, Derived = 56 };

  Row(GlobalVariable *Description, uint64_t At) : DL(Description->getDataLayout()) {
    auto *G = dyn_cast_or_null<GlobalVariable>(
        load(Description, Components, PointerType::get(Description->getContext(), 0), DL));
    if (!G || !G->isConstant() || !G->hasInitializer())
      return;
    for (Table = G; Begin < DL.getTypeAllocSize(G->getValueType()); Begin += Bytes)
      if (number(Offset, 64) == int64_t(At))
        return;
    Table = nullptr;
  }
  explicit operator bool() const { return Table; }
  int64_t number(uint64_t At, unsigned Bits = 8) const {
    auto *I = dyn_cast_or_null<ConstantInt>(load(Table, Begin + At, IntegerType::get(Table->getContext(), Bits), DL));
    return I ? I->getSExtValue() : -1;
  }
  // The attribute of its descriptors.
  int attribute() const {
    int64_t G = number(Genre);
    return G == 2 ? 1 : G == 3 ? 2 : -1;
  }
  // The code of its type, if that is an intrinsic one and no character (descriptor.h).
  int code() const {
    unsigned K = unsigned(number(Kind));
    int Power = isPowerOf2_32(K) ? int(Log2_32(K)) : -1;
    int Real = K == 2 || K == 3 ? 23 + int(K) : K == 4 ? 27 : K == 8 ? 28 : K == 10 ? 29 : K == 16 ? 31 : -1;
    switch (number(Category)) {
    case 0:
      return Power < 0 ? -1 : 7 + Power;
    case 1:
      return Power < 0 ? -1 : 45 + Power;
    case 2:
      return Real;
    case 3:
      return Real < 0 ? -1 : Real + 7;
    case 5:
      return Power < 0 ? -1 : Power == 0 ? 39 : 12 + Power;
    default:
      return -1;
    }
  }
  Constant *pointer(uint64_t At) const { return load(Table, Begin + At, PointerType::get(Table->getContext(), 0), DL); }
};

// The rank of a descriptor that is no variable, as accesses of the function spell it.
int rankInUse(Value *P) {
  if (auto *A = dyn_cast<AllocaInst>(P))
    return rankOf(A->getAllocatedType());
  if (!isa<Instruction>(P) && !isa<Argument>(P))
    return -1;
  for (User *U : P->users()) {
    int Rank = -1;
    if (auto *G = dyn_cast<GEPOperator>(U); G && G->getPointerOperand() == P)
      Rank = rankOf(G->getSourceElementType());
    else if (auto *L = dyn_cast<LoadInst>(U))
      Rank = rankOf(L->getType());
    else if (auto *S = dyn_cast<StoreInst>(U); S && S->getPointerOperand() == P)
      Rank = rankOf(S->getValueOperand()->getType());
    else if (auto *M = dyn_cast<MemTransferInst>(U)) {
      Value *Other = M->getRawSource() == P ? M->getRawDest() : M->getRawSource();
      if (auto *A = dyn_cast<AllocaInst>(Other))
        Rank = rankOf(A->getAllocatedType());
    }
    if (Rank >= 0)
      return Rank;
  }
  return -1;
}

// Metadata of calls: what the front end spells of the descriptors that they are passed, in the members of adshim_descriptor.
constexpr StringLiteral Noted = "ad.descriptors";

const Module *moduleOf(Value *P) {
  if (auto *I = dyn_cast<Instruction>(P))
    return I->getModule();
  auto *G = dyn_cast<GlobalVariable>(P->stripInBoundsConstantOffsets());
  return G ? G->getParent() : nullptr;
}

} // namespace

extern "C" {

// What a byte behind a pointer is, whenever it was stored: at each place that the function shows, and before the program runs in
// variables of the module. Functions that are called do not change it, unless calls show that it is polymorphic. -1 where that is not known.
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
  if (auto *A = dyn_cast<AllocaInst>(P))
    return rankOf(A->getAllocatedType());
  auto *G = dyn_cast<GlobalVariable>(P);
  return G ? rankOf(G->getValueType()) : -1;
}

// The description of the derived type of which a descriptor is a component, as the front end spells it, and where it is there; null if it
// is none.
LLVMValueRef adshim_component(LLVMValueRef Pointer, uint64_t *At) {
  auto *G = dyn_cast<GetElementPtrInst>(unwrap(Pointer));
  auto C = G ? componentOf(G, G->getDataLayout()) : std::nullopt;
  if (!C)
    return nullptr;
  *At = C->At;
  return wrap(descriptionOf(C->Of, *G->getModule()));
}

// Where a call of a type-bound procedure finds it in the table of the object's type, in bytes, as the front end spells it; -1 for other
// calls.
int adshim_binding(LLVMValueRef Call) {
  auto *I = cast<CallBase>(unwrap(Call));
  auto *Number = dyn_cast<IntToPtrInst>(I->getCalledOperand());
  auto *Entry = Number ? dyn_cast<LoadInst>(Number->getOperand(0)) : nullptr;
  if (!Entry)
    return -1;
  const DataLayout &DL = I->getDataLayout();
  APInt At(64, 0);
  bool IsBinding = false;
  Value *P = Entry->getPointerOperand();
  for (; auto *G = dyn_cast<GEPOperator>(P); P = G->getPointerOperand()) {
    auto *Of = dyn_cast<StructType>(G->getSourceElementType());
    IsBinding |= Of && Of->hasName() && Of->getName().split('.').first == "_QM__fortran_type_infoTbinding";
    if (!G->accumulateConstantOffset(DL, At))
      return -1;
  }
  return IsBinding ? int(At.getSExtValue()) : -1;
}

// What is known of a descriptor: -1 and null where nothing is.
struct adshim_descriptor {
  int Rank, Type, Attribute;
  LLVMValueRef Derived;
};

// Notes what the front end spells of the descriptor that is an operand of a call, with the type of its objects if they are all of one
// (IsOne); whether it spells anything.
int adshim_note_descriptor(LLVMValueRef Call, unsigned Operand, int IsOne) {
  auto *I = cast<CallBase>(unwrap(Call));
  Value *P = I->getArgOperand(Operand);
  LLVMContext &C = I->getContext();
  uint64_t At = 0;
  auto *Description = cast_or_null<GlobalVariable>(unwrap(adshim_component(wrap(P), &At)));
  int Rank = Description ? rankOf(cast<GEPOperator>(P)->getResultElementType()) : rankInUse(P);
  if (Rank < 0)
    return 0;
  auto Number = [&](int64_t N) { return ConstantAsMetadata::get(ConstantInt::getSigned(Type::getInt32Ty(C), N)); };
  auto Note = [&](ArrayRef<Metadata *> Members) {
    auto *All = MDNode::get(C, {MDNode::get(C, Members)});
    I->setMetadata(Noted, MDNode::concatenate(I->getMetadata(Noted), All));
    return 1;
  };
  if (isa<AllocaInst>(P)) {
    int Type = Rank < HasAddendum ? adshim_constant_byte(wrap(P), Code) : -1;
    return Type < 0 ? 0 : Note({Number(Operand), Number(Rank), Number(Type), Number(-1)});
  }
  SmallVector<Metadata *, 5> Members{Number(Operand), Number(Rank)};
  if (Description)
    if (Row Found(Description, At); Found && Found.number(Row::Rank) == Rank % HasAddendum) {
      Members.append({Number(Found.code()), Number(Found.attribute())});
      if (auto *Derived = dyn_cast_or_null<GlobalVariable>(Found.pointer(Row::Derived)); Derived && IsOne)
        Members.push_back(ConstantAsMetadata::get(Derived));
    }
  return Note(Members);
}

// What was noted; whether something was.
int adshim_noted_descriptor(LLVMValueRef Call, unsigned Operand, adshim_descriptor *Found) {
  const MDNode *All = cast<Instruction>(unwrap(Call))->getMetadata(Noted);
  if (!All)
    return 0;
  for (const MDOperand &One : All->operands()) {
    auto *Members = cast<MDNode>(One);
    auto Number = [&](unsigned I) {
      return I < Members->getNumOperands() ? int(mdconst::extract<ConstantInt>(Members->getOperand(I))->getSExtValue()) : -1;
    };
    if (Number(0) != int(Operand))
      continue;
    auto *Derived = Members->getNumOperands() > 4 ? mdconst::extract_or_null<GlobalVariable>(Members->getOperand(4)) : nullptr;
    *Found = {Number(1), Number(2), Number(3), wrap(Derived)};
    return 1;
  }
  return 0;
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
