/**
 * Returns the milliseconds of the quickest of many runs: any run may be interrupted, and on a busy machine nearly all
 * are.
 */
export function quickestOf(runs: number, run: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
