TEMPLATES = sorted((settings.ROOT / "workflow" / "templates").glob("*.j2"))


rule render:
    """What does a person read?"""
    input:
        tables=campaign.tables,
        templates=TEMPLATES,
    output:
        campaign.pages,
    log:
        f"{LOGS}/render.log",
    shell:
        "exec ngcc-campaign render {RESULTS:q} 2> {log:q}"


rule report:
    """Every page again from stored evidence: no compiler, no driver, no network, no sources."""
    log:
        f"{LOGS}/report.log",
    shell:
        "{{ ngcc-campaign aggregate {RESULTS:q} && ngcc-campaign render {RESULTS:q}; }} 2> {log:q}"
