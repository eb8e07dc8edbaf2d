rule aggregate:
    """What do the raw observations amount to?"""
    input:
        campaign.inputs,
    output:
        campaign.tables,
        campaign.results / "tables" / made.NAME,
    log:
        f"{LOGS}/aggregate.log",
    params:
        results=results,
        evidence=evidence,
    shell:
        "exec ngcc-campaign aggregate {params.results:q} {params.evidence:q} 2> {log:q}"
