"""Which files of a submission building an instance needs, by what its sources include."""

from ngcc_campaign.campaign.catalog import Instance
from ngcc_campaign.fetch.includes import MAX_INCLUDES, included_in, included_names, needed_files

INSTANCE = Instance("c", "X", 512, "impl/X", ("a.c", "../../lib/low/b.c"), ("../../lib/common",))


def needed(files):
    return needed_files(INSTANCE, list(files), lambda name: included_names(files[name].encode()))


def test_includes_are_followed_out_of_every_folder_and_whatever_their_suffix():
    files = {
        "impl/X/a.c": '#include "../../lib/deep/one.h"\n#include "rounds.macros"\n#include <stdint.h>\n',
        "lib/low/b.c": '  #  include "b.dat" // a table\r\n',
        "lib/low/b.dat": "1, 2",
        "lib/deep/one.h": '#include "two.txt"\n#include "absent.h"\n',
        "lib/deep/two.txt": '#include "one.h"\n',
        "lib/common/rounds.macros": "#if 0\n#include <inner/x.y>\n#endif\n",
        "lib/common/inner/x.y": "",
        "lib/deep/other.h": "",
        "impl/X/KAT_2_12_X.txt": "",
        "impl/Y/a.c": "",
    }
    assert needed(files) == [
        "impl/X/a.c", "lib/common/inner/x.y", "lib/common/rounds.macros", "lib/deep/one.h", "lib/deep/two.txt",
        "lib/low/b.c", "lib/low/b.dat",
    ]  # fmt: skip


def test_an_include_beside_the_file_comes_before_folders():
    files = {"impl/X/a.c": '#include "t.q"', "impl/X/t.q": "", "lib/common/t.q": "", "lib/low/b.c": ""}
    assert "impl/X/t.q" in needed(files) and "lib/common/t.q" not in needed(files)


def test_a_precompiled_header_is_never_needed():
    odd = ["impl/X/x.h.gch", "impl/X/y.h.gch/a.c", "impl/X/y.h.GCH/b.h", "impl/X/z.PCH", "lib/common/x.pch/z.h"]
    source = "".join(f'#include "{name}"\n' for name in ("x.h", "x.h.gch", "y.h.gch/a.c", "z.PCH", "x.pch/z.h"))
    files = {"impl/X/a.c": source, "impl/X/x.h": "", "impl/X/gch.h": "", "lib/low/b.c": "", **dict.fromkeys(odd, "")}
    assert needed(files) == ["impl/X/a.c", "impl/X/gch.h", "impl/X/x.h", "lib/low/b.c"]


def test_an_include_that_climbs_out_of_the_submission_finds_nothing():
    files = {"impl/X/a.c": '#include "../../../etc/passwd"\n#include "/etc/passwd"', "lib/low/b.c": ""}
    assert needed(files) == ["impl/X/a.c", "lib/low/b.c"]


def test_a_source_of_includes_only_is_read_so_far(tmp_path):
    (tmp_path / "a.c").write_text("".join(f'#include "{number}"\n' for number in range(MAX_INCLUDES + 5)))
    assert len(included_in(tmp_path)("a.c")) == MAX_INCLUDES
    assert included_in(tmp_path)("absent.c") == []
