//! One code with everything on and with everything off: the gradients agree, and what is recorded
//! grows.

use adfigures::codes::CODES;
use adfigures::measure::measure;
use adfigures::report::Row;
use adtoolchain::Workbench;

#[test]
fn one_code_agrees_with_everything_on_and_off() {
    let tools = Workbench::new().unwrap_or_else(|e| panic!("{e}"));
    if let Some(why) = tools.missing_compiler() {
        return admachine::skip_without("clang", &why);
    }
    let analyses = tools.tools.analyses().unwrap_or_else(|e| panic!("{e}"));
    assert!(!analyses.is_empty());
    let code = CODES.iter().find(|code| code.name == "lstm").expect("a code");
    let [on, off] = ["", "all"]
        .map(|without| measure(&tools, code, without, 1).unwrap_or_else(|e| panic!("{e}")));
    assert!(off.recorded >= on.recorded && on.recorded > 0 && on.instructions > 0);
    for row in [Row::new("nothing", on.clone(), &on.values), Row::new("all", off, &on.values)] {
        assert!(
            row.is_right(),
            "without {}: difference {:e}, dot {:e}",
            row.without,
            row.difference,
            row.figures.dot
        );
    }
}
