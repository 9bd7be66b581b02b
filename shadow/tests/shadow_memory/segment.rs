//! Shadow memory in 4 GiB: through a segment that grows down, the same in all threads.

use std::{arch::asm, process::Command};

use adshadow::memory::space;

/// What a load through the segment finds beside an address.
///
/// # Safety
/// The address has a shadow, or the process may end.
unsafe fn load(at: usize) -> f64 {
    let dot: f64;
    // SAFETY: by contract.
    unsafe { asm!("movsd {dot}, fs:[{at}]", dot = out(xmm_reg) dot, at = in(reg) at) };
    dot
}

static mut VARIABLE: f64 = 0.0;

#[test]
fn the_segment_leads_to_shadows() {
    let work = || {
        space::install_on_thread().expect("nobody uses FS");
        space::install_on_thread().expect("again");
        let (local, heap) = (1.0f64, Box::new(2.0f64));
        let places = [&raw const local, &raw const *heap, &raw const VARIABLE];
        for (k, place) in places.into_iter().enumerate() {
            space::covers(place as u64..place as u64 + 8)
                .expect("the stack, the heap and the executable");
            // SAFETY: covered.
            unsafe {
                (space::of(place as u64) as *mut f64).write(k as f64 + 0.5);
                assert_eq!(load(place as usize), k as f64 + 0.5);
                (space::of(place as u64) as *mut f64).write(0.0);
            }
        }
        // Threads inherit it, and find it installed.
        std::thread::spawn(|| space::install_on_thread().expect("inherited"))
            .join()
            .expect("no panic");
        space::uninstall_on_thread();
        let selector: u16;
        // SAFETY: a segment register is read.
        unsafe { asm!("mov {0:x}, fs", out(reg) selector) };
        selector
    };
    assert_eq!(std::thread::spawn(work).join().expect("no panic"), 0);
}

/// Their shadows would be the program's own memory at the other end of the address space.
#[test]
fn low_addresses_fault() {
    assert!(space::covers(0x0804_8000..0x0804_9000).is_err());
    if std::env::var("IN_CHILD").is_ok() {
        space::install_on_thread().expect("nobody uses FS");
        // SAFETY: it ends this process.
        println!("went on with {}", unsafe { load(0x0804_8000) });
        return;
    }
    let mut child = Command::new(std::env::current_exe().expect("this test"));
    let output = child
        .args(["--exact", "segment::low_addresses_fault", "--nocapture"])
        .env("IN_CHILD", "1")
        .output()
        .expect("runs");
    assert!(
        !output.status.success() && !String::from_utf8_lossy(&output.stdout).contains("went on"),
        "{output:?}"
    );
}
