//! JSON read without losing what serde would: a member given twice is refused, and a value that has
//! the wrong type can still be quoted back to whoever sent it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::system::Failure;

/// Longest quotation of a value in a message, in characters.
const QUOTED_CHARACTERS: usize = 80;

/// A JSON value whose objects keep their order and have no member twice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Unsigned(u64),
    Negative(i64),
    Float(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Unsigned(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(u64::try_from(value).map_or(Json::Negative(value), Json::Unsigned))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        let mut names = std::collections::HashSet::new();
        while let Some((name, value)) = access.next_entry::<String, Json>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(format!("member {name} is given twice")));
            }
            members.push((name, value));
        }
        Ok(Json::Object(members))
    }
}

/// The value as JSON on one line, cut after [`QUOTED_CHARACTERS`].
impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => formatter.write_str("null"),
            Json::Bool(value) => write!(formatter, "{value}"),
            Json::Unsigned(value) => write!(formatter, "{value}"),
            Json::Negative(value) => write!(formatter, "{value}"),
            Json::Float(value) => write!(formatter, "{value:?}"),
            Json::Text(text) => formatter.write_str(&quoted(text)),
            Json::Array(items) => write!(formatter, "an array of {}", items.len()),
            Json::Object(members) => write!(formatter, "an object of {}", members.len()),
        }
    }
}

/// A text in quotation marks on one line, cut after [`QUOTED_CHARACTERS`].
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// The members of an object, taken one after another, so that what is left over was misspelt.
pub(crate) struct Members {
    /// What stands before a member's name in messages: empty, or a name and a dot.
    prefix: String,
    members: Vec<(String, Json)>,
}

impl Members {
    /// The members of the request itself.
    pub(crate) fn of_request(value: Json) -> Result<Members, Failure> {
        match value {
            Json::Object(members) => Ok(Members { prefix: String::new(), members }),
            other => Err(Failure {
                option: None,
                ..Failure::invalid_request(
                    "",
                    format!("the request is {other}, legal is an object"),
                )
            }),
        }
    }

    /// The object that stands as member `name`; empty where it is missing.
    pub(crate) fn object(&mut self, name: &str) -> Result<Members, Failure> {
        let prefix = format!("{}{name}.", self.prefix);
        match self.take(name) {
            None => Ok(Members { prefix, members: Vec::new() }),
            Some(Json::Object(members)) => Ok(Members { prefix, members }),
            Some(other) => Err(self.wrong(name, &other, "an object")),
        }
    }

    /// Full name of a member, as messages call it.
    pub(crate) fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Takes a member out, if it is there.
    pub(crate) fn take(&mut self, name: &str) -> Option<Json> {
        let position = self.members.iter().position(|(member, _)| member == name)?;
        Some(self.members.swap_remove(position).1)
    }

    /// Takes a member out that has to be there.
    pub(crate) fn require(&mut self, name: &str, legal: &str) -> Result<Json, Failure> {
        let full = self.full(name);
        self.take(name).ok_or_else(|| {
            let message = format!("member {full} is missing, legal is {legal}");
            Failure::invalid_request(full, message)
        })
    }

    /// A text that has to be there.
    pub(crate) fn text(&mut self, name: &str, legal: &str) -> Result<String, Failure> {
        match self.require(name, legal)? {
            Json::Text(text) => Ok(text),
            other => Err(self.wrong(name, &other, legal)),
        }
    }

    /// An integer of a range that has to be there.
    pub(crate) fn integer(
        &mut self,
        name: &str,
        minimum: u64,
        maximum: u64,
    ) -> Result<u64, Failure> {
        let legal = range(minimum, maximum);
        match self.require(name, &legal)? {
            Json::Unsigned(value) if (minimum..=maximum).contains(&value) => Ok(value),
            other => Err(self.wrong(name, &other, &legal)),
        }
    }

    /// One of several names that has to be there.
    pub(crate) fn choice<'a>(
        &mut self,
        name: &str,
        values: &[&'a str],
    ) -> Result<&'a str, Failure> {
        let legal = listed(values);
        let value = self.require(name, &legal)?;
        let chosen = match &value {
            Json::Text(text) => values.iter().find(|legal| *legal == text),
            _ => None,
        };
        chosen.copied().ok_or_else(|| self.wrong(name, &value, &legal))
    }

    /// The failure of a member whose value is not legal.
    pub(crate) fn wrong(&self, name: &str, value: &Json, legal: &str) -> Failure {
        let full = self.full(name);
        let message = format!("{full} is {value}, legal is {legal}");
        Failure::invalid_request(full, message)
    }

    /// Whether nothing is left; the failure names the first member that nobody asked for.
    pub(crate) fn finish(self, legal: &str) -> Result<(), Failure> {
        match self.members.first() {
            None => Ok(()),
            Some((name, _)) => {
                let full = self.full(name);
                let message = format!("member {} is unknown, legal is {legal}", quoted(&full));
                Err(Failure::invalid_request(full, message))
            }
        }
    }
}

/// A range in words.
pub(crate) fn range(minimum: u64, maximum: u64) -> String {
    format!("an integer from {minimum} to {maximum}")
}

/// Names in words.
pub(crate) fn listed<T: fmt::Display>(values: &[T]) -> String {
    let words: Vec<String> = values.iter().map(T::to_string).collect();
    match words.as_slice() {
        [] => "none".to_owned(),
        words => words.join(", "),
    }
}
