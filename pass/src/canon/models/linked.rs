//! Models with a body in C or C++ (pass/models/): functions that a library's headers declare and
//! only its object code defines. Their bitcode is part of the plugin, and is linked into the module
//! where a differentiated function calls one of them.

use crate::{
    annotations::attributes::MODEL,
    canon::types::integers,
    llvm::{Function, Module},
};
use adir::{hashed::HashSet, target};

/// Models of one source, and the symbols of the functions that they stand for.
struct Source {
    bitcode: &'static [u8],
    /// The same for addresses of 32 bits; empty where the plugin was built without a C library for
    /// them.
    narrow: &'static [u8],
    symbols: &'static [&'static str],
}

static SOURCES: &[Source] = &[
    Source {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/tree.bc")),
        narrow: include_bytes!(concat!(env!("OUT_DIR"), "/tree32.bc")),
        symbols: &[
            "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
            "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
            "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
            "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
            "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
            "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
        ],
    },
    Source {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/list.bc")),
        narrow: include_bytes!(concat!(env!("OUT_DIR"), "/list32.bc")),
        symbols: &[
            "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
            "_ZNSt8__detail15_List_node_base9_M_unhookEv",
            "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
            "_ZNSt8__detail15_List_node_base10_M_reverseEv",
            "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
        ],
    },
    Source {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/openmp.bc")),
        narrow: include_bytes!(concat!(env!("OUT_DIR"), "/openmp32.bc")),
        symbols: &[
            "__kmpc_for_static_init_4", "__kmpc_for_static_init_4u", "__kmpc_for_static_init_8",
            "__kmpc_for_static_init_8u", "__kmpc_critical", "__kmpc_critical_with_hint",
            "omp_set_lock", "omp_unset_lock", "omp_set_lock_", "omp_unset_lock_", "__kmpc_ordered",
            "__kmpc_end_ordered", "__kmpc_end_critical", "__kmpc_reduce", "__kmpc_reduce_nowait",
            "__kmpc_end_reduce", "__kmpc_end_reduce_nowait", "__kmpc_dispatch_init_4",
            "__kmpc_dispatch_init_4u", "__kmpc_dispatch_init_8", "__kmpc_dispatch_init_8u",
            "__kmpc_dispatch_next_4", "__kmpc_dispatch_next_4u", "__kmpc_dispatch_next_8",
            "__kmpc_dispatch_next_8u",
        ],
    },
    Source {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/resource.bc")),
        narrow: include_bytes!(concat!(env!("OUT_DIR"), "/resource32.bc")),
        symbols: &["resource_allocate", "resource_deallocate", "resource_equal"],
    },
];

/// Members of `std::string`: too many for a list, each linked with what it needs.
static STRINGS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/strings.bc"));
static STRINGS_NARROW: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/strings32.bc"));
/// How the symbols of the allocator's functions begin that are there, too.
const ALLOCATOR: &str = "_ZNSaIcE";

/// The model of a library function with this declaration, linked in where it is not there yet.
pub fn model(module: Module, callee: Function, symbol: &str) -> Option<Function> {
    let model = if is_of_string(symbol) {
        string_model(module, symbol)
    } else {
        listed_model(module, symbol)
    };
    model.filter(|f| f.ty() == callee.ty())
}

/// The model of that symbol, or of a virtual function.
pub fn listed_model(module: Module, symbol: &str) -> Option<Function> {
    let source = SOURCES.iter().find(|s| s.symbols.contains(&symbol))?;
    let name = format!("{MODEL}{symbol}");
    let find = || module.function(&name).filter(|f| !f.is_declaration());
    find().or_else(|| {
        let known: HashSet<Function> = module.functions().into_iter().collect();
        module.link_models(of_width(source.bitcode, source.narrow)).then_some(())?;
        for f in module.functions().into_iter().filter(|f| !known.contains(f)) {
            if !f.is_declaration() {
                integers::mark_accesses(f);
                // Where a pass fails, what is there is still the model.
                _ = f.run_passes(crate::canon::SIMPLIFY);
            }
        }
        find()
    })
}

fn string_model(module: Module, symbol: &str) -> Option<Function> {
    // Constructors and destructors of complete objects may be others' second names.
    let name = format!("{MODEL}{symbol}");
    let base = name
        .replace("EEC1E", "EEC2E")
        .replace("EED1E", "EED2E")
        .replace("SaIcEC1E", "SaIcEC2E")
        .replace("SaIcED1E", "SaIcED2E");
    let find = |name: &str| module.function(name).filter(|f| !f.is_declaration());
    find(&name).or_else(|| find(&base)).or_else(|| {
        let known: HashSet<Function> = models(module).collect();
        let found = module.link_model(of_width(STRINGS, STRINGS_NARROW), symbol, MODEL);
        for f in models(module).filter(|f| !known.contains(f)) {
            let mark = || super::text::mark_function(f, &f.name()[MODEL.len()..]);
            mark();
            integers::mark_accesses(f);
            // Where a pass fails, what is there is still the model.
            _ = f.run_passes(crate::canon::SIMPLIFY);
            // A load that passes move before a branch has lost its tag.
            mark();
        }
        found
    })
}

/// The bitcode for the target at hand.
fn of_width(wide: &'static [u8], narrow: &'static [u8]) -> &'static [u8] {
    if target::pointer() == 4 { narrow } else { wide }
}

/// The models in a module.
fn models(module: Module) -> impl Iterator<Item = Function> {
    module.functions().into_iter().filter(|f| f.name().starts_with(MODEL) && !f.is_declaration())
}

/// Whether a symbol is that of a member of `std::string` or of its allocator.
pub fn is_of_string(symbol: &str) -> bool {
    super::text::is_member(symbol) || symbol.starts_with(ALLOCATOR)
}

/// Whether a function does nothing: the allocator's constructors and destructors, which hold no data.
/// libstdc++ defines those for characters in its object code only.
pub fn does_nothing(symbol: &str) -> bool {
    let member = ["_ZNSaIcE", "_ZNSaIwE"].iter().find_map(|class| symbol.strip_prefix(class));
    matches!(member, Some("C1Ev" | "C2Ev" | "C1ERKS_" | "C2ERKS_" | "D1Ev" | "D2Ev"))
}

/// Whether a function that is no member of `std::string` has a model here.
pub fn has_model(symbol: &str) -> bool {
    SOURCES.iter().any(|all| all.symbols.contains(&symbol))
}

/// Whether a model has its body from here.
pub fn is_linked(model: Function) -> bool {
    model
        .name()
        .strip_prefix(MODEL)
        .is_some_and(|s| is_of_string(s) || SOURCES.iter().any(|all| all.symbols.contains(&s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_is_defined_by_its_source() {
        for source in SOURCES {
            for symbol in source.symbols {
                let name = format!("{MODEL}{symbol}");
                let holds =
                    |bitcode: &[u8]| bitcode.windows(name.len()).any(|w| w == name.as_bytes());
                assert!(
                    holds(source.bitcode) && (source.narrow.is_empty() || holds(source.narrow)),
                    "{symbol}"
                );
            }
        }
    }
}
