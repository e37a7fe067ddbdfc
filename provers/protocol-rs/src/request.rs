//! Requests: read strictly, validated against what the runner describes.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::configuration::{Configuration, OptionValue};
use crate::description::{
    OptionDescription, Phase, SizeRule, StatementDescription, SystemDescription,
};
use crate::hash;
use crate::json::{Json, Members, listed, quoted, range};
use crate::seed::Seed;
use crate::system::Failure;

/// Longest `id` in bytes.
const MAXIMUM_ID_BYTES: usize = 128;

/// How many proofs may be verified together.
const LEGAL_BATCHES: RangeInclusive<u64> = 2..=1024;

const RUN_MEMBERS: &str = "type, id, system, statement, size, variant, options, threads, seed, \
                           instances, first_instance, stop, phases, batch, artifacts";
const VERIFY_MEMBERS: &str =
    "type, id, system, statement, size, variant, options, public_input, verifying_key, proof";

/// A request of `RUNNER run`.
#[derive(Debug)]
pub(crate) struct RunRequest {
    pub(crate) configuration: Configuration,
    pub(crate) seed: Seed,
    pub(crate) instances: Instances,
    pub(crate) first_instance: u64,
    pub(crate) stop: Stop,
    pub(crate) phases: Vec<Phase>,
    /// How many proofs are also verified together.
    pub(crate) batch: Option<u64>,
    pub(crate) artifacts: Option<PathBuf>,
}

/// Which instance a sample uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instances {
    Fresh,
    Fixed,
}

/// When a loop ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    pub(crate) warmup: u64,
    pub(crate) minimum: u64,
    pub(crate) maximum: u64,
    pub(crate) seconds: f64,
}

/// A request of `RUNNER verify`.
#[derive(Debug)]
pub(crate) struct VerifyRequest {
    pub(crate) configuration: Configuration,
    pub(crate) public_input: PathBuf,
    pub(crate) verifying_key: PathBuf,
    pub(crate) proof: PathBuf,
}

/// A line that is an object with an `id`: as far as every answer must be able to name it.
pub(crate) struct Envelope {
    pub(crate) id: String,
    members: Members,
}

impl Envelope {
    /// Reads a line as far as its `id`.
    pub(crate) fn read(line: &[u8]) -> Result<Envelope, Failure> {
        let unreadable =
            |message: String| Failure { option: None, ..Failure::invalid_request("", message) };
        let text = std::str::from_utf8(line).map_err(|error| {
            unreadable(format!(
                "the line is not UTF-8 after its first {} bytes, legal is JSON in UTF-8",
                error.valid_up_to()
            ))
        })?;
        let value: Json = serde_json::from_str(text)
            .map_err(|error| unreadable(format!("the line is not a legal JSON object: {error}")))?;
        let mut members = Members::of_request(value)?;
        let legal = format!("a string of 1 to {MAXIMUM_ID_BYTES} bytes");
        let id = members.text("id", &legal)?;
        if id.is_empty() || id.len() > MAXIMUM_ID_BYTES {
            return Err(members.wrong("id", &Json::Text(id), &legal));
        }
        Ok(Envelope { id, members })
    }

    /// Reads the rest as a request to run; also the position of its system.
    pub(crate) fn into_run(
        self,
        systems: &[SystemDescription],
    ) -> Result<(usize, RunRequest), Failure> {
        let mut members = self.members;
        members.choice("type", &["run"])?;
        let (position, description, mut configuration) = read_cell(&mut members, systems)?;
        configuration.threads = read_threads(&mut members, description)?;
        let seed = read_seed(&mut members)?;
        let instances = match members.choice("instances", &["fresh", "fixed"])? {
            "fixed" => Instances::Fixed,
            _ => Instances::Fresh,
        };
        let stop = read_stop(&mut members)?;
        let first_instance = read_first_instance(&mut members, stop)?;
        let phases = read_phases(&mut members)?;
        let batch = read_batch(&mut members, description, &phases)?;
        let artifacts = read_artifacts(&mut members)?;
        members.finish(RUN_MEMBERS)?;
        let request = RunRequest {
            configuration,
            seed,
            instances,
            first_instance,
            stop,
            phases,
            batch,
            artifacts,
        };
        Ok((position, request))
    }

    /// Reads the rest as a request to verify; also the position of its system.
    pub(crate) fn into_verify(
        self,
        systems: &[SystemDescription],
    ) -> Result<(usize, VerifyRequest), Failure> {
        let mut members = self.members;
        members.choice("type", &["verify"])?;
        let (position, _, configuration) = read_cell(&mut members, systems)?;
        let mut path = |name| members.text(name, "the path of a file").map(PathBuf::from);
        let public_input = path("public_input")?;
        let verifying_key = path("verifying_key")?;
        let proof = path("proof")?;
        members.finish(VERIFY_MEMBERS)?;
        Ok((position, VerifyRequest { configuration, public_input, verifying_key, proof }))
    }
}

/// A configuration of a system's first statement from texts alone, for the plain programs: variant
/// and options as pairs of name and value.
pub(crate) fn configuration_from_texts(
    description: &SystemDescription,
    size: u64,
    threads: u64,
    variant: Vec<(String, String)>,
    options: Vec<(String, String)>,
) -> Result<Configuration, Failure> {
    let text = |(name, value): (String, String)| (name, Json::Text(value));
    let number_or_text = |(name, value): (String, String)| match value.parse() {
        Ok(number) => (name, Json::Unsigned(number)),
        Err(_) => (name, Json::Text(value)),
    };
    let Some(statement) = description.statements.first() else {
        return Err(Failure::internal(format!("{} proves no statement", description.system)));
    };
    let size = vec![(statement.size.name.to_owned(), Json::Unsigned(size))];
    let members = vec![
        ("system".to_owned(), Json::Text(description.system.to_owned())),
        ("statement".to_owned(), Json::Text(statement.statement.to_owned())),
        ("size".to_owned(), Json::Object(size)),
        ("variant".to_owned(), Json::Object(variant.into_iter().map(text).collect())),
        ("options".to_owned(), Json::Object(options.into_iter().map(number_or_text).collect())),
        ("threads".to_owned(), Json::Unsigned(threads)),
    ];
    let mut members = Members::of_request(Json::Object(members))?;
    let (_, _, mut configuration) = read_cell(&mut members, std::slice::from_ref(description))?;
    configuration.threads = read_threads(&mut members, description)?;
    Ok(configuration)
}

/// What `run` and `verify` have in common: system, statement, size, variant and options.
fn read_cell<'a>(
    members: &mut Members,
    systems: &'a [SystemDescription],
) -> Result<(usize, &'a SystemDescription, Configuration), Failure> {
    let names: Vec<&str> = systems.iter().map(|description| description.system).collect();
    let system = members.choice("system", &names)?;
    let position = names.iter().position(|name| *name == system).unwrap_or_default();
    let description = &systems[position];
    let names: Vec<&str> =
        description.statements.iter().map(|statement| statement.statement).collect();
    let name = members.choice("statement", &names)?;
    let statement = description
        .statements
        .iter()
        .find(|statement| statement.statement == name)
        .ok_or_else(|| Failure::internal("the statement vanished from the description"))?;
    let size = read_size(members, statement)?;
    let variant = read_variant(members, statement)?;
    let options = read_options(members, description)?;
    let configuration = Configuration {
        system: description.system,
        statement: statement.statement,
        size,
        variant,
        options,
        threads: 1,
    };
    if configuration.statement == hash::STATEMENT {
        hash::legal(&configuration)?;
    }
    Ok((position, description, configuration))
}

fn read_size(members: &mut Members, statement: &StatementDescription) -> Result<u64, Failure> {
    let rule = &statement.size;
    let mut size = members.object("size")?;
    let value = size.integer(rule.name, rule.minimum, rule.maximum)?;
    let full = size.full(rule.name);
    size.finish(rule.name)?;
    match rule.rule {
        SizeRule::Any => Ok(value),
        SizeRule::PowerOfTwo if value.is_power_of_two() => Ok(value),
        SizeRule::PowerOfTwo => {
            let message = format!(
                "{full} is {value}, supported are powers of two from {} to {}",
                rule.minimum, rule.maximum
            );
            Err(Failure::unsupported("power-of-two", full, message))
        }
        SizeRule::PowerOfTwoMinusOne if (value + 1).is_power_of_two() => Ok(value),
        SizeRule::PowerOfTwoMinusOne => {
            let message = format!(
                "{full} is {value}, supported are powers of two minus one from {} to {}",
                rule.minimum, rule.maximum
            );
            Err(Failure::unsupported("power-of-two-minus-one", full, message))
        }
    }
}

fn read_variant(
    members: &mut Members,
    statement: &StatementDescription,
) -> Result<BTreeMap<&'static str, &'static str>, Failure> {
    let mut given = members.object("variant")?;
    let mut variant = BTreeMap::new();
    for legal in &statement.variants {
        let value = match given.take(legal.name) {
            None => legal.default,
            Some(value) => choose(&given, legal.name, &value, &legal.values)?,
        };
        variant.insert(legal.name, value);
    }
    let names: Vec<&str> = statement.variants.iter().map(|variant| variant.name).collect();
    given.finish(&listed(&names))?;
    Ok(variant)
}

fn read_options(
    members: &mut Members,
    description: &SystemDescription,
) -> Result<BTreeMap<&'static str, OptionValue>, Failure> {
    let mut given = members.object("options")?;
    let mut options = BTreeMap::new();
    for legal in &description.options {
        let name = legal.name();
        let value = match (given.take(name), legal) {
            (None, OptionDescription::Integer { default, .. }) => OptionValue::Integer(*default),
            (None, OptionDescription::Choice { default, .. }) => OptionValue::Choice(default),
            (Some(value), OptionDescription::Choice { values, .. }) => {
                OptionValue::Choice(choose_option(name, &value, values)?)
            }
            (Some(value), OptionDescription::Integer { minimum, maximum, values, .. }) => {
                let legal = |number: &u64| {
                    (minimum..=maximum).contains(&number)
                        && (values.is_empty() || values.contains(number))
                };
                match &value {
                    Json::Unsigned(number) if legal(number) => OptionValue::Integer(*number),
                    other => {
                        let legal = if values.is_empty() {
                            range(*minimum, *maximum)
                        } else {
                            listed(values)
                        };
                        return Err(wrong_option(name, other, &legal));
                    }
                }
            }
        };
        options.insert(name, value);
    }
    let names: Vec<&str> = description.options.iter().map(OptionDescription::name).collect();
    given.finish(&listed(&names)).map_err(without_prefix)?;
    Ok(options)
}

/// PROTOCOL.md names an option at fault by its own name alone.
fn without_prefix(failure: Failure) -> Failure {
    let option =
        failure.option.map(|name| name.strip_prefix("options.").unwrap_or(&name).to_owned());
    Failure { option, ..failure }
}

fn wrong_option(name: &str, value: &Json, legal: &str) -> Failure {
    Failure::invalid_request(name, format!("option {name} is {value}, legal is {legal}"))
}

fn choose_option(
    name: &str,
    value: &Json,
    values: &[&'static str],
) -> Result<&'static str, Failure> {
    find(value, values).ok_or_else(|| wrong_option(name, value, &listed(values)))
}

fn choose(
    members: &Members,
    name: &str,
    value: &Json,
    values: &[&'static str],
) -> Result<&'static str, Failure> {
    find(value, values).ok_or_else(|| members.wrong(name, value, &listed(values)))
}

fn find(value: &Json, values: &[&'static str]) -> Option<&'static str> {
    match value {
        Json::Text(text) => values.iter().find(|legal| *legal == text).copied(),
        _ => None,
    }
}

fn read_threads(members: &mut Members, description: &SystemDescription) -> Result<usize, Failure> {
    let minimum = u64::from(description.threads.minimum);
    let maximum = u64::from(description.threads.maximum.unwrap_or(u32::MAX));
    Ok(members.integer("threads", minimum, maximum)? as usize)
}

fn read_seed(members: &mut Members) -> Result<Seed, Failure> {
    const LEGAL: &str = "64 lower-case hexadecimal digits";
    let text = members.text("seed", LEGAL)?;
    Seed::parse(&text).ok_or_else(|| members.wrong("seed", &Json::Text(text), LEGAL))
}

fn read_stop(members: &mut Members) -> Result<Stop, Failure> {
    const MAXIMUM_SAMPLES: u64 = 1_000_000;
    const MAXIMUM_SECONDS: f64 = 86400.0;
    const SECONDS: &str = "a number above 0 and at most 86400";
    let mut stop = members.object("stop")?;
    let warmup = stop.integer("warmup", 0, 1000)?;
    let minimum = stop.integer("minimum", 1, MAXIMUM_SAMPLES)?;
    let maximum = stop.integer("maximum", 1, MAXIMUM_SAMPLES)?;
    if maximum < minimum {
        let legal = format!("an integer from stop.minimum, which is {minimum}, to 1000000");
        return Err(stop.wrong("maximum", &Json::Unsigned(maximum), &legal));
    }
    let given = stop.require("seconds", SECONDS)?;
    let seconds = match given {
        Json::Unsigned(value) => value as f64,
        Json::Float(value) => value,
        _ => f64::NAN,
    };
    if !(seconds > 0.0 && seconds <= MAXIMUM_SECONDS) {
        return Err(stop.wrong("seconds", &given, SECONDS));
    }
    stop.finish("warmup, minimum, maximum, seconds")?;
    Ok(Stop { warmup, minimum, maximum, seconds })
}

/// The first instance leaves room for all the loop may use after it.
fn read_first_instance(members: &mut Members, stop: Stop) -> Result<u64, Failure> {
    let legal = range(0, u64::MAX - stop.warmup - stop.maximum);
    match members.take("first_instance") {
        None => Ok(0),
        Some(Json::Unsigned(index)) if index <= u64::MAX - stop.warmup - stop.maximum => Ok(index),
        Some(other) => Err(members.wrong("first_instance", &other, &legal)),
    }
}

fn read_phases(members: &mut Members) -> Result<Vec<Phase>, Failure> {
    let legal =
        format!("a non-empty array of {}, each at most once", listed(&Phase::ALL.map(Phase::name)));
    let given = members.require("phases", &legal)?;
    let Json::Array(items) = &given else {
        return Err(members.wrong("phases", &given, &legal));
    };
    let mut phases = Vec::new();
    for item in items {
        let named = |phase: &Phase| matches!(item, Json::Text(text) if text == phase.name());
        match Phase::ALL.into_iter().find(named) {
            Some(phase) if !phases.contains(&phase) => phases.push(phase),
            Some(phase) => {
                let message = format!("phases has {} twice, legal is {legal}", phase.name());
                return Err(Failure::invalid_request("phases", message));
            }
            None => {
                let message = format!("phases has {item}, legal is {legal}");
                return Err(Failure::invalid_request("phases", message));
            }
        }
    }
    if phases.is_empty() {
        return Err(members.wrong("phases", &given, &legal));
    }
    Ok(phases)
}

fn read_batch(
    members: &mut Members,
    description: &SystemDescription,
    phases: &[Phase],
) -> Result<Option<u64>, Failure> {
    let batch = match members.take("batch") {
        None => return Ok(None),
        Some(Json::Unsigned(batch)) if LEGAL_BATCHES.contains(&batch) => batch,
        Some(other) => {
            let legal = range(*LEGAL_BATCHES.start(), *LEGAL_BATCHES.end());
            return Err(members.wrong("batch", &other, &legal));
        }
    };
    if !phases.contains(&Phase::Verify) {
        let message = format!("batch is {batch}, legal is none without verify among the phases");
        return Err(Failure::invalid_request("batch", message));
    }
    if !description.properties.batch_verification.supported {
        let message = format!(
            "batch is {batch}, supported is none, since {} verifies proofs one by one",
            description.system
        );
        return Err(Failure::unsupported("no-batch-verification", "batch", message));
    }
    Ok(Some(batch))
}

fn read_artifacts(members: &mut Members) -> Result<Option<PathBuf>, Failure> {
    const LEGAL: &str = "the path of an existing folder";
    match members.take("artifacts") {
        None => Ok(None),
        Some(Json::Text(text)) => {
            let folder = PathBuf::from(&text);
            if folder.is_dir() {
                Ok(Some(folder))
            } else {
                let message = format!("artifacts is {}, legal is {LEGAL}", quoted(&text));
                Err(Failure::invalid_request("artifacts", message))
            }
        }
        Some(other) => Err(members.wrong("artifacts", &other, LEGAL)),
    }
}
