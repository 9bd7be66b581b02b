//! Activity through calls, and what a caller tells its callees.

use super::{ACTIVE, CONST, Param, SHADOWED, active, varied};
use crate::{
    activity::Activity,
    calls::Caller,
    context::{Context, Entry},
    diff_liveness::DiffLiveness,
    testing::{Function, program, v},
};

/// p1 = p0 * a2; p0 is left.
const SCALE: &str = "body @scale(v0: ptr, v1: ptr, v2: f64)
    b0:
      v3: f64 = load v0
      v4: f64 = fmul v3, v2
      store v4, v1
      ret";

fn last(texts: &[&str]) -> Function {
    program(texts).pop().expect("a function")
}

#[test]
fn summaries_carry_activity_to_what_depends_and_no_further() {
    let f = last(&[
        SCALE,
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: f64)
         b0:
           v4: ptr = alloca bytes 8
           v5: ptr = alloca bytes 8
           store v3, v4
           call defined @scale(v4, v5, v3)
           v8: f64 = load v5
           call defined @scale(v0, v5, v3)
           v10: f64 = load v5
           v11: f64 = load v4
           call defined @scale(v4, v5, v3)
           v13: f64 = load v5
           store v10, v1
           ret",
    ]);
    let params = [SHADOWED, SHADOWED, CONST, CONST];
    assert_eq!(varied(&f, &params, &[8, 10, 11, 13]), [10]);
    let activity = f.activity(&params);
    let calls: Vec<bool> = f
        .body
        .insts()
        .filter(|c| f.callees.contains_key(c))
        .map(|c| activity.is_active_call(c))
        .collect();
    assert_eq!(calls.len(), 3);
    assert!(calls[1], "the second call is given what is active");
}

#[test]
fn useful_goes_back_through_a_call_that_overwrites() {
    let f = last(&[
        SCALE,
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64)
         b0:
           v3: f64 = fmul v2, v2
           store v3, v1                  // overwritten by the call
           v5: f64 = fadd v2, v2
           store v5, v0                  // read by the call
           call defined @scale(v0, v1, v2)
           ret",
    ]);
    assert_eq!(active(&f, &[SHADOWED, SHADOWED, ACTIVE], &[3, 5]), [5]);
}

#[test]
fn a_call_that_may_not_overwrite_leaves_what_was_there() {
    let perhaps = "body @perhaps(v0: ptr, v1: i1)
         v9: f64 = const
       b0:
         condbr v1 -> b1 b2
       b1:
         store v9, v0
         br -> b2
       b2:
         ret";
    let f = last(&[
        perhaps,
        "body @f(v0: ptr noalias, v1: f64, v2: i1)
         b0:
           v3: f64 = fmul v1, v1
           store v3, v0
           call defined @perhaps(v0, v2)
           v6: f64 = load v0
           ret v6",
    ]);
    assert_eq!(active(&f, &[SHADOWED, ACTIVE, CONST], &[3, 6]), [3, 6]);
}

#[test]
fn a_callee_that_copies_a_structure_moves_activity_and_pointers() {
    let copy = "body @copy(v0: ptr, v1: ptr)
         v2: i64 = const 16
       b0:
         call memcpy(v0, v1, v2)
         ret";
    let f = last(&[
        copy,
        "body @f(v0: ptr noalias, v1: f64)
         b0:
           v2: ptr = alloca bytes 16
           v3: ptr = gep v2 + 8
           v4: ptr = alloca bytes 16
           v5: ptr = gep v4 + 8
           store v0, v2
           store v1, v3
           call defined @copy(v4, v2)
           v9: ptr = load v4
           v10: f64 = load v9
           v11: f64 = load v5
           v12: f64 = fadd v10, v11
           ret v12",
    ]);
    let activity = f.activity(&[SHADOWED, ACTIVE]);
    assert_eq!(active(&f, &[SHADOWED, ACTIVE], &[10, 11, 12]), [10, 11, 12]);
    assert!(activity.has_shadow(v(4)) && activity.has_shadow(v(9)));
}

#[test]
fn recursion_through_memory_is_active() {
    // p0 = a1, then the roles are exchanged: after two calls p1 depends on a1.
    let f = last(&[
        "body @turn(v0: ptr, v1: ptr, v2: f64, v3: i1)
         b0:
           store v2, v0
           condbr v3 -> b1 b2
         b1:
           call defined @turn(v1, v0, v2, v3)
           br -> b2
         b2:
           ret",
        "body @f(v0: f64, v1: i1)
         b0:
           v2: ptr = alloca bytes 8
           v3: ptr = alloca bytes 8
           v9: f64 = inttofloat v1
           store v9, v3
           call defined @turn(v2, v3, v0, v1)
           v6: f64 = load v3
           ret v6",
    ]);
    assert_eq!(active(&f, &[ACTIVE, CONST], &[6]), [6]);
}

// ---- contexts ----

/// The context of the only call, with everything live and nothing recorded.
fn context_of(f: &Function, params: &[Param]) -> Context {
    let activity = f.activity(params);
    let (live, tbr) = (f.live(&[], &[]), f.tbr());
    let caller = Caller {
        known: f.known(),
        context: &f.request,
        activity: &activity,
        live: &live,
        tbr: Some(&tbr),
    };
    let call = *f.callees.keys().next().expect("a call");
    caller.context_of(call)
}
fn entry(context: &Context, callee: &Function, param: u32) -> Entry {
    let object = callee.memory.object_of_param(param).expect("a pointer");
    context.entry(&callee.memory, object).expect("a parameter's")
}

#[test]
fn a_context_states_what_is_varied_useful_stable_and_disjoint() {
    let functions = program(&[
        SCALE,
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: f64)
         b0:
           v4: ptr = alloca bytes 8
           store v3, v4
           call defined @scale(v4, v0, v2)
           v7: f64 = load v0
           store v7, v1
           store v3, v4
           ret",
    ]);
    let [scale, f] = &functions[..] else { panic!() };
    let context = context_of(f, &[SHADOWED, SHADOWED, ACTIVE, CONST]);
    let (read, written) = (entry(&context, scale, 0), entry(&context, scale, 1));
    assert!(!read.varied && !read.useful && !read.stable, "{read:?}");
    assert!(written.useful && written.stable && written.varied, "{written:?}");
    let object = |i| scale.memory.object_of_param(i).unwrap();
    assert!(context.are_disjoint(&scale.memory, object(0), object(1)));
}

#[test]
fn a_context_does_not_say_that_arguments_of_one_array_are_apart() {
    let functions = program(&[
        SCALE,
        "body @f(v0: ptr noalias, v1: i64, v2: f64)
         b0:
           v3: ptr = gep v0 + v1*8
           call defined @scale(v0, v3, v2)
           ret",
    ]);
    let [scale, f] = &functions[..] else { panic!() };
    let context = context_of(f, &[SHADOWED, CONST, ACTIVE]);
    let object = |i| scale.memory.object_of_param(i).unwrap();
    assert!(!context.are_disjoint(&scale.memory, object(0), object(1)));
}

#[test]
fn memory_that_a_later_iteration_overwrites_is_not_stable() {
    let functions = program(&[
        SCALE,
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1)
         loop l0 header b1 counter v6 exits b2:v10 single
           v4: i64 = const 0
           v5: i64 = const 1
         b0:
           br -> b1
         b1:
           v6: i64 = phi [b0 v4] [b1 v7]
           store v2, v0
           call defined @scale(v0, v1, v2)
           v7: i64 = add v6, v5
           condbr v3 -> b1 b2
         b2:
           v10: i64 = phi [b1 v6]
           ret",
    ]);
    let [scale, f] = &functions[..] else { panic!() };
    let context = context_of(f, &[SHADOWED, SHADOWED, ACTIVE, CONST]);
    assert!(!entry(&context, scale, 0).stable && !entry(&context, scale, 1).stable);
    assert!(!context.rest_stable || entry(&context, scale, 0).varied);
}

#[test]
fn inside_a_context_only_what_it_says_is_varied() {
    let functions = program(&[SCALE]);
    let scale = &functions[0];
    let constant = [Entry { varied: false, ..Entry::ANY }; 2];
    let of = |entries: Vec<[Entry; 2]>| {
        let context = Context::new(entries, false, vec![]);
        let locations = scale.locations_in(&context);
        let known = crate::summary::Known { locations: &locations, ..scale.known() };
        let activity = Activity::compute(known, &[SHADOWED, SHADOWED, CONST], &context, true);
        (activity.is_active(v(3)), activity.is_active(v(4)))
    };
    assert_eq!(of(vec![constant, [Entry::ANY; 2], [Entry::ANY; 2]]), (false, false));
    assert_eq!(of(vec![[Entry::ANY; 2], constant, [Entry::ANY; 2]]), (true, true));
    let useless = [Entry { useful: false, ..Entry::ANY }; 2];
    assert!(!of(vec![[Entry::ANY; 2], useless, [Entry::ANY; 2]]).1);
}

#[test]
fn a_call_of_which_nothing_is_known_gets_a_context_that_says_nothing() {
    let f = last(&["body @f(v0: ptr, v1: f64)\nb0:\ncall defined @elsewhere(v0, v1)\nret"]);
    let activity = f.activity(&[SHADOWED, ACTIVE]);
    let live = DiffLiveness::everything(&f.body);
    let caller = Caller {
        known: f.known(),
        context: &f.request,
        activity: &activity,
        live: &live,
        tbr: None,
    };
    let call = f.body.insts().next().unwrap();
    assert_eq!(caller.context_of(call), Context::unknown(2));
    assert!(activity.is_active_call(call));
}

#[test]
fn calls_on_ways_without_return_that_write_what_nobody_sees_take_no_part() {
    let is_active = |to: &str, end: &str| {
        let text = format!(
            "body @f(v0: ptr noalias, v1: f64, v2: i1)
             b0:
               v3: ptr = alloca bytes 8
               condbr v2 -> b1 b2
             b1:
               store v1, v3
               call defined @scale(v3, {to}, v1)
               {end}
             b2:
               ret"
        );
        let f = last(&[SCALE, &text]);
        let call = f.body.insts().find(|c| f.callees.contains_key(c)).expect("a call");
        f.activity(&[SHADOWED, ACTIVE, CONST]).is_active_call(call)
    };
    assert!(!is_active("v3", "unreachable"));
    assert!(is_active("v3", "br -> b2"), "it returns");
    assert!(is_active("v0", "unreachable"), "whoever catches the exception sees it");
}
