# What all rules share: the checked configuration, and names that mean one thing each.
import sys

# The package of this very clone, whichever the environment was set up for.
sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from ngcc_campaign.run import interrupts

if workflow.is_main_process:
    interrupts.heed()  # before the imports that take a while

from ngcc_campaign.campaign import catalog, made, settings
from ngcc_campaign.campaign.campaign import Campaign
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.measure import own
from ngcc_campaign.render import beside
from ngcc_campaign.run import session

try:
    campaign = Campaign(settings.load(config))
except Mistake as mistake:
    sys.exit(f"ngcc-perf: {mistake}")

session.find_own_programs()
session.guard(workflow, campaign)

LOGS = str(campaign.results / "logs")
# Path patterns of one instance.
ONE = ("{candidate}", "{instance}")


wildcard_constraints:
    candidate=catalog.CANDIDATE_ID,
    instance=catalog.INSTANCE_NAME,
    message_bytes=r"\d+",
    own="|".join(own.OWN),


def needs(path, made):
    """`path` as an input of the job that makes `made`, where `made` has to be made.

    What is stale is decided by content, before the job graph is drawn. What is settled rests on nothing any more: no
    time stamp and no job beside it may run it again. (An `ancient()` input would do for the first but not for the second:
    Snakemake 9 does not look at the jobs behind one whose forebear runs.)
    """

    def input_path(wildcards):
        needed, output = (str(pattern).format(**wildcards) for pattern in (path, made))
        return [] if campaign.is_settled(Path(output)) else needed

    return input_path


def results(wildcards):
    """The folder of all results of this system."""
    return campaign.results


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


def timing(wildcards):
    """The driver's options that say where, how long, how often and in which sandbox; the CPU is chosen when the first job needs it."""
    plan = f"{campaign.settings.plan.options} {campaign.clock_option}"
    return (
        f"--host host.json --cpu {campaign.cpu} --canary bin/canary.json --sandbox {campaign.settings.sandbox} {plan}"
    )


def turn(path):
    """The priority of a timing job: everything else comes before it, and no candidate has its records in a row."""
    return campaign.turns[Path(path)]


def evidence(wildcards):
    """The options that say what tables are made of, and why."""
    return campaign.evidence_options(campaign.decision)


def stored_evidence(wildcards):
    """The same where nothing may be measured."""
    return campaign.evidence_options(campaign.stored_decision)


def compare(wildcards):
    """The option for a system whose published cycles are set beside the measured ones."""
    return ["--compare", campaign.settings.compare] if campaign.settings.compare else []


# The plots, as Snakemake's own report shows them.
TITLES = {"cost": "Cycles/byte against message length", "trials": "Trials and batches", "memory": "Memory"}


def drawn(file, candidate, plot):
    labels = {"system": campaign.settings.system["id"], "candidate": candidate}
    return report(str(file), caption=f"../report/{plot}.rst", category=TITLES[plot], labels=labels)
