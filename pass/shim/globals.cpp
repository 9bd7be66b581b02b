// What the C API lacks for globals: shadows of constant tables, which hold pointers to other tables.

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
GlobalVariable *shadowOf(GlobalVariable &Table, StringRef Suffix);

// What lies in the shadow where `C` lies in a table: for the address of a table, that of its shadow; for a function,
// itself; else zero.
Constant *shadowOf(Constant *C, StringRef Suffix, const DataLayout &DL) {
  Type *Ty = C->getType();
  if (Ty->isPointerTy()) {
    APInt Offset(DL.getIndexTypeSizeInBits(Ty), 0);
    auto *Base = C->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    // Code has no derivative: any address that is not null does.
    if (isa<Function>(Base))
      return C;
    auto *Table = dyn_cast<GlobalVariable>(Base);
    if (!Table || !Table->isConstant() || !Table->hasInitializer())
      return Constant::getNullValue(Ty);
    LLVMContext &Context = C->getContext();
    return ConstantExpr::getGetElementPtr(Type::getInt8Ty(Context), shadowOf(*Table, Suffix),
                                          ConstantInt::get(Context, Offset));
  }
  // flang keeps addresses of initial values as integers.
  if (auto *E = dyn_cast<ConstantExpr>(C); E && E->getOpcode() == Instruction::PtrToInt) {
    Constant *Shadow = shadowOf(E->getOperand(0), Suffix, DL);
    return Shadow->isNullValue() ? Constant::getNullValue(Ty) : ConstantExpr::getPtrToInt(Shadow, Ty);
  }
  auto *A = dyn_cast<ConstantAggregate>(C);
  if (!A)
    return Constant::getNullValue(Ty);
  SmallVector<Constant *, 8> Members;
  for (Use &Member : A->operands())
    Members.push_back(shadowOf(cast<Constant>(Member), Suffix, DL));
  if (auto *S = dyn_cast<StructType>(Ty))
    return ConstantStruct::get(S, Members);
  if (auto *Array = dyn_cast<ArrayType>(Ty))
    return ConstantArray::get(Array, Members);
  return ConstantVector::get(Members);
}

GlobalVariable *shadowOf(GlobalVariable &Table, StringRef Suffix) {
  Module &M = *Table.getParent();
  if (!Table.hasName())
    Table.setName("ad.table");
  std::string Name = (Table.getName() + Suffix).str();
  if (GlobalVariable *Known = M.getGlobalVariable(Name, /*AllowInternal=*/true))
    return Known;
  Type *Ty = Table.getValueType();
  auto *Shadow =
      new GlobalVariable(M, Ty, /*isConstant=*/false, GlobalValue::InternalLinkage, Constant::getNullValue(Ty), Name);
  Shadow->setAlignment(std::max(Table.getAlign().valueOrOne(), Align(8)));
  // Known before it is filled: tables may lead to each other in a circle.
  if (Table.isConstant() && Table.hasInitializer())
    Shadow->setInitializer(shadowOf(Table.getInitializer(), Suffix, M.getDataLayout()));
  return Shadow;
}

// Appends where a constant has addresses as integers of a pointer's size.
void findAddresses(const Constant *C, uint64_t At, const DataLayout &DL, SmallVectorImpl<uint64_t> &Found) {
  Type *Ty = C->getType();
  if (auto *E = dyn_cast<ConstantExpr>(C)) {
    if (E->getOpcode() == Instruction::PtrToInt && DL.getTypeStoreSize(Ty) == DL.getPointerSize())
      Found.push_back(At);
  } else if (isa<ConstantAggregate>(C)) {
    for (unsigned I = 0; I < C->getNumOperands(); ++I) {
      uint64_t Offset = 0;
      if (auto *S = dyn_cast<StructType>(Ty))
        Offset = DL.getStructLayout(S)->getElementOffset(I);
      else
        Offset = I * DL.getTypeAllocSize(cast<Constant>(C->getOperand(I))->getType());
      findAddresses(cast<Constant>(C->getOperand(I)), At + Offset, DL, Found);
    }
  }
}
} // namespace

extern "C" {

// Where the initialiser of a variable has addresses as integers: how many places, and the offsets of the first `Most`.
size_t adshim_addresses_as_integers(LLVMValueRef Variable, uint64_t *Offsets, size_t Most) {
  auto *G = cast<GlobalVariable>(unwrap(Variable));
  SmallVector<uint64_t, 8> Found;
  if (G->hasInitializer())
    findAddresses(G->getInitializer(), 0, G->getParent()->getDataLayout(), Found);
  std::copy_n(Found.begin(), std::min(Most, Found.size()), Offsets);
  return Found.size();
}

// The shadow of a constant table: memory of its size, with zeros for numbers, and shadows where it has addresses of tables.
LLVMValueRef adshim_shadow_table(LLVMValueRef Table, const char *Suffix) {
  return wrap(static_cast<Value *>(shadowOf(*cast<GlobalVariable>(unwrap(Table)), Suffix)));
}
}
