"""The nests of a kernel as tasks: on a cluster, and on arrays larger than memory."""

from looptx.cluster.graph.cost import Cost as Cost
