# SPDX-License-Identifier: Apache-2.0
"""What jobs of several processes on this machine are started with."""

import os

# All processes on this machine, as root too, and more of them than cores. OpenMPI reads the first of the names that
# speak of that up to 4, the second in 5, the third since 6.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader",
       "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "PRTE_MCA_mapby": ":oversubscribe"}


def job_environment(**more):
    """That of this process, with what an MPI needs and with `more`."""
    return os.environ | MPI | more
