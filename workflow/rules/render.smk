TEMPLATES = sorted(file for file in (settings.ROOT / "workflow" / "templates").rglob("*.*") if file.is_file())


rule render:
    """What does a person read?"""
    input:
        tables=campaign.tables,
        templates=TEMPLATES,
    output:
        campaign.pages,
        campaign.data,
        campaign.results / beside.NAME,
        campaign.results / "report" / made.NAME,
        [drawn(*one) for one in campaign.drawings],
    log:
        f"{LOGS}/render.log",
    params:
        results=results,
        compare=compare,
    shell:
        "exec ngcc-campaign render {params.results:q} {params.compare:q} 2> {log:q}"


rule report:
    """Every page again from stored evidence: no compiler, no driver, no network, no sources."""
    log:
        f"{LOGS}/report.log",
    params:
        results=results,
        evidence=stored_evidence,
        compare=compare,
    shell:
        # Not in the shell's own place, so the shell is what they end with.
        "exec 2> {log:q}; export NGCC_CAMPAIGN_RUN=$$; ngcc-campaign aggregate {params.results:q} {params.evidence:q}"
        " && ngcc-campaign render {params.results:q} {params.compare:q}"
