rule build:
    """Which library comes of the sources, by which commands?"""
    input:
        fetch=needs(campaign.fetch("{candidate}"), campaign.build(*ONE)),
    output:
        update(campaign.build(*ONE)),
    log:
        f"{LOGS}/build/{{candidate}}/{{instance}}.log",
    params:
        candidate=candidate_file,
        compiler=campaign.settings.compiler,
        sandbox=campaign.settings.sandbox,
        made_from=made_from,
    shell:
        "exec ngcc-campaign build {params.candidate:q} {wildcards.instance} --compiler {params.compiler:q}"
        " --sandbox {params.sandbox}"
        " --fetch {input.fetch:q} --output {output:q} {params.made_from} 2> {log:q}"
