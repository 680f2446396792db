import type { App } from '../../app.ts';
import { recordUserEvent } from '../../outbox/record-event.ts';
import type { HolderAnswer } from '../../validation-providers/validation-provider.ts';
import {
  claimValidation,
  completeValidation,
  selectDueValidations,
  type ValidationRow,
} from '../bank-validation-queries.ts';
import { verdictOf } from '../check.ts';
import { currentDirectory } from '../directory/current-directory.ts';
import { encodeChecks, validationOf } from '../stored-validation.ts';
import { holderChecks, isMiss } from './holder-checks.ts';
import { refundProviderBudget } from './provider-budget.ts';
import { openQuestion } from './seal-question.ts';

/** The pauses before the next question, by the number of questions so far; the last one repeats. */
const PAUSES_MS = [30_000, 60_000, 300_000, 900_000];
/** After this long the question ends with `timeout`. */
const GIVE_UP_MS = 3_600_000;

/** Asks the provider the due questions again. Returns how many were due. */
export async function settleDueValidations(app: App, limit: number): Promise<number> {
  const due = await selectDueValidations(app.db, app.now(), limit);
  await Promise.all(due.map((row) => askAgain(app, row)));
  return due.length;
}

/**
 * Completes a pending validation, in one transaction with its event. Without a usable answer it stays pending for up to
 * an hour, also if a clock that was ahead has been corrected meanwhile. A second answer changes nothing.
 */
export async function settleValidation(app: App, row: ValidationRow, answer: HolderAnswer): Promise<void> {
  const now = app.now();
  const open = OPEN_ANSWERS.has(answer.kind);
  if (open && Math.abs(now - row.created_at) < GIVE_UP_MS) return;
  const outcome: HolderAnswer = open ? { kind: 'timeout' } : answer;

  const { checks } = validationOf(row, await currentDirectory(app));
  const online = holderChecks(row.provider ?? '', outcome, now);
  const replaced = new Set(online.map(({ id }) => id));
  const settled = [...checks.filter(({ id }) => !replaced.has(id)), ...online];
  const verdict = verdictOf(settled);
  const completed = await app.db.transaction(async (tx) => {
    const first = await completeValidation(tx, {
      id: row.id,
      verdict,
      findings: encodeChecks(settled),
      provider_detail: outcome.kind === 'no_match' ? outcome.detail : null,
      answered_at: now,
      expires_at: 'expiresAt' in outcome ? outcome.expiresAt : null,
    });
    if (!first) return false;
    if (!isMiss(outcome)) await refundProviderBudget(app, tx, row.actor, row.rut_hash as string);
    const data = { id: row.id, verdict, state: 'completed' };
    await recordUserEvent(tx, { userId: row.actor, type: 'bank_account_validation.updated', createdAt: now, data });
    return true;
  });
  if (completed) app.metrics.validations.inc({ verdict });
}

const OPEN_ANSWERS: ReadonlySet<HolderAnswer['kind']> = new Set(['pending', 'timeout', 'unavailable', 'rate_limited']);

async function askAgain(app: App, row: ValidationRow): Promise<void> {
  const asks = row.asks ?? 1;
  const pause = PAUSES_MS[Math.min(asks, PAUSES_MS.length) - 1] as number;
  const claim = { id: row.id, dueAt: row.next_ask_at as number, nextAskAt: app.now() + pause };
  const claimed = await app.db.transaction((tx) => claimValidation(tx, claim));
  if (!claimed) return;
  const answer = await putAgain(app, row, asks).catch((error: unknown): HolderAnswer => {
    app.log.error({ err: error, validation: row.id }, 'a request to the validation provider could not be retried');
    return { kind: 'unavailable' };
  });
  await settleValidation(app, row, answer);
}

/** Without a configured provider, the question waits for the end of its hour, as with an unavailable provider. */
async function putAgain(app: App, row: ValidationRow, asks: number): Promise<HolderAnswer> {
  if (app.validationProvider === null) return { kind: 'unavailable' };
  return app.validationProvider.ask({ ...openQuestion(app, row, row.sealed_question as string), asks });
}
