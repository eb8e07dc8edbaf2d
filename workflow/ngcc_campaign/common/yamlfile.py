"""Files that people write, read strictly: what stands there is what is meant, and nothing in it is expanded."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from .errors import Mistake

MOST_BYTES = 1 << 20
# What YAML itself lets nobody write, but as an escape, and no path, name or sentence has.
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


def is_odd(text: str) -> bool:
    """Whether a text holds control characters (tabs and line ends are none), or half of a surrogate pair."""
    return _ODD.search(text) is not None


class _Loader(yaml.SafeLoader):
    """YAML without aliases, tags, duplicate keys and escaped control characters.

    Its plain numbers are decimal: 0400, 1_0 and 4:16 are texts.
    """

    yaml_implicit_resolvers: dict = {}

    def compose_node(self, parent, index):
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None):
            raise yaml.MarkedYAMLError(problem="aliases and tags are not allowed", problem_mark=event.start_mark)
        if isinstance(event, yaml.ScalarEvent) and is_odd(event.value):
            problem = "a text with control characters, or half of a surrogate pair"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                problem = f"key '{key.value[:100]}' stands there twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else None)
        return super().construct_mapping(node, deep)


# What a plain scalar is, besides text: by its form, and the characters that it can begin with.
for _tag, _form, _first in (
    ("bool", "yes|no|true|false|on|off", "yntfo"),
    ("null", "~|null|", ["~", "n", ""]),
    ("int", "-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_form})\Z"), list(_first))


def read(file: Path) -> object:
    """What a YAML file of at most 1 MiB says. Raises Mistake that names the file, and the line where there is one."""
    try:
        with open(file, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise Mistake(f"{file}: it is larger than {MOST_BYTES >> 20} MiB, which nobody writes by hand.")
        return yaml.load(data.decode("utf-8-sig"), _Loader)
    except OSError as error:
        raise Mistake(f"{file}: {error.strerror}.") from None
    except RecursionError:
        raise Mistake(f"{file}: not YAML (it is nested too deeply).") from None
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise Mistake(f"{file}: not YAML ({line}{' '.join(str(error.problem).split())[:300]}).") from None
    except (yaml.YAMLError, ValueError) as error:
        raise Mistake(f"{file}: not YAML ({' '.join(str(error).split())[:300]}).") from None
