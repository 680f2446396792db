import { setTimeout } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type SealedRow, selectSealCounts, selectSealedWith, updateSealed } from './reseal-queries.ts';
import { keysOf, openUnlessChanged, type SealedKind, sealAs } from './sealed-kind.ts';

/** So many in one commit: it is over in some milliseconds, and nobody who pays waits longer than that. */
const AT_ONCE = 100;
/** Between two commits, so that a service on the embedded store gets its turn. */
const PAUSE_MS = 20;

/**
 * Seals with MASTER_KEY what MASTER_KEY_PREVIOUS has sealed, and answers how many texts that were, and how many open no more because
 * somebody changed or moved them: those stay as they are.
 *
 * Encrypts anew every text that still carries the id of the previous key, so a run that is ended at any moment goes on where
 * it was, and two at once do no harm: a text that changed meanwhile is left as it is. `onProgress` is told the sum after each
 * commit.
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
  while (previous !== null) {
    const found = await selectSealedWith(app.db, kind, previous.id, AT_ONCE + broken.size);
    const rows = found.filter((row) => !broken.has(nameOf(kind, row)));
    if (rows.length === 0) break;
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

/** How many texts of a kind each key has sealed; `unknown`: sealed by neither. */
export type SealCounts = { current: number; previous: number; unknown: number };

/** Counts the texts of a kind by the key that has sealed them. */
export async function countSeals(app: App, kind: SealedKind): Promise<SealCounts> {
  const { current, previous } = keysOf(app, kind);
  const counts: SealCounts = { current: 0, previous: 0, unknown: 0 };
  for (const { key_id, texts } of await selectSealCounts(app.db, kind)) {
    const by = key_id === current.id ? 'current' : key_id === previous?.id ? 'previous' : 'unknown';
    counts[by] += texts;
  }
  return counts;
}
