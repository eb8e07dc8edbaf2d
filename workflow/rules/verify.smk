rule verify:
    """Does the library compute the submitted vectors?"""
    input:
        build=needs(campaign.build(*ONE), campaign.kat(*ONE)),
        drivers=needs(campaign.drivers, campaign.kat(*ONE)),
    output:
        verdict=update(campaign.kat(*ONE)),
        log=update(campaign.kat(*ONE).with_suffix(".log")),
    log:
        f"{LOGS}/verify/{{candidate}}/{{instance}}.log",
    params:
        candidate=candidate_file,
        archives=archives,
        level=campaign.settings.kat,
        seconds=campaign.settings.kat_seconds,
        sandbox=campaign.settings.sandbox,
        made_from=made_from,
    shell:
        "exec ngcc-campaign verify {params.candidate:q} {wildcards.instance} {params.archives:q} --kat {params.level}"
        " --seconds {params.seconds} --sandbox {params.sandbox} --build {input.build:q} --output {output.verdict:q} {params.made_from} 2> {log:q}"
