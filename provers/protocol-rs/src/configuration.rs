//! One cell of a grid, validated: what a session may rely on.

use std::collections::BTreeMap;

/// A validated configuration, with the defaults of the description filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    pub(crate) system: &'static str,
    pub(crate) statement: &'static str,
    pub(crate) size: u64,
    pub(crate) variant: BTreeMap<&'static str, &'static str>,
    pub(crate) options: BTreeMap<&'static str, OptionValue>,
    pub(crate) threads: usize,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionValue {
    Integer(u64),
    Choice(&'static str),
}

impl Configuration {
    /// Name of the system.
    pub fn system(&self) -> &'static str {
        self.system
    }

    /// Name of the statement.
    pub fn statement(&self) -> &'static str {
        self.statement
    }

    /// Size of the statement, in what its description names: rounds, bytes.
    pub fn size(&self) -> usize {
        // Sizes are bounded by the description, far below what a usize holds.
        self.size as usize
    }

    /// Threads to compute with; 1 for `verify`, which runs outside the loop.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Value of a variant of the statement.
    ///
    /// # Panics
    ///
    /// If the description has no variant of this name: a fault of the runner, not of a request.
    pub fn variant(&self, name: &str) -> &'static str {
        match self.variant.get(name) {
            Some(value) => value,
            None => panic!("the description of {} has no variant {name}", self.system),
        }
    }

    /// Whether the statement has this variant and it has this value.
    pub(crate) fn has_variant(&self, name: &str, value: &str) -> bool {
        self.variant.get(name) == Some(&value)
    }

    /// Value of an integer option.
    ///
    /// # Panics
    ///
    /// If the description has no integer option of this name: a fault of the runner.
    pub fn option_integer(&self, name: &str) -> u64 {
        match self.options.get(name) {
            Some(OptionValue::Integer(value)) => *value,
            _ => panic!("the description of {} has no integer option {name}", self.system),
        }
    }

    /// Value of an option that is one of several names.
    ///
    /// # Panics
    ///
    /// If the description has no such option of this name: a fault of the runner.
    pub fn option_choice(&self, name: &str) -> &'static str {
        match self.options.get(name) {
            Some(OptionValue::Choice(value)) => value,
            _ => panic!("the description of {} has no choice {name}", self.system),
        }
    }

    /// The variant as `name=value` joined by `,`, names in alphabetical order.
    pub fn canonical_variant(&self) -> String {
        let pairs: Vec<String> =
            self.variant.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join(",")
    }
}
