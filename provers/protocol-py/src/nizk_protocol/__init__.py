"""The runner protocol of nizk-bench (PROTOCOL.md) for Python, of the standard library alone.

A runner implements `System`, `Session` and `Verifier` for its circuit and hands them to `main`.
"""

from nizk_protocol import hash_preimage, mimc
from nizk_protocol.command import Runner, main
from nizk_protocol.configuration import Configuration
from nizk_protocol.description import (
    ChoiceOption,
    Field,
    IntegerOption,
    Library,
    Malleable,
    Properties,
    Statement,
    SystemDescription,
    Unsound,
    Variant,
)
from nizk_protocol.failure import Failure, Rejection
from nizk_protocol.hash_preimage import HashPublicInput
from nizk_protocol.mimc import MimcPublicInput
from nizk_protocol.public_input import PublicInput
from nizk_protocol.seed import Seed
from nizk_protocol.system import (
    ACCEPTED,
    Counter,
    Security,
    Session,
    Size,
    System,
    Verdict,
    Verifier,
    rejected,
)

__all__ = [
    "ACCEPTED",
    "ChoiceOption",
    "Configuration",
    "Counter",
    "Failure",
    "Field",
    "HashPublicInput",
    "IntegerOption",
    "Library",
    "Malleable",
    "MimcPublicInput",
    "Properties",
    "PublicInput",
    "Rejection",
    "Runner",
    "Security",
    "Seed",
    "Session",
    "Size",
    "Statement",
    "System",
    "SystemDescription",
    "Unsound",
    "Variant",
    "Verdict",
    "Verifier",
    "hash_preimage",
    "main",
    "mimc",
    "rejected",
]
