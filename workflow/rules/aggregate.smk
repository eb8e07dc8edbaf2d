rule aggregate:
    """What do the raw observations amount to?"""
    input:
        campaign.inputs,
    output:
        campaign.tables,
    params:
        candidates=[candidate.id for candidate in campaign.settings.candidates],
    log:
        f"{LOGS}/aggregate.log",
    shell:
        "exec ngcc-campaign aggregate {RESULTS:q} --candidates {params.candidates} 2> {log:q}"
