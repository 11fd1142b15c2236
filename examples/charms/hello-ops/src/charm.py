#!/usr/bin/env python3
"""Repeats the greeting of a related application."""

import ops


class HelloCharm(ops.CharmBase):
    """Active once a greeting was heard, waiting until then."""

    def __init__(self, framework: ops.Framework):
        super().__init__(framework)
        for event in (
            self.on.start,
            self.on.config_changed,
            self.on.upgrade_charm,
            self.on["greeter"].relation_changed,
            self.on["greeter"].relation_departed,
            self.on["greeter"].relation_broken,
        ):
            framework.observe(event, self._repeat)

    def _repeat(self, event: ops.EventBase) -> None:
        broken = isinstance(event, ops.RelationBrokenEvent)
        relation = None if broken else self.model.get_relation("greeter")
        if relation is None or relation.app is None:
            self.unit.status = ops.WaitingStatus("no greeter")
            return
        greeting = relation.data[relation.app].get("greeting")
        if not greeting:
            self.unit.status = ops.WaitingStatus("for a greeting")
            return
        self.unit.set_workload_version(ops.__version__)
        self.unit.status = ops.ActiveStatus(f"{self.config['prefix']} {greeting}")


if __name__ == "__main__":
    ops.main(HelloCharm)
