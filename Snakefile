# The data's way, below results/<system>/ (the stages' names are those of workflow/rules and workflow/ngcc_campaign):
#
#   host      host.json                                       what machine this is
#   drivers   bin/                                            ngcc_perf, ngcc_kat, ngcc_memory
#   fetch     fetch/<candidate>.json                          the submitted sources, unpacked to results/sources
#   build     build/<candidate>/<instance>/                   the library, twice: guide and fallback options
#   verify    kat/<candidate>/<instance>.json .log            the verdict on its known-answer tests
#   measure   records/<candidate>/<instance>__hash_<n>.json   every batch of every trial
#   memory    memory/<candidate>/<instance>.json              static parts, RSS, stack and heap
#   aggregate tables/*.csv                                    statistics, once
#   render    report/*.md, html/, latex/, summary.json        what a person reads; for papers and programs
#   audit     audit.json                                      whether all that follows from the evidence
#   bundle    ../<system>.zip                                 the evidence in one file
#   compare   ../compare/compare-….csv .json html/            two result sets side by side
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


configfile: Path(workflow.basedir) / "config" / "config.yaml"


include: "workflow/rules/common.smk"


# Stored and published evidence has nothing to run before its tables.
if campaign.kind == "measured":

    include: "workflow/rules/host.smk"
    include: "workflow/rules/drivers.smk"
    include: "workflow/rules/fetch.smk"
    include: "workflow/rules/build.smk"
    include: "workflow/rules/verify.smk"
    include: "workflow/rules/measure.smk"
    include: "workflow/rules/memory.smk"


include: "workflow/rules/aggregate.smk"
include: "workflow/rules/render.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/bundle.smk"
include: "workflow/rules/compare.smk"


rule all:
    default_target: True
    input:
        rules.render.output,
