# What all rules share: the checked configuration, and names that mean one thing each.
import os
import sys

# Commands of this environment are found although nobody activated it.
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])

from ngcc_campaign import catalog, session, settings
from ngcc_campaign.campaign import Campaign
from ngcc_campaign.errors import Mistake

try:
    campaign = Campaign(settings.load(config))
except Mistake as mistake:
    sys.exit(f"ngcc-perf: {mistake}")

session.guard(workflow, campaign)

RESULTS = str(campaign.results)
LOGS = f"{LOGS}"
# Path patterns of one instance.
ONE = ("{candidate}", "{instance}")


wildcard_constraints:
    candidate=catalog.CANDIDATE_ID,
    instance=catalog.INSTANCE_NAME,
    message_bytes=r"\d+",


def made_from(wildcards, output):
    """The options that tell a command what its evidence is made from."""
    return campaign.from_options(output[0])


def candidate_file(wildcards):
    """The candidate's own file, as the commands take it."""
    return campaign.candidate(wildcards.candidate).file


def archives(wildcards):
    """The option for a folder of archives already downloaded."""
    folder = campaign.settings.archives
    return ["--archives", folder] if folder else []
