"""python-libjuju, as it comes from PyPI, against a controller of ours on this host.

The client store's files are all it is given: it must find the controller, log in, add a model, deploy a local charm,
integrate, configure and wait for idle, and see the values that the charm set.
"""

import asyncio
import os
import pathlib
import sys

from juju.controller import Controller
from juju.model import Model

CHARMS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "charms"


async def main() -> None:
    controller = Controller()
    await controller.connect()
    try:
        assert controller.controller_name == os.environ["CONTROLLER"], controller.controller_name
        model = await controller.add_model("libjuju")
        try:
            assert "libjuju" in await controller.list_models()
            await life_of_a_model(model)
        finally:
            await model.disconnect()
            await controller.destroy_models("libjuju", destroy_storage=True, force=False)
        await gone(controller, "libjuju")
    finally:
        await controller.disconnect()


async def gone(controller: Controller, name: str, seconds: float = 60) -> None:
    """Waits until the controller has no model of the name: the call that destroys it only begins."""
    deadline = asyncio.get_running_loop().time() + seconds
    while name in await controller.list_models():
        assert asyncio.get_running_loop().time() < deadline, f"model {name} is still there"
        await asyncio.sleep(0.2)


async def life_of_a_model(model: Model) -> None:
    server = await model.deploy(str(CHARMS / "hello-bash"), application_name="server", num_units=2)
    consumer = await model.deploy(str(CHARMS / "hello-consumer"), application_name="consumer")
    await model.wait_for_idle(["server"], status="active", timeout=120, idle_period=1)
    assert sorted(unit.name for unit in server.units) == ["server/0", "server/1"]
    leaders = [await unit.is_leader_from_status() for unit in server.units]
    assert leaders.count(True) == 1, leaders

    await model.integrate("consumer", "server")
    await model.wait_for_idle(["server", "consumer"], status="active", timeout=120, idle_period=1)
    assert len(model.relations) >= 1

    await server.set_config({"greeting": "ahoy"})
    config = await server.get_config()
    assert config["greeting"]["value"] == "ahoy", config["greeting"]
    await model.block_until(
        lambda: all("ahoy" in unit.workload_status_message for unit in server.units), timeout=60
    )
    await server.expose()
    status = await model.get_status()
    assert status.applications["server"].exposed is True
    assert {machine for machine in status.machines} == {"0", "1", "2"}

    await server.add_unit(count=1)
    await model.block_until(lambda: len(server.units) == 3, timeout=60)
    await model.wait_for_idle(["server"], status="active", timeout=120, idle_period=1)
    await server.destroy_unit("server/0")
    await model.block_until(lambda: len(server.units) == 2, timeout=60)
    await consumer.destroy()
    await model.block_until(lambda: "consumer" not in model.applications, timeout=60)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
