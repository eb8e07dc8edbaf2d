"""What is said of a measured core clock."""

import pytest

from ngcc_campaign.aggregate import environment


@pytest.mark.parametrize(
    ("spread", "found"), [(0.005, "0.5%"), (0.0054, "0.54%"), (0.005004, "0.5004%"), (0.02, "2.0%")]
)
def test_a_spread_beyond_its_limit_reads_so(spread, found):
    rows = [{"candidate": environment.CAMPAIGN, "fact": "core_clock_iqr", "value": spread}]
    (told,) = environment.steadiness({"governor": None}, rows)
    assert (told["found"], told["fits"]) == (found, spread <= 0.005)
