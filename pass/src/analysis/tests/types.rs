//! Types: evidence that may be of another object.

use crate::analysis::{testing::{function, v}, types::Held};

/// A variable of `header` bytes or a node of a list, with a real at the node's byte 16, and how the variable's is accessed.
fn header(access: &str) -> Vec<Held> {
    let text = format!(
        "body @f(v0: i1, v1: f64)
           v2: i32 = const 1
           v3: i64 = const 24
           v4: i64 = const 16
         b0:
           v5: ptr = alloca v2
           v6: ptr = call _Znwm @_Znwm(v3)
           v7: ptr = select v0, v5, v6
           v8: ptr = gep v7 + 16 of v7, v4
           v9 = store v1, v8
           v10: ptr = gep v5 + 16 of v5, v4
           {access}
           v13 = ret v11"
    );
    let f = function(&text);
    f.types.held(&f.memory, v(10), 8)
}

#[test]
fn an_integer_of_the_source_is_no_real_that_may_be_elsewhere() {
    assert_eq!(header("v11: i64 = load v10 integer\nv12 = store v11, v10 integer"), [Held::Int]);
}

#[test]
fn bits_that_are_moved_may_be_those_of_a_real() {
    assert!(header("v11: i64 = load v10\nv12 = store v11, v10").contains(&Held::F64));
}

#[test]
fn a_real_that_is_surely_there_stays() {
    assert_eq!(header("v11: i64 = load v10 integer\nv12 = store v1, v10"), [Held::Int, Held::F64]);
}
