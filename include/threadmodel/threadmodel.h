/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/threadmodel.h: all of the library. */
#ifndef THREADMODEL_THREADMODEL_H
#define THREADMODEL_THREADMODEL_H

#include <threadmodel/allocator.h>
#include <threadmodel/arrow.h>
#include <threadmodel/blame.h>
#include <threadmodel/causes.h>
#include <threadmodel/class_sums.h>
#include <threadmodel/common.h>
#include <threadmodel/context.h>
#include <threadmodel/deadlock.h>
#include <threadmodel/definition.h>
#include <threadmodel/diagnostics.h>
#include <threadmodel/error.h>
#include <threadmodel/event.h>
#include <threadmodel/executor.h>
#include <threadmodel/explain.h>
#include <threadmodel/export.h>
#include <threadmodel/findings.h>
#include <threadmodel/hold.h>
#include <threadmodel/hprof.h>
#include <threadmodel/interaction.h>
#include <threadmodel/lockorder.h>
#include <threadmodel/model.h>
#include <threadmodel/module.h>
#include <threadmodel/path.h>
#include <threadmodel/recorder.h>
#include <threadmodel/reorder.h>
#include <threadmodel/resource.h>
#include <threadmodel/run.h>
#include <threadmodel/selection.h>
#include <threadmodel/sink.h>
#include <threadmodel/source.h>
#include <threadmodel/statistics.h>
#include <threadmodel/summary.h>
#include <threadmodel/table.h>
#include <threadmodel/timeline.h>
#include <threadmodel/unit.h>
#include <threadmodel/verdict.h>
#include <threadmodel/version.h>
#include <threadmodel/whatif.h>
#include <threadmodel/writer.h>

#endif
