//! The analyses that the plugin can switch off: it lists them when it is asked to switch off one
//! that it has not.

/// The option that makes the plugin list them.
pub const QUESTION: &str = "-ad-disable=?";
/// All of them at once.
pub const ALL: &str = "all";

/// The names in `'?' is not one of tbr, recompute, all`, without `all`.
pub fn listed(message: &str) -> Option<Vec<String>> {
    let (_, list) = message.split_once("'?' is not one of ")?;
    let names = list.lines().next()?.split(',').map(|name| name.trim().to_string());
    Some(names.filter(|name| name != ALL).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_analyses_are_those_of_the_message() {
        let message = "error: AD002: -ad-disable: '?' is not one of recompute, reload, tbr, all\n1 error generated.";
        assert_eq!(listed(message).unwrap(), ["recompute", "reload", "tbr"]);
        assert_eq!(listed("error: no such file"), None);
    }
}
