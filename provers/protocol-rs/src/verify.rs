//! `RUNNER verify`: a proof from files, judged in another process than the one that made it.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use crate::answers::{Catalogue, answer_all};
use crate::configuration::Configuration;
use crate::hexadecimal;
use crate::key_file::{self, HEADER_BYTES};
use crate::panics;
use crate::public_input::PublicInput;
use crate::record::{Output, Record};
use crate::request::VerifyRequest;
use crate::system::{Failure, Rejection, Verdict, Verifier};

/// No file of any runner is this long; a longer one is not read.
const MAXIMUM_FILE_BYTES: u64 = 256 << 20;

/// Answers every request of `input`; whether all of them ended in a verdict.
pub(crate) fn verify(
    catalogue: Catalogue<'_>,
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
) -> io::Result<bool> {
    let mut process = Process { catalogue, prepared: None };
    answer_all(input, output, |envelope, output| {
        let id = envelope.id.clone();
        let (position, request) = envelope.into_verify(&process.catalogue.descriptions)?;
        let verdict = process.judge(position, &request)?;
        let (accepted, reason) = match &verdict {
            Verdict::Accepted => (true, ""),
            Verdict::Rejected(reason) => (false, reason.as_str()),
        };
        output.push(&Record::Verdict { id: &id, accepted, reason })?;
        Ok(())
    })
}

/// What lasts from one request to the next.
struct Process<'s> {
    catalogue: Catalogue<'s>,
    /// The last key prepared: proofs for one key come in a row.
    prepared: Option<Prepared>,
}

/// A verifying key ready for use, with what it was prepared from.
struct Prepared {
    path: PathBuf,
    configuration: Configuration,
    header: [u8; HEADER_BYTES],
    verifier: Box<dyn Verifier>,
}

impl Process<'_> {
    fn judge(&mut self, position: usize, request: &VerifyRequest) -> Result<Verdict, Failure> {
        let public_input = read("public_input", &request.public_input)?;
        let proof = read("proof", &request.proof)?;
        let key = match &self.prepared {
            Some(prepared) if prepared.serves(request) => None,
            _ => Some(read("verifying_key", &request.verifying_key)?),
        };
        let verdict = panics::caught(|| {
            self.weigh(position, request, public_input, key, proof)
                .unwrap_or_else(|Rejection(reason)| Verdict::Rejected(reason))
        });
        Ok(verdict.unwrap_or_else(|message| {
            Verdict::Rejected(format!("the library panicked over the files: {message}"))
        }))
    }

    fn weigh(
        &mut self,
        position: usize,
        request: &VerifyRequest,
        public_input: Contents,
        key: Option<Contents>,
        proof: Contents,
    ) -> Result<Verdict, Rejection> {
        let configuration = &request.configuration;
        let modulus =
            hexadecimal::decode_integer(self.catalogue.descriptions[position].field.modulus)
                .ok_or_else(|| Rejection::new("the runner describes no order of its field"))?;
        let public_input = PublicInput::from_json(&public_input?, configuration, &modulus)?;
        let proof = proof?;
        if let Some(key) = key {
            let file = key?;
            let (header, library_bytes) = key_file::split(&file)?;
            check_header(&header, configuration, &public_input)?;
            let verifier =
                self.catalogue.systems[position].verifier(configuration, library_bytes)?;
            self.prepared = Some(Prepared {
                path: request.verifying_key.clone(),
                configuration: configuration.clone(),
                header,
                verifier,
            });
        }
        let Some(prepared) = &self.prepared else {
            return Err(Rejection::new("the verifying key could not be prepared"));
        };
        check_header(&prepared.header, configuration, &public_input)?;
        Ok(prepared.verifier.verify(&public_input, &proof))
    }
}

impl Prepared {
    fn serves(&self, request: &VerifyRequest) -> bool {
        self.path == request.verifying_key && self.configuration == request.configuration
    }
}

fn check_header(
    header: &[u8; HEADER_BYTES],
    configuration: &Configuration,
    public_input: &PublicInput,
) -> Result<(), Rejection> {
    if *header == key_file::header(configuration, public_input) {
        Ok(())
    } else {
        Err(Rejection::new(
            "the verifying key belongs to another system, variant, size or other fixed constants",
        ))
    }
}

/// The bytes of a file that exists, or why it cannot be read.
type Contents = Result<Vec<u8>, Rejection>;

/// Reads a file whole. One that is missing is a fault of the request, anything else of the file.
fn read(member: &str, path: &Path) -> Result<Contents, Failure> {
    let unreadable = |error: io::Error| Rejection::new(format!("{member} cannot be read: {error}"));
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            let message = format!("{member} is {path:?}, which is no file");
            return Err(Failure::invalid_request(member, message));
        }
        Err(error) => return Ok(Err(unreadable(error))),
    };
    let mut bytes = Vec::new();
    Ok(match file.take(MAXIMUM_FILE_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > MAXIMUM_FILE_BYTES => Err(Rejection::new(format!(
            "{member} is longer than {MAXIMUM_FILE_BYTES} bytes, which nothing of this runner is"
        ))),
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(error)),
    })
}
