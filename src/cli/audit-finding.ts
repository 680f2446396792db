import type { App } from '../app.ts';
import { selectAudit, selectAuditHead } from '../audit/audit-queries.ts';
import { formatAge } from './attention-commands.ts';
import { type Finding, fine, problem } from './finding.ts';

/** Whether the audit log ends where it says that it ends. Whether all of it is whole takes longer: `audit verify`. */
export async function auditFinding(app: App): Promise<Finding> {
  // The newest row first: an act of this moment is then in the end, and not the other way round.
  const [last] = await selectAudit(app.db, {}, 1);
  const head = await selectAuditHead(app.db);
  if (head === null || (last?.link ?? 0) > head.link) return broken('says no end that fits its rows');
  const [ended] = await selectAudit(app.db, { before: head.link + 1 }, 1);
  if (head.link === 0) return fine('audit-log', 'nobody has done anything yet');
  if (ended?.link !== head.link || ended.hash !== head.hash) return broken('does not end where it should');
  const age = formatAge(Math.max(0, app.now() - ended.created_at));
  return fine('audit-log', `${head.link} rows, the last of ${age} ago`);
}

function broken(says: string): Finding {
  return problem('audit-log', says, 'bin/rubrica audit verify');
}
