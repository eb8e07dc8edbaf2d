rule memory:
    """How much memory does it take?"""
    input:
        # Also where the verdict outlived its library, which is built again.
        build=needs(campaign.build(*ONE), campaign.memory(*ONE)),
        kat=needs(campaign.kat(*ONE), campaign.memory(*ONE)),
        drivers=needs(campaign.drivers, campaign.memory(*ONE)),
    output:
        update(campaign.memory(*ONE)),
    log:
        f"{LOGS}/memory/{{candidate}}/{{instance}}.log",
    params:
        sandbox=campaign.settings.sandbox,
        made_from=made_from,
    shell:
        "exec ngcc-campaign memory --verdict {input.kat:q} --sandbox {params.sandbox} --output {output:q} {params.made_from} 2> {log:q}"
