/**
 * Resolves with the answer, or rejects with the code ETIMEDOUT after `limitMs`. The work continues; its late answer is
 * dropped.
 */
export function withinTime<Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(Object.assign(new Error(`no answer within ${limitMs} ms`), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(fail, limitMs);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
