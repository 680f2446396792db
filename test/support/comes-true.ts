/** Longer than any machine needs: after this time the condition will never be true. */
export const PATIENCE_MS = 120_000;

/** Waits for a condition. Returns whether it became true in time. */
export async function comesTrue(condition: () => boolean | Promise<boolean>, withinMs = PATIENCE_MS): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
