//! The tangent of a function that exists as machine code.
//!
//! ```text
//! {R, dR} f.prebuilt.tangent(P…, ptr library, each real and pointer followed by its dot or shadow; i64 kinds)
//! ```
//! `kinds` says what is behind pointers (kinds.rs).

use super::{
    kinds, new_function,
    passed::Passed,
    reals,
    runtime::{Mode, Runtime},
};
use crate::{
    annotations::registry::{Rule, Tangent},
    llvm::{Builder, Function, Module, Type, Value},
};

/// Writes it.
pub fn make(module: Module, f: Function, passed: &Passed) -> Tangent {
    let context = module.context();
    let own = &passed.types;
    let mut shadows: Vec<bool> =
        own.iter().map(|t| t.is_pointer() || reals::of(*t).is_some()).collect();
    shadows.push(true);
    let all = own.iter().copied().chain([context.ptr()]);
    let mut types: Vec<Type> =
        all.zip(&shadows).flat_map(|(t, &has)| vec![t; 1 + usize::from(has)]).collect();
    types.push(context.int(64));
    let result = f.ty().function_result();
    let has_derivative = result.is_pointer() || reals::of_result(result).is_some();
    let members =
        if result.is_void() { vec![] } else { vec![result; 1 + usize::from(has_derivative)] };
    let returned = if has_derivative { context.structure(&members) } else { result };
    let new = new_function(
        module,
        &format!("{}.tangent", crate::canon::stand_ins::name(f, own)),
        Type::function(returned, &types, false),
    );
    new.copy_target_attributes(f);
    let b = Builder::at_end(context, new.append_block("entry"));
    let mut given = new.params().into_iter();
    let (mut primals, mut dots) = (vec![], vec![]);
    for &has in &shadows {
        let primal = given.next().expect("its own type");
        primals.push(primal);
        dots.push(if has { given.next().expect("its own type") } else { primal.ty().zero() });
    }
    let kinds = given.next().expect("its own type");
    let (primals, dots) = (&primals[..own.len()], &dots[..own.len()]);
    let call = Call { module, b: &b, f, primals, passed };
    call.begin(Mode::Tangent, dots, kinds);
    let captured: Vec<Value> =
        dots.iter().map(|d| if d.ty().is_pointer() { d.ty().zero() } else { *d }).collect();
    let value = call.run(&captured);
    let runtime = call.runtime();
    runtime.check_words(result);
    if result.is_pointer() {
        let pair = b.insert_value(returned.poison(), value, 0);
        b.ret(b.insert_value(pair, runtime.returned(value), 1));
    } else if has_derivative {
        let pair = b.insert_value(returned.poison(), value, 0);
        b.ret(b.insert_value(pair, runtime.dots(result), 1));
    } else {
        super::finish(&b, value);
    }
    Tangent {
        rule: Rule::prebuilt(new, members),
        shadows,
        result: (!result.is_void()).then_some(0),
        derivative: has_derivative.then_some(1),
    }
}

/// A call through the runtime, as both modes make it.
pub(super) struct Call<'a> {
    pub module: Module,
    pub b: &'a Builder,
    pub f: Function,
    pub primals: &'a [Value],
    pub passed: &'a Passed,
}

impl Call<'_> {
    pub fn runtime(&self) -> Runtime<'_> {
        Runtime { module: self.module, b: self.b }
    }
    /// Says what is called and where its memory is.
    pub fn begin(&self, mode: Mode, shadows: &[Value], kinds: Value) {
        let runtime = self.runtime();
        runtime.begin(self.f, mode, self.passed);
        let pointers =
            self.primals.iter().zip(shadows).enumerate().filter(|(_, (p, _))| p.ty().is_pointer());
        for (k, (i, (&primal, &shadow))) in pointers.enumerate() {
            if let Some(known) = self.passed.structs.iter().find(|s| s.parameter == i) {
                runtime.structure(known);
            }
            let (kind, is_constant) = kinds::of(self.b, kinds, k);
            let null = shadow.ty().zero();
            runtime.pointer(primal, self.b.select(is_constant, null, shadow), kind);
        }
    }
    /// Runs it; its result, which is the value of the call itself where it has none.
    pub fn run(&self, captured: &[Value]) -> Value {
        let runtime = self.runtime();
        if captured.iter().any(|c| reals::of(c.ty()).is_some()) {
            let mut captured = captured.to_vec();
            for s in self.passed.structs.iter().filter(|s| s.copy.is_some()) {
                // It is copied there. The runtime knows where, and takes the shadows of what the
                // pointer leads to.
                captured[s.parameter] = self.primals[s.parameter];
            }
            runtime.capture(self.f, &captured, self.passed);
        }
        let value = runtime.enter(self.f, self.primals);
        runtime.leave();
        value
    }
}
