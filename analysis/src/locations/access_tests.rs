//! Locations: which accesses may meet, and what is surely overwritten.

use crate::{
    context::{Context, Entry},
    dataflow::sets::and,
    testing::{Function, function, program, v},
};

#[test]
fn members_are_apart_and_bytes_that_overlap_are_not() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: f32, v3: i64)
         b0:
           v4: ptr = gep v0 + 8
           v5: ptr = gep v0 + 12
           v6: ptr = gep v0 + 16 + v3*24
           v7: ptr = gep v0 + 24 + v3*24
           store v1, v0
           store v1, v4
           store v2, v5
           store v1, v6
           v12: f64 = load v0
           v13: f64 = load v4
           v14: f64 = load v6
           v15: f64 = load v7
           ret",
    );
    // Stores v8 to v11; loads v12 at 0, v13 at 8, v14 at 16 mod 24, v15 at 0 mod 24.
    assert!(f.meets(8, 12) && !f.meets(8, 13) && !f.meets(8, 14) && f.meets(8, 15));
    assert!(f.meets(9, 13) && !f.meets(9, 12));
    assert!(f.meets(10, 13) && !f.meets(10, 12) && !f.meets(10, 15));
    assert!(f.meets(11, 14) && !f.meets(11, 12) && !f.meets(11, 15) && !f.meets(11, 13));
}

#[test]
fn names_that_may_be_the_same_memory_meet() {
    let text = "body @f(v0: ptr, v1: ptr, v2: f64)
           v3 = global @g
         b0:
           v4: ptr = load v0
           v5: ptr = alloca bytes 8
           store v2, v1
           v7: f64 = load v0
           v8: f64 = load v4
           v9: f64 = load v3
           v10: f64 = load v5
           ret";
    let f = function(text);
    assert!([7, 8, 9].iter().all(|&load| f.meets(6, load)) && !f.meets(6, 10));
    let restricted = function(&text.replace("v1: ptr", "v1: ptr noalias"));
    assert!([7, 8, 9, 10].iter().all(|&load| !restricted.meets(6, load)));
    // A caller that knows.
    let mut entries = vec![[Entry::ANY; 2]; 3];
    entries.truncate(3);
    let context = Context::new(entries, false, vec![((0, 0), (1, 0))]);
    let apart = f.locations_in(&context);
    let meet = |load| {
        and(&apart.access(v(6)).unwrap().writes.all, &apart.access(v(load)).unwrap().reads.own)
            .any()
    };
    assert!(!meet(7) && meet(8) && meet(9), "only what the caller said");
}

#[test]
fn what_has_escaped_is_touched_by_unknown_functions() {
    let text = "body @f(v0: ptr, v1: ptr noalias, v2: f64)
         b0:
           v3: ptr = alloca bytes 16
           v4: ptr = alloca bytes 16
           v5: ptr = alloca bytes 8
           store v5, v0
           v7: ptr = gep v3 + 8
           call unknown @u(v7)
           v9: f64 = load v3
           v10: f64 = load v4
           v11: f64 = load v5
           v12: f64 = load v0
           v13: f64 = load v1
           store v2, v3
           store v2, v4
           ret";
    for call in [
        "call unknown @u(v7)", "call indirect (v7)", "call assembly (v7)", "v8: i64 = atomic v7",
        "call defined @u(v7)",
    ] {
        let f = function(&text.replace("call unknown @u(v7)", call));
        assert!([9, 11, 12].iter().all(|&load| f.meets(8, load)), "{call}");
        assert!(!f.meets(8, 10) && !f.meets(8, 13), "{call}: unknown to the caller");
        assert!(f.kills(8).is_empty(), "{call}");
        let reads = &f.locations.access(v(8)).unwrap().reads;
        let writes = |store| &f.locations.access(v(store)).unwrap().writes.all;
        assert!(and(writes(14), &reads.own).any() && !and(writes(15), &reads.own).any(), "{call}");
    }
    let printf = function(&text.replace("call unknown @u(v7)", "call inactive @sprintf(v7)"));
    assert!(printf.meets(8, 9) && !printf.meets(8, 11) && printf.kills(8).is_empty());
    let mark =
        function(&text.replace("call unknown @u(v7)", "call inactive @llvm.lifetime.end.p0(v7)"));
    assert!(mark.locations.access(v(8)).is_none());
}

#[test]
fn a_restricted_pointer_that_was_stored_comes_back_from_memory() {
    let f = function(
        "body @f(v0: ptr noalias, v1: ptr, v2: f64)
         b0:
           store v0, v1
           v4: ptr = call unknown @u()
           store v2, v4
           v6: f64 = load v0
           ret",
    );
    assert!(f.meets(5, 6));
}

#[test]
fn only_a_store_at_one_place_of_one_object_overwrites() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i64, v3: i1, v4: f32)
           v5 = global @g
         b0:
           v6: ptr = alloca bytes 8
           v7: ptr = alloca bytes 80
           v8: ptr = alloca dynamic v2
           v9: ptr = call malloc(v2)
           v10: ptr = gep v7 + v2*8
           v11: ptr = select v3, v0, v6
           v12: ptr = load v0
           store v1, v6
           store v1, v5
           store v1, v0
           store v1, v8
           store v1, v9
           store v1, v10
           store v1, v11
           store v1, v12
           store v4, v6
           ret",
    );
    assert_eq!(f.kills(13), ["v6:8"]);
    assert_eq!(f.kills(14), ["v5:8"]);
    assert_eq!(f.kills(15), ["p0:8"], "under this name; other names keep what they may hold");
    for weak in 16..=21 {
        assert!(f.kills(weak).is_empty(), "v{weak}");
    }
}

#[test]
fn block_functions_overwrite_the_components_inside() {
    let f = function(
        "body @f(v0: ptr, v1: f64, v2: i64)
           v3: i64 = const 20
           v4: i32 = const 0
         b0:
           v5: ptr = gep v0 + 8
           v6: ptr = gep v0 + 16
           v7: ptr = gep v0 + 24
           store v1, v0
           store v1, v5
           store v1, v6
           store v1, v7
           call memset(v0, v4, v3)
           call memset(v0, v4, v2)
           v14: f64 = load v6
           v15: f64 = load v7
           ret",
    );
    assert_eq!(f.kills(12), ["p0:8", "p0+8:8"]);
    assert!(f.kills(13).is_empty(), "perhaps no byte at all");
    assert!(f.meets(12, 14) && !f.meets(12, 15) && f.meets(13, 15));
}

#[test]
fn too_many_components_become_one() {
    let mut text = "body @f(v0: ptr, v1: f64)\nb0:\n".to_string();
    for i in 0..70 {
        text += &format!(
            "v{}: ptr = gep v0 + {}\nv{}: f64 = load v{}\n",
            10 + i,
            8 * i,
            100 + i,
            10 + i
        );
    }
    text += "v200: void = store v1, v79\nret";
    let f = function(&text);
    assert!((100..170).all(|load| f.meets(200, load)));
    assert!(f.kills(200).is_empty());
}

const CALLEE: &str = "body @set(v0: ptr, v1: ptr, v2: f64, v3: i1)
    b0:
      v4: ptr = gep v0 + 8
      store v2, v4
      v6: f64 = load v1
      condbr v3 -> b1 b2
    b1:
      store v2, v0
      br -> b2
    b2:
      ret";

fn caller(arguments: &str) -> Function {
    let text = format!(
        "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1, v4: i64)
         b0:
           v5: ptr = gep v0 + 8
           v6: ptr = gep v0 + v4*8
           v7: ptr = select v3, v0, v1
           v8: f64 = load v0
           v9: f64 = load v5
           v10: f64 = load v1
           call defined @set({arguments}, v2, v3)
           ret"
    );
    program(&[CALLEE, &text]).pop().expect("the caller")
}

#[test]
fn a_call_touches_what_its_callee_does() {
    let f = caller("v0, v1");
    assert!(f.meets(11, 8) && f.meets(11, 9) && !f.meets(11, 10));
    assert_eq!(f.kills(11), ["p0+8:8"], "the other store is conditional");
    let reads = f.locations.access(v(11)).unwrap().reads.own.clone();
    assert_eq!(f.show(&reads), ["p1:8"]);
    assert!(caller("v7, v1").kills(11).is_empty(), "one of two");
    assert!(caller("v7, v1").meets(11, 10));
}

#[test]
fn a_call_with_an_array_element_overwrites_nothing_for_certain() {
    let text = "body @f(v0: ptr noalias, v1: ptr noalias, v2: f64, v3: i1, v4: i64)
         b0:
           v6: ptr = gep v0 + v4*8
           v9: f64 = load v0
           call defined @set(v6, v1, v2, v3)
           ret";
    let f = program(&[CALLEE, text]).pop().unwrap();
    let call = f.body.insts().find(|&i| f.body[i].symbol.is_some()).unwrap().0;
    assert!(f.kills(call).is_empty() && f.meets(call, 9));
}
