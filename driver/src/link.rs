//! What adcc adds to a link: the runtime and what that needs, after the user's inputs.
//!
//! The archive goes by `-Xlinker`: as a plain input it would be compiled when `-x c` is in force.
//! Linkers take from it only what is referred to, so a program without derivatives stays as it is.

use std::ffi::OsString;

use crate::command_line::CommandLine;
use crate::error::Error;
use crate::toolchain::Places;

/// Libraries of the system that the runtime refers to.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lm", "-lpthread", "-ldl"];

/// The words to append; none when nothing is linked, or the user wants no libraries
/// (`-nostdlib`, `-nodefaultlibs`, `-r`).
///
/// # Errors
/// [`Error::NoRuntime`].
pub fn plan(line: &CommandLine, places: &Places) -> Result<Vec<OsString>, Error> {
    if !line.links() || line.without_libraries {
        return Ok(vec![]);
    }
    // The archives have some of libm's functions, and of the compiler's (`__divdc3`), for their own use: the program's are those that it would have without them.
    let mut words = vec![OsString::from("-lm")];
    if !line.compiler_rt {
        words.push("-lgcc".into());
    }
    words.extend([OsString::from("-Xlinker"), places.runtime()?.into()]);
    if let Some(shadow) = places.shadow_runtime() {
        // The C library first: else its functions that the shadow runtime stands in for would bring that into every program.
        words.extend([OsString::from("-lc"), OsString::from("-Xlinker"), shadow.into()]);
    }
    words.extend(SYSTEM_LIBRARIES.map(OsString::from));
    Ok(words)
}
