rule compare:
    """Did anything become slower? Nothing is measured; asked for alone, it needs no job."""
    log:
        f"{LOGS}/compare.log",
    params:
        sets=[campaign.settings.versus.baseline, campaign.settings.versus.candidate],
    shell:
        "exec ngcc-campaign compare {params.sets:q} 2> {log:q}"
