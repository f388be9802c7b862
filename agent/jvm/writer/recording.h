/* SPDX-License-Identifier: Apache-2.0 */
/* From the options to a trace. */
#ifndef TM_AGENT_WRITER_RECORDING_H
#define TM_AGENT_WRITER_RECORDING_H

/** Open the trace. @return 0; -1: nothing can be recorded, which was said */
int tm__recording_open(void);

/** The VM is up: have room for what its threads will report. */
void tm__recording_begin(void);

/** Find the listener, on the writer thread: that may take long. @return TM_OK or TM_EIO
 */
int tm__recording_connect(void);

/** Have all that was emitted in the file, and its room in the rings free again.
 * @return TM_OK or what the sink returned */
int tm__recording_flush(void);

/** Complete the trace, and close it. @param rc  what the recording came to */
void tm__recording_close(int rc);

#endif
