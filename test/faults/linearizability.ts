/**
 * One request and its outcome. Times are nanoseconds of one monotonic clock; `end` is null without a response. `amount`
 * stands for the fields of the request: another amount is another request.
 */
export type Operation = {
  kind: 'create' | 'read';
  reference: string;
  amount: number;
  start: bigint;
  end: bigint | null;
  outcome: 'created' | 'replayed' | 'conflict' | 'found' | 'absent' | 'refused' | 'unknown' | 'nonsense';
  id: number | null;
  /** The content of an invalid response. */
  detail?: string;
};

/** The final content of the store. */
export type StoredRow = { id: number; reference: string; amount: number; events: number };

/**
 * Checks that every reference behaved as a register that is written once: empty, then one id with one amount for ever,
 * for every client and in real time. For such a register linearizability reduces to conditions that can be checked one
 * by one. Returns a line for each violation.
 *
 * `refused` promises that nothing was stored; `unknown` promises nothing.
 */
export function checkHistory(history: readonly Operation[], rows: readonly StoredRow[]): string[] {
  const stored = Map.groupBy(rows, (row) => row.reference);
  const asked = Map.groupBy(history, (operation) => operation.reference);
  const problems = [...stored.keys()]
    .filter((reference) => !asked.has(reference))
    .map((name) => `C10 ${name} is stored and nobody asked for it`);
  for (const [reference, operations] of asked) {
    for (const problem of checkRegister(operations, stored.get(reference) ?? []))
      problems.push(`${problem} (${reference})`);
  }
  return problems;
}

function checkRegister(operations: readonly Operation[], rows: readonly StoredRow[]): string[] {
  const [row] = rows;
  const sure = operations.filter(({ id }) => id !== null);
  if (row === undefined) return sure.length > 0 ? ['C3 acknowledged and not stored'] : [];
  return [
    ...when(rows.length > 1, `C1 stored ${rows.length} times`),
    ...when(operations.filter(({ outcome }) => outcome === 'created').length > 1, 'C2 created twice'),
    ...when(
      sure.some(({ id }) => id !== row.id),
      'C4 acknowledged under another id than is stored',
    ),
    ...checkFields(operations, row),
    ...when(row.events !== 1, `C6 has ${row.events} events of its creation`),
    ...checkRealTime(operations),
    ...operations.filter(({ outcome }) => outcome === 'nonsense').map(({ detail }) => `C8 answered ${detail}`),
    ...checkOrigin(operations, row),
  ];
}

/** C5: an equal request is a replay, another one a conflict. */
function checkFields(operations: readonly Operation[], row: StoredRow): string[] {
  return operations.flatMap(({ kind, outcome, amount }) => {
    if (kind !== 'create') return [];
    if (outcome === 'conflict' && amount === row.amount) return ['C5 an equal request was in conflict'];
    const equal = outcome === 'created' || outcome === 'replayed';
    return equal && amount !== row.amount ? [`C5 another request was ${outcome}`] : [];
  });
}

/** C7: after a response that proves the reference exists, no later request finds it absent or creates it. */
function checkRealTime(operations: readonly Operation[]): string[] {
  let known: bigint | null = null;
  for (const { id, end } of operations) {
    if (id !== null && end !== null && (known === null || end < known)) known = end;
  }
  const since = known;
  if (since === null) return [];
  return operations
    .filter(({ start, outcome }) => start > since && (outcome === 'created' || outcome === 'absent'))
    .map(({ outcome }) => `C7 ${outcome} after its existence had been answered`);
}

/**
 * C9 and C10: a request with the stored fields exists, it was not refused, and no response shows the row before that
 * request.
 */
function checkOrigin(operations: readonly Operation[], row: StoredRow): string[] {
  const creates = operations.filter(({ kind, amount }) => kind === 'create' && amount === row.amount);
  if (creates.length === 0) return ['C10 stored with fields that nobody sent'];
  if (creates.every(({ outcome }) => outcome === 'refused')) return ['C10 stored although every request was refused'];
  const began = creates.reduce((first, { start }) => (start < first ? start : first), creates[0]?.start ?? 0n);
  return when(
    operations.some(({ id, end }) => id !== null && end !== null && end < began),
    'C9 seen before it was asked for',
  );
}

function when(condition: boolean, problem: string): string[] {
  return condition ? [problem] : [];
}
