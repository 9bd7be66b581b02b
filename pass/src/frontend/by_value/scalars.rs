//! A function of scalars for a function that takes or returns values with members: what is
//! differentiated.

use super::{Argument, Piece, Returned, Shape, layout};
use crate::{
    annotations::registry,
    diagnostics::names::BY_VALUE,
    frontend::Host,
    llvm::{Builder, Function, Type, Value},
};

/// A function that takes each member of each value of `shape` as a parameter of its own, and
/// returns a struct of members. It has the body of `source`, unless that is annotated.
pub fn scalars(host: &dyn Host, source: Function, shape: &Shape) -> Function {
    let module = host.module();
    let context = module.context();
    let types: Vec<Type> = shape
        .arguments
        .iter()
        .flat_map(|a| match a {
            Argument::Plain(ty) => vec![*ty],
            Argument::Aggregate(l, _) => l.members.iter().map(|m| m.ty).collect(),
        })
        .collect();
    let result = match &shape.returned {
        Returned::Plain => source.ty().function_result(),
        Returned::Registers(l) | Returned::Memory(l, _) => l.value_type(context),
    };
    let f = host.new_function(
        &format!("{}{BY_VALUE}", source.name()),
        Type::function(result, &types, false),
        source,
    );
    let b = Builder::at_end(context, f.append_block("entry"));
    let mut params = f.params().into_iter();
    let (mut args, mut attributes): (Vec<Value>, Vec<(usize, &str, Type)>) = (vec![], vec![]);
    let place = match &shape.returned {
        Returned::Plain => None,
        Returned::Registers(l) => Some((l, l.room(&b))),
        Returned::Memory(l, ty) => {
            let at = l.room(&b);
            attributes.push((0, "sret", *ty));
            args.push(at);
            Some((l, at))
        }
    };
    for argument in &shape.arguments {
        let (layout, pieces) = match argument {
            Argument::Plain(_) => {
                args.extend(params.next());
                continue;
            }
            Argument::Aggregate(layout, pieces) => (layout, pieces),
        };
        let at = layout.room(&b);
        let members: Vec<Value> = params.by_ref().take(layout.members.len()).collect();
        layout.store(&b, &members, at);
        for piece in pieces {
            match *piece {
                Piece::Register(ty, offset) => args.push(layout::load(&b, ty, at, offset)),
                Piece::Copy(ty) => {
                    attributes.push((args.len(), "byval", ty));
                    args.push(at);
                }
            }
        }
    }
    let call = b.call(source, &args);
    attributes.into_iter().for_each(|(i, name, ty)| call.add_call_type_attribute(i, name, ty));
    match place {
        Some((l, at)) => {
            if matches!(shape.returned, Returned::Registers(_)) {
                b.store(call, at).set_alignment(1);
            }
            let members = l.load(&b, at);
            b.ret(l.put_together(&b, &members));
        }
        None if result.is_void() => b.ret_void(),
        None => b.ret(call),
    }
    if registry::of(source).is_none() {
        // Where LLVM refuses, the call is differentiated as any other.
        call.inline();
    }
    f
}
