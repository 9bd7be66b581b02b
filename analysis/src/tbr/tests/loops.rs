//! To-be-recorded in loops: arrays element by element.
//!
//! In all bodies the loop counts with v10, v8 is the load in question and v9 the store.

use crate::testing::{Function, function, v};

/// A loop over v10 with the given instructions, which define what they use; the loop runs an
/// unknown number of times.
fn one_loop(params: &str, insts: &str) -> Function {
    function(&format!(
        "body @f(v0: ptr noalias, v1: i64, v2: f64, v3: i1{params})
         loop l0 header b1 counter v10 exits b2:v13 single
           v4: i64 = const 0
           v5: i64 = const 1
           v6: i64 = const 2
           v7: i64 = const 3
         b0:
           v20: ptr = gep v0 + v1*8
           br -> b1
         b1:
           v10: i64 = phi [b0 v4] [b1 v11]
           {insts}
           v11: i64 = add v10, v5 nsw
           condbr v3 -> b1 b2
         b2:
           v13: i64 = phi [b1 v10]
           ret"
    ))
}
fn repeatable(insts: &str) -> bool {
    one_loop("", insts).tbr().is_reloadable(v(8))
}

/// Load from x[l i + a], store to x[l i + b], load first.
fn elements(l: i64, a: i64, b: i64) -> bool {
    let (stride, a, b) = (8 * l, 8 * a, 8 * b);
    repeatable(&format!(
        "v30: ptr = gep v0 + {a} + v10*{stride}\nv31: ptr = gep v0 + {b} + v10*{stride}\nv8: f64 = load v30\nv9: void = store v2, v31"
    ))
}

#[test]
fn an_array_overwritten_in_place_behind_the_loads() {
    assert!(!elements(1, 0, 0), "the very element");
    assert!(elements(1, 0, 1), "x[i+1] = f(x[i]): stored once it is not yet read, and never after");
    assert!(
        !elements(1, 0, -1),
        "x[i-1] = f(x[i]): the next iteration's store is at what was loaded"
    );
    assert!(!elements(1, 2, 0));
    assert!(elements(1, 0, 2));
}

#[test]
fn going_down_it_is_the_other_way_round() {
    assert!(elements(-1, 0, -1));
    assert!(!elements(-1, 0, 1));
}

#[test]
fn strides_leave_gaps() {
    assert!(elements(2, 0, -1), "odd and even elements");
    assert!(elements(2, 1, 0) && elements(2, 0, 1));
    assert!(!elements(2, 2, 0), "an even number apart");
    assert!(elements(3, 1, 0) && elements(3, 2, 0) && !elements(3, 3, 0));
}

#[test]
fn an_access_may_reach_into_the_next_element() {
    // 8 bytes at a stride of 4.
    assert!(!repeatable(
        "v30: ptr = gep v0 + v10*4\nv31: ptr = gep v0 + 4 + v10*4\nv8: f64 = load v30\nv9: void = store v2, v31"
    ));
    assert!(repeatable(
        "v30: ptr = gep v0 + v10*4\nv31: ptr = gep v0 + 8 + v10*4\nv8: f64 = load v30\nv9: void = store v2, v31"
    ));
    assert!(!repeatable(
        "v30: ptr = gep v0 + v10*12\nv31: ptr = gep v0 + 4 + v10*12\nv8: f64 = load v30\nv9: void = store v2, v31"
    ));
}

#[test]
fn the_store_may_come_before_the_load() {
    // x[i] is stored, then loaded: the load gives the new value, and no later store touches it.
    let before = |b: i64| {
        let b = 8 * b;
        repeatable(&format!(
            "v30: ptr = gep v0 + v10*8\nv31: ptr = gep v0 + {b} + v10*8\nv9: void = store v2, v31\nv8: f64 = load v30"
        ))
    };
    assert!(before(0) && before(1));
    assert!(!before(-1));
}

#[test]
fn what_is_the_same_in_every_iteration_is_overwritten_by_the_next() {
    assert!(!repeatable("v8: f64 = load v20\nv9: void = store v2, v20"));
    assert!(!repeatable("v9: void = store v2, v20\nv8: f64 = load v20"));
    assert!(
        !repeatable("v30: ptr = gep v0 + v10*8\nv8: f64 = load v20\nv9: void = store v2, v30"),
        "one of the elements"
    );
    assert!(!repeatable("v30: ptr = gep v0 + v10*8\nv8: f64 = load v30\nv9: void = store v2, v20"));
}

#[test]
fn an_index_that_is_not_followed_may_be_any() {
    let loaded = "v32: i64 = load v20 integer\n";
    assert!(!repeatable(&format!(
        "{loaded}v30: ptr = gep v0 + v32*8\nv8: f64 = load v30\nv9: void = store v2, v30"
    )));
    let remainder = "v32: i64 = int v10, v7\n";
    assert!(!repeatable(&format!(
        "{remainder}v30: ptr = gep v0 + v32*8\nv31: ptr = gep v0 + 8 + v32*8\nv8: f64 = load v30\nv9: void = store v2, v31"
    )));
    // x[2 i + j] with j of each iteration its own.
    assert!(!repeatable(&format!(
        "{remainder}v30: ptr = gep v0 + v10*16 + v32*8\nv31: ptr = gep v0 + 8 + v10*16 + v32*8\nv8: f64 = load v30\nv9: void = store v2, v31"
    )));
}

#[test]
fn indices_of_four_bytes_may_wrap() {
    let f = "v32: i32 = intcast v10\nv33: i64 = intcast v32\nv30: ptr = gep v0 + v33*8\nv31: ptr = gep v0 + 8 + v33*8\n";
    assert!(!repeatable(&format!("{f}v8: f64 = load v30\nv9: void = store v2, v31")));
}

#[test]
fn an_offset_that_does_not_change_in_the_loop_is_part_of_the_form() {
    // x[i + k], x[i + k + 1].
    let sum = "v32: i64 = add v10, v1\nv33: i64 = add v32, v5\n";
    let both = "v30: ptr = gep v0 + v32*8\nv31: ptr = gep v0 + v33*8\n";
    assert!(repeatable(&format!("{sum}{both}v8: f64 = load v30\nv9: void = store v2, v31")));
    assert!(!repeatable(&format!("{sum}{both}v8: f64 = load v31\nv9: void = store v2, v30")));
    // Another offset in each: nothing is known.
    let other = "v30: ptr = gep v0 + v10*8\nv31: ptr = gep v20 + v10*8\n";
    assert!(!repeatable(&format!("{other}v8: f64 = load v30\nv9: void = store v2, v31")));
    assert!(!repeatable(&format!("{other}v8: f64 = load v31\nv9: void = store v2, v30")));
}

#[test]
fn a_product_and_a_shift_by_constants_are_strides() {
    for scaled in ["v32: i64 = mul v10, v6", "v32: i64 = shl v10, v5"] {
        let of = |a: i64, b: i64| {
            repeatable(&format!(
                "{scaled}\nv30: ptr = gep v0 + {a} + v32*8\nv31: ptr = gep v0 + {b} + v32*8\nv8: f64 = load v30\nv9: void = store v2, v31"
            ))
        };
        assert!(of(0, 8) && of(8, 0) && !of(16, 0) && of(0, 16), "{scaled}");
    }
    let by_unknown = "v32: i64 = mul v10, v1";
    assert!(!repeatable(&format!(
        "{by_unknown}\nv30: ptr = gep v0 + v32*8\nv31: ptr = gep v0 + 8 + v32*8\nv8: f64 = load v30\nv9: void = store v2, v31"
    )));
}

#[test]
fn an_induction_variable_has_a_start_and_a_step() {
    let of = |step: &str, a: i64, b: i64| {
        let f = one_loop("", &format!(
            "v40: i64 = phi [b0 v1] [b1 v41]\nv41: i64 = {step}
             v30: ptr = gep v0 + {a} + v40*8\nv31: ptr = gep v0 + {b} + v40*8\nv8: f64 = load v30\nv9: void = store v2, v31"
        ));
        f.tbr().is_reloadable(v(8))
    };
    assert!(
        of("add v40, v6", 0, 8)
            && of("add v40, v6", 8, 0)
            && !of("add v40, v6", 16, 0)
            && of("add v40, v6", 0, 16)
    );
    assert!(of("sub v40, v5", 0, -8) && !of("sub v40, v5", 0, 8));
    assert!(!of("add v40, v1", 0, 8), "the step is not known");
    assert!(!of("mul v40, v6", 0, 8));
}

#[test]
fn an_induction_variable_beside_the_counter() {
    // x[i] and x[k + i], where k + i is a variable of its own that starts at 3.
    let of = |load: &str, store: &str| {
        one_loop("", &format!(
            "v40: i64 = phi [b0 v7] [b1 v41]\nv41: i64 = add v40, v5
             v30: ptr = gep v0 + v10*8\nv31: ptr = gep v0 + v40*8\nv8: f64 = load {load}\nv9: void = store v2, {store}"
        ))
        .tbr()
        .is_reloadable(v(8))
    };
    assert!(of("v30", "v31") && !of("v31", "v30"));
}

#[test]
fn a_pointer_that_walks() {
    let of = |step: i64, offset: i64| {
        one_loop("", &format!(
            "v40: ptr = phi [b0 v0] [b1 v41]\nv41: ptr = gep v40 + {step}\nv31: ptr = gep v40 + {offset}\nv8: f64 = load v40\nv9: void = store v2, v31"
        ))
        .tbr()
        .is_reloadable(v(8))
    };
    assert!(
        of(8, 8) && of(16, 8) && of(16, -8) && !of(8, 0) && !of(8, -8) && of(-8, -8) && !of(-8, 8)
    );
}

#[test]
fn a_pointer_that_walks_by_what_it_finds() {
    assert!(!one_loop("", "v40: ptr = phi [b0 v0] [b1 v41]\nv41: ptr = load v40\nv31: ptr = gep v40 + 8\nv8: f64 = load v31\nv9: void = store v2, v31")
        .tbr()
        .is_reloadable(v(8)));
}

#[test]
fn two_arrays_that_may_be_one() {
    let insts = "v30: ptr = gep v0 + v10*8\nv31: ptr = gep v22 + v10*8\nv8: f64 = load v30\nv9: void = store v2, v31";
    assert!(one_loop(", v22: ptr", insts).tbr().is_reloadable(v(8)), "v0 is restricted");
    let f = function(
        "body @f(v0: ptr, v1: ptr, v2: f64, v3: i1)
         loop l0 header b1 counter v10 exits b2:v13 single
           v4: i64 = const 0
           v5: i64 = const 1
         b0:
           br -> b1
         b1:
           v10: i64 = phi [b0 v4] [b1 v11]
           v30: ptr = gep v0 + v10*8
           v31: ptr = gep v1 + v10*8
           v8: f64 = load v30
           v9: void = store v2, v31
           v11: i64 = add v10, v5
           condbr v3 -> b1 b2
         b2:
           v13: i64 = phi [b1 v10]
           ret",
    );
    assert!(!f.tbr().is_reloadable(v(8)));
    assert_eq!(f.tbr().culprit(v(8)), Some(v(9)));
}

#[test]
fn after_the_loop_every_element_may_be_overwritten() {
    let text = |after: &str| {
        format!(
            "body @f(v0: ptr noalias, v1: i64, v2: f64, v3: i1)
             loop l0 header b1 counter v10 exits b2:v13 single
               v4: i64 = const 0
               v5: i64 = const 1
             b0:
               v20: ptr = gep v0 + v1*8
               br -> b1
             b1:
               v10: i64 = phi [b0 v4] [b1 v11]
               v30: ptr = gep v0 + v10*8
               v8: f64 = load v30
               v11: i64 = add v10, v5
               condbr v3 -> b1 b2
             b2:
               v13: i64 = phi [b1 v10]
               {after}
               ret"
        )
    };
    let repeatable = |after: &str| function(&text(after)).tbr().is_reloadable(v(8));
    assert!(repeatable("v22: f64 = load v20"));
    assert!(!repeatable("store v2, v20"));
    assert!(!repeatable("store v2, v0"));
    // The element after the last: the form has the counter, but the load is of any iteration.
    assert!(!repeatable("v22: ptr = gep v0 + v13*8\nstore v2, v22"));
}

// ---- two loops ----

/// Two loops inside each other, v10 around v14; `inner` stands in the inner one, `outer` after it
/// in the outer one.
fn nest(inner: &str, outer: &str) -> Function {
    function(&format!(
        "body @f(v0: ptr noalias, v1: i64, v2: f64, v3: i1)
         loop l0 header b1 counter v10 exits b4:v13 single
         loop l1 header b2 counter v14 exits b3:v16 single
           v4: i64 = const 0
           v5: i64 = const 1
         b0:
           br -> b1
         b1:
           v10: i64 = phi [b0 v4] [b3 v11]
           br -> b2
         b2:
           v14: i64 = phi [b1 v4] [b2 v15]
           {inner}
           v15: i64 = add v14, v5
           condbr v3 -> b2 b3
         b3:
           v16: i64 = phi [b2 v14]
           {outer}
           v11: i64 = add v10, v5
           condbr v3 -> b1 b4
         b4:
           v13: i64 = phi [b3 v10]
           ret"
    ))
}

#[test]
fn a_row_may_reach_into_the_next() {
    // x[100 i + j + 1] = f(x[100 i + j]): nothing says that j stays below 100.
    let rows = |a: i64, b: i64| {
        format!(
            "v30: ptr = gep v0 + {a} + v10*800 + v14*8\nv31: ptr = gep v0 + {b} + v10*800 + v14*8\nv8: f64 = load v30\nv9: void = store v2, v31"
        )
    };
    assert!(!nest(&rows(0, 0), "").tbr().is_reloadable(v(8)));
    assert!(!nest(&rows(0, 8), "").tbr().is_reloadable(v(8)));
}

#[test]
fn the_outer_loop_comes_back_to_the_same_elements() {
    let f = nest(
        "v30: ptr = gep v0 + v14*8\nv31: ptr = gep v0 + 8 + v14*8\nv8: f64 = load v30\nv9: void = store v2, v31",
        "",
    );
    assert!(!f.tbr().is_reloadable(v(8)), "the next pass stores at all of them");
}

#[test]
fn the_outer_loops_element_is_the_inner_loops_own() {
    // y[i+1] is stored after the inner loop has read y[i] again and again.
    let f = nest(
        "v30: ptr = gep v0 + v10*8\nv8: f64 = load v30",
        "v31: ptr = gep v0 + 8 + v10*8\nv9: void = store v2, v31",
    );
    assert!(f.tbr().is_reloadable(v(8)));
    let f = nest(
        "v30: ptr = gep v0 + 8 + v10*8\nv8: f64 = load v30",
        "v31: ptr = gep v0 + 8 + v10*8\nv9: void = store v2, v31",
    );
    assert!(!f.tbr().is_reloadable(v(8)));
}

#[test]
fn a_store_in_an_inner_loop_after_a_load_with_its_last_counter() {
    // The same counter of an inner loop that runs again means another iteration.
    let f = nest(
        "v31: ptr = gep v0 + v14*8\nv9: void = store v2, v31",
        "v30: ptr = gep v0 + 8 + v16*8\nv8: f64 = load v30",
    );
    assert!(!f.tbr().is_reloadable(v(8)), "in its next run the inner loop may get further");
}

#[test]
fn a_loop_one_after_the_other() {
    let text = |second: &str| {
        format!(
            "body @f(v0: ptr noalias, v2: f64, v3: i1)
             loop l0 header b1 counter v10 exits b2:v13 single
             loop l1 header b3 counter v14 exits b4:v16 single
               v4: i64 = const 0
               v5: i64 = const 1
             b0:
               br -> b1
             b1:
               v10: i64 = phi [b0 v4] [b1 v11]
               v30: ptr = gep v0 + v10*16
               v8: f64 = load v30
               v11: i64 = add v10, v5
               condbr v3 -> b1 b2
             b2:
               v13: i64 = phi [b1 v10]
               br -> b3
             b3:
               v14: i64 = phi [b2 v4] [b3 v15]
               {second}
               v15: i64 = add v14, v5
               condbr v3 -> b3 b4
             b4:
               v16: i64 = phi [b3 v14]
               ret"
        )
    };
    let repeatable = |second: &str| function(&text(second)).tbr().is_reloadable(v(8));
    assert!(!repeatable("v31: ptr = gep v0 + v14*16\nv9: void = store v2, v31"));
    assert!(
        !repeatable("v31: ptr = gep v0 + v10*16\nv9: void = store v2, v31"),
        "where the first loop ended"
    );
    assert!(
        repeatable("v31: ptr = gep v0 + 8 + v14*16\nv9: void = store v2, v31"),
        "other members: other components"
    );
}

// ---- values in memory ----

#[test]
fn a_value_stored_in_a_loop_is_found_again() {
    let stored = |insts: &str| {
        let f = one_loop("", &format!("v32: f64 = fmul v2, v2\n{insts}"));
        f.tbr().stored(v(32))
    };
    let element = "v30: ptr = gep v0 + v10*8\nv9: void = store v32, v30";
    assert_eq!(stored(element), Some(v(9)));
    assert_eq!(stored("v9: void = store v32, v20"), None, "the next iteration stores there");
    assert_eq!(
        stored(&format!("{element}\nv31: ptr = gep v0 + -8 + v10*8\nstore v2, v31")),
        None,
        "x[i-1] is stored once more"
    );
    assert_eq!(
        stored(&format!("{element}\nv31: ptr = gep v0 + 8 + v10*8\nstore v2, v31")),
        Some(v(9)),
        "and x[i+1] before"
    );
}
