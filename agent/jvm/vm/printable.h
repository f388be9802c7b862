/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the program's, on a terminal. */
#ifndef TM_AGENT_VM_PRINTABLE_H
#define TM_AGENT_VM_PRINTABLE_H

/**
 * Put '?' in place of what a terminal may obey, and what changes the order in which
 * text is shown: a name, or a SourceFile attribute, may hold anything.
 * @param text  UTF-8; it becomes no longer
 */
void tm__printable(char *text);

#endif
