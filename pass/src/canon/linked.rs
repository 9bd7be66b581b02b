//! Models with a body in C (pass/models/): functions that a library's headers declare and only its object code defines. Their
//! bitcode is part of the plugin, and is linked into the module where a differentiated function calls one of them.

use super::models::PREFIX;
use crate::llvm::{Function, Module};

/// Models of one source, and the symbols of the functions that they stand for.
struct Source {
    bitcode: &'static [u8],
    symbols: &'static [&'static str],
}

static SOURCES: &[Source] = &[
    Source {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/tree.bc")),
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
        symbols: &[
            "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
            "_ZNSt8__detail15_List_node_base9_M_unhookEv",
            "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
            "_ZNSt8__detail15_List_node_base10_M_reverseEv",
            "_ZNSt8__detail15_List_node_base4swapERS0_S1_",
        ],
    },
];

/// The model of a library function with this declaration, linked in where it is not there yet.
pub fn model(module: Module, callee: Function, symbol: &str) -> Option<Function> {
    let source = SOURCES.iter().find(|s| s.symbols.contains(&symbol))?;
    let name = format!("{PREFIX}{symbol}");
    let find = || module.function(&name).filter(|f| !f.is_declaration());
    let model = match find() {
        Some(f) => f,
        None if module.link_models(source.bitcode) => find()?,
        None => return None,
    };
    (model.ty() == callee.ty()).then_some(model)
}

/// Whether a model has its body from here.
pub fn is_linked(model: Function) -> bool {
    model.name().strip_prefix(PREFIX).is_some_and(|symbol| SOURCES.iter().any(|s| s.symbols.contains(&symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_symbol_is_defined_by_its_source() {
        for source in SOURCES {
            for symbol in source.symbols {
                let name = format!("{PREFIX}{symbol}");
                assert!(source.bitcode.windows(name.len()).any(|w| w == name.as_bytes()), "{symbol}");
            }
        }
    }
}
