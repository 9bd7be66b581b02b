//! What becomes of calls to functions without body and without rule:
//! `-ad-prebuilt=POLICY[,NAME=POLICY…]`.

/// What becomes of such calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// An error where they meet active data.
    #[default]
    Error,
    /// Derivatives go through their machine code.
    Shadow,
    /// They have no influence on derivatives.
    Inactive,
}

/// The policy of each function.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    all: Policy,
    /// By symbol; the last one counts.
    named: Vec<(String, Policy)>,
}

impl Policies {
    /// Of the function with that symbol.
    pub fn of(&self, symbol: &str) -> Policy {
        self.named.iter().rev().find(|(name, _)| name == symbol).map_or(self.all, |(_, p)| *p)
    }

    /// Whether all functions are differentiated through their machine code.
    pub fn are_plain(&self) -> bool {
        self.all == Policy::Shadow && self.named.is_empty()
    }

    /// Takes the value of an option on: it overrides earlier ones.
    pub fn set(&mut self, value: &str) -> Result<(), String> {
        for word in value.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            match word.split_once('=') {
                None => self.all = policy(word)?,
                Some((name, of)) if !name.trim().is_empty() => {
                    self.named.push((name.trim().into(), policy(of.trim())?))
                }
                Some(_) => return Err(format!("'{word}' does not name a function")),
            }
        }
        Ok(())
    }
}

fn policy(word: &str) -> Result<Policy, String> {
    match word {
        "error" => Ok(Policy::Error),
        "shadow" => Ok(Policy::Shadow),
        "inactive" => Ok(Policy::Inactive),
        _ => Err(format!("'{word}' is not one of shadow, error, inactive")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let mut p = Policies::default();
        assert_eq!(p.of("f"), Policy::Error);
        p.set("shadow, f=inactive").unwrap();
        assert_eq!([p.of("f"), p.of("g")], [Policy::Inactive, Policy::Shadow]);
        p.set("f=error").unwrap();
        assert_eq!([p.of("f"), p.of("g")], [Policy::Error, Policy::Shadow]);
        assert!(p.set("maybe").is_err() && p.set("=error").is_err() && p.set("f=").is_err());
    }
}
