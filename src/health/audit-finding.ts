import type { App } from '../app.ts';
import { selectAudit, selectAuditHead } from '../audit/audit-queries.ts';
import type { Said } from '../lib/language.ts';
import { formatAge } from '../lib/time-text.ts';
import { type Finding, fine, problem } from './finding.ts';

/** Checks whether the audit log ends where its recorded end says. A full check takes longer: `audit verify`. */
export async function auditFinding(app: App): Promise<Finding> {
  // The newest row is read first, so the end that is read next includes a concurrent act.
  const [last] = await selectAudit(app.db, {}, 1);
  const head = await selectAuditHead(app.db);
  if (head === null || (last?.link ?? 0) > head.link)
    return broken({
      en: 'records a head that does not match its rows',
      es: 'no dice un final que calce con sus filas',
    });
  const [ended] = await selectAudit(app.db, { before: head.link + 1 }, 1);
  if (head.link === 0) return fine('audit-log', { en: 'no acts yet', es: 'nadie ha hecho nada todavía' });
  if (ended?.link !== head.link || ended.hash !== head.hash)
    return broken({ en: 'does not end at its recorded head', es: 'no termina donde debería' });
  const age = app.now() - ended.created_at;
  return fine('audit-log', {
    en: `${head.link} ${head.link === 1 ? 'row' : 'rows'}, the last of ${formatAge(age)} ago`,
    es: `${head.link} ${head.link === 1 ? 'fila' : 'filas'}, la última de hace ${formatAge(age, 'es')}`,
  });
}

function broken(says: Said): Finding {
  return problem('audit-log', says, 'bin/rubrica audit verify');
}
