rule fetch:
    """Are these the submitted sources?"""
    output:
        update(campaign.fetch("{candidate}")),
    log:
        f"{LOGS}/fetch/{{candidate}}.log",
    params:
        candidate=candidate_file,
        archives=archives,
        made_from=made_from,
    shell:
        "exec ngcc-campaign fetch {params.candidate:q} {params.archives:q} --keep-going"
        " --output {output:q} {params.made_from} 2> >(tee {log:q} >&2)"
