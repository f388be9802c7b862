/* SPDX-License-Identifier: Apache-2.0 */
/* One object: that a process has one VM is the reason for all that is global here. */
#include "vm/vm.h"

tm__vm tm__the_vm;
