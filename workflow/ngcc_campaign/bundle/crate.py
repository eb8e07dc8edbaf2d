"""What a bundle is, for machines: its description as a Workflow Run RO-Crate (profile Workflow Run Crate 0.5).

That profile, and not Provenance Run Crate, which would tell of every step: the documents themselves hold each step's
command, times and digests, and telling it twice would be two truths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath

NAME = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"
# RO-Crate 1.1 and the profiles that rest on it, whatever the library's own newest version is.
VERSION = "1.1"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
MIT = "https://spdx.org/licenses/MIT"
FORMATS = {
    ".json": "application/json", ".csv": "text/csv", ".md": "text/markdown", ".log": "text/plain",
    ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
    ".tex": "application/x-tex", ".so": "application/x-sharedlib", "": "application/octet-stream",
}  # fmt: skip
# What a campaign takes, by folder; all else that it leaves behind is its result.
TAKEN = ("fetch", "host.json")


def describe(members: Mapping[str, bytes], listed: str) -> bytes:
    """The text of ro-crate-metadata.json for the files `members`, by name, among them the Snakefile.

    It depends on nothing but them. `listed` is the name of the list of digests, which stands beside them.
    """
    from rocrate.model import ContextEntity, File
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version=VERSION)
    crate.metadata.extra_contexts.append(TERMS)

    def entity(identifier: str, kind: str, **properties: object) -> ContextEntity:
        return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))

    files = {
        name: crate.add(File(crate, None, name, properties=_file(name, content)))
        for name, content in sorted(members.items())
    }
    crate.add(File(crate, None, listed, properties={"name": "SHA-256 of each file", "encodingFormat": "text/plain"}))
    profiles = [entity(iri, "CreativeWork", name=name, version=v) for iri, (name, v) in PROFILES.items()]
    licence = entity(MIT, "CreativeWork", name="MIT License", description="of the workflow, not of the figures")
    language = entity(SNAKEMAKE, "ComputerLanguage", name="Snakemake", url="https://snakemake.readthedocs.io")
    workflow = files[WORKFLOW]
    workflow["programmingLanguage"], workflow["license"] = language, licence
    started, ended = _period(members)
    host = json.loads(members["host.json"])
    run = entity("#campaign", "CreateAction", name=f"Campaign on system {host['system']}")
    run["startTime"], run["endTime"], run["instrument"] = started, ended, workflow
    run["actionStatus"] = "http://schema.org/CompletedActionStatus"
    taken = {name for name in files if name.startswith(TAKEN)}
    run["object"] = [files[name] for name in sorted(taken)]
    run["result"] = [files[name] for name in sorted(files.keys() - taken - {WORKFLOW})]
    root = crate.root_dataset
    root["name"] = f"Measurements of hash functions on system {host['system']}"
    root["description"] = f"Evidence, tables and pages of a campaign on {host['description']}; SHA-256 in {listed}."
    root["datePublished"], root["conformsTo"], root["mentions"] = ended, profiles, [run]
    root["license"] = "Not stated: ask whoever publishes this bundle. The workflow is under the MIT licence."
    root["mainEntity"] = workflow
    crate.metadata["conformsTo"] = [{"@id": crate.metadata.profile}, {"@id": list(PROFILES)[2]}]
    return (json.dumps(crate.metadata.generate(), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _file(name: str, content: bytes) -> dict:
    properties: dict = {"contentSize": str(len(content)), "sha256": sha256(content).hexdigest()}
    if name == WORKFLOW:
        kinds = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
        return properties | {"@type": kinds, "name": "The workflow's entry, as it was where the bundle was made"}
    return properties | {"encodingFormat": FORMATS.get(PurePosixPath(name).suffix, FORMATS[""])}


def _period(members: Mapping[str, bytes]) -> tuple[str, str]:
    """First start and last end among the campaign's documents."""
    documents = [json.loads(members[name]) for name in members if name.endswith(".json")]
    spans = [(one["started_utc"], one["ended_utc"]) for one in documents if "started_utc" in one]
    return min(start for start, _ in spans), max(end for _, end in spans)
