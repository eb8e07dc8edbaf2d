# No Python between Snakemake and the driver: a timing job costs little beside its timing. The driver works in the
# results folder, so that the command in its record can be repeated anywhere.


rule measure:
    """What does one call cost?"""
    input:
        kat=needs(campaign.kat(*ONE), campaign.record(*ONE, "{message_bytes}")),
        host=needs(campaign.host, campaign.record(*ONE, "{message_bytes}")),
        drivers=needs(campaign.drivers, campaign.record(*ONE, "{message_bytes}")),
    output:
        update(campaign.record(*ONE, "{message_bytes}")),
    log:
        f"{LOGS}/measure/{{candidate}}/{{instance}}__hash_{{message_bytes}}.log",
    # The whole machine: nothing else may run beside a timing job.
    threads: workflow.cores or 1
    params:
        results=results,
        plan=plan,
        cpu=cpu,
        made_from=made_from,
    shell:
        "exec 2> {log:q}; cd {params.results:q}; exec bin/ngcc_perf --verdict kat/{wildcards.candidate}/{wildcards.instance}.json"
        " --bytes {wildcards.message_bytes} --host host.json --cpu {params.cpu} {params.plan} {params.made_from}"
        " --output records/{wildcards.candidate}/{wildcards.instance}__hash_{wildcards.message_bytes}.json"


rule measure_empty_call:
    """What does a call cost by itself?"""
    input:
        host=needs(campaign.host, campaign.empty_call),
        drivers=needs(campaign.drivers, campaign.empty_call),
    output:
        update(campaign.empty_call),
    log:
        f"{LOGS}/measure/empty_call.log",
    threads: workflow.cores or 1
    params:
        results=results,
        plan=plan,
        cpu=cpu,
        made_from=made_from,
    shell:
        "exec 2> {log:q}; cd {params.results:q}; exec bin/ngcc_perf --library bin/libempty.so --digest-bits 256 --bytes 32"
        " --candidate ngcc-perf --instance empty --host host.json --cpu {params.cpu} {params.plan} {params.made_from}"
        " --output records/empty_call.json"
