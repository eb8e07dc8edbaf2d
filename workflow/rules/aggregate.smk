rule aggregate:
    """What do the raw observations amount to?"""
    input:
        campaign.inputs,
    output:
        campaign.tables,
    log:
        f"{LOGS}/aggregate.log",
    params:
        results=results,
        candidates=[candidate.id for candidate in campaign.settings.candidates],
    shell:
        "exec ngcc-campaign aggregate {params.results:q} --candidates {params.candidates} 2> {log:q}"
