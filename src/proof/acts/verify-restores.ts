import type { App } from '../../app.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import { selectAuditedSince, selectObjectsGone, selectReleasesSaid } from './act-check-queries.ts';

/**
 * Compares restores with the acts that began and released them: payouts and callbacks that a restore holds leave if
 * somebody releases it by hand, or deletes its row. A release from before the audit log has no act.
 */
export async function verifyRestores(app: App, findings: Findings): Promise<void> {
  const about = { finding: 'restore_changed' as const, environment_id: null };
  const since = await selectAuditedSince(app.db);
  for (const { epoch, began_at, released_at, said } of await selectReleasesSaid(app.db)) {
    if (said === 1 || (began_at < since && released_at < since)) continue;
    addWrong(findings, { ...about, subject: `restore of epoch ${epoch}`, since: released_at }, [
      'its release, or the time and the person of it, is not one of the audit log',
    ]);
  }
  for (const { subject, said_at } of await selectObjectsGone(app.db, 'store.restored', GONE)) {
    addWrong(findings, { ...about, subject: `restore of ${subject}`, since: said_at }, ['it was deleted']);
  }
}
