#ifndef KBEVAL_SANDBOX_H
#define KBEVAL_SANDBOX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Confines the calling process, which must be a freshly forked child with one thread.
 *
 * `json_config` is a JSON object; docs/sandbox.md lists its keys. On success the call returns 0 in a new
 * process, a grandchild of the caller, that is inside the sandbox. The caller itself becomes the supervisor:
 * it never returns, and ends with the exit status, or by the signal, that ended the new process. Killing the
 * supervisor ends everything inside.
 *
 * `report_json` (at least 4 KiB, NUL-terminated on return) receives the report: `layers`, `missing`,
 * `skipped_paths`, `enter_us`. A layer that could not be had is false there with its reason in `missing`.
 *
 * Returns a negative errno value on failure, with {"error": "..."} in `report_json`. The process that gets a
 * negative value may be confined in part and must do nothing but report it and _exit. */
__attribute__((visibility("default"))) int kbeval_sandbox_enter(const char* json_config, char* report_json,
                                                                size_t report_cap);

#ifdef __cplusplus
}
#endif

#endif
