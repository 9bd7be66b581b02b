// What the C API lacks for the IR that objects carry: compression, the section, names by which other units reach
// what is internal to one, and linking of what is needed only.

#include "units.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm-c/Core.h"

using namespace llvm;

namespace {
// Lists what is internal to the module, with the names by which other units reach it.
constexpr const char *SharedMetadata = "adcc.shared";

LLVMMemoryBufferRef bufferOf(const SmallVectorImpl<uint8_t> &Bytes) {
  return wrap(MemoryBuffer::getMemBufferCopy(StringRef(reinterpret_cast<const char *>(Bytes.data()), Bytes.size())).release());
}

// Leaves a declaration.
void undefine(GlobalValue *G) {
  if (auto *F = dyn_cast<Function>(G)) {
    F->deleteBody();
    return;
  }
  if (auto *V = dyn_cast<GlobalVariable>(G)) {
    V->setInitializer(nullptr);
    V->setLinkage(GlobalValue::ExternalLinkage);
    return;
  }
  auto *A = cast<GlobalAlias>(G);
  Module &M = *A->getParent();
  GlobalObject *Declared;
  if (auto *Ty = dyn_cast<FunctionType>(A->getValueType()))
    Declared = Function::Create(Ty, GlobalValue::ExternalLinkage, A->getAddressSpace(), "", &M);
  else
    Declared = new GlobalVariable(M, A->getValueType(), /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr, "",
                                  nullptr, A->getThreadLocalMode(), A->getAddressSpace());
  Declared->takeName(A);
  A->replaceAllUsesWith(Declared);
  A->eraseFromParent();
}

// What belongs to the unit's machine code alone: it runs once, there.
void dropOwn(Module &Unit) {
  for (const char *Name : {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *G = Unit.getGlobalVariable(Name, /*AllowInternal=*/true))
      G->eraseFromParent();
  Unit.setModuleInlineAsm("");
  for (const char *Name : {"llvm.embedded.objects", SharedMetadata})
    if (NamedMDNode *N = Unit.getNamedMetadata(Name))
      Unit.eraseNamedMetadata(N);
}
} // namespace

void shareInternals(Module &M) {
  NamedMDNode *List = M.getNamedMetadata(SharedMetadata);
  if (!List)
    return;
  for (MDNode *Entry : List->operands()) {
    // Later passes may have deleted it.
    auto *G = mdconst::dyn_extract_or_null<GlobalValue>(Entry->getOperand(0));
    auto *Name = cast<MDString>(Entry->getOperand(1));
    if (!G || G->isDeclaration() || !G->hasLocalLinkage() || M.getNamedValue(Name->getString()))
      continue;
    // Weak: the same unit twice in a link is not for us to refuse.
    auto *A = GlobalAlias::create(G->getValueType(), G->getAddressSpace(), GlobalValue::WeakAnyLinkage, Name->getString(), G, &M);
    A->setThreadLocalMode(G->getThreadLocalMode());
    A->setVisibility(GlobalValue::HiddenVisibility);
    A->setDSOLocal(true);
  }
  M.eraseNamedMetadata(List);
}

extern "C" {

// Bitcode without the table of symbols that linkers read.
LLVMMemoryBufferRef adshim_bitcode(LLVMModuleRef M) {
  SmallVector<char, 0> Out;
  BitcodeWriter Writer(Out);
  Writer.writeModule(*unwrap(M));
  Writer.writeStrtab();
  return wrap(MemoryBuffer::getMemBufferCopy(StringRef(Out.data(), Out.size())).release());
}

uint64_t adshim_hash(const char *Bytes, size_t Size) {
  return xxh3_64bits(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(Bytes), Size));
}

// Compressed bytes; null where LLVM was built without zstd.
LLVMMemoryBufferRef adshim_compress(const char *Bytes, size_t Size) {
  if (!compression::zstd::isAvailable())
    return nullptr;
  SmallVector<uint8_t, 0> Out;
  compression::zstd::compress(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(Bytes), Size), Out, /*Level=*/3);
  return bufferOf(Out);
}

// `Whole` bytes from compressed ones; null where they are broken.
LLVMMemoryBufferRef adshim_decompress(const char *Bytes, size_t Size, size_t Whole) {
  if (!compression::zstd::isAvailable())
    return nullptr;
  SmallVector<uint8_t, 0> Out;
  if (Error E = compression::zstd::decompress(ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(Bytes), Size), Out, Whole)) {
    consumeError(std::move(E));
    return nullptr;
  }
  return bufferOf(Out);
}

// Puts bytes into a section of the object that linkers leave out of programs.
void adshim_embed(LLVMModuleRef M, const char *Bytes, size_t Size, const char *Section) {
  embedBufferInModule(*unwrap(M), MemoryBufferRef(StringRef(Bytes, Size), "ad.unit"), Section);
}

// Whether the address of a label lies in a constant: it is one of this copy of its function.
static bool holdsLabel(const Constant *C) {
  return isa<BlockAddress>(C) || (isa<ConstantAggregate>(C) && any_of(C->operands(), [](const Use &U) { return holdsLabel(cast<Constant>(U)); }));
}

// Other units reach an internal function or variable by this name, as far as it is there when the module is compiled.
void adshim_share(LLVMValueRef Global, const char *Name) {
  auto *G = unwrap<GlobalValue>(Global);
  if (auto *V = dyn_cast<GlobalVariable>(G); V && V->hasInitializer() && holdsLabel(V->getInitializer()))
    return;
  LLVMContext &C = G->getContext();
  Metadata *Entry[] = {ValueAsMetadata::get(G), MDString::get(C, Name)};
  G->getParent()->getOrInsertNamedMetadata(SharedMetadata)->addOperand(MDNode::get(C, Entry));
}

// What a link says of a symbol.
enum { Absent, Defined, Register, Lost };

// Has undefined symbols mean what the linker takes them for: `__wrap_f` for `f`, and `f` for `__real_f`.
static void follow(Module &Unit, StringRef Wrapped) {
  SmallVector<StringRef, 4> Names;
  Wrapped.split(Names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  auto MakeMean = [&](GlobalValue *G, const Twine &Name) {
    std::string To = Name.str();
    if (GlobalValue *Known = Unit.getNamedValue(To); Known && Known != G) {
      G->replaceAllUsesWith(Known);
      G->eraseFromParent();
    } else {
      G->setName(To);
    }
  };
  for (StringRef Name : Names) {
    auto Undefined = [&](const Twine &Symbol) {
      GlobalValue *G = Unit.getNamedValue(Symbol.str());
      return G && G->isDeclaration() ? G : nullptr;
    };
    GlobalValue *Plain = Undefined(Name), *Real = Undefined("__real_" + Name);
    if (Plain)
      MakeMean(Plain, "__wrap_" + Name);
    if (Real)
      MakeMean(Real, Name);
  }
}

// Defines the aliases that the module refers to, and not yet defines, of what it has taken in from the unit before: linking
// would make copies of that, which for a variable is other memory.
static void nameTaken(Module &M, Module &Unit) {
  for (GlobalAlias &A : Unit.aliases()) {
    auto *Named = dyn_cast<GlobalObject>(A.getAliasee()->stripPointerCasts());
    GlobalValue *Wanted = M.getNamedValue(A.getName());
    if (!Named || Named->hasLocalLinkage() || A.hasLocalLinkage() || !Wanted || !Wanted->isDeclaration())
      continue;
    GlobalValue *Taken = M.getNamedValue(Named->getName());
    if (!Taken || Taken->isDeclaration())
      continue;
    auto *Alias = GlobalAlias::create(A.getValueType(), A.getAddressSpace(), A.getLinkage(), "", Taken, &M);
    Alias->setThreadLocalMode(A.getThreadLocalMode());
    Alias->setVisibility(A.getVisibility());
    Alias->setDSOLocal(A.isDSOLocal());
    Wanted->replaceAllUsesWith(Alias);
    Alias->takeName(Wanted);
    Wanted->eraseFromParent();
  }
}

// Takes in what the module refers to of a unit and does not define, and what that needs. `Ask` says of a symbol whether
// the link has machine code or memory for it. What is internal to the unit has a name with the suffix there. The linker
// takes undefined symbols in `Wrapped`, a list with blanks, for others. Returns null, or an error text.
char *adshim_gather(LLVMModuleRef Into, const char *Bytes, size_t Size, const char *Suffix, const char *Wrapped,
                    int (*Ask)(void *, const char *, size_t), void *Context) {
  Module &M = *unwrap(Into);
  Expected<std::unique_ptr<Module>> Read = getLazyBitcodeModule(MemoryBufferRef(StringRef(Bytes, Size), "unit"), M.getContext());
  if (!Read)
    return LLVMCreateMessage(toString(Read.takeError()).c_str());
  Module &Unit = **Read;
  dropOwn(Unit);
  follow(Unit, Wrapped);
  auto Said = [&](StringRef Name) { return Ask(Context, Name.data(), Name.size()); };
  SmallVector<GlobalValue *, 8> Unused;
  for (GlobalValue &G : Unit.global_values()) {
    if (G.hasAppendingLinkage() || G.getName().starts_with("llvm."))
      continue;
    if (G.hasLocalLinkage()) {
      std::string Shared = (G.getName() + Suffix).str();
      if (Said(Shared) != Absent) {
        G.setName(Shared);
        G.setLinkage(GlobalValue::ExternalLinkage);
        G.setVisibility(GlobalValue::HiddenVisibility);
        G.setDSOLocal(true);
      }
    }
    if (auto *O = dyn_cast<GlobalObject>(&G); O && O->hasComdat())
      O->setComdat(nullptr);
    if (G.isDeclaration())
      continue;
    // The linker has chosen.
    if (G.isInterposable() && Said(G.getName()) == Lost) {
      Unused.push_back(&G);
      continue;
    }
    if (G.isInterposable())
      G.setLinkage(GlobalValue::ExternalLinkage);
  }
  for (GlobalValue *G : Unused)
    undefine(G);
  nameTaken(M, Unit);
  if (M.getTargetTriple().empty()) {
    M.setTargetTriple(Unit.getTargetTriple());
    M.setDataLayout(Unit.getDataLayout());
  }
  if (Linker::linkModules(M, std::move(*Read), Linker::Flags::LinkOnlyNeeded))
    return LLVMCreateMessage("it does not fit the units that were read before");
  return nullptr;
}

// Declares a symbol of which nothing else is known yet.
void adshim_want(LLVMModuleRef M, const char *Name) {
  Module &Mod = *unwrap(M);
  if (!Mod.getNamedValue(Name))
    Mod.getOrInsertGlobal(Name, Type::getInt8Ty(Mod.getContext()));
}

// Leaves a declaration of a function, a variable or an alias.
void adshim_undefine(LLVMValueRef Global) { undefine(unwrap<GlobalValue>(Global)); }

// Leaves a declaration of a function to those who take its address. Those who call it call this body, under another name.
void adshim_keep_own(LLVMValueRef Function_) {
  auto *F = unwrap<Function>(Function_);
  auto *Declared = Function::Create(F->getFunctionType(), GlobalValue::ExternalLinkage, F->getAddressSpace(), "", F->getParent());
  Declared->copyAttributesFrom(F);
  Declared->takeName(F);
  F->setName(Declared->getName() + ".own");
  F->setLinkage(GlobalValue::InternalLinkage);
  F->setVisibility(GlobalValue::DefaultVisibility);
  F->replaceUsesWithIf(Declared, [](Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    return !Call || !Call->isCallee(&U);
  });
}
}
