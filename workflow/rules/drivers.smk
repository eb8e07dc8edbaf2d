rule drivers:
    """The native programs that time, verify and weigh libraries, built once."""
    output:
        update(campaign.drivers),
    log:
        f"{LOGS}/drivers.log",
    params:
        compiler=campaign.settings.compiler,
        cross=["--cross"] if "cross" in campaign.settings.system else [],
        sandbox=campaign.settings.sandbox,
        made_from=made_from,
    shell:
        "exec ngcc-campaign drivers --compiler {params.compiler:q} {params.cross} --sandbox {params.sandbox} --output {output:q} {params.made_from} 2> {log:q}"
