/** Milliseconds of the quickest of many runs: any one of them may be interrupted, on a busy machine nearly each. */
export function quickestOf(runs: number, run: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
