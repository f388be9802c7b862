/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/module.h: the executables and libraries whose code is in stacks.
 */
#ifndef THREADMODEL_MODULE_H
#define THREADMODEL_MODULE_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the modules of a native program, by which its symbols can be found again: each
 * that a class was defined with, by tm_class.build_id.
 *
 * Columns (table `modules`): module string (name of the executable or library),
 * build_id string (hexadecimal).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_module_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
