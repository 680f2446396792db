/** Above this utilisation of the event loop, payments come first. */
const BUSY = 0.7;

/**
 * Returns a function that tells whether the event loop was busy since its last call. Work that can wait then reads
 * little or nothing until the next call.
 */
export function watchLoad(): () => boolean {
  let since = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    return utilization > BUSY;
  };
}
