//! Single programs whose shapes are hard on a compiler: straight-line functions of thousands of
//! lines, a long routine in Fortran, templates of Boost and Eigen. Each is compiled as it is, and
//! with a tangent and an adjoint.

use crate::{report::MOST_MEMORY, routine, straight};
use adtoolchain::Language;
use std::path::{Path, PathBuf};

/// How many times the time of the compiler alone the tangent and the adjoint together may take.
pub const LIMIT: f64 = 5.0;

/// A program.
pub struct Program {
    /// What it is.
    pub name: String,
    /// Its source, which is written to a file of that name.
    pub file: String,
    text: String,
    /// A header that it needs, and an option that finds it.
    needs: Option<(&'static str, &'static str)>,
    /// Plugin options that ask for its derivatives, where the source does not.
    pub options: &'static str,
}

const BOOST: Option<(&str, &str)> = Some(("boost/math/special_functions/bessel.hpp", ""));
const EIGEN: Option<(&str, &str)> = Some(("Eigen/Dense", "/usr/include/eigen3"));

/// What calls the functions of C++, with both derivatives where they are asked for.
const MAIN: &str = include_str!("../programs/main.cpp");

/// All of them.
pub fn all(seed: u64) -> Vec<Program> {
    let straight = |lines: usize| Program {
        name: format!("straight line, {lines} lines of C"),
        file: format!("straight{lines}.c"),
        text: straight::module(lines, seed),
        needs: None,
        options: "",
    };
    let cpp = |name: &str, file: &str, text: &str, needs| Program {
        name: name.into(),
        file: file.into(),
        text: format!("{text}{MAIN}"),
        needs,
        options: "",
    };
    vec![
        straight(5_000),
        straight(10_000),
        straight(20_000),
        Program {
            name: "one routine, 2,000 lines of Fortran".into(),
            file: "routine.f90".into(),
            text: routine::file(2_000, seed),
            needs: None,
            options: "-ad-tangent=routine(y)/(x) -ad-adjoint=routine(y)/(x) -ad-argnames=routine_:n,x,y",
        },
        cpp("Boost, Bessel functions", "bessel.cpp", include_str!("../programs/bessel.cpp"), BOOST),
        cpp(
            "Boost, special functions",
            "special.cpp",
            include_str!("../programs/special.cpp"),
            BOOST,
        ),
        cpp("Eigen, LDLT", "ldlt.cpp", include_str!("../programs/ldlt.cpp"), EIGEN),
        cpp(
            "Eigen, eigenvalues",
            "eigenvalues.cpp",
            include_str!("../programs/eigenvalues.cpp"),
            EIGEN,
        ),
        cpp("Eigen, SVD", "svd.cpp", include_str!("../programs/svd.cpp"), EIGEN),
        cpp("Eigen, sparse LU", "sparse_lu.cpp", include_str!("../programs/sparse_lu.cpp"), EIGEN),
    ]
}

impl Program {
    /// The language of its source.
    pub fn language(&self) -> Language {
        Language::of(Path::new(&self.file)).expect("a source in a known language")
    }
    /// Writes the source into a folder.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, String> {
        let file = folder.join(&self.file);
        std::fs::write(&file, &self.text).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(file)
    }
    /// A folder of headers that it needs.
    pub fn headers(&self) -> Option<&'static str> {
        self.needs.map(|n| n.1).filter(|folder| !folder.is_empty())
    }
    /// The header that is absent, if one is.
    pub fn missing(&self) -> Option<&'static str> {
        let (header, folder) = self.needs?;
        let folders = [folder, "/usr/include", "/usr/local/include"];
        let exists = |f: &&str| !f.is_empty() && Path::new(f).join(header).exists();
        (!folders.iter().any(exists)).then_some(header)
    }
}

/// What a program took, alone and with its derivatives.
pub struct Outcome {
    /// Milliseconds of the compiler alone.
    pub plain: f64,
    /// Milliseconds with the plugin.
    pub with: f64,
    /// Largest resident set with the plugin, in bytes.
    pub peak: u64,
}

impl Outcome {
    /// How many times the compiler alone.
    pub fn ratio(&self) -> f64 {
        self.with / self.plain
    }
}

/// The verdict on a program in words, and whether it passes.
pub fn verdict(outcome: &Result<Outcome, String>) -> (bool, String) {
    match outcome {
        Err(why) => (false, format!("FAIL: {why}")),
        Ok(o) if o.peak >= MOST_MEMORY => (false, "FAIL: too much memory".into()),
        Ok(o) if o.ratio() > LIMIT => (false, format!("FAIL: more than {LIMIT:.0} times")),
        Ok(_) => (true, "ok".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_or_too_much_or_fails_does_not_pass() {
        let took = |with, peak| Ok(Outcome { plain: 100.0, with, peak });
        assert_eq!(verdict(&took(400.0, 1)), (true, "ok".into()));
        assert!(!verdict(&took(501.0, 1)).0);
        assert!(!verdict(&took(400.0, MOST_MEMORY)).0);
        assert!(!verdict(&Err("refused".into())).0);
    }

    #[test]
    fn programs_are_the_same_for_the_same_seed_and_have_their_length() {
        let lines = |p: &Program| p.text.lines().count();
        for (a, b) in all(1).iter().zip(&all(1)) {
            assert_eq!((&a.file, &a.text), (&b.file, &b.text));
        }
        assert!((5_000..5_100).contains(&lines(&all(1)[0])));
        assert!((1_600..2_600).contains(&lines(&all(1)[3])));
    }
}
