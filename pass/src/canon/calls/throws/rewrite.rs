//! Throws as jumps: what takes the place of throws, handlers and exceptions.

use super::{
    BEGIN, CAUGHT_BY_ALL, CLEANS_UP, END, FREE, Kind, Kinds, OF_LIBRARY, Object, Order, Place,
    Throw, Way, comes_from, handlers::Handler, instructions, is_call_of, kinds, sources,
};
use crate::{
    annotations::attributes::EXCEPTION,
    llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Type, Value},
};
use adir::hashed::{HashMap, HashSet};
use std::collections::BTreeSet;

/// What is rewritten in a function.
pub struct Sites<'a> {
    /// Throws that become jumps.
    pub throws: &'a [Throw],
    /// Those that leave the function, with the object and its kind.
    pub leaving: &'a [(Value, Value, Kind)],
    /// What catches the former.
    pub handlers: &'a [Handler],
}

/// In the place of a kind's number: the object goes on.
const GOES_ON: u64 = 0x7fff_fffe;

/// What deletes objects, by the number of their kind.
type Destructors = Vec<(u64, Option<Function>)>;

/// Per landing pad's value, the object that is thrown, and the kind of throw that it comes from:
/// zero for an exception, the others are jumps, with the number of the kind of their object.
struct Thrown<'a> {
    builder: &'a Builder,
    throws: &'a [Throw],
    kinds: &'a mut Kinds,
    known: HashMap<Value, (Value, Value)>,
}

impl Thrown<'_> {
    fn of(&mut self, v: Value) -> (Value, Value) {
        if let Some(&known) = self.known.get(&v) {
            return known;
        }
        let context = self.builder.context();
        let (ptr, i32) = (context.ptr(), context.int(32));
        let found = match (self.throws.iter().find(|t| t.pad == v), sources(v)) {
            (Some(Throw { object: Object::Handled(begin), .. }), _) => self.of(begin.operand(0)),
            (Some(Throw { object: Object::Allocated(v) | Object::Pending(v), kinds, .. }), _) => {
                (*v, i32.int(self.kinds.number(kinds[0])))
            }
            (None, None) => (ptr.zero(), i32.int(0)),
            (None, Some(sources)) if v.opcode() == Opcode::LLVMPHI => {
                self.builder.position_at_start(v.block());
                let (object, kind) = (self.builder.phi(ptr, ""), self.builder.phi(i32, ""));
                self.known.insert(v, (object, kind));
                for (source, block) in sources {
                    let (from, its_kind) = self.of(source);
                    let block = block.expect("a phi has blocks");
                    object.add_incoming(from, block);
                    kind.add_incoming(its_kind, block);
                }
                (object, kind)
            }
            (None, Some(sources)) => self.of(sources[0].0),
        };
        self.known.insert(v, found);
        found
    }
}

/// Rewrites throws, handlers and, where the function has a place for its exceptions, what leaves it.
pub fn rewrite(
    module: Module,
    function: Function,
    sites: &Sites<'_>,
    order: &Order,
    kinds: &mut Kinds,
    place: Option<Place>,
) {
    let Sites { throws, leaving, handlers } = *sites;
    let (context, builder) = (module.context(), Builder::new(module.context()));
    let (ptr, size) = (context.ptr(), module.size_type());
    // What may be thrown after all, elsewhere, has the room of an exception.
    let is_handed = throws.iter().any(|t| matches!(t.object, Object::Pending(_)));
    let (allocate, free) = if place.is_some() || is_handed {
        (kinds::allocator(module), kinds::deallocator(module))
    } else {
        (
            module.declare("malloc", Type::function(ptr, &[size], false)),
            module.declare("free", Type::function(context.void(), &[ptr], false)),
        )
    };
    let mut destructors: Destructors = vec![];
    for kind in throws.iter().flat_map(|t| &t.kinds) {
        let number = kinds.number(*kind);
        if !destructors.iter().any(|(n, _)| *n == number) {
            destructors.push((number, kind.destructor));
        }
    }
    for &(call, object, kind) in leaving {
        let rest = call.split_behind();
        call.block().terminator().into_iter().for_each(Value::erase);
        let number = context.int(32).int(kinds.number(kind));
        builder.position_before(call);
        place.into_iter().for_each(|p| p.hand_over(module, &builder, object, number));
        call.erase();
        debug_assert!(rest.terminator().is_some());
    }
    let mut thrown = Thrown { builder: &builder, throws, kinds, known: HashMap::default() };
    // Where the handler is gone, its exception has no other name.
    for throw in throws {
        thrown.of(throw.pad);
    }
    // The ends of handlers, before their exceptions have other names.
    let mut ends: Vec<(Value, &Handler)> = vec![];
    for handler in handlers.iter().filter(|h| h.is_catch) {
        ends.extend(order.ends(function, handler.call).into_iter().map(|end| (end, handler)));
    }
    let mut inlined = vec![];
    for (end, handler) in ends {
        let again = throws
            .iter()
            .filter(|t| matches!(t.object, Object::Handled(begin) if begin == handler.call));
        let (object, mut kind) = thrown.of(handler.call.operand(0));
        if let Some(throw) = again.clone().find(|throw| order.dominates(throw.pad, end)) {
            if throw.is_partial {
                builder.position_before(end);
                let call = builder.call(end_helper(module, &destructors, None), &[kind, object]);
                end.copy_location(call);
                inlined.push(call);
            }
            leave(&builder, end);
            continue;
        }
        // What others lead to as well: the object goes on if it is the one on its way.
        let on_way: Vec<Value> =
            again.filter_map(|t| order.on_its_way(function, t.pad, end)).collect();
        for &value in &on_way {
            let (other, _) = thrown.of(value);
            builder.position_before(end);
            let zero = kind.ty().int(0);
            let is_same = builder.icmp(IntPredicate::LLVMIntEQ, object, other);
            let is_jump = builder.icmp(IntPredicate::LLVMIntNE, kind, zero);
            let goes_on = builder.and(is_same, is_jump);
            kind = builder.select(goes_on, kind.ty().int(GOES_ON), kind);
        }
        let of_handler = throws.iter().filter(|t| handler.pads.contains(&t.pad));
        let mut of_handler = of_handler.flat_map(|t| &t.kinds).map(|kind| kind.destructor);
        let first = of_handler.next().flatten();
        let is_one = of_handler.all(|d| d == first) && !handler.has_others && on_way.is_empty();
        builder.position_before(end);
        if is_one {
            if let Some(destructor) = first {
                end.copy_location(builder.call(destructor, &[object]));
            }
            let call = builder.call(free, &[object]);
            call.set_call_string(EXCEPTION, "");
            end.copy_location(call);
        } else {
            let helper = end_helper(module, &destructors, Some(free));
            let call = builder.call(helper, &[kind, object]);
            end.copy_location(call);
            inlined.push(call);
        }
        leave(&builder, end);
    }
    for handler in handlers {
        let (object, kind) = thrown.of(handler.call.operand(0));
        let value = if handler.has_others {
            builder.position_before(handler.call);
            let helper = begin_helper(module);
            let call = builder.call(helper, &[kind, object, handler.call.operand(0)]);
            handler.call.copy_location(call);
            inlined.push(call);
            call
        } else {
            object
        };
        handler.call.replace_uses(value);
        leave(&builder, handler.call);
    }
    if let Some(place) = place {
        let resumes: Vec<Value> =
            instructions(function).filter(|i| i.opcode() == Opcode::LLVMResume).collect();
        for resume in resumes {
            let value = resume.operand(0);
            if throws.iter().any(|throw| comes_from(value, throw.pad)) {
                let (object, kind) = thrown.of(value);
                leave_function(module, &builder, resume, place, (object, kind));
            }
        }
    }
    for throw in throws {
        let (object, kind) = thrown.of(throw.pad);
        let ty = throw.pad.ty();
        let value = |b: &Builder| {
            let number = |n: i64| context.int(32).int(n as u64);
            let selector = match throw.way {
                Way::Caught { selector: Some(asks), .. } => {
                    let copy = asks.clone_instruction();
                    b.insert(copy);
                    copy
                }
                Way::Caught { selector: None, .. } => number(CAUGHT_BY_ALL),
                Way::Passes => number(CLEANS_UP),
            };
            b.insert_value(b.insert_value(ty.poison(), object, 0), selector, 1)
        };
        if throw.is_partial {
            throw_partly(&builder, throw, kind, value);
            continue;
        }
        builder.position_before(throw.pad);
        throw.pad.replace_uses(value(&builder));
        let pad = throw.pad.block();
        throw.pad.erase();
        builder.position_before(throw.invoke);
        builder.br(pad);
        throw.invoke.erase();
    }
    let allocated = |throw: &Throw| match throw.object {
        Object::Allocated(object) => Some(object),
        Object::Handled(_) | Object::Pending(_) => None,
    };
    let left = leaving.iter().map(|&(_, object, _)| object);
    let objects: BTreeSet<Value> = throws.iter().filter_map(allocated).chain(left).collect();
    for object in objects {
        builder.position_before(object);
        let memory = builder.call(allocate, &[object.operand(0)]);
        memory.set_call_string(EXCEPTION, "");
        object.copy_location(memory);
        for user in object.users().into_iter().filter(|&u| is_call_of(u, FREE)) {
            builder.position_before(user);
            user.copy_location(builder.call(free, &[object]));
            leave(&builder, user);
        }
        object.replace_uses(memory);
        leave(&builder, object);
    }
    let helpers: HashSet<Function> =
        inlined.iter().filter_map(|call| call.called().as_function()).collect();
    inlined.into_iter().for_each(|call| {
        call.inline();
    });
    helpers.into_iter().for_each(Function::delete);
    function.drop_unreachable();
}

impl Place {
    /// Hands an exception over and returns.
    fn hand_over(self, module: Module, b: &Builder, object: Value, kind: Value) {
        let ty = Place::ty(module);
        b.store(object, b.member(ty, self.0, 0));
        b.store(kind, b.member(ty, self.0, 1));
        self.leave(b);
    }

    /// Returns with what was handed over.
    pub fn leave(self, b: &Builder) {
        let result = b.block().function().ty().function_result();
        if result.is_void() {
            b.ret_void();
        } else {
            b.ret(result.zero());
        }
    }
}

/// Where an exception is thrown again as it is if its kind is zero, anything else goes past the landing
/// pad, with this value.
fn throw_partly(b: &Builder, throw: &Throw, kind: Value, value: impl Fn(&Builder) -> Value) {
    let function = throw.invoke.block().function();
    let start = throw.invoke.block();
    if throw.rest_is_of_library {
        throw.invoke.set_call_string(OF_LIBRARY, "");
    }
    let again = throw.invoke.split_before();
    let behind = throw.pad.split_behind();
    let jump = function.append_block("ad.again");
    start.terminator().into_iter().for_each(Value::erase);
    b.position_at_end(start);
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, kind, kind.ty().int(0)), again, jump);
    b.position_at_end(jump);
    let value = value(b);
    b.br(behind);
    b.position_at_start(behind);
    let phi = b.phi(throw.pad.ty(), "");
    throw.pad.replace_uses(phi);
    phi.add_incoming(throw.pad, throw.pad.block());
    phi.add_incoming(value, jump);
}

/// Where an exception goes on to the caller, one that was handed over is handed over.
fn leave_function(
    module: Module,
    b: &Builder,
    resume: Value,
    place: Place,
    (object, kind): (Value, Value),
) {
    let function = resume.block().function();
    let [real, handed] = ["ad.real", "ad.handed"].map(|name| function.append_block(name));
    b.position_before(resume);
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, kind, kind.ty().int(0)), real, handed);
    b.position_at_end(real);
    b.insert(resume.clone_instruction());
    b.position_at_end(handed);
    place.hand_over(module, b, object, kind);
    resume.erase();
}

/// A function of the kind of a throw, its object, and the exception: what the handler sees.
fn begin_helper(module: Module) -> Function {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let begin = module.declare(BEGIN, Type::function(ptr, &[ptr], false));
    let helper =
        module.add_function("ad.begin_catch", Type::function(ptr, &[i32, ptr, ptr], false));
    helper.set_external(false);
    let params = helper.params();
    let [entry, jump, caught] = ["entry", "jump", "caught"].map(|name| helper.append_block(name));
    let builder = Builder::at_end(context, entry);
    builder.switch(params[0], jump, &[(0, caught)]);
    builder.position_at_end(jump);
    builder.ret(params[1]);
    builder.position_at_end(caught);
    let value = builder.call(begin, &[params[2]]);
    value.add_call_attribute("nounwind");
    builder.ret(value);
    helper
}

/// A function of the kind of a throw and its object: ends the handler, whose object goes on where nothing
/// is said to free it.
fn end_helper(module: Module, destructors: &Destructors, free: Option<Function>) -> Function {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let end = module.declare(END, Type::function(context.void(), &[], false));
    let helper =
        module.add_function("ad.end_catch", Type::function(context.void(), &[i32, ptr], false));
    helper.set_external(false);
    let params = helper.params();
    let [entry, caught] = ["entry", "caught"].map(|name| helper.append_block(name));
    let jumps: Vec<Block> = destructors.iter().map(|_| helper.append_block("jump")).collect();
    let builder = Builder::at_end(context, entry);
    let gone = helper.append_block("gone");
    let mut cases: Vec<(u64, Block)> =
        destructors.iter().zip(&jumps).map(|((number, _), &block)| (*number, block)).collect();
    cases.push((GOES_ON, gone));
    builder.switch(params[0], caught, &cases);
    builder.position_at_end(gone);
    builder.ret_void();
    for (&block, (_, destructor)) in jumps.iter().zip(destructors) {
        builder.position_at_end(block);
        if let Some(free) = free {
            destructor.iter().for_each(|d| _ = builder.call(*d, &[params[1]]));
            builder.call(free, &[params[1]]).set_call_string(EXCEPTION, "");
        }
        builder.ret_void();
    }
    builder.position_at_end(caught);
    builder.call(end, &[]);
    builder.ret_void();
    helper
}

/// Takes a call away that throws nothing, be it an invoke.
fn leave(builder: &Builder, call: Value) {
    if call.is_invoke() {
        let (normal, _) = call.invoke_destinations();
        builder.position_before(call);
        builder.br(normal);
    }
    call.erase();
}
