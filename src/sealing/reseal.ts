import { setTimeout } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type SealedRow, selectSealCounts, selectSealedWith, updateSealed } from './reseal-queries.ts';
import { keysOf, openUnlessChanged, type SealedKind, sealAs } from './sealed-kind.ts';

/** Texts per commit. A commit takes some milliseconds, so no payer waits longer. */
const AT_ONCE = 100;
/** The pause between two commits, so that a service on the embedded store gets its turn. */
const PAUSE_MS = 20;

/**
 * Re-encrypts with MASTER_KEY what MASTER_KEY_PREVIOUS has encrypted. Returns how many texts it re-encrypted, and how
 * many cannot be decrypted because somebody changed or moved them; these stay as they are.
 *
 * It processes every text that still has the previous key's id, so an interrupted run resumes, and two concurrent runs
 * do no harm: a text that changes meanwhile is left alone. It walks over the rows until a walk finds nothing to do,
 * because a process without the new key may write behind its place. `onProgress` receives the sum after each commit.
 */
export async function reseal(
  app: App,
  kind: SealedKind,
  by: Actor,
  onProgress: (resealed: number) => void,
): Promise<{ resealed: number; broken: number }> {
  const { previous } = keysOf(app, kind);
  const broken = new Set<string>();
  let total = 0;
  let after: SealedRow | null = null;
  let isDone = true;
  while (previous !== null) {
    const found: SealedRow[] = await selectSealedWith(app.db, kind, previous.id, AT_ONCE, after);
    after = found.at(-1) ?? null;
    if (after === null && isDone) break;
    const rows = found.filter((row) => !broken.has(nameOf(kind, row)));
    isDone = after === null || (isDone && rows.length === 0);
    if (rows.length === 0) continue;
    total += await app.db.transaction(async (tx) => {
      let resealed = 0;
      for (const row of rows) {
        const text = openUnlessChanged(app, kind, row, row.sealed);
        if (text === null) broken.add(nameOf(kind, row));
        else if (await updateSealed(tx, kind, row, sealAs(app, kind, row, text))) resealed++;
      }
      const subject = { kind: 'sealed_texts', id: kind.name };
      const act = { at: app.now(), by, action: 'master_key.rotated', subject, after: { texts: resealed } } as const;
      if (resealed > 0) await recordAudit(tx, act);
      return resealed;
    });
    onProgress(total);
    await setTimeout(PAUSE_MS);
  }
  return { resealed: total, broken: broken.size };
}

function nameOf({ key }: SealedKind, row: SealedRow): string {
  return JSON.stringify(key.map((name) => row[name]));
}

/** The number of texts of a kind by key; `unknown`: sealed with neither key. */
export type SealCounts = { current: number; previous: number; unknown: number };

/** Counts the texts of a kind by the key that sealed them. */
export async function countSeals(app: App, kind: SealedKind): Promise<SealCounts> {
  const { current, previous } = keysOf(app, kind);
  const counts: SealCounts = { current: 0, previous: 0, unknown: 0 };
  for (const { key_id, texts } of await selectSealCounts(app.db, kind)) {
    const by = key_id === current.id ? 'current' : key_id === previous?.id ? 'previous' : 'unknown';
    counts[by] += texts;
  }
  return counts;
}
