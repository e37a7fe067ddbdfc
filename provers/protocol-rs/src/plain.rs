//! What the plain programs read: the same configurations as requests, from the environment.
//!
//! A plain program measures prove and verify of a runner's circuit with Criterion and without the
//! loop of this crate; comparing the two shows what the loop costs. Nothing here touches the loop.
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `NIZK_PLAIN_SYSTEM` | one of the runner's systems | the first |
//! | `NIZK_PLAIN_SIZE` | size of the first statement of the system | 255 |
//! | `NIZK_PLAIN_VARIANT` | `name=value` joined by `,` | the defaults |
//! | `NIZK_PLAIN_OPTIONS` | `name=value` joined by `,` | the defaults |
//! | `NIZK_PLAIN_THREADS` | threads | 1 |
//! | `NIZK_PLAIN_SEED` | 64 lower-case hexadecimal digits | 64 zeros |

use std::env::VarError;

use crate::configuration::Configuration;
use crate::description::SystemDescription;
use crate::request::configuration_from_texts;
use crate::seed::Seed;
use crate::system::Failure;
use crate::threads::{self, Pool};

/// What a plain program measures.
pub struct Plain {
    /// Position of the system among the descriptions given.
    pub position: usize,
    /// The validated configuration.
    pub configuration: Configuration,
    /// The seed of constants and instances.
    pub seed: Seed,
}

/// Reads the environment, validates it against the descriptions and starts the thread pool.
///
/// # Errors
///
/// One sentence with the variable or the member, the value given and what is legal.
pub fn from_environment(descriptions: &[SystemDescription]) -> Result<Plain, Failure> {
    let plain = read(descriptions, |name| std::env::var(name))?;
    threads::within_processors(plain.configuration.threads())?;
    Pool::start(plain.configuration.threads())?;
    Ok(plain)
}

fn read(
    descriptions: &[SystemDescription],
    variable: impl Fn(&str) -> Result<String, VarError>,
) -> Result<Plain, Failure> {
    let value = |name: &str, default: &str| match variable(name) {
        Ok(value) => Ok(value),
        Err(VarError::NotPresent) => Ok(default.to_owned()),
        Err(VarError::NotUnicode(_)) => {
            Err(Failure::invalid_request(name, format!("{name} is not UTF-8, legal is text")))
        }
    };
    let number = |name: &str, default: &str| {
        let text = value(name, default)?;
        text.parse::<u64>().map_err(|_| {
            Failure::invalid_request(name, format!("{name} is {text:?}, legal is a whole number"))
        })
    };
    let first = descriptions.first().map_or("", |description| description.system);
    let system = value("NIZK_PLAIN_SYSTEM", first)?;
    let Some(position) = descriptions.iter().position(|description| description.system == system)
    else {
        let names: Vec<&str> = descriptions.iter().map(|d| d.system).collect();
        let message = format!("NIZK_PLAIN_SYSTEM is {system:?}, legal is {}", names.join(", "));
        return Err(Failure::invalid_request("NIZK_PLAIN_SYSTEM", message));
    };
    let configuration = configuration_from_texts(
        &descriptions[position],
        number("NIZK_PLAIN_SIZE", "255")?,
        number("NIZK_PLAIN_THREADS", "1")?,
        pairs("NIZK_PLAIN_VARIANT", &value("NIZK_PLAIN_VARIANT", "")?)?,
        pairs("NIZK_PLAIN_OPTIONS", &value("NIZK_PLAIN_OPTIONS", "")?)?,
    )?;
    let text = value("NIZK_PLAIN_SEED", &"0".repeat(64))?;
    let seed = Seed::parse(&text).ok_or_else(|| {
        let message =
            format!("NIZK_PLAIN_SEED is {text:?}, legal is 64 lower-case hexadecimal digits");
        Failure::invalid_request("NIZK_PLAIN_SEED", message)
    })?;
    Ok(Plain { position, configuration, seed })
}

/// Splits `name=value` joined by `,`; nothing at all is no pair.
fn pairs(variable: &str, text: &str) -> Result<Vec<(String, String)>, Failure> {
    text.split(',')
        .filter(|_| !text.is_empty())
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => {
                let message =
                    format!("{variable} has {pair:?}, legal is name=value joined by commas");
                Err(Failure::invalid_request(variable, message))
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;
    use crate::toy::Toy;

    fn read_from(variables: &[(&str, &str)]) -> Result<Plain, Failure> {
        read(&[Toy.description()], |name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        })
    }

    #[test]
    fn nothing_set_is_the_default_configuration() {
        let plain = read_from(&[]).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(plain.configuration.size(), 255);
        assert_eq!(plain.configuration.threads(), 1);
        assert_eq!(plain.configuration.canonical_variant(), "constants=fixed,preimage=witness");
        assert_eq!(plain.configuration.option_integer("power"), 4);
        assert_eq!(plain.seed, Seed::new([0; 32]));
    }

    #[test]
    fn everything_set_is_taken() {
        let plain = read_from(&[
            ("NIZK_PLAIN_SYSTEM", "toy/nothing/m31"),
            ("NIZK_PLAIN_SIZE", "15"),
            ("NIZK_PLAIN_VARIANT", "preimage=public,constants=public"),
            ("NIZK_PLAIN_OPTIONS", "power=8,fault=none"),
            ("NIZK_PLAIN_THREADS", "2"),
            ("NIZK_PLAIN_SEED", &"01".repeat(32)),
        ])
        .unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(plain.configuration.size(), 15);
        assert_eq!(plain.configuration.threads(), 2);
        assert_eq!(plain.configuration.canonical_variant(), "constants=public,preimage=public");
        assert_eq!(plain.configuration.option_integer("power"), 8);
        assert_eq!(plain.seed, Seed::new([1; 32]));
    }

    #[test]
    fn what_no_request_may_say_no_variable_may() {
        for (name, value) in [
            ("NIZK_PLAIN_SYSTEM", "nobody/nothing/nowhere"),
            ("NIZK_PLAIN_SIZE", "8"),
            ("NIZK_PLAIN_SIZE", "many"),
            ("NIZK_PLAIN_VARIANT", "constants"),
            ("NIZK_PLAIN_VARIANT", "constants=unbound"),
            ("NIZK_PLAIN_VARIANT", "constants=fixed,constants=fixed"),
            ("NIZK_PLAIN_OPTIONS", "power=3"),
            ("NIZK_PLAIN_OPTIONS", "colour=blue"),
            ("NIZK_PLAIN_THREADS", "0"),
            ("NIZK_PLAIN_SEED", "00"),
        ] {
            let failure = read_from(&[(name, value)]).map(|_| ()).unwrap_err();
            assert!(!failure.message.is_empty(), "{name}={value}");
        }
    }
}
