# No Python between Snakemake and the driver: a timing job costs little beside its timing. The driver works in the
# results folder, so that the command in its record can be repeated anywhere.


def plan(wildcards):
    """The driver's options that say how long and how often."""
    return campaign.settings.plan.options


def cpu(wildcards):
    """The CPU that timing is pinned to, chosen when the first job needs it."""
    return campaign.cpu


rule measure:
    """What does one call cost?"""
    input:
        kat=ancient(campaign.kat(*ONE)),
        host=ancient(campaign.host),
        drivers=ancient(campaign.drivers),
    output:
        update(campaign.record(*ONE, "{message_bytes}")),
    params:
        plan=plan,
        cpu=cpu,
        made_from=made_from,
    # The whole machine: nothing else may run beside a timing job.
    threads: workflow.cores or 1
    log:
        f"{LOGS}/measure/{{candidate}}/{{instance}}__hash_{{message_bytes}}.log",
    shell:
        "exec 2> {log:q}; cd {RESULTS:q}; exec bin/ngcc_perf --verdict kat/{wildcards.candidate}/{wildcards.instance}.json"
        " --bytes {wildcards.message_bytes} --host host.json --cpu {params.cpu} {params.plan} {params.made_from}"
        " --output records/{wildcards.candidate}/{wildcards.instance}__hash_{wildcards.message_bytes}.json"


rule measure_empty_call:
    """What does a call cost by itself?"""
    input:
        host=ancient(campaign.host),
        drivers=ancient(campaign.drivers),
    output:
        update(campaign.empty_call),
    params:
        plan=plan,
        cpu=cpu,
        made_from=made_from,
    threads: workflow.cores or 1
    log:
        f"{LOGS}/measure/empty_call.log",
    shell:
        "exec 2> {log:q}; cd {RESULTS:q}; exec bin/ngcc_perf --library bin/libempty.so --digest-bits 256 --bytes 32"
        " --candidate ngcc-perf --instance empty --host host.json --cpu {params.cpu} {params.plan} {params.made_from}"
        " --output records/empty_call.json"
