/** Above this share of its time a process has payments to take. */
const BUSY = 0.7;

/**
 * Tells whether the event loop was busy since it was last asked, so that work which can wait gives way. Such work then reads
 * little or nothing, and the loop looks again.
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
