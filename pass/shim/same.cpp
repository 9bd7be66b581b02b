// Whether two functions are the same code: derivatives that were made for different callers often are.

#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace {
class Comparison {
public:
  Comparison(Function &F, Function &G) : F(F), G(G) {}

  bool run() {
    if (F.isDeclaration() || G.isDeclaration() || F.getFunctionType() != G.getFunctionType() ||
        F.getAttributes() != G.getAttributes() || F.getCallingConv() != G.getCallingConv() ||
        F.getSection() != G.getSection() || F.getAlign() != G.getAlign() || F.hasGC() || G.hasGC() || F.size() != G.size() ||
        F.hasPersonalityFn() != G.hasPersonalityFn() ||
        (F.hasPersonalityFn() && F.getPersonalityFn() != G.getPersonalityFn()) || F.hasPrefixData() || G.hasPrefixData() ||
        F.hasPrologueData() || G.hasPrologueData())
      return false;
    for (unsigned I = 0; I < F.arg_size(); ++I)
      Counterparts[F.getArg(I)] = G.getArg(I);
    for (auto [L, R] : zip_equal(F, G)) {
      if (L.size() != R.size())
        return false;
      Counterparts[&L] = &R;
      for (auto [A, B] : zip_equal(L, R)) {
        if (A.getOpcode() != B.getOpcode())
          return false;
        Counterparts[&A] = &B;
      }
    }
    Counterparts[&F] = &G;
    for (auto [L, R] : zip_equal(F, G))
      for (auto [A, B] : zip_equal(L, R))
        if (!instructions(A, B))
          return false;
    return true;
  }

private:
  Function &F, &G;
  DenseMap<const Value *, const Value *> Counterparts;
  // One to one: two scopes of one function must not be one of the other.
  DenseMap<const Metadata *, const Metadata *> Nodes, Sources;

  bool instructions(const Instruction &A, const Instruction &B) {
    if (!A.isSameOperationAs(&B) || A.getRawSubclassOptionalData() != B.getRawSubclassOptionalData())
      return false;
    for (auto [L, R] : zip_equal(A.operands(), B.operands()))
      if (!values(L, R))
        return false;
    if (auto *P = dyn_cast<PHINode>(&A))
      for (auto [L, R] : zip_equal(P->blocks(), cast<PHINode>(B).blocks()))
        if (!values(L, R))
          return false;
    SmallVector<std::pair<unsigned, MDNode *>> All, Other;
    A.getAllMetadataOtherThanDebugLoc(All);
    B.getAllMetadataOtherThanDebugLoc(Other);
    if (All.size() != Other.size())
      return false;
    for (auto [L, R] : zip_equal(All, Other))
      if (L.first != R.first || !metadata(L.second, R.second))
        return false;
    return true;
  }

  bool values(const Value *L, const Value *R) {
    if (auto *M = dyn_cast<MetadataAsValue>(L)) {
      auto *N = dyn_cast<MetadataAsValue>(R);
      return N && metadata(M->getMetadata(), N->getMetadata());
    }
    auto Found = Counterparts.find(L);
    return Found == Counterparts.end() ? L == R : Found->second == R;
  }

  bool metadata(const Metadata *L, const Metadata *R) {
    if (!L || !R)
      return L == R;
    if (auto *V = dyn_cast<ValueAsMetadata>(L)) {
      auto *W = dyn_cast<ValueAsMetadata>(R);
      return W && values(V->getValue(), W->getValue());
    }
    auto *M = dyn_cast<MDNode>(L), *N = dyn_cast<MDNode>(R);
    if (!M || !N)
      return L == R;
    auto [Found, IsNew] = Nodes.try_emplace(L, R);
    if (!IsNew)
      return Found->second == R;
    if (!Sources.try_emplace(R, L).second)
      return false;
    // Nodes of kinds of their own say more than their operands.
    if (!isa<MDTuple>(M) || !isa<MDTuple>(N))
      return L == R;
    if (M->isDistinct() != N->isDistinct() || M->getNumOperands() != N->getNumOperands())
      return false;
    for (auto [A, B] : zip_equal(M->operands(), N->operands()))
      if (!metadata(A, B))
        return false;
    return true;
  }
};
} // namespace

extern "C" int adshim_same_code(LLVMValueRef F, LLVMValueRef G) {
  return Comparison(*cast<Function>(unwrap(F)), *cast<Function>(unwrap(G))).run();
}
