rule verify:
    """Does the library compute the submitted vectors?"""
    input:
        build=ancient(campaign.build(*ONE)),
        drivers=ancient(campaign.drivers),
    output:
        campaign.kat(*ONE),
        campaign.kat(*ONE).with_suffix(".log"),
    params:
        candidate=candidate_file,
        archives=archives,
        level=campaign.settings.kat,
        seconds=campaign.settings.kat_seconds,
        made_from=made_from,
    log:
        f"{LOGS}/verify/{{candidate}}/{{instance}}.log",
    shell:
        "exec ngcc-campaign verify {params.candidate:q} {wildcards.instance} {params.archives:q} --kat {params.level}"
        " --seconds {params.seconds} --build {input.build:q} --output {output[0]:q} {params.made_from} 2> {log:q}"
