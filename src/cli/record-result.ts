/**
 * Records in the store what a command has done. A store that refuses that, such as one on a full disk or a standby,
 * does not undo it. Returns then what to say about it on stderr, with `fix`; null if it is recorded.
 */
export async function recordResult(record: () => Promise<void>, fix: string): Promise<string | null> {
  try {
    await record();
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `The store could not record it (${code ?? message}), so doctor does not know of it: ${fix}\n`;
  }
}
