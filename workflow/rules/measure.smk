# No Python between Snakemake and the driver: a timing job costs little beside its timing. The driver works in the
# results folder, so that the command in its record can be repeated anywhere.


rule measure:
    """What does one call cost?"""
    input:
        build=needs(campaign.build(*ONE), campaign.record(*ONE, "{message_bytes}")),
        kat=needs(campaign.kat(*ONE), campaign.record(*ONE, "{message_bytes}")),
        host=needs(campaign.host, campaign.record(*ONE, "{message_bytes}")),
        drivers=needs(campaign.drivers, campaign.record(*ONE, "{message_bytes}")),
    output:
        update(campaign.record(*ONE, "{message_bytes}")),
    log:
        f"{LOGS}/measure/{{candidate}}/{{instance}}__hash_{{message_bytes}}.log",
    priority: lambda wildcards: turn(campaign.record(*wildcards))
    # The whole machine: nothing else may run beside a timing job.
    threads: workflow.cores or 1
    params:
        results=results,
        timing=timing,
        made_from=made_from,
    shell:
        "exec 2> {log:q}; cd {params.results:q}; exec bin/ngcc_perf --verdict kat/{wildcards.candidate}/{wildcards.instance}.json"
        " --bytes {wildcards.message_bytes} {params.timing} {params.made_from}"
        " --output records/{wildcards.candidate}/{wildcards.instance}__hash_{wildcards.message_bytes}.json"


rule measure_own:
    """What do our own functions cost: nothing, and the same thing again and again?"""
    input:
        host=needs(campaign.host, campaign.own("{own}")),
        drivers=needs(campaign.drivers, campaign.own("{own}")),
    output:
        update(campaign.own("{own}")),
    log:
        f"{LOGS}/measure/{{own}}.log",
    priority: lambda wildcards: turn(campaign.own(wildcards.own))
    threads: workflow.cores or 1
    params:
        results=results,
        library=lambda wildcards: own.OWN[wildcards.own].options,
        timing=timing,
        made_from=made_from,
    shell:
        "exec 2> {log:q}; cd {params.results:q}; exec bin/ngcc_perf {params.library}"
        " {params.timing} {params.made_from} --output records/{wildcards.own}.json"
