#pragma once

namespace kbeval::sandbox {

/// Answers one order of the host over `control`: byte 'F' stops every process of this PID namespace but init,
/// and is answered by 'F' once none of their threads can run, or by '!' after a second of waiting; 'T' lets
/// them go on and is answered by 'T'. SIGSTOP can't be caught, and init can't be signalled from inside. Only
/// for PID 1 of a PID namespace. Returns false at the end of the stream.
bool answer_order(int control);

}  // namespace kbeval::sandbox
