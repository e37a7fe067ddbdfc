"""A runner whose proofs reveal the preimage: sound, fast, and with no library behind it.

Its proof is the preimage itself, so that every check of the harness is a real one. The option
`fault` makes it misbehave in the ways that a harness must survive.
"""

import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from nizkbench.reference import FIELDS, mimc, mimc_instance

FIELD = "f128"
ORDER = FIELDS[FIELD]
SYSTEM = "revealing/preimage/f128"
FAULTS = [
    "none",
    "crash",
    "crash-after-samples",
    "exit-without-done",
    "status-without-done",
    "error",
    "hang",
    "garbage",
    "not-utf8",
    "half-a-line",
    "other-id",
    "more-after-done",
    "flood",
    "memory",
    "too-much-time",
    "accept-everything",
    "wrong-image",
    "verifier-crash",
    "slow",
]

DESCRIBE: dict[str, Any] = {
    "type": "describe",
    "protocol": 1,
    "runner": "revealing",
    "library": {"name": "none", "version": "1.0.0"},
    "build": {"target": "any", "profile": "release", "features": [], "target_cpu": "generic"},
    "systems": [
        {
            "system": SYSTEM,
            "scheme": "preimage",
            "curve": None,
            "field": {"name": FIELD, "modulus": hex(ORDER), "bits": 128},
            "properties": {
                "trusted_setup": "none",
                "transparent": True,
                "post_quantum": True,
                "zero_knowledge": {"level": "no", "source": "the proof is the witness"},
                "assumptions": "none",
                "batch_verification": {"supported": False, "source": "nothing takes many"},
            },
            "phases": [
                {"phase": "prove", "includes": ["witness"]},
                {"phase": "verify", "includes": []},
            ],
            "absent_phases": [
                {"phase": "compile", "reason": "there is no circuit"},
                {"phase": "setup", "reason": "there are no keys"},
            ],
            "threads": {"minimum": 1, "maximum": 1, "how": "it has one"},
            "proof_size": "constant",
            "statements": [
                {
                    "statement": "mimc-preimage",
                    "size": {"name": "rounds", "minimum": 7, "maximum": 16383, "rule": "any"},
                    "variants": [
                        {"name": "constants", "values": ["public", "unbound"], "default": "public"}
                    ],
                    "unsound": [
                        {
                            "variant": {"constants": "unbound"},
                            "check": "reject-wrong-constants",
                            "reason": "the proof brings its own constants",
                        }
                    ],
                }
            ],
            "options": [
                {
                    "name": "fault",
                    "type": "choice",
                    "values": FAULTS,
                    "default": "none",
                    "help": "how to misbehave",
                },
                {
                    "name": "strength",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 8,
                    "default": 1,
                    "help": "does nothing",
                },
            ],
            "malleable": [],
        }
    ],
}


def say(record: dict[str, Any]) -> None:
    """Write one record."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def measure(request: dict[str, Any]) -> None:
    """Answer one run request."""
    fault = request["options"]["fault"]
    name, rounds = request["id"], request["size"]["rounds"]
    misbehave(fault, name)
    taken = 0
    stop = request["stop"]
    seed = bytes.fromhex(request["seed"])
    while taken < stop["warmup"] + stop["minimum"]:
        number = 0 if request["instances"] == "fixed" else taken
        instance = mimc_instance(FIELD, rounds, seed, number)
        times = {}
        begun = time.monotonic_ns()
        proof = instance.left.to_bytes(16, "little") + instance.right.to_bytes(16, "little")
        times["prove"] = time.monotonic_ns() - begun
        begun = time.monotonic_ns()
        accepted = mimc(instance.left, instance.right, instance.constants, ORDER) == instance.image
        times["verify"] = time.monotonic_ns() - begun
        for phase, wall in times.items():
            say(
                {
                    "type": "sample",
                    "id": name,
                    "phase": phase,
                    "sample": taken,
                    "instance": number,
                    "warmup": taken < stop["warmup"],
                    "wall_ns": 10**12 if fault == "too-much-time" else wall,
                    "user_ns": wall,
                    "system_ns": 0,
                    "peak_rss_bytes": None,
                }
            )
        if taken == stop["warmup"]:
            say(
                {
                    "type": "check",
                    "id": name,
                    "check": "self-verify",
                    "passed": accepted,
                    "detail": "",
                }
            )
            if "artifacts" in request:
                leave(Path(request["artifacts"]), request, instance, proof)
        taken += 1
    if fault == "crash-after-samples":
        os.kill(os.getpid(), signal.SIGSEGV)
    say(
        {
            "type": "size",
            "id": name,
            "of": "proof",
            "encoding": "native",
            "bytes": 32,
            "sample": None,
        }
    )
    say({"type": "done", "id": name, "samples": taken - stop["warmup"], "stopped_by": "maximum"})
    if fault == "more-after-done":
        say({"type": "done", "id": name, "samples": 1, "stopped_by": "maximum"})


def misbehave(fault: str, name: str) -> None:
    """Do what a runner must not do, if that is asked for."""
    match fault:
        case "crash":
            print("library went up in flames", file=sys.stderr)
            os.kill(os.getpid(), signal.SIGABRT)
        case "exit-without-done":
            sys.exit(0)
        case "status-without-done":
            print("could not be bothered", file=sys.stderr)
            sys.exit(3)
        case "error":
            say(
                {
                    "type": "error",
                    "id": name,
                    "kind": "internal",
                    "message": "the prover gave up",
                    "option": None,
                }
            )
            sys.exit(1)
        case "hang":
            time.sleep(3600)
        case "slow":
            time.sleep(0.3)
        case "garbage":
            print("proof generated in 12 ms", flush=True)
        case "not-utf8":
            sys.stdout.buffer.write(b'{"type":"\xff\xfe"}\n')
            sys.exit(0)
        case "half-a-line":
            sys.stdout.write('{"type":"sample","id":')
            sys.exit(0)
        case "other-id":
            say({"type": "done", "id": "another", "samples": 1, "stopped_by": "maximum"})
        case "flood":
            line = "x" * 1_000_000
            while True:
                print(line)
        case "memory":
            hoard = []
            while True:
                hoard.append(b"\x01" * 10_000_000)
        case _:
            pass


def leave(folder: Path, request: dict[str, Any], instance: Any, proof: bytes) -> None:  # noqa: ANN401
    """Leave the artifacts of a proof."""
    image = instance.image ^ 1 if request["options"]["fault"] == "wrong-image" else instance.image
    public = {
        "statement": "mimc-preimage",
        "rounds": request["size"]["rounds"],
        "image": hex(image),
        "constants": [hex(constant) for constant in instance.constants],
    }
    if request["variant"]["constants"] == "unbound":
        proof += b"".join(constant.to_bytes(16, "little") for constant in instance.constants)
    (folder / "public_input.json").write_text(json.dumps(public))
    (folder / "proof.bin").write_bytes(proof)
    (folder / "verifying_key.bin").write_bytes(hashlib.sha256(b"none").digest())


def verify(request: dict[str, Any]) -> None:
    """Answer one verify request."""
    if request["options"]["fault"] == "verifier-crash":
        os.kill(os.getpid(), signal.SIGABRT)
    public = json.loads(Path(request["public_input"]).read_bytes())
    proof = Path(request["proof"]).read_bytes()
    elements = [int.from_bytes(proof[at : at + 16], "little") for at in range(0, len(proof), 16)]
    constants = [int(constant, 16) for constant in public["constants"]]
    if request["variant"]["constants"] == "unbound":
        constants = elements[2:]
    accepted = request["options"]["fault"] == "accept-everything" or (
        all(element < ORDER for element in elements)
        and mimc(elements[0], elements[1], constants, ORDER) == int(public["image"], 16)
    )
    reason = "" if accepted else "the proof is no preimage"
    say({"type": "verdict", "id": request["id"], "accepted": accepted, "reason": reason})


def classify(request: dict[str, Any]) -> None:
    """Answer one classify request: more strength than rounds is against a rule."""
    strength, rounds = request["options"]["strength"], request["size"]["rounds"]
    if strength < rounds:
        say({"type": "legal", "id": request["id"]})
        return
    say(
        {
            "type": "error",
            "id": request["id"],
            "kind": "unsupported",
            "message": f"option strength is {strength}, legal is less than rounds, {rounds}",
            "option": "strength",
            "rule": "strength-below-rounds",
        }
    )


def main() -> None:
    """Answer one verb of the protocol."""
    verb = sys.argv[1]
    if verb == "describe":
        say(DESCRIBE)
        return
    for line in sys.stdin:
        {"run": measure, "classify": classify, "verify": verify}[verb](json.loads(line))


main()
