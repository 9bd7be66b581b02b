//! What functions without body have to do with data outside (`adrules::outside`), as the code here
//! calls them.

use super::text;
pub use adrules::outside::{Family, Outside, SIGNALS, find};

/// The name of a function that a stand-in of prebuilt code calls.
pub fn base(symbol: &str) -> &str {
    match symbol.strip_suffix(crate::foreign::SUFFIX) {
        Some(called) => called.split_once('(').map_or(called, |(name, _)| name),
        None => symbol,
    }
}

/// What a function without body has to do with data outside.
pub fn of(symbol: &str) -> Outside {
    let symbol = base(symbol);
    let effect =
        find(symbol).map_or(Outside::NONE, |(_, effect)| effect).union(text::effect(symbol));
    // Arrays are handed over by descriptors: what these lead to is not known by itself.
    let carries = effect.has(Outside::SENDS.union(Outside::RECEIVES));
    if carries && (symbol.contains("_f08ts") || symbol.starts_with("_QMmpi")) {
        effect.union(Outside::SHARES)
    } else {
        effect
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_known_by_what_they_call() {
        assert_eq!(base("sscanf(ptr, ptr, ptr).prebuilt"), "sscanf");
        assert_eq!(base("strtod.prebuilt"), "strtod");
        assert_eq!(base("f"), "f");
    }
}
