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
} // namespace

extern "C" {

// The shadow of a constant table: memory of its size, with zeros for numbers, and shadows where it has addresses of tables.
LLVMValueRef adshim_shadow_table(LLVMValueRef Table, const char *Suffix) {
  return wrap(static_cast<Value *>(shadowOf(*cast<GlobalVariable>(unwrap(Table)), Suffix)));
}
}
