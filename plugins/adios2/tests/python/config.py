"""The operator named in an XML file: it works, and what is wrong in it is an exception that says so."""

import numpy as np
from adios2 import Adios, FileReader, bindings

from fields import check, scratch, smooth

XML = """<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    {parameters}
  </operator>
  <io name="out">
    <engine type="BP5"><parameter key="StatsLevel" value="0"/></engine>
    <variable name="U"><operation operator="fsz"/></variable>
  </io>
</adios-config>
"""


def adios(**parameters):
    lines = [f'<parameter key="{key}" value="{value}"/>' for key, value in parameters.items()]
    path = f"{scratch()}/adios2.xml"
    with open(path, "w") as file:
        file.write(XML.format(parameters="\n    ".join(lines)))
    return Adios(path)


def refused(name, **parameters):
    try:
        adios(**parameters)
    except ValueError as error:
        assert f"{name}: " in str(error), (name, str(error))
    else:
        raise AssertionError(f"{parameters} was accepted")


def write_and_read(bound, **parameters):
    field = 1000 * smooth([100, 200], 0, np.float32)
    io = adios(**parameters).declare_io("out")
    variable = io.define_variable("U", field, [100, 200], [0, 0], [100, 200])
    path = f"{scratch()}/config.bp"
    engine = io.open(path, bindings.Mode.Write)
    engine.begin_step()
    engine.put(variable, field)
    engine.end_step()
    engine.close()
    with FileReader(path) as file:
        check(field, file.read("U", [0, 0], [100, 200]).reshape(100, 200), bound(field))


write_and_read(lambda field: 0.5, accuracy="0.5")
write_and_read(lambda field: 0.5, Tolerance="0.5", Mode="ABS", Threads="1", Backend="cpu")
write_and_read(lambda field: 1e-3 * float(np.ptp(field)), accuracy="1e-3", mode="rel")
ranged = dict(accuracy="1e-3", mode="rel", range_min="-500", range_max="1500")
write_and_read(lambda field: 2.0, **ranged, missing="1e20, -999", device="0", verbose="0")
# Of a key that stands twice ADIOS2 passes on the first one, and of its spellings the one that it sorts first.
write_and_read(lambda field: 0.5, accuracy='0.5"/><parameter key="accuracy" value="100')
write_and_read(lambda field: 0.5, accuracy="100", Accuracy="0.5")

refused("accuracy", accuracy="0")
refused("accuracy", accuracy="a little")
refused("tolerance", accuracy="1", tolerance="1")
refused("precision", accuracy="1", precision="12")
refused("mode", accuracy="1", mode="snr")
refused("missing", accuracy="1", missing="none")
refused("threads", accuracy="1", threads="0")
refused("range_max", accuracy="1", mode="rel", range_min="0")
refused("range", accuracy="1", mode="rel", range="0,1", range_min="-1", range_max="1")
refused("accuracy", accuracy="1e-3", mode="psnr")
refused("backend", accuracy="1", backend="gpu")
