// Debug information of generated functions: what each is in the source, and places and variables of its primal as its own.
//
// A primal's places lie in scopes of its subprogram, and where a call was inlined, in scopes of the callee's, with the place of the call. In a
// derivative the first become scopes of its own subprogram, the others scopes of a subprogram that stands for the callee's derivative.

#include "scope.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using adshim::DebugScope;

namespace {
// Numbers of parameters that are shadows come after those of any source.
constexpr unsigned FirstShadow = 1000;
// Debug information has no greater numbers.
constexpr unsigned LastShadow = 65535;

DISubprogram *outermost(const DILocation *L) {
  while (const DILocation *At = L->getInlinedAt())
    L = At;
  return L->getScope()->getSubprogram();
}

// `f.adjoint` of `f`, after the symbols; `f_b` where the symbol is a name in the source.
std::string nameOf(const Function &F, const Function &Source, const DISubprogram &Of) {
  StringRef Rest = F.getName();
  if (Rest.consume_front(Source.getName()) && Rest.starts_with("."))
    return (Of.getName() + Rest).str();
  StringRef Name = F.getName();
  if (Source.getName().ends_with("_") || Source.getName().starts_with("_Q"))
    Name.consume_back("_");
  return Name.str();
}

DISubprogram *derived(const DISubprogram &Of, StringRef Name, StringRef Symbol, bool IsLocal, DINode::DIFlags More = DINode::FlagZero) {
  LLVMContext &C = Of.getContext();
  DIScope *Scope = Of.getScope();
  // A function of ours is no member, and lies in no other function.
  if (!Scope || isa<DIType>(Scope) || isa<DILocalScope>(Scope))
    Scope = Of.getFile();
  auto *Type = DISubroutineType::get(C, DINode::FlagZero, 0, DITypeRefArray(MDTuple::get(C, {nullptr})));
  auto Flags = (Of.getFlags() & (DINode::FlagPrototyped | DINode::FlagAllCallsDescribed)) | More;
  auto Kind = DISubprogram::SPFlagDefinition | (Of.getSPFlags() & DISubprogram::SPFlagOptimized);
  if (IsLocal)
    Kind |= DISubprogram::SPFlagLocalToUnit;
  return DISubprogram::getDistinct(C, Scope, Name, Symbol, Of.getFile(), Of.getLine(), Type, Of.getScopeLine(), nullptr, 0, 0, Flags, Kind,
                                   Of.getUnit());
}

// Whether a type is an array whose bounds are variables of its function.
bool hasOwnBounds(const DIType *T) {
  auto *Array = dyn_cast_or_null<DICompositeType>(T);
  return Array && any_of(Array->getElements(), [](const DINode *N) {
           auto *R = dyn_cast_or_null<DISubrange>(N);
           return R && any_of(ArrayRef<Metadata *>{R->getRawCountNode(), R->getRawLowerBound(), R->getRawUpperBound(), R->getRawStride()},
                              [](Metadata *M) { return isa_and_nonnull<DILocalVariable>(M); });
         });
}

// Whether the value is the variable, or a part of it, and nothing is computed from it.
bool isPlain(const DbgVariableRecord &R) {
  const DIExpression *E = R.getExpression();
  return !R.hasArgList() && (E->getNumElements() == 0 || (E->getNumElements() == 3 && E->isFragment()));
}

// Whether a record says where a variable lies, and nothing of its value.
bool isInMemory(const DbgVariableRecord &R) {
  return R.isDbgAssign() && R.getAddress() && isa<UndefValue>(R.getVariableLocationOp(0)) && R.getExpression()->getNumElements() == 0;
}
} // namespace

DebugScope::DebugScope(DISubprogram *Own, const Function &Primal, StringRef Mark, StringRef Suffix)
    : Own(Own), Root(Own), Primal(&Primal), Mark(Mark), Suffix(Suffix), IsOfWrapper(Primal.hasFnAttribute("adcc-generated")) {}

std::unique_ptr<DebugScope> DebugScope::nested() const {
  auto Inner = std::make_unique<DebugScope>(Own, *Primal, Mark, Suffix);
  Inner->Root = DILexicalBlock::getDistinct(Own->getContext(), Own, Own->getFile(), Own->getLine(), 0);
  return Inner;
}

bool DebugScope::isOwn(const DILocation *L) {
  DISubprogram *Of = L->getScope()->getSubprogram();
  const DILocation *At = L->getInlinedAt();
  if (!At)
    return Of == Primal->getSubprogram();
  if (!IsOfWrapper || At->getInlinedAt())
    return false;
  if (!Wrapped)
    Wrapped = Of;
  return Of == Wrapped;
}

std::unique_ptr<DebugScope> DebugScope::ofPart(Function &F, const Function &Whole) {
  DISubprogram *Of = Whole.getSubprogram();
  if (!Of)
    return nullptr;
  F.setSubprogram(derived(*Of, nameOf(F, Whole, *Of), F.getName(), true));
  auto Scope = std::make_unique<DebugScope>(F.getSubprogram(), Whole, "", "");
  Scope->IsOfWrapper = false;
  return Scope;
}

DILocalScope *DebugScope::scope(DILocalScope *S, bool IsOwn) {
  auto *Block = dyn_cast<DILexicalBlockBase>(S);
  if (IsOwn && !Block)
    return Root;
  auto &Known = IsOwn ? OwnScopes : InlinedScopes;
  if (DILocalScope *Found = Known.lookup(S))
    return Found;
  LLVMContext &C = Own->getContext();
  DILocalScope *New;
  if (auto *SP = dyn_cast<DISubprogram>(S))
    New = derived(*SP, (SP->getName() + Mark).str(), "", true);
  else if (auto *B = dyn_cast<DILexicalBlock>(S))
    New = DILexicalBlock::getDistinct(C, scope(B->getScope(), IsOwn), B->getFile(), B->getLine(), B->getColumn());
  else
    New = DILexicalBlockFile::get(C, scope(Block->getScope(), IsOwn), Block->getFile(), cast<DILexicalBlockFile>(Block)->getDiscriminator());
  return Known[S] = New;
}

DILocation *DebugScope::at(const DILocation *L) {
  LLVMContext &C = Own->getContext();
  if (isOwn(L))
    return DILocation::get(C, L->getLine(), L->getColumn(), scope(L->getScope(), true));
  // Null where nobody says where the call was.
  DILocation *Call = L->getInlinedAt();
  DILocation *At = Calls.lookup(Call);
  if (!At) {
    const DILocation *Place = Call ? at(Call) : start();
    At = DILocation::getDistinct(C, Place->getLine(), Place->getColumn(), Place->getScope(), Place->getInlinedAt());
    Calls[Call] = At;
  }
  return DILocation::get(C, L->getLine(), L->getColumn(), scope(L->getScope(), false), At);
}

DILocation *DebugScope::start() { return DILocation::get(Own->getContext(), Own->getLine(), 0, Root); }

// Bounds of arrays are variables of the function.
DIType *DebugScope::type(DIType *T, bool IsOwn) {
  auto *Array = dyn_cast_or_null<DICompositeType>(T);
  if (!Array || Array->getTag() != dwarf::DW_TAG_array_type)
    return T;
  LLVMContext &C = Own->getContext();
  bool Changes = false;
  auto Bound = [&](Metadata *M) -> Metadata * {
    auto *V = dyn_cast_or_null<DILocalVariable>(M);
    if (!V)
      return M;
    Changes = true;
    return variable(V, IsOwn, -1);
  };
  SmallVector<Metadata *, 4> Elements;
  for (DINode *N : Array->getElements()) {
    auto *R = dyn_cast_or_null<DISubrange>(N);
    Elements.push_back(R ? DISubrange::get(C, Bound(R->getRawCountNode()), Bound(R->getRawLowerBound()), Bound(R->getRawUpperBound()),
                                           Bound(R->getRawStride()))
                         : N);
  }
  if (!Changes)
    return T;
  TempDICompositeType New = Array->clone();
  // LLVM's own call takes no other elements than there were.
  for (unsigned N = 0; N < New->getNumOperands(); ++N)
    if (New->getOperand(N) == Array->getRawElements())
      New->replaceOperandWith(N, MDTuple::get(C, Elements));
  return MDNode::replaceWithUniqued(std::move(New));
}

DILocalVariable *DebugScope::variable(DILocalVariable *V, bool IsOwn, int Direction) {
  std::string Name = V->getName().str();
  unsigned Number = V->getArg();
  if (Direction >= 0) {
    if (Names.empty())
      for (const Instruction &I : instructions(*Primal))
        for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
          Names.insert(R.getVariable()->getName());
          Bands = std::max(Bands, R.getVariable()->getArg() / FirstShadow + 1);
        }
    Name += Suffix;
    // Directions are numbered from 1; 0 is the only one.
    if (Direction)
      Name += std::to_string(Direction);
    while (Names.contains(Name))
      Name += "_";
    // The primal may be a derivative, with shadows of its own.
    if (Number)
      Number += FirstShadow * Bands * (Direction + 1);
    if (Number > LastShadow)
      Number = 0;
  }
  auto Flags = Direction < 0 ? V->getFlags() : V->getFlags() & ~DINode::FlagObjectPointer;
  // Parameters, and the bounds of those that are arrays, are there in all blocks.
  bool IsShared = IsOwn && (Number || V->isArtificial()) && isa<DISubprogram>(V->getScope());
  DILocalScope *In = IsShared ? Own : scope(V->getScope(), IsOwn);
  return DILocalVariable::get(Own->getContext(), In, Name, V->getFile(), V->getLine(), type(V->getType(), IsOwn), Number,
                              Flags, V->getAlignInBits(), V->getAnnotations());
}

void DebugScope::adopt(const Instruction &Of, Instruction &Copy) {
  Copy.setDebugLoc(Of.getDebugLoc() ? DebugLoc(at(Of.getDebugLoc())) : DebugLoc());
  if (MDNode *Loop = Of.getMetadata(LLVMContext::MD_loop)) {
    Copy.setMetadata(LLVMContext::MD_loop, Loop);
    updateLoopMetadataDebugLocations(Copy, [this](Metadata *M) -> Metadata * {
      auto *L = dyn_cast_or_null<DILocation>(M);
      return L ? at(L) : M;
    });
  }
  auto Old = Of.getDbgRecordRange();
  auto From = Old.begin();
  for (DbgRecord &R : make_early_inc_range(Copy.getDbgRecordRange())) {
    const DbgRecord &Source = *From++;
    auto *V = dyn_cast<DbgVariableRecord>(&R);
    // Labels, and variables that were described when they had no place.
    if (!V || !Source.getDebugLoc()) {
      R.eraseFromParent();
      continue;
    }
    const auto &S = cast<DbgVariableRecord>(Source);
    V->setVariable(variable(S.getVariable(), isOwn(Source.getDebugLoc()), -1));
    V->setDebugLoc(at(Source.getDebugLoc()));
    if (!S.hasArgList())
      Copied[V] = {&S, isInMemory(S) ? S.getAddress() : S.getVariableLocationOp(0)};
  }
}

void DebugScope::take(Instruction &I, const DenseMap<Value *, Value *> &Map) {
  if (const DebugLoc &L = I.getDebugLoc())
    I.setDebugLoc(at(L));
  updateLoopMetadataDebugLocations(I, [this](Metadata *M) -> Metadata * {
    auto *L = dyn_cast_or_null<DILocation>(M);
    return L ? at(L) : M;
  });
  for (DbgRecord &R : make_early_inc_range(I.getDbgRecordRange())) {
    auto *V = dyn_cast<DbgVariableRecord>(&R);
    if (!V || V->isDbgAssign()) {
      R.eraseFromParent();
      continue;
    }
    for (Value *Location : SmallVector<Value *, 4>(V->location_ops()))
      if (Value *To = Map.lookup(Location))
        V->replaceVariableLocationOp(Location, To);
    auto IsHere = [&](Value *Location) {
      auto *At = dyn_cast<Instruction>(Location);
      auto *Of = dyn_cast<Argument>(Location);
      return (!At || At->getFunction() == I.getFunction()) && (!Of || Of->getParent() == I.getFunction());
    };
    if (!all_of(V->location_ops(), IsHere))
      V->setKillLocation();
    V->setVariable(variable(V->getVariable(), isOwn(V->getDebugLoc()), -1));
    V->setDebugLoc(at(V->getDebugLoc()));
  }
}

void adshim::dropForeignValues(Function &F) {
  auto IsElsewhere = [&F](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    return I && I->getFunction() != &F;
  };
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      if (any_of(R.location_ops(), IsElsewhere))
        R.setKillLocation();
      if (R.isDbgAssign() && R.getAddress() && IsElsewhere(R.getAddress()))
        R.setKillAddress();
    }
}

SmallVector<DbgVariableRecord *, 8> adshim::lastingVariables(Function &F) {
  // By variable: its only record, or null where there are several.
  MapVector<DebugVariable, DbgVariableRecord *> All;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      auto [At, IsNew] = All.try_emplace(DebugVariable(&R), &R);
      if (!IsNew && At->second && At->second->getRawLocation() != R.getRawLocation())
        At->second = nullptr;
    }
  SmallVector<DbgVariableRecord *, 8> Found;
  for (auto &[V, R] : All)
    if (R && !R->hasArgList() && !R->isDbgAssign() && !R->getDebugLoc()->getInlinedAt() && isa<Argument, AllocaInst>(R->getVariableLocationOp(0)))
      Found.push_back(R);
  return Found;
}

DbgVariableRecord *DebugScope::record(const DbgVariableRecord &Of, Value *Is, int Direction) {
  const DILocation *L = Of.getDebugLoc();
  DILocalVariable *V = variable(Of.getVariable(), isOwn(L), Direction);
  using Kind = DbgVariableRecord::LocationType;
  auto *Where = ValueAsMetadata::get(Is);
  if (isInMemory(Of))
    return new DbgVariableRecord(Where, V, Of.getAddressExpression(), at(L), Kind::Declare);
  return new DbgVariableRecord(Where, V, Of.getExpression(), at(L), Of.isDbgDeclare() ? Kind::Declare : Kind::Value);
}

void DebugScope::describe(Function &F, const DenseMap<Value *, Value *> &Shadows, int Direction) {
  SmallVector<std::pair<DbgVariableRecord *, DbgVariableRecord *>, 32> Found;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      auto Known = Copied.find(&R);
      if (Known == Copied.end())
        continue;
      auto [Of, Location] = Known->second;
      Value *Shadow = Shadows.lookup(Location);
      // What is computed from a real has another derivative; addresses are computed alike.
      if (Shadow && (isPlain(*Of) || Shadow->getType()->isPointerTy()))
        Found.push_back({&R, record(*Of, Shadow, Direction)});
    }
  for (auto [R, New] : Found) {
    auto *I = dyn_cast<Instruction>(New->getVariableLocationOp(0));
    const Instruction *Behind = R->getInstruction();
    if (I && I->getParent() == R->getParent() && (Behind == I || Behind->comesBefore(I))) {
      // The shadow is computed later than the primal.
      BasicBlock *B = I->getParent();
      auto At = isa<PHINode>(I) ? B->getFirstInsertionPt() : std::next(I->getIterator());
      if (I->isTerminator() || At == B->end()) {
        New->deleteRecord();
        continue;
      }
      B->insertDbgRecordBefore(New, At);
      continue;
    }
    R->getMarker()->insertDbgRecordAfter(New, R);
  }
}

extern "C" {

// Says what F is in the source: a function made from Source, with its file and line. Nothing without debug information.
void adshim_describe(LLVMValueRef FRef, LLVMValueRef SourceRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  auto &Source = *cast<Function>(unwrap(SourceRef));
  DISubprogram *Of = Source.getSubprogram();
  // What is only declared belongs to no unit. Places may be kept for messages alone.
  DICompileUnit *Unit = Of ? Of->getUnit() : nullptr;
  if (!Unit || Unit->getEmissionKind() == DICompileUnit::NoDebug)
    Of = nullptr;
  F.setSubprogram(Of ? derived(*Of, nameOf(F, Source, *Of), F.getName(), F.hasLocalLinkage()) : nullptr);
}

// Names a parameter of F, which has a body, as the parameter of Source with that number from 0 is named, with a suffix; it is a pointer to such a
// value or of the same type. Nothing where debug information does not name that.
void adshim_name_parameter(LLVMValueRef FRef, LLVMValueRef SourceRef, unsigned Index, const char *Suffix, int IsPointer, LLVMValueRef ParamRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  DISubprogram *Own = F.getSubprogram();
  auto *Param = cast<Argument>(unwrap(ParamRef));
  const DbgVariableRecord *Found = nullptr;
  for (Instruction &I : instructions(*cast<Function>(unwrap(SourceRef))))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (!Found && R.getVariable()->getArg() == Index + 1 && !R.getDebugLoc()->getInlinedAt())
        Found = &R;
  if (!Own || !Found || hasOwnBounds(Found->getVariable()->getType()))
    return;
  LLVMContext &C = F.getContext();
  DILocalVariable *V = Found->getVariable();
  DIType *Type = V->getType();
  // What the source passes by reference, it declares there.
  bool IsDeclared = !IsPointer && Found->isDbgDeclare() && isa<Argument>(Found->getVariableLocationOp(0));
  if (IsPointer)
    Type = DIDerivedType::get(C, dwarf::DW_TAG_pointer_type, "", nullptr, 0, nullptr, Type, F.getDataLayout().getPointerSizeInBits(), 0, 0,
                              std::nullopt, std::nullopt, DINode::FlagZero);
  auto *New = DILocalVariable::get(C, Own, (V->getName() + Suffix).str(), V->getFile(), V->getLine(), Type, Param->getArgNo() + 1, DINode::FlagZero,
                                   V->getAlignInBits(), nullptr);
  BasicBlock &Entry = F.getEntryBlock();
  DIExpression *How = IsDeclared ? Found->getExpression() : DIExpression::get(C, {});
  using Kind = DbgVariableRecord::LocationType;
  auto *Record = new DbgVariableRecord(ValueAsMetadata::get(Param), New, How, DILocation::get(C, Own->getLine(), 0, Own),
                                       IsDeclared ? Kind::Declare : Kind::Value);
  Entry.insertDbgRecordBefore(Record, Entry.getFirstInsertionPt());
}

// The scope of what F makes of `Primal`; null without debug information. `Mark` follows the names of functions that are inlined there, `Suffix`
// those of variables' shadows.
DebugScope *adshim_scope(LLVMValueRef F, LLVMValueRef Primal, const char *Mark, const char *Suffix) {
  DISubprogram *Own = cast<Function>(unwrap(F))->getSubprogram();
  return Own ? new DebugScope(Own, *cast<Function>(unwrap(Primal)), Mark, Suffix) : nullptr;
}
// A block in the same function.
DebugScope *adshim_scope_nested(DebugScope *Scope) { return Scope->nested().release(); }
void adshim_scope_delete(DebugScope *Scope) { delete Scope; }

// Makes F, which was made from Source, the function whose scope this is.
void adshim_scope_attach(DebugScope *Scope, LLVMValueRef FRef, LLVMValueRef SourceRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  auto &Source = *cast<Function>(unwrap(SourceRef));
  DISubprogram *Own = Scope->subprogram();
  F.setSubprogram(Own);
  Own->replaceOperandWith(2, MDString::get(F.getContext(), nameOf(F, Source, *Source.getSubprogram())));
  Own->replaceLinkageName(MDString::get(F.getContext(), F.getName()));
}

// The place where the function starts.
LLVMMetadataRef adshim_scope_start(DebugScope *Scope) { return wrap(Scope->start()); }

// The place of an instruction of the primal, null where it has none.
LLVMMetadataRef adshim_scope_location(DebugScope *Scope, LLVMValueRef Of) {
  const DebugLoc &L = cast<Instruction>(unwrap(Of))->getDebugLoc();
  return L ? wrap(Scope->at(L)) : nullptr;
}

// Names the shadows in F, which is a copy of the primal: `Values[i]` of the primal has the shadow `Shadows[i]`.
void adshim_scope_shadows(DebugScope *Scope, LLVMValueRef F, LLVMValueRef *Values, LLVMValueRef *Shadows, unsigned N, int Direction) {
  DenseMap<Value *, Value *> All;
  for (unsigned I = 0; I < N; ++I)
    All[unwrap(Values[I])] = unwrap(Shadows[I]);
  Scope->describe(*cast<Function>(unwrap(F)), All, Direction);
}

// What a primal says of its variables, block by block in order: Sink(Context, record, number of the variable, the instruction that follows,
// the value or null).
void adshim_variables(LLVMValueRef F, void (*Sink)(void *, DbgVariableRecord *, unsigned, LLVMValueRef, LLVMValueRef), void *Context) {
  DenseMap<DebugVariable, unsigned> Numbers;
  for (Instruction &I : instructions(*cast<Function>(unwrap(F))))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      unsigned Number = Numbers.try_emplace(DebugVariable(&R), Numbers.size()).first->second;
      Value *Is = isPlain(R) && !R.isDbgDeclare() ? R.getVariableLocationOp(0) : nullptr;
      Sink(Context, &R, Number, wrap(&I), wrap(Is && !isa<UndefValue>(Is) ? Is : nullptr));
    }
}

// Says where the builder stands that the variable of a primal's record has this value now, or its shadow in that direction; without a value, that
// nobody knows.
void adshim_scope_say(DebugScope *Scope, LLVMBuilderRef BRef, DbgVariableRecord *Of, LLVMValueRef Is, int Direction) {
  IRBuilder<> &B = *unwrap(BRef);
  Value *Old = Of->getVariableLocationOp(0);
  Value *V = Is ? unwrap(Is) : PoisonValue::get(Old ? Old->getType() : B.getInt1Ty());
  B.GetInsertBlock()->insertDbgRecordBefore(Scope->record(*Of, V, Direction), B.GetInsertPoint());
}

// What is generated is complete. Places of another function are those of code that was inlined; calls get a place. A function without places of its
// own is artificial.
void adshim_settle_debug(LLVMValueRef FRef) {
  auto &F = *cast<Function>(unwrap(FRef));
  if (F.isDeclaration())
    return;
  for (BasicBlock &B : F)
    for (PHINode &Phi : B.phis())
      if (Phi.hasDbgRecords())
        B.getFirstNonPHIIt()->adoptDbgRecords(&B, Phi.getIterator(), /*InsertAtHead=*/true);
  DISubprogram *Own = F.getSubprogram();
  if (!Own)
    return;
  LLVMContext &C = F.getContext();
  auto HasPlace = [Own](const Instruction &I) { return I.getDebugLoc() && outermost(I.getDebugLoc()) == Own; };
  auto IsSaid = [Own](const DbgRecord &R) { return outermost(R.getDebugLoc()) == Own; };
  if (!Own->isArtificial() && none_of(instructions(F), [&](const Instruction &I) { return HasPlace(I) || any_of(I.getDbgRecordRange(), IsSaid); })) {
    Own = MDNode::replaceWithDistinct(Own->cloneWithFlags(Own->getFlags() | DINode::FlagArtificial));
    F.setSubprogram(Own);
  }
  DILocation *Start = DILocation::get(C, Own->getLine(), 0, Own);
  DILocation *Call = nullptr;
  DenseMap<const MDNode *, MDNode *> Known;
  auto Inlined = [&](const DebugLoc &L) {
    if (!L || outermost(L) == Own)
      return L;
    if (!Call)
      Call = DILocation::getDistinct(C, Own->getLine(), 0, Own);
    DebugLoc At = DebugLoc::appendInlinedAt(L, Call, C, Known);
    return DebugLoc(DILocation::get(C, L.getLine(), L.getCol(), L.getScope(), At.get()));
  };
  for (Instruction &I : instructions(F)) {
    I.setDebugLoc(Inlined(I.getDebugLoc()));
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I) && !I.getDebugLoc())
      I.setDebugLoc(Start);
    if (I.hasMetadata(LLVMContext::MD_loop))
      updateLoopMetadataDebugLocations(I, [&](Metadata *M) -> Metadata * {
        auto *L = dyn_cast_or_null<DILocation>(M);
        return L ? Inlined(L).get() : M;
      });
    for (DbgRecord &R : I.getDbgRecordRange())
      R.setDebugLoc(Inlined(R.getDebugLoc()));
  }
}
}
