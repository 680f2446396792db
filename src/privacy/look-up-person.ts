import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type Erasure, erasePerson } from './erase-person.ts';
import { type Person, subjectOf } from './person.ts';

/**
 * Counts the records about a person by kind: those that an erasure would remove, and those that would stay. The audit
 * log records who asked, but not about whom.
 */
export async function lookUpPerson(app: App, person: Person, by: Actor): Promise<Erasure> {
  const found = await erasePerson(app, person, by, { dryRun: true });
  const act = {
    at: app.now(),
    by,
    action: 'privacy.looked_up',
    subject: subjectOf(person),
    after: found.records,
  } as const;
  await app.db.transaction((tx) => recordAudit(tx, act));
  return found;
}
