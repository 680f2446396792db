/**
 * Node's own modules: in Node.js, Deno, Bun and Workers with `nodejs_compat`. Undefined in a browser. They are looked
 * up at run time instead of imported, so that the same files load everywhere.
 */
export const node = findNode();

/** Throws for a synchronous function if Node's modules are missing: Web Crypto is asynchronous. */
export function needNode(): never {
  throw new TypeError(
    "This platform has no 'node:crypto', and its Web Crypto is asynchronous: call signAsync or verifyCallbackAsync instead, or verifyNoticeAsync",
  );
}

function findNode() {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const crypto = process?.getBuiltinModule?.('node:crypto');
  const buffer = process?.getBuiltinModule?.('node:buffer');
  return crypto === undefined || buffer === undefined ? undefined : { crypto, isUtf8: buffer.isUtf8 };
}
