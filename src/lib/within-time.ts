/** The answer, or a rejection when there is none within `limitMs`. What was asked goes on; its late answer is dropped. */
export function withinTime<Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
