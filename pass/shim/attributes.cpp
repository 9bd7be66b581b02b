// Attributes of the source that say something of derivatives: `__attribute__((enzyme_inactive))`, `[[enzyme::inactive]]` and their like become
// annotations, which the pass reads in the module. Without this clang warns of an unknown attribute and drops what it says.
//
// Clang 22 loads pass plugins before it parses. What a plugin registers as attributes are objects of clang's ParsedAttrInfo
// (clang/Basic/ParsedAttrInfo.h of release 22), whose interface is laid out here again, for its headers need not be installed where this is built; all
// else is found by its symbol. In programs that are no clang (flang, opt, linkers) the symbols are absent, and nothing happens.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Registry.h"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <string>

using namespace llvm;

static_assert(LLVM_VERSION_MAJOR == 22, "compare the interface below with clang/Basic/ParsedAttrInfo.h");

namespace {

// Clang's objects, which are only handed on.
struct Sema;
struct ParsedAttr;
struct Decl;
struct Stmt;
struct Other;

// clang::ParsedAttrInfo: the same members and virtual functions in the same order.
struct AttrInfo {
  unsigned AttrKind : 16;
  unsigned NumArgs : 4;
  unsigned OptArgs : 4;
  unsigned NumArgMembers : 4;
  unsigned HasCustomParsing : 1;
  unsigned AcceptsExprPack : 1;
  unsigned IsTargetSpecific : 1;
  unsigned IsType : 1;
  unsigned IsStmt : 1;
  unsigned IsKnownToGCC : 1;
  unsigned IsSupportedByPragmaAttribute : 1;
  struct Spelling {
    int Syntax;
    const char *Name;
  };
  ArrayRef<Spelling> Spellings;
  ArrayRef<const char *> ArgNames;
  enum Handling { NotHandled, Applied, NotApplied };

  virtual ~AttrInfo() = default;
  virtual bool diagAppertainsToDecl(Sema &, const ParsedAttr &, const Decl *) const { return true; }
  virtual bool diagAppertainsToStmt(Sema &, const ParsedAttr &, const Stmt *) const { return true; }
  virtual bool diagMutualExclusion(Sema &, const ParsedAttr &, const Decl *) const { return true; }
  virtual bool acceptsLangOpts(const Other &) const { return true; }
  virtual bool existsInTarget(const Other &) const { return true; }
  virtual bool spellingExistsInTarget(const Other &, unsigned) const { return true; }
  virtual unsigned spellingIndexToSemanticSpelling(const ParsedAttr &) const { return UINT_MAX; }
  virtual bool isParamExpr(size_t) const { return false; }
  virtual void getPragmaAttributeMatchRules(Other &, const Other &) const {}
  virtual Handling handleDeclAttribute(Sema &, Decl *, const ParsedAttr &) const { return NotHandled; }
  virtual Handling handleStmtAttribute(Sema &, Stmt *, const ParsedAttr &, void *&) const { return NotHandled; }
};

using Registered = Registry<AttrInfo>;
struct Range {
  unsigned Begin, End;
};

// Clang's functions.
struct {
  void (*AddNode)(Registered::node *);
  ArrayRef<const AttrInfo *> (*AllBuiltin)();
  Other &(*ContextOf)(const Decl *);
  void *(*Annotate)(Other &, StringRef, void **, unsigned, Range, int);
  void (*AddAttribute)(Decl *, void *);
  bool (*Text)(Sema *, const ParsedAttr &, unsigned, StringRef &, void *);
  const char *(*KindOf)(const Decl *);
} Clang;

template <typename F> bool find(F *&Function, const char *Symbol) {
  Function = reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, Symbol));
  return Function;
}

bool isClang() {
  return find(Clang.AddNode, "_ZN4llvm8RegistryIN5clang14ParsedAttrInfoEE8add_nodeEPNS3_4nodeE") &&
         find(Clang.AllBuiltin, "_ZN5clang14ParsedAttrInfo13getAllBuiltinEv") &&
         find(Clang.ContextOf, "_ZNK5clang4Decl13getASTContextEv") &&
         find(Clang.Annotate, "_ZN5clang12AnnotateAttr14CreateImplicitERNS_10ASTContextEN4llvm9StringRefEPPNS_4ExprEjNS_"
                              "11SourceRangeENS0_8SpellingE") &&
         find(Clang.AddAttribute, "_ZN5clang4Decl7addAttrEPNS_4AttrE") &&
         find(Clang.Text, "_ZN5clang4Sema30checkStringLiteralArgumentAttrERKNS_10ParsedAttrEjRN4llvm9StringRefEPNS_14SourceLocationE") &&
         find(Clang.KindOf, "_ZNK5clang4Decl15getDeclKindNameEv");
}

// What attributes at places say that no annotation can carry.
std::string Misplaced;

enum Syntax { GNU = 1, CXX11 = 2, C23 = 3 };

struct Attribute {
  // As `annotate` has it.
  const char *Name;
  unsigned Arguments;
  // It says nothing that derivatives depend on.
  bool IsIdle;
  AttrInfo::Spelling Spellings[3];
};

#define AD_ATTRIBUTE(Set, Word, Arguments, IsIdle)                                                                                           \
  {#Set "_" #Word, Arguments, IsIdle, {{GNU, #Set "_" #Word}, {CXX11, #Set "::" #Word}, {C23, #Set "::" #Word}}}

const Attribute Attributes[] = {
    AD_ATTRIBUTE(ad, inactive, 0, false),
    AD_ATTRIBUTE(enzyme, inactive, 0, false),
    AD_ATTRIBUTE(ad, function_like, 1, false),
    AD_ATTRIBUTE(enzyme, function_like, 1, false),
    AD_ATTRIBUTE(enzyme, sparse_accumulate, 0, false),
    AD_ATTRIBUTE(enzyme, elementwise_read, 0, false),
    AD_ATTRIBUTE(enzyme, shouldrecompute, 0, true),
    AD_ATTRIBUTE(enzyme, nofree, 0, true),
};

template <size_t Number> struct Handler : AttrInfo {
  static constexpr const Attribute &Of() { return Attributes[Number]; }

  Handler() {
    // The members that are not set here are numbers.
    AttrKind = Clang.AllBuiltin().size();
    NumArgs = NumArgMembers = Of().Arguments;
    OptArgs = HasCustomParsing = AcceptsExprPack = IsTargetSpecific = IsType = IsStmt = IsKnownToGCC = IsSupportedByPragmaAttribute = 0;
    Spellings = Of().Spellings;
  }

  Handling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &A) const override {
    std::string Annotation = Of().Name;
    if (Of().Arguments) {
      StringRef Text;
      if (!Clang.Text(&S, A, 0, Text, nullptr))
        return NotApplied;
      Annotation += " " + Text.str();
    }
    if (Of().IsIdle)
      return Applied;
    StringRef Kind = Clang.KindOf(D);
    bool IsKnown = StringSwitch<bool>(Kind)
                       .Cases({"Function", "CXXMethod", "CXXConstructor", "CXXDestructor", "CXXConversion"}, true)
                       .Cases({"Var", "ParmVar", "Field", "VarTemplateSpecialization", "VarTemplatePartialSpecialization"}, true)
                       .Default(false);
    if (!IsKnown) {
      Misplaced = "attribute '" + std::string(Of().Name) + "' is neither on a function nor on a variable, but on a " + Kind.str();
      return NotApplied;
    }
    Clang.AddAttribute(D, Clang.Annotate(Clang.ContextOf(D), Annotation, nullptr, 0, Range{0, 0}, 0));
    return Applied;
  }
};

template <size_t Number> void add() {
  using Entry = SimpleRegistryEntry<AttrInfo>;
  static Entry E(Attributes[Number].Name, "", [] { return std::unique_ptr<AttrInfo>(new Handler<Number>()); });
  static Registered::node Node(E);
  Clang.AddNode(&Node);
}

template <size_t... Numbers> void addAll(std::index_sequence<Numbers...>) { (add<Numbers>(), ...); }

// Whether clang's own attributes look as they are laid out here.
bool isAsLaidOut() {
  ArrayRef<const AttrInfo *> All = Clang.AllBuiltin();
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I]->AttrKind != I || All[I]->Spellings.size() > 64)
      return false;
  return All.size() > 100;
}

} // namespace

extern "C" {

// Makes the attributes known to the clang that loads this library.
void adshim_register_attributes() {
  static bool IsDone = false;
  if (IsDone || !isClang() || !isAsLaidOut())
    return;
  IsDone = true;
  addAll(std::make_index_sequence<std::size(Attributes)>());
}

// What attributes at places say that no annotation can carry, once; null where there are none.
char *adshim_misplaced_attribute() {
  if (Misplaced.empty())
    return nullptr;
  char *Text = strdup(Misplaced.c_str());
  Misplaced.clear();
  return Text;
}
}
