/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/error.h: what a negative return value means. */
#ifndef THREADMODEL_ERROR_H
#define THREADMODEL_ERROR_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/**
 * Return values: zero or more is success, less than zero one of these. A call that may
 * return TM_ENOMEM returns TM_ELIMIT where a list would have more than 2^32 - 2 items.
 */
enum tm_error {
    TM_OK = 0,
    TM_MORE = 1,          ///< success, and there is more to do: call again
    TM_ENOMEM = -1,       ///< an allocation failed; the object stays usable
    TM_EINVAL = -2,       ///< the call itself was wrong (misuse)
    TM_EIO = -3,          ///< the operating system refused a read, write or open
    TM_EFORMAT = -4,      ///< not a file of any known format
    TM_EDAMAGED = -5,     ///< cut or damaged; all that is whole was delivered
    TM_EVERSION = -6,     ///< written by a newer release, in a newer format
    TM_ENOTFOUND = -7,    ///< no thread, class, object or file of that name
    TM_ELIMIT = -8,       ///< larger than a stated limit
    TM_EUNSUPPORTED = -9, ///< known, but not possible in this build or on this data
    TM_ESTOPPED = -10     ///< a callback asked to stop
};

/**
 * The text of the last failed call of the calling thread: one line, with the
 * value that was wrong. Meaningful only right after a negative return.
 *
 * @return lent until the calling thread's next failing call; "" before the first
 * @since 0.1
 */
TM_API const char *tm_error_text(void);

/**
 * The name of an error code, "TM_ENOMEM" for instance.
 *
 * @param code  a value of enum tm_error
 * @return a constant string; "unknown error" for any other value
 * @since 0.1
 */
TM_API const char *tm_error_name(int code);

TM_END_DECLS

#endif
