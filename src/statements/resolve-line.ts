import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { selectPayoutAnywhere } from '../payouts/payout-queries.ts';
import { requireUserOf } from '../payouts/person-of.ts';
import { settleOutcomes } from '../payouts/settle-outcomes.ts';
import type { PayoutOwner } from '../payouts/transition-payouts.ts';
import { updateUse } from './bank-statement-queries.ts';
import type { KeptLine } from './statement.ts';

/**
 * A person's decision about lines in suspense. `payout` and `return` name the payout; `other` is of nothing here, and with
 * `fileLine` null holds for every line of the statement that is in suspense.
 */
export type LineDecision = {
  readonly statementId: string;
  readonly fileLine: number | null;
  readonly use: 'payout' | 'return' | 'other';
  readonly payoutId: string | null;
  readonly reason: string;
  readonly by: Actor;
};

/**
 * Gives lines in suspense their use, with the state and the entries of the payout that they are of, in one commit. Throws `Problem`
 * NOT_FOUND, PAYOUT_STATE where the payout is another amount, or cannot become it, PERSON_NEEDED or PERMISSION_MISSING.
 */
export function resolveLine(app: App, decision: LineDecision): Promise<KeptLine[]> {
  const { statementId, fileLine, use, payoutId, reason, by } = decision;
  return app.db.transaction(async (tx) => {
    const at = app.now();
    const said = { use, subject: payoutId, at, by: by.name, reason };
    const lines = await updateUse(tx, { statementId, fileLine }, said);
    const [first] = lines;
    if (first === undefined)
      throw new Problem('NOT_FOUND', { detail: 'No such line of the statement is in suspense.' });
    if (use !== 'other') await settleBy(app, tx, { ...decision, use }, first, at);
    await recordAudit(tx, {
      at,
      by,
      action: 'statement.line_resolved',
      subject: { kind: 'statement', id: statementId },
      after: { lines: lines.length, use, payout: payoutId },
      reason,
    });
    return lines;
  });
}

async function settleBy(
  app: App,
  tx: Tx,
  { use, payoutId, reason, by }: LineDecision & { use: 'payout' | 'return' },
  line: KeptLine,
  at: number,
): Promise<void> {
  const payout = payoutId === null ? null : await selectPayoutAnywhere(tx, payoutId);
  if (payout === null) throw new Problem('NOT_FOUND', { detail: 'There is no such payout.' });
  const amount = use === 'payout' ? -line.amount : line.amount;
  if (payout.amount !== amount) throw new Problem('PAYOUT_STATE', { detail: 'The line is of another amount.' });
  await requireUserOf(tx, by, payout.environment_id, 'movements:record');
  const owner = (await findEnvironmentById(app, payout.environment_id)) as PayoutOwner;
  const outcome = use === 'payout' ? ('confirmed' as const) : ('returned' as const);
  const { contradicted } = await settleOutcomes(tx, owner, [{ id: payout.id, outcome, reason }], {
    at,
    endsContradiction: true,
  });
  if (contradicted.length === 0) return;
  throw new Problem('PAYOUT_STATE', { detail: `${payout.id} is ${payout.state}: it cannot become ${outcome}.` });
}
