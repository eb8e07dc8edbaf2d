rule audit:
    """Do the pages follow from the evidence? Nothing is measured or built; asked for alone, it needs no job."""
    log:
        f"{LOGS}/audit.log",
    params:
        results=results,
    shell:
        "exec ngcc-campaign audit {params.results:q} 2> {log:q}"
