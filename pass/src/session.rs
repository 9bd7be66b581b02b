//! The work on one module: units and derivatives, each made once.

use crate::{
    adjoint,
    analysis::activity::Param,
    config::Config,
    diag::{Code, Diagnostic},
    ir::{Callee, Op, ValueId},
    llvm::{Function, Module, Type},
    stats::Stats,
    tangent,
    unit::Unit,
};
use std::{collections::HashMap, rc::Rc};

/// String attribute of the functions that we generate.
const GENERATED: &str = "adcc-generated";

/// Caches of one run of the pass.
pub struct Session {
    /// The module.
    pub module: Module,
    /// Options.
    pub config: Config,
    /// Times of the stages.
    pub stats: Stats,
    units: HashMap<Function, Result<Rc<Unit>, Diagnostic>>,
    /// Functions whose units are being made.
    open: Vec<Function>,
    tangents: HashMap<(Function, Vec<Param>), Function>,
    adjoints: HashMap<(Function, Vec<Param>), Rc<adjoint::Pair>>,
    /// Functions that were generated, in order: they are simplified at the end.
    pub generated: Vec<Function>,
}

impl Session {
    /// A session on `module`.
    pub fn new(module: Module, config: Config) -> Session {
        Session {
            module,
            stats: Stats::new(config.time),
            config,
            units: HashMap::new(),
            open: vec![],
            tangents: HashMap::new(),
            adjoints: HashMap::new(),
            generated: vec![],
        }
    }

    /// The unit of a function with a body.
    pub fn unit(&mut self, source: Function) -> Result<Rc<Unit>, Diagnostic> {
        if let Some(unit) = self.units.get(&source) {
            return unit.clone();
        }
        let unit = self.stats.time("canonicalise and import", || Unit::new(self.module, source));
        self.open.push(source);
        let unit = unit.map(|mut unit| {
            self.learn_types(&mut unit);
            Rc::new(unit)
        });
        self.open.pop();
        if let (Ok(unit), true) = (&unit, self.config.prints("body")) {
            eprintln!("{}", unit.body);
        }
        if let (Ok(unit), true) = (&unit, self.config.prints("canon")) {
            eprintln!("{}", unit.canon.function.print());
        }
        self.units.insert(source, unit.clone());
        unit
    }

    /// Bottom-up over calls: what callees know of the memory that they are given. A function that is being made
    /// (recursion) gives what it knows so far.
    fn learn_types(&mut self, unit: &mut Unit) {
        let calls: Vec<ValueId> =
            unit.body.insts().filter(|&v| matches!(unit.body[v].op, Op::Call(Callee::Defined))).collect();
        let mut news = true;
        while news {
            news = false;
            for &call in &calls {
                let Some(callee) = unit.body[call].llvm.and_then(|c| c.called().as_function()) else { continue };
                let other = if callee == unit.canon.source || self.open.contains(&callee) { None } else { self.unit(callee).ok() };
                for (i, o) in unit.body[call].operands.clone().into_iter().enumerate() {
                    news |= match &other {
                        Some(other) => unit.types.learn(&unit.memory, o, &other.types, &other.memory, i as u32, false),
                        None if callee == unit.canon.source => {
                            let own = unit.types.clone();
                            unit.types.learn(&unit.memory, o, &own, &unit.memory, i as u32, true)
                        }
                        None => false,
                    };
                }
            }
        }
    }

    /// The tangent of `source` for parameters of that activity.
    pub fn tangent(&mut self, source: Function, params: &[Param]) -> Result<Function, Vec<Diagnostic>> {
        let key = (source, params.to_vec());
        if let Some(&f) = self.tangents.get(&key) {
            return Ok(f);
        }
        let unit = self.unit(source).map_err(|d| vec![d])?;
        let f = tangent::declare(self, &unit, params);
        // Before its body, so that recursion finds it.
        self.tangents.insert(key, f);
        tangent::define(self, &unit, params, f)?;
        self.finish(f)?;
        Ok(f)
    }

    /// The forward and reverse sweeps of `source` as functions of their own, for calls from differentiated code.
    pub fn adjoint(&mut self, source: Function, params: &[Param]) -> Result<Rc<adjoint::Pair>, Vec<Diagnostic>> {
        let key = (source, params.to_vec());
        if let Some(pair) = self.adjoints.get(&key) {
            return Ok(pair.clone());
        }
        let unit = self.unit(source).map_err(|d| vec![d])?;
        let pair = Rc::new(adjoint::declare(self, &unit, params, adjoint::Place::Arena));
        self.adjoints.insert(key, pair.clone());
        adjoint::define(self, &unit, params, &pair)?;
        self.finish(pair.forward)?;
        self.finish(pair.reverse)?;
        Ok(pair)
    }

    /// A new function of ours, private to the module, compiled for the same target as `source`.
    pub fn new_function(&self, name: &str, ty: Type, source: Function) -> Function {
        let f = self.module.add_function(name, ty);
        f.set_external(false);
        self.adopt(f, source);
        f
    }

    /// Makes `f` one of ours: compiled for the same target as `source`, without debug information.
    pub fn adopt(&self, f: Function, source: Function) {
        f.clear_debug();
        f.copy_target_attributes(source);
        f.add_attribute_string(GENERATED, "");
    }

    /// Takes the bodies of our functions away after an error: what is half made must not reach code generation.
    pub fn drop_generated(&mut self) {
        self.generated.clear();
        for f in self.module.functions().into_iter().filter(|f| f.attribute_string(GENERATED).is_some()) {
            f.delete_body();
        }
    }

    /// Verifies a generated function and puts it on the list.
    pub fn finish(&mut self, f: Function) -> Result<(), Vec<Diagnostic>> {
        if self.config.prints("derivative") {
            eprintln!("{}", f.print());
        }
        self.generated.push(f);
        f.verify().map_err(|reason| {
            if self.config.prints("broken") {
                eprintln!("{}", f.print());
            }
            let text = format!("generated function '{}' is not sound: {reason}", f.name());
            vec![Diagnostic::new(Code::Internal, None, text, "report this as a bug of adcc with the source file")]
        })
    }

    /// Deletes the canonical copies.
    pub fn drop_units(&mut self) {
        for unit in self.units.drain().filter_map(|(_, u)| u.ok()) {
            unit.canon.function.delete();
        }
    }
}
