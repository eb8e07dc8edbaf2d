rule drivers:
    """The native programs that time, verify and weigh libraries, built once."""
    output:
        campaign.drivers,
    params:
        compiler=campaign.settings.compiler,
        made_from=made_from,
    log:
        f"{LOGS}/drivers.log",
    shell:
        "exec ngcc-campaign drivers --compiler {params.compiler:q} --output {output:q} {params.made_from} 2> {log:q}"
