"""PyYAML's own patterns are compiled when they are asked for, and mean what they always did."""

import subprocess
import sys

TRIAL = """
import re
from wfc.compiler import late_patterns
before = re.compile
late_patterns.import_yaml()
assert re.compile is before
import yaml
assert type(yaml.reader.Reader.NON_PRINTABLE) is late_patterns.LatePattern
assert isinstance(re.compile("a"), re.Pattern)
text = "a: 2026-01-31\\nb: [0x1f, 1.5, yes, ~]\\n"
print(yaml.load(text, yaml.SafeLoader) == yaml.load(text, yaml.CSafeLoader), yaml.safe_load(text))
try:
    yaml.safe_load("a: \\x07")
except yaml.YAMLError as error:
    print(type(error).__name__)
"""


def test_the_late_patterns_match_as_before():
    told = subprocess.run([sys.executable, "-c", TRIAL], capture_output=True, text=True, check=True).stdout

    assert told == "True {'a': datetime.date(2026, 1, 31), 'b': [31, 1.5, True, None]}\nReaderError\n"
