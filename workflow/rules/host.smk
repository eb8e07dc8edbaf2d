rule host:
    """What machine is this, and is it fit to measure?"""
    output:
        update(campaign.host),
    log:
        f"{LOGS}/host.log",
    params:
        system=campaign.settings.system["id"],
        made_from=made_from,
    shell:
        "exec ngcc-campaign host --system {params.system} --output {output:q} {params.made_from} 2> {log:q}"
