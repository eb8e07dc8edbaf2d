rule bundle:
    """All evidence in one file, which audit takes as it is; asked for alone, it needs no job."""
    log:
        f"{LOGS}/bundle.log",
    params:
        results=results,
    shell:
        "exec ngcc-campaign bundle {params.results:q} --output {params.results:q}.zip 2> {log:q}"
