//! The command line: `describe`, and `run` with its options.

use std::collections::BTreeMap;

use nizk_protocol::Seed;
use nizk_protocol::hash::Function;

use crate::speed::Task;

/// Most samples of one run.
const MAXIMUM_SAMPLES: u64 = 1_000_000;
/// Leaves of a tree unless told otherwise, as a binary logarithm.
const LEAVES_LOG2: u64 = 20;
/// Most leaves of a tree: 1 GiB of elements, and half of it for the level in hand.
const MAXIMUM_LEAVES_LOG2: u64 = 25;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Which code computes what.
    Describe,
    /// Samples of one task.
    Run {
        /// Of which function.
        function: Function,
        /// Of which task.
        task: Task,
        /// How many.
        samples: u64,
        /// From which message and leaves follow.
        seed: Seed,
    },
}

impl Command {
    /// Reads the arguments after the program's name.
    ///
    /// # Errors
    ///
    /// One sentence with the argument, the value given and what is legal.
    pub fn parse(arguments: &[String]) -> Result<Command, String> {
        match arguments {
            [command] if command == "describe" => Ok(Command::Describe),
            [command, options @ ..] if command == "run" => run(options),
            _ => Err("nizk-hash-speed takes describe, or run with its options".to_owned()),
        }
    }
}

fn run(arguments: &[String]) -> Result<Command, String> {
    let mut options = Options::read(arguments)?;
    let functions: Vec<&str> = Function::ALL.into_iter().map(Function::name).collect();
    let function = options.require("--function", &functions.join(", "), Function::from_name)?;
    let is_merkle = options.require("--task", "hash, merkle", |name| match name {
        "hash" => Some(false),
        "merkle" => Some(true),
        _ => None,
    })?;
    let within = |maximum: u64| {
        move |text: &str| text.parse().ok().filter(|number| (1..=maximum).contains(number))
    };
    let legal = format!("1 to {MAXIMUM_SAMPLES}");
    let samples = options.require("--samples", &legal, within(MAXIMUM_SAMPLES))?;
    let seed = options.require("--seed", "64 lower-case hexadecimal digits", Seed::parse)?;
    let task = if is_merkle {
        let legal = format!("1 to {MAXIMUM_LEAVES_LOG2}");
        let leaves = options.take("--leaves-log2", &legal, within(MAXIMUM_LEAVES_LOG2))?;
        // Bounded above, far below what a u32 holds.
        Task::Merkle { leaves_log2: leaves.unwrap_or(LEAVES_LOG2) as u32 }
    } else {
        Task::Hash
    };
    options.finish(if is_merkle { "merkle" } else { "hash" })?;
    Ok(Command::Run { function, task, samples, seed })
}

/// The options given, each at most once.
struct Options<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Options<'a> {
    fn read(arguments: &'a [String]) -> Result<Options<'a>, String> {
        let mut options = BTreeMap::new();
        for pair in arguments.chunks(2) {
            match pair {
                [name, value] if name.starts_with("--") => {
                    if options.insert(name.as_str(), value.as_str()).is_some() {
                        return Err(format!("{name} is given twice, legal is once"));
                    }
                }
                [name, ..] => {
                    return Err(format!(
                        "{name:?} stands alone, legal are pairs of --OPTION VALUE"
                    ));
                }
                [] => {}
            }
        }
        Ok(Options(options))
    }

    fn take<T>(
        &mut self,
        name: &str,
        legal: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let wrong = |text: &str| format!("{name} is {text:?}, legal is {legal}");
        self.0.remove(name).map(|text| read(text).ok_or_else(|| wrong(text))).transpose()
    }

    fn require<T>(
        &mut self,
        name: &str,
        legal: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, String> {
        self.take(name, legal, read)?.ok_or_else(|| format!("{name} is missing, legal is {legal}"))
    }

    fn finish(self, task: &str) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("{name} is no option of the task {task}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "0000000000000000000000000000000000000000000000000000000000000007";

    fn parse(line: &str) -> Result<Command, String> {
        let arguments: Vec<String> =
            line.replace("SEED", SEED).split_whitespace().map(str::to_owned).collect();
        Command::parse(&arguments)
    }

    #[test]
    fn a_full_command_line_is_taken() {
        let mut bytes = [0; 32];
        bytes[31] = 7;
        let seed = Seed::new(bytes);
        assert_eq!(parse("describe"), Ok(Command::Describe));
        assert_eq!(
            parse("run --function mimc-7 --task hash --samples 3 --seed SEED"),
            Ok(Command::Run { function: Function::Mimc7, task: Task::Hash, samples: 3, seed })
        );
        let merkle = |leaves_log2| Command::Run {
            function: Function::Sha3_256,
            task: Task::Merkle { leaves_log2 },
            samples: 1,
            seed,
        };
        let line = "run --seed SEED --samples 1 --task merkle --function sha3-256";
        assert_eq!(parse(line), Ok(merkle(20)));
        assert_eq!(parse(&format!("{line} --leaves-log2 1")), Ok(merkle(1)));
        assert_eq!(parse(&format!("{line} --leaves-log2 25")), Ok(merkle(25)));
    }

    #[test]
    fn a_wrong_command_line_is_named_in_one_sentence() {
        let good = "run --function sha256 --task hash --samples 3 --seed SEED";
        assert!(parse(good).is_ok());
        for (part, other, says) in [
            ("run", "ran", "takes describe"),
            ("run ", "describe ", "takes describe"),
            ("sha256", "md5", "--function is \"md5\", legal is sha256, sha3-256,"),
            ("--task hash", "--task tree", "--task is \"tree\", legal is hash, merkle"),
            ("--task hash", "", "--task is missing"),
            ("--samples 3", "--samples 0", "--samples is \"0\", legal is 1 to 1000000"),
            ("--samples 3", "--samples 1e3", "--samples is \"1e3\""),
            ("--samples 3", "--samples -1", "--samples is \"-1\""),
            ("--samples 3", "--samples 3 --samples 3", "--samples is given twice"),
            ("--seed SEED", "--seed 00", "--seed is \"00\""),
            ("--seed SEED", "--seed", "\"--seed\" stands alone"),
            ("--seed SEED", "--seed SEED --leaves-log2 3", "no option of the task hash"),
            ("--seed SEED", "--seed SEED --more 3", "--more is no option"),
            ("--task hash", "--task merkle --leaves-log2 0", "--leaves-log2 is \"0\""),
            ("--task hash", "--task merkle --leaves-log2 26", "legal is 1 to 25"),
        ] {
            let line = good.replacen(part, other, 1);
            let message = parse(&line).expect_err(&line);
            assert!(message.contains(says), "{line}: {message}");
            assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
        }
        assert!(parse("").is_err());
    }
}
