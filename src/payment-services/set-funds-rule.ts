import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeService } from './find-environment.ts';
import { type FundsRule, selectFundsRule, upsertFundsRule } from './funds-rule-queries.ts';
import { lockFunds } from './lock-funds.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentId } from './payment-service-queries.ts';

export type FundsTarget = { paymentServiceId: string; environment: Environment; currency: string };

/**
 * Changes the amount that is kept back of a merchant's money, and how far refunds may overdraw it; an omitted value
 * stays. Returns the current rule, or null if there is no such payment service. Without changes it only reads.
 * Throws `Problem` PAYMENT_SERVICE_MOVED.
 */
export async function setFundsRule(
  app: App,
  { paymentServiceId, environment, currency }: FundsTarget,
  changes: Partial<FundsRule>,
  by: Actor,
): Promise<FundsRule | null> {
  const environmentId = await selectEnvironmentId(app.db, paymentServiceId, environment);
  if (environmentId === null) return null;
  if (Object.keys(changes).length === 0) return selectFundsRule(app.db, environmentId, currency);
  return changeService(app, paymentServiceId, async (tx) => {
    // The lock orders this change and concurrent payouts and refunds: later ones see the new rule.
    await lockFunds(tx, environmentId, currency);
    const before = await selectFundsRule(tx, environmentId, currency);
    const after = { ...before, ...changes };
    const at = app.now();
    await upsertFundsRule(tx, { environmentId, currency, at, by: by.name }, after);
    await recordAudit(tx, {
      at,
      by,
      action: 'funds.rule_set',
      subject: { kind: 'payment_service', id: paymentServiceId },
      before: { environment, currency, ...before },
      after: { environment, currency, ...after },
    });
    return after;
  });
}
