import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { insertAsked, selectVerification } from './verification-queries.ts';
import type { VerificationReport } from './verification-report.ts';

/** How far a verification is: what it reads, how many rows of it, and which part, 0 to 1, if known. */
export type Progress = { what: string; rows: number; part: number | null };

/**
 * `asked`: the verification that waits or runs. `begun_at` is null until a process takes it. `failed_at`: when the last
 * one that was asked for was given up. `report`: of the last that ended, at `ended_at`, by whomever it was run.
 */
export type VerificationState = {
  asked: { at: number; by: string; begun_at: number | null; progress: Progress | null } | null;
  failed_at: number | null;
  ended_at: number | null;
  report: VerificationReport | null;
};

/**
 * Asks for a verification of the books for a person; the worker of a process carries it out. Returns false if one
 * already waits or runs.
 */
export function askVerification(app: App, by: Actor): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const at = app.now();
    if (!(await insertAsked(tx, at, by.name))) return false;
    await recordAudit(tx, { at, by, action: 'books.verification_asked', subject: { kind: 'store', id: '' } });
    return true;
  });
}

/** Returns the verification that waits or runs, and what the last one found. */
export async function readVerification({ db }: Pick<App, 'db'>): Promise<VerificationState> {
  const row = await selectVerification(db);
  const { asked_at = null, asked_by = null, begun_at = null, progress = null } = row ?? {};
  const asked =
    asked_at === null
      ? null
      : { at: asked_at, by: asked_by ?? '', begun_at, progress: parse(progress) as Progress | null };
  const { failed_at = null, ended_at = null, report = null } = row ?? {};
  return { asked, failed_at, ended_at, report: parse(report) as VerificationReport | null };
}

function parse(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
