rule memory:
    """How much memory does it take?"""
    input:
        kat=ancient(campaign.kat(*ONE)),
        drivers=ancient(campaign.drivers),
    output:
        campaign.memory(*ONE),
    params:
        made_from=made_from,
    log:
        f"{LOGS}/memory/{{candidate}}/{{instance}}.log",
    shell:
        "exec ngcc-campaign memory --verdict {input.kat:q} --output {output:q} {params.made_from} 2> {log:q}"
