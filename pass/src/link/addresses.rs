//! Functions whose addresses units take: calls through pointers may reach them, in whatever unit the call is.

use super::list::List;
use crate::{
    annotations::attributes::TAKEN,
    canon,
    llvm::{Function, Module, Opcode, Type, Value},
};
use adir::hashed::{HashMap, HashSet};
use serde::Serialize;

/// A function whose address a unit takes.
#[derive(Serialize)]
pub struct Address {
    symbol: String,
    /// Its type, as LLVM writes it.
    ty: String,
    /// Tables of virtual functions that hold it.
    tables: Vec<String>,
    /// Whether something else holds it as well.
    is_elsewhere: bool,
}

/// Those of a module; `symbol` is the name by which other units reach something.
pub fn of(module: Module, symbol: &dyn Fn(Value) -> String) -> Vec<Address> {
    let functions = module.functions().into_iter().filter(|f| !f.is_intrinsic());
    let addresses = functions.filter_map(|f| {
        let (tables, is_elsewhere) = canon::address_holders(f);
        (is_elsewhere || !tables.is_empty()).then(|| Address {
            symbol: symbol(f.value()),
            ty: f.ty().to_string(),
            tables: tables.into_iter().map(symbol).collect(),
            is_elsewhere,
        })
    });
    addresses.collect()
}

/// What calls of a module may reach in other units.
#[derive(Default)]
pub struct Reached {
    /// The functions and tables so far, by symbol.
    taken: Vec<String>,
    seen: HashSet<usize>,
}

impl Reached {
    /// Declares functions to which calls through pointers may lead, and tables of virtual functions
    /// with such. Whether there are new ones.
    pub fn grow(&mut self, module: Module, list: &List) -> bool {
        let types: HashMap<String, Type> =
            called(module).into_iter().map(|ty| (ty.to_string(), ty)).collect();
        let mut grew = false;
        for (k, address) in list.addresses.iter().enumerate() {
            let Some(&ty) = types.get(&address.ty) else { continue };
            if !self.seen.insert(k) {
                continue;
            }
            grew = true;
            let is_there = |symbol: &&String| list.units_of.contains_key(*symbol);
            for table in address.tables.iter().filter(is_there) {
                module.want(table);
                self.taken.push(table.clone());
            }
            if address.is_elsewhere {
                module.declare(&address.symbol, ty);
                self.taken.push(address.symbol.clone());
            }
        }
        grew
    }

    /// Keeps their addresses in a table, so that calls know of them and no pass removes them.
    pub fn keep(&self, module: Module) {
        let value = |symbol: &String| {
            let function = module.function(symbol).map(Function::value);
            function.or_else(|| module.global(symbol))
        };
        let values: Vec<Value> = self.taken.iter().filter_map(value).collect();
        if !values.is_empty() {
            module.add_table(TAKEN, &values);
        }
    }
}

/// Takes the table away.
pub fn forget(module: Module) {
    if let Some(table) = module.global(TAKEN) {
        table.delete_global();
    }
}

/// Types of functions that are called through pointers.
fn called(module: Module) -> Vec<Type> {
    let mut all = vec![];
    let blocks = module.functions().into_iter().flat_map(|f| f.blocks());
    for call in blocks.flat_map(|b| b.instructions()) {
        let is_call = matches!(call.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
        if is_call && call.called().as_function().is_none() && !call.is_assembly() {
            let ty = call.called_type();
            if !all.contains(&ty) {
                all.push(ty);
            }
        }
    }
    all
}
