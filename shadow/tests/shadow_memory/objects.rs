//! What goes together, what is refused and why, calls within calls, and threads.

use std::sync::mpsc;

use adshadow::memory::{
    Error,
    objects::{Extent, Object, Policy, ScalarKind},
    registry::{Mode, Registry},
    space,
};

fn object(name: &'static str, primal: &[f64], shadow: &[f64]) -> Object {
    Object {
        name,
        primal: primal.as_ptr() as u64,
        shadow: Some(shadow.as_ptr() as u64),
        extent: Extent::Bytes(size_of_val(primal) as u64),
        kind: ScalarKind::F64,
    }
}

fn constant(name: &'static str, primal: &[f64]) -> Object {
    Object { shadow: None, ..object(name, primal, primal) }
}

fn in_shadow_memory<T>(primal: &T) -> *mut T {
    let at = &raw const *primal as u64;
    space::covers(at..at + size_of::<T>() as u64).expect("memory of a program");
    space::of(at) as *mut T
}

/// A call with these objects that does nothing.
fn call(objects: &[Object]) -> Result<(), Error> {
    let mut registry = Registry::default();
    // SAFETY: the callers' objects are there.
    unsafe {
        registry.enter(objects, Policy::Refuse, Mode::Tangent)?;
        registry.leave()?;
    }
    Ok(())
}

/// The same in a recording.
fn record(objects: &[Object]) -> Result<(), Error> {
    let (mut registry, mut next) = (Registry::default(), 1);
    let mut fresh = |count: u32| {
        next += count;
        Some(next - count)
    };
    // SAFETY: the objects and their shadows are variables of the tests, as long as they say.
    unsafe {
        registry.enter(objects, Policy::Refuse, Mode::Recording(&mut fresh))?;
        registry.leave()?;
    }
    Ok(())
}

#[test]
fn objects_twice_and_within_each_other() {
    let (x, dx) = ([0.0; 8], [1.0; 8]);
    let all = object("x", &x, &dx);
    for parts in [
        &[0..8, 0..8][..],
        &[2..5, 0..8],
        &[0..8, 2..5],
        &[0..3, 3..8],
        &[0..5, 3..8],
        &[5..8, 0..2, 1..6],
    ] {
        let objects: Vec<_> =
            parts.iter().map(|p| object("part", &x[p.clone()], &dx[p.clone()])).collect();
        assert_eq!(call(&objects), Ok(()), "{parts:?}");
        assert_eq!(record(&objects), Ok(()), "{parts:?}");
    }
    let null = Object { primal: 0, ..all.clone() };
    let empty = Object { extent: Extent::Bytes(0), ..all.clone() };
    assert_eq!(call(&[null, empty, all]), Ok(()));
}

#[test]
fn one_memory_has_one_shadow() {
    let (x, dx, other) = ([0.0; 8], [1.0; 8], [2.0; 8]);
    let error = call(&[object("x", &x, &dx), object("y", &x[4..], &other[4..])]);
    let at = &raw const x[4] as u64;
    assert_eq!(error, Err(Error::TwoShadows { one: "x", other: "y", at }));
    let error = call(&[object("x", &x, &dx), constant("c", &x[4..])]);
    assert_eq!(error, Err(Error::TwoShadows { one: "x", other: "c", at }));
}

#[test]
fn one_shadow_is_of_one_memory() {
    let (x, y, dx) = ([0.0; 8], [0.0; 8], [1.0; 12]);
    let error = call(&[object("x", &x, &dx), object("y", &y, &dx[4..])]);
    assert!(matches!(error, Err(Error::SharedShadow { one: "y", other: "x", .. })), "{error:?}");
    assert_eq!(call(&[object("x", &x[..4], &dx), object("y", &y, &dx[4..])]), Ok(()));
    // Shadows that are objects, in either order; a shadow that is its own object; one that is in
    // shadow memory.
    let error = call(&[object("x", &x, &y), object("y", &y, &dx)]);
    assert!(matches!(error, Err(Error::SharedShadow { .. })), "{error:?}");
    let error = call(&[object("y", &y, &dx), object("x", &x, &y)]);
    assert!(matches!(error, Err(Error::SharedShadow { .. })), "{error:?}");
    assert!(matches!(call(&[object("x", &x, &x)]), Err(Error::SharedShadow { .. })));
    let astray = Object { shadow: Some(space::of(x.as_ptr() as u64) + 8), ..object("x", &x, &x) };
    assert!(matches!(call(&[astray]), Err(Error::SharedShadow { .. })));
}

#[test]
fn kinds_agree() {
    let (x, dx) = ([0.0; 8], [1.0; 8]);
    let floats = Object { kind: ScalarKind::F32, ..object("f", &x[4..], &dx[4..]) };
    assert!(matches!(
        call(&[object("x", &x, &dx), floats.clone()]),
        Err(Error::TwoKinds { one: "x", other: "f", .. })
    ));
    let shifted = Object {
        primal: &raw const x[1] as u64 + 4,
        shadow: Some(&raw const dx[1] as u64 + 4),
        ..object("s", &x[..4], &dx)
    };
    assert!(matches!(call(&[object("x", &x, &dx), shifted]), Err(Error::TwoKinds { .. })));
    let unknown = Object { kind: ScalarKind::Unknown, ..object("u", &x, &dx) };
    assert_eq!(call(&[unknown.clone(), floats.clone()]), Ok(()));
    assert_eq!(call(&[floats, unknown.clone()]), Ok(()));
    assert!(matches!(
        record(std::slice::from_ref(&unknown)),
        Err(Error::KindUnknown { name: "u", .. })
    ));
    // What is known wins, but something unknown is left.
    assert!(record(&[object("x", &x[..4], &dx), unknown]).is_err());
    assert_eq!(record(&[Object { kind: ScalarKind::Unknown, ..constant("c", &x) }]), Ok(()));
}

#[test]
fn unknown_content_holds_no_pointers() {
    let (target, shadow_of_target) = (Box::new(1.0f64), Box::new(2.0f64));
    let (x, dx) = ([&raw const *target as u64, 0], [&raw const *shadow_of_target as u64, 0]);
    let object = |kind| Object {
        name: "struct",
        primal: x.as_ptr() as u64,
        shadow: Some(dx.as_ptr() as u64),
        extent: Extent::Bytes(16),
        kind,
    };
    let error = call(&[object(ScalarKind::Unknown)]);
    assert_eq!(
        error,
        Err(Error::KindUnknown {
            name: "struct",
            at: x.as_ptr() as u64,
            why: "it looks like a pointer, whose shadow is not a derivative"
        })
    );
    assert_eq!(call(&[object(ScalarKind::Pointers)]), Ok(()));
    assert_eq!(record(&[object(ScalarKind::Pointers)]), Ok(()));
}

#[test]
fn pointers_that_change_lead_to_shadows() {
    let (a, b, c) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    let (da, db) = ([1.0; 2], [2.0; 2]);
    let mut rows = [a.as_ptr(), b.as_ptr(), a.as_ptr(), a.as_ptr()];
    let mut beside = [da.as_ptr(), db.as_ptr(), da.as_ptr(), da.as_ptr()];
    let table = Object {
        name: "rows",
        primal: rows.as_mut_ptr() as u64,
        shadow: Some(beside.as_mut_ptr() as u64),
        extent: Extent::Whole(32),
        kind: ScalarKind::Pointers,
    };
    let mut registry = Registry::default();
    // SAFETY: all objects are there.
    unsafe {
        registry
            .enter(
                &[table, object("a", &a, &da), object("b", &b, &db), constant("c", &c)],
                Policy::Refuse,
                Mode::Tangent,
            )
            .expect("fits");
        for row in &rows {
            assert_eq!(
                in_shadow_memory(row).cast::<u64>().read(),
                0,
                "a pointer has no derivative"
            );
        }
        rows.swap(0, 1);
        rows[2] = std::ptr::null();
        rows[3] = c.as_ptr();
        std::hint::black_box(&mut rows);
        registry.leave().expect("all are known");
    }
    assert_eq!(
        std::hint::black_box(beside),
        [db.as_ptr(), da.as_ptr(), std::ptr::null(), std::ptr::null()]
    );
    let table = Object {
        name: "rows",
        primal: rows.as_mut_ptr() as u64,
        shadow: Some(beside.as_mut_ptr() as u64),
        extent: Extent::Whole(32),
        kind: ScalarKind::Pointers,
    };
    // SAFETY: the objects and their shadows are local variables, as long as they say.
    let error = unsafe {
        registry
            .enter(&[table, object("b", &b, &db)], Policy::Refuse, Mode::Tangent)
            .expect("fits");
        rows[1] = c.as_ptr();
        std::hint::black_box(&mut rows);
        registry.leave()
    };
    assert_eq!(
        error,
        Err(Error::Pointer { name: "rows", at: &raw const rows[1] as u64, to: c.as_ptr() as u64 })
    );
}

#[test]
fn extents() {
    let (x, dx) = ([0.0; 8], [1.0; 8]);
    let unknown = Object { extent: Extent::Unknown, ..object("p", &x[3..], &dx[3..]) };
    let part = object("part", &x, &dx);
    let whole = Object { extent: Extent::Whole(64), ..object("whole", &x, &dx) };
    let refused = Err(Error::ExtentUnknown { name: "p", at: &raw const x[3] as u64 });
    assert_eq!(call(std::slice::from_ref(&unknown)), refused);
    assert_eq!(
        call(&[part.clone(), unknown.clone()]),
        refused,
        "a part does not say how far the object goes"
    );
    assert_eq!(call(&[whole.clone(), unknown.clone()]), Ok(()));
    assert_eq!(call(&[part, whole.clone(), unknown.clone()]), Ok(()));
    let elsewhere = Object { shadow: Some(&raw const dx[2] as u64), ..unknown.clone() };
    assert!(call(&[whole, elsewhere]).is_err());
    for (bytes, kind) in
        [(63, ScalarKind::F64), (6, ScalarKind::F32), (24, ScalarKind::F80), (!7, ScalarKind::F64)]
    {
        let odd = Object { extent: Extent::Bytes(bytes), kind, ..object("x", &x, &dx) };
        assert!(matches!(call(&[odd]), Err(Error::Extent { .. })), "{bytes}");
    }
    let low = Object { primal: 0x1000, ..object("low", &x, &dx) };
    assert!(matches!(call(&[low]), Err(Error::NotCovered { at: 0x1000, .. })));
    let low = Object { primal: 0x1000, ..constant("low", &x) };
    assert!(matches!(call(&[low]), Err(Error::NotCovered { at: 0x1000, .. })));
}

#[test]
fn the_allocator_knows_extents() {
    // SAFETY: blocks of the heap, used within what was asked for.
    unsafe {
        let (x, dx) = (libc::calloc(10, 8).cast::<f64>(), libc::calloc(30, 8).cast::<f64>());
        let block = Object {
            name: "x",
            primal: x as u64,
            shadow: Some(dx as u64),
            extent: Extent::Block,
            kind: ScalarKind::F64,
        };
        for (block, fits) in [
            (block.clone(), 10),
            (Object { primal: dx as u64, shadow: Some(x as u64), ..block }, 10),
        ] {
            let bytes = block.bytes().expect("a block");
            assert!(bytes >= 8 * fits && bytes < 8 * 30 && bytes % 8 == 0, "{bytes}");
        }
        dx.add(9).write(5.0);
        let block = Object {
            name: "x",
            primal: x as u64,
            shadow: Some(dx as u64),
            extent: Extent::Block,
            kind: ScalarKind::F64,
        };
        let within = Object {
            primal: x.add(2) as u64,
            shadow: Some(dx.add(2) as u64),
            extent: Extent::Unknown,
            ..block.clone()
        };
        let mut registry = Registry::default();
        registry.enter(&[block, within], Policy::Refuse, Mode::Tangent).expect("fits");
        assert_eq!(in_shadow_memory(&*x.add(9)).read(), 5.0);
        in_shadow_memory(&*x.add(8)).write(6.0);
        registry.leave().expect("fits");
        assert_eq!(dx.add(8).read(), 6.0);
        libc::free(x.cast());
        libc::free(dx.cast());
    }
}

#[test]
fn shadows_that_cannot_be_written_may_be_read() {
    static X: [f64; 4] = [1.0; 4];
    static DX: [f64; 4] = [0.0, 1.0, 2.0, 3.0];
    assert_eq!(call(&[object("x", &X, &DX)]), Ok(()));
}

#[test]
fn what_did_not_change_is_not_written() {
    const PAGE: usize = 4096;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, of which the second page cannot be written.
    let pages = unsafe {
        let pages = libc::mmap(
            std::ptr::null_mut(),
            2 * PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        );
        assert_ne!(pages, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_READ), 0);
        pages as u64
    };
    let x = [0.0f64; 16];
    for kind in [ScalarKind::F32, ScalarKind::F64, ScalarKind::F80, ScalarKind::Unknown] {
        let shadow = pages + PAGE as u64 - 64;
        let object = Object {
            name: "x",
            primal: x.as_ptr() as u64,
            shadow: Some(shadow),
            extent: Extent::Bytes(128),
            kind,
        };
        let mut registry = Registry::default();
        // SAFETY: the object and its shadow are there; the library writes to the first page's part.
        unsafe {
            registry.enter(&[object], Policy::Refuse, Mode::Tangent).expect("fits");
            in_shadow_memory(&x[6]).write(5.0);
            registry.leave().expect("fits");
            assert_eq!((shadow as *mut f64).add(6).replace(0.0), 5.0);
        }
    }
    // SAFETY: mapped above.
    unsafe { libc::munmap(pages as *mut _, 2 * PAGE) };
}

#[test]
fn constants_keep_no_derivative() {
    let mut x = [0.0; 4];
    let mut registry = Registry::default();
    // SAFETY: the object is there; its shadow memory is covered.
    unsafe {
        in_shadow_memory(&x[2]).write(9.0);
        registry.enter(&[constant("c", &x)], Policy::Drop, Mode::Tangent).expect("fits");
        assert_eq!(in_shadow_memory(&x[2]).read(), 0.0, "zero on entry");
        in_shadow_memory(&x[2]).write(9.0);
        registry.leave().expect("dropped");
        assert_eq!(in_shadow_memory(&x[2]).read(), 0.0, "dropped");
        registry.enter(&[constant("c", &x)], Policy::Refuse, Mode::Tangent).expect("fits");
        in_shadow_memory(&x[2]).write(9.0);
        let at = &raw const x[2] as u64;
        assert_eq!(registry.leave(), Err(Error::WrittenToConstant { name: "c", at: at + 6 }));
        // A callback may change what the library keeps there: even a derivative that may be dropped
        // is refused.
        registry.enter(&[constant("c", &x)], Policy::Drop, Mode::Tangent).expect("fits");
        in_shadow_memory(&x[2]).write(9.0);
        let (work, dwork) = ([0.0; 2], [0.0; 2]);
        let lent = [object("work", &work, &dwork)];
        assert!(matches!(registry.begin_callback(&lent, at), Err(Error::WrittenToConstant { .. })));
        assert_eq!(registry.shadow(work.as_ptr() as u64), None, "lent for the callback only");
        registry.leave().expect("dropped");
    }
    x[0] = 1.0;
    assert_eq!(call(&[constant("c", &x)]), Ok(()));
}

#[test]
fn a_callback_does_not_take_the_librarys_memory() {
    let (x, dx) = ([0.0; 4], [1.0; 4]);
    let (work, dwork) = (vec![0.0; 4], vec![0.0; 4]);
    let mut registry = Registry::default();
    // SAFETY: the objects are there.
    unsafe {
        registry.enter(&[object("x", &x, &dx)], Policy::Refuse, Mode::Tangent).expect("fits");
        in_shadow_memory(&work[1]).write(7.0);
        registry.begin_callback(&[], 0).expect("a callback");
        let at = &raw const work[1] as u64;
        let error = registry.enter(&[object("work", &work, &dwork)], Policy::Refuse, Mode::Tangent);
        assert_eq!(error, Err(Error::LibraryMemory { name: "work", at: at + 6 }));
        // Its shadow in tangent mode is shadow memory itself: nothing is copied, nothing lost.
        let library = Object {
            shadow: Some(space::of(work.as_ptr() as u64)),
            ..object("work", &work, &dwork)
        };
        assert_eq!(registry.shadow(at), None);
        registry.enter(&[library], Policy::Refuse, Mode::Tangent).expect("the library's");
        assert_eq!(registry.shadow(at), Some(Some(space::of(at))));
        assert_eq!(
            registry.shadow(&raw const x[1] as u64),
            Some(Some(&raw const dx[1] as u64)),
            "known of outside"
        );
        registry.leave().expect("fits");
        assert_eq!(in_shadow_memory(&work[1]).read(), 7.0);
        // Without derivatives it may have any shadow.
        in_shadow_memory(&work[1]).write(0.0);
        registry
            .enter(&[object("work", &work, &dwork)], Policy::Refuse, Mode::Tangent)
            .expect("inactive");
        registry.leave().expect("fits");
        registry.end_callback(Mode::Tangent).expect("a callback");
        assert_eq!(in_shadow_memory(&x[1]).read(), 1.0, "as before the callback");
        registry.leave().expect("fits");
    }
}

#[test]
fn what_is_left_on_the_stack_is_nobodys() {
    let (x, dx) = ([0.0; 4], [1.0; 4]);
    #[inline(never)]
    fn callback(registry: &mut Registry) {
        let (local, dlocal) = ([0.0; 4], [3.0; 4]);
        let mut space_below = [0.0; 64];
        std::hint::black_box(&mut space_below);
        // SAFETY: local variables, and their shadow memory.
        unsafe {
            in_shadow_memory(&local[1]).write(8.0);
            registry
                .enter(&[object("local", &local, &dlocal)], Policy::Refuse, Mode::Tangent)
                .expect("left over");
            assert_eq!(in_shadow_memory(&local[1]).read(), 3.0);
            registry.leave().expect("fits");
        }
    }
    let mut registry = Registry::default();
    // SAFETY: the objects are there.
    unsafe {
        registry.enter(&[object("x", &x, &dx)], Policy::Refuse, Mode::Tangent).expect("fits");
        let here = 0u64;
        registry.begin_callback(&[], &raw const here as u64 & !63).expect("a callback");
        callback(&mut registry);
        registry.end_callback(Mode::Tangent).expect("a callback");
        registry.leave().expect("fits");
    }
}

#[test]
fn indices_have_an_end() {
    let (x, dx) = ([0.0; 4], [1.0; 4]);
    let mut registry = Registry::default();
    for answer in [None, Some(0), Some(u32::MAX - 3)] {
        // SAFETY: the objects are there.
        let error = unsafe {
            registry.enter(
                &[object("x", &x, &dx)],
                Policy::Refuse,
                Mode::Recording(&mut |_| answer),
            )
        };
        assert!(matches!(error, Err(Error::NoIndices { name: "x", .. })), "{error:?}");
        assert_eq!(registry.depth(), 0);
    }
}

#[test]
fn reals_of_another_width_are_refused() {
    let (x, dx) = ([0.0; 4], [1.0; 4]);
    for (kind, word, at) in [
        (ScalarKind::F64, 5, 2),
        (ScalarKind::F80, 5, 2),
        (ScalarKind::F80, 6, 2),
        (ScalarKind::F80, 7, 2),
    ] {
        let mut registry = Registry::default();
        // SAFETY: the objects are there.
        let error = unsafe {
            let object = Object { kind, ..object("x", &x, &dx) };
            registry
                .enter(&[object], Policy::Refuse, Mode::Recording(&mut |_| Some(1)))
                .expect("fits");
            in_shadow_memory(&x[0]).cast::<u32>().add(word).write(77);
            registry.leave()
        };
        assert_eq!(error, Err(Error::Mixed { name: "x", at: &raw const x[at] as u64 }));
        // SAFETY: shadow memory covers the array.
        let is_zero = |x: &f64| unsafe { in_shadow_memory(x).read() } == 0.0;
        assert!(x.iter().all(is_zero), "zero after an error, too");
    }
}

#[test]
fn threads_do_not_share_objects_with_shadows() {
    let (x, dx) = (vec![0.0; 8], vec![1.0; 8]);
    let (x, dx) = (&x, &dx);
    // Parts apart; the same part; one constant; both.
    let active = |from: usize| object("x", &x[from..from + 4], &dx[from..from + 4]);
    let fixed = |from: usize| constant("x", &x[from..from + 4]);
    for (mine, other, fits) in [
        (active(0), active(4), true),
        (active(0), active(0), false),
        (active(0), active(3), false),
        (active(3), active(0), false),
        (active(0), fixed(2), false),
        (fixed(2), active(0), false),
        (fixed(0), fixed(2), true),
    ] {
        let (entered, wait) = mpsc::channel();
        let (done, go_on) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut registry = Registry::default();
                // SAFETY: the objects are there.
                unsafe {
                    registry
                        .enter(std::slice::from_ref(&mine), Policy::Refuse, Mode::Tangent)
                        .expect("the first");
                    entered.send(()).expect("heard");
                    go_on.recv().expect("told");
                    registry.leave().expect("fits");
                    entered.send(()).expect("heard");
                    go_on.recv().expect("told");
                }
            });
            wait.recv().expect("entered");
            let mut registry = Registry::default();
            // SAFETY: the object and its shadow outlive both threads.
            let (refused, left) = unsafe {
                let refused =
                    registry.enter(std::slice::from_ref(&other), Policy::Refuse, Mode::Tangent);
                let left = if refused.is_ok() { registry.leave() } else { Ok(Vec::new()) };
                (refused, left)
            };
            done.send(()).expect("heard");
            wait.recv().expect("left");
            let again = call(&[active(0), active(4)]);
            done.send(()).expect("heard");
            match refused {
                Ok(_) => assert!(fits && left.is_ok()),
                Err(e) => {
                    assert!(!fits && matches!(e, Error::OtherThread { name: "x", .. }), "{e}")
                }
            }
            assert_eq!(again, Ok(()), "free again");
        });
    }
}

#[test]
fn many_threads() {
    let mut x = vec![0.0f64; 64];
    let mut dx: Vec<f64> = (0..64).map(f64::from).collect();
    let table = vec![1.0f64; 16];
    std::thread::scope(|scope| {
        for (x, dx) in x.chunks_mut(8).zip(dx.chunks_mut(8)) {
            let table = &table;
            scope.spawn(move || {
                for _ in 0..500 {
                    let mut registry = Registry::default();
                    let objects = [object("x", x, dx), constant("table", table)];
                    // SAFETY: the objects are there.
                    unsafe {
                        registry.enter(&objects, Policy::Refuse, Mode::Tangent).expect("apart");
                        for x in x.iter() {
                            let dot = in_shadow_memory(x).read();
                            in_shadow_memory(x).write(dot + 1.0);
                        }
                        registry.leave().expect("apart");
                    }
                }
            });
        }
    });
    assert!(std::hint::black_box(&dx).iter().enumerate().all(|(i, dot)| *dot == i as f64 + 500.0));
    x[0] = 0.0;
}
