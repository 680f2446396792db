import type { App } from '../../app.ts';
import type { Findings } from '../proof-finding.ts';
import { type FundsRuleSaid, selectFundsRulesSaid } from './act-check-queries.ts';
import { compareSaid } from './compare-said.ts';
import { arrivalOf, pagesOfActs, readAct } from './read-acts.ts';

/**
 * Compares the rules for merchants' money with the acts that set them. A rule that was set before its payment service
 * arrived from another database has its act there.
 */
export async function verifyFundsRules(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  // Read before the rules, so that a rule that is set meanwhile is there.
  const set = await rulesThatWereSet(app);
  const rules = await selectFundsRulesSaid(app.db);
  for (const rule of rules) {
    const { environment_id, payment_service_id, currency, said, said_at, said_by } = rule;
    set.delete(keyOf(rule));
    if (rule.set_at <= arrivalOf(arrivals, payment_service_id)) continue;
    const act = said === null ? null : JSON.stringify({ ...readAct(said), set_at: said_at, set_by: said_by });
    const { kept_back, overdraft, set_at, set_by } = rule;
    const stored = { kept_back, overdraft, set_at, set_by };
    const name = `rule for the money of environment ${environment_id} in ${currency}`;
    compareSaid(findings, 'funds_rule_changed', environment_id, name, { said: act, said_at }, stored);
  }
  for (const [rule, since] of set) {
    const says = `the rule for the money of ${rule} was deleted`;
    findings.add({ finding: 'funds_rule_changed', environment_id: null, subject: rule, since, says });
  }
}

function keyOf({ payment_service_id, environment, currency }: FundsRuleSaid): string {
  return `${payment_service_id} ${environment} ${currency}`;
}

/** Returns the rules that acts have set, with the time of the last act. */
async function rulesThatWereSet(app: App): Promise<Map<string, number>> {
  const set = new Map<string, number>();
  for await (const acts of pagesOfActs(app, 'funds.rule_set')) {
    for (const { subject, created_at, said_after } of acts) {
      const { environment, currency } = readAct(said_after);
      set.set(`${subject} ${String(environment)} ${String(currency)}`, created_at);
    }
  }
  return set;
}
