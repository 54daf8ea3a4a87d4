"""Each message that TROUBLESHOOTING.md quotes, provoked; and what `verbose` says of a misspelt variable."""

import os
import pathlib
import re
import subprocess
import sys

from fields import scratch

PAGE = (pathlib.Path(__file__).parents[2] / "TROUBLESHOOTING.md").read_text()
QUOTED = [
    " ".join(block.split())
    for block in re.findall(r"^```\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
]

START = """
import numpy as np
from adios2 import Adios, Stream, bindings
PLUGIN = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2"}
adios = Adios()
field = np.sin(np.arange(1000, dtype=np.float32))
"""
DEFINE = START + "fsz = adios.define_operator('fsz', 'plugin', PLUGIN)\n"
CONFIG = """<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="1e-3"/>
    <parameter key="verbose" value="1"/>
  </operator>
  <io name="out"><variable name="{name}"><operation operator="fsz"/></variable></io>
</adios-config>
"""


def run(program, plugins=os.environ["ADIOS2_PLUGIN_PATH"]):
    """What a program says, without colours, on one line."""
    # cargo names its folders in LD_LIBRARY_PATH.
    hidden = ("ADIOS2_PLUGIN_PATH", "LD_LIBRARY_PATH")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    if plugins:
        environment["ADIOS2_PLUGIN_PATH"] = plugins
    command = [sys.executable, "-B", "-c", program]
    done = subprocess.run(command, env=environment, cwd=scratch(), capture_output=True, text=True)
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    return done.returncode, " ".join(said.split())


def expect(quotes, program, **more):
    code, said = run(program, **more)
    for quote in quotes:
        assert quote in QUOTED, f"TROUBLESHOOTING.md does not quote {quote!r}"
        assert quote in said, (quote, said)
    return code


def quoted(start):
    found = [quote for quote in QUOTED if start in quote]
    assert len(found) == 1, (start, QUOTED)
    return found[0]


not_found = quoted("PluginInit")
assert expect([not_found], DEFINE, plugins=None) == 1
wrong_folder = [quoted("could not be loaded"), quoted("Couldn't find")]
assert expect(wrong_folder, DEFINE, plugins="/nowhere") == 1

twice = START + f"""
open("twice.xml", "w").write('''{CONFIG.format(name="U")}''')
adios = Adios("twice.xml")
adios.define_operator('fsz', 'plugin', PLUGIN)
"""
assert expect([quoted("CheckOperator")], twice) == 1

integers = DEFINE + """
io = adios.declare_io('out')
whole = io.define_variable('whole', np.arange(1000, dtype=np.int32), [1000], [0], [1000])
whole.add_operation(fsz, {'accuracy': '1'})
"""
assert expect([quoted("does not support data type int32_t")], integers) == 0

added = START + """
operation = ("plugin", dict(PLUGIN, accuracy="1"))
with Stream("added.bp", "w") as out:
    for step in out.steps(2):
        out.write("s", np.float64(3.5), operations=[operation])
"""
assert expect([quoted("adding operators")], added) == 1

loud = DEFINE + """
adios.define_operator('loud', 'plugin', dict(PLUGIN, verbose='yes'))
"""
assert expect([quoted("parameter verbose")], loud) == 1

# Each way in which parameters are wrong is told in a process that goes on.
several = START + """
for n, wrong in enumerate(({"accuracy": "x"}, {"accuracy": "1", "mode": "y"}, {"accuracy": "x"})):
    with Stream(f"several{n}.bp", "w") as out:
        out.write("u", field, [1000], [0], [1000], operations=[("plugin", dict(PLUGIN, **wrong))])
"""
code, said = run(several)
assert code == 0 and said.count("FSZ warning: u is stored uncompressed: ") == 2, said

# So is each that does not fit the values, once for all ADIOS2 blocks.
unfit = START + """
for n, wrong in enumerate(({"bound_in": "0:5,:=1"}, {"bound_in": ":,:=1"}, {"mode": "ratio", "accuracy": "1e6"})):
    with Stream(f"unfit{n}.bp", "w") as out:
        operation = ("plugin", dict(PLUGIN, **({"accuracy": "1"} | wrong)))
        for start in (0, 1000):
            out.write("u", field, [2000], [start], [1000], operations=[operation])
"""
code, said = run(unfit)
assert code == 0 and said.count("FSZ warning: u is stored uncompressed: ") == 3, said

# What does not fit a block is told of a small one, too.
for wrong in ({"bound_in": "0:5,:=1"}, {"missing": "1e300"}, {"mode": "ratio", "accuracy": "1e6"}):
    small = START + f"""
with Stream("small.bp", "w") as out:
    operation = ("plugin", dict(PLUGIN, **{dict(accuracy="1") | wrong}))
    out.write("u", field, [1000], [0], [1000], operations=[operation])
"""
    code, said = run(small)
    assert code == 0 and "FSZ warning: u is stored uncompressed: " in said, (wrong, said)

# What neither a device nor the CPU can compress is told once, and not as the device's failure.
for backend in ("auto", "cuda"):
    far = {"mode": "ratio", "accuracy": "1e6", "backend": backend, "device": "4000"}
    unreachable = START + f"""
with Stream("unreachable.bp", "w") as out:
    operation = ("plugin", dict(PLUGIN, **{far}))
    for step in out.steps(3):
        out.write("u", field, [1000], [0], [1000], operations=[operation])
with Stream("unreachable.bp", "r") as back:
    for step in back.steps():
        assert np.array_equal(back.read("u"), field)
"""
    code, said = run(unreachable)
    told = "FSZ warning: u is stored uncompressed: no bound found gives this field a compression ratio of "
    assert code == 0 and told in said and said.count("FSZ warning: ") == 1, (backend, said)

# A field of two values has no stream of a ratio between those of the two bounds that tell on it.
jumps = START + """
field = np.where(np.random.default_rng(1).random(100_000) < 0.5, 0.1, 0.7).astype(np.float32)
operation = ("plugin", dict(PLUGIN, mode="ratio", accuracy="%s"))
with Stream("jumps.bp", "w") as out:
    for step in out.steps(3):
        out.write("u", field, [100_000], [0], [100_000], operations=[operation])
"""
code, said = run(jumps % 100)
told = "FSZ warning: u has another ratio than the parameters say: it is "
assert code == 0 and said.count(told) == 1 and ", not 100: " in said, said
code, said = run(jumps % 100 + (jumps % 110).removeprefix(START))
assert code == 0 and said.count(told) == 2 and ", not 110: " in said, said
code, said = run(jumps % 10)
assert code == 0 and "FSZ warning: " not in said, said

# A ratio below 1 is one that nobody means.
code, said = run((jumps % 0.001).replace("np.where", "0.9 * np.where"))
assert code == 0 and said.count(told) == 1 and ", not 0.001: " in said, said

# What leaves one value for all: a share in per cent.
coarse = START + """
more = %s
operation = ("plugin", dict(PLUGIN, **more))
with Stream("coarse.bp", "w") as out:
    for step in out.steps(2):
        out.write("u", %s, [1000], [0], [1000], operations=[operation])
"""
told = "FSZ warning: u has a bound so large that its values may all become one: "
for more in (
    {"mode": "rel", "accuracy": "5"},
    {"mode": "rel", "accuracy": "1", "range": "-1,1"},
    {"mode": "rel", "accuracy": "5", "profile": "dense"},
):
    code, said = run(coarse % (more, "field"))
    assert code == 0 and said.count(told) == 1, (more, said)
for more, field in (
    ({"mode": "rel", "accuracy": "0.5"}, "field"),
    ({"mode": "psnr", "accuracy": "60"}, "field"),
    ({"mode": "rel", "accuracy": "5"}, "0 * field"),
    # In one of many ADIOS2 blocks little may happen.
    ({"accuracy": "5"}, "field"),
):
    code, said = run(coarse % (more, field))
    assert code == 0 and "FSZ warning: " not in said, (more, said)

# A bound that was one of another mode is no number of decibels.
code, said = run(coarse % ({"mode": "psnr", "accuracy": "1e-3"}, "field"))
told = "FSZ warning: u is stored uncompressed: accuracy: 0.001 in mode psnr is decibels"
assert code == 0 and said.count(told) == 1 and said.count("FSZ warning: ") == 1, said

# A share of a range that missing elements make is no bound at all.
told = "FSZ warning: u has a bound by a range that may not be that of its values: its largest is 1e20: "
masked = "np.where(field > 0.9, np.float32(1e20), field)"
for more in ({"mode": "rel"}, {"mode": "psnr", "accuracy": "60"}, {"mode": "rel", "profile": "dense"}):
    code, said = run(coarse % ({"accuracy": "1e-3"} | more, masked))
    assert code == 0 and said.count(told) == 1 and said.count("FSZ warning: ") == 1, (more, said)
for more in (
    {"mode": "rel", "missing": "1e20"},
    {"mode": "rel", "range": "-1,1"},
    {"mode": "abs"},
    {"mode": "pw_rel"},
):
    code, said = run(coarse % ({"accuracy": "1e-3"} | more, masked))
    assert code == 0 and "FSZ warning: " not in said, (more, said)

removed = DEFINE + """
io = adios.declare_io('out')
u = io.define_variable('u', field, [1000], [0], [1000])
u.add_operation(fsz, {'accuracy': '1'})
engine = io.open('removed.bp', bindings.Mode.Write)
for step in range(2):
    engine.begin_step()
    engine.put(u, field)
    engine.end_step()
    u.remove_operations()
"""
assert expect([quoted("removing operators")], removed) == 1


def with_config(name):
    return f"""
import numpy as np
from adios2 import Adios, bindings
open("config.xml", "w").write('''{CONFIG.format(name=name)}''')
adios = Adios("config.xml")
io = adios.declare_io("out")
field = np.sin(np.arange(1000, dtype=np.float32))
engine = io.open("config.bp", bindings.Mode.Write)
variable = io.define_variable("temperature", field, [1000], [0], [1000])
engine.begin_step()
engine.put(variable, field)
engine.end_step()
engine.close()
"""


assert expect([quoted("no variable has it")], with_config("temprature")) == 0
code, said = run(with_config("temperature"))
assert code == 0 and "FSZ: temperature: 1 ADIOS2 blocks" in said, said
