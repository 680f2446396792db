import type { App } from '../../app.ts';
import type { OpenWalk } from '../../lib/walk.ts';
import type { Findings } from '../proof-finding.ts';
import { selectArrivals } from './act-check-queries.ts';
import { verifyApiTokens } from './verify-api-tokens.ts';
import { verifyBankFiles } from './verify-bank-files.ts';
import { verifyBankLists } from './verify-bank-lists.ts';
import { verifyFundsRules } from './verify-funds-rules.ts';
import { verifyMonths } from './verify-months.ts';
import { verifyPaymentLinks } from './verify-payment-links.ts';
import { verifyPaymentServices } from './verify-payment-services.ts';
import { verifyPayoutActs } from './verify-payout-acts.ts';
import { verifyPayoutLimits } from './verify-payout-limits.ts';
import { verifyRecipients } from './verify-recipients.ts';
import { verifyRefundDays } from './verify-refund-days.ts';
import { verifyRefundRequests } from './verify-refund-requests.ts';
import { verifyRestores } from './verify-restores.ts';
import { type RightsCoverage, verifyRights } from './verify-rights.ts';
import { verifyRoutes } from './verify-routes.ts';
import { verifySettlements } from './verify-settlements.ts';
import { verifySignIns } from './verify-sign-ins.ts';
import { verifyStatements } from './verify-statements.ts';
import { verifyWebhooks } from './verify-webhooks.ts';

/**
 * Compares what people closed, set, made and decided with the acts of the audit log: restores, months, rules for
 * merchants' money, limits of payouts, who proposed and decided about payouts and refunds above a limit, recipients,
 * files for banks, lists of banks, bank statements, settlement files, payment services with where their money and
 * events go, payment links, API tokens, second factors, invitations, webhooks, what users may do, and what they have
 * refunded on a day. Reads only. Whether somebody changed the audit log itself is what `audit verify` answers.
 */
export async function verifyActs(app: App, findings: Findings, walks: OpenWalk): Promise<RightsCoverage> {
  const arrivals = await selectArrivals(app.db);
  const work = 'acts of people beside the books';
  walks('acts', work);
  await verifyRestores(app, findings);
  await verifyMonths(app, findings, arrivals);
  await verifyFundsRules(app, findings, arrivals);
  await verifyPayoutLimits(app, findings, arrivals);
  await verifyPayoutActs(app, findings, arrivals, walks);
  await verifyRefundRequests(app, findings, arrivals);
  await verifyRecipients(app, findings, arrivals);
  await verifyBankFiles(app, findings, arrivals);
  await verifyBankLists(app, findings);
  await verifyStatements(app, findings, arrivals);
  await verifySettlements(app, findings, arrivals);
  await verifyPaymentServices(app, findings, arrivals);
  await verifyRoutes(app, findings, arrivals);
  await verifyPaymentLinks(app, findings, arrivals);
  await verifyApiTokens(app, findings);
  await verifySignIns(app, findings);
  await verifyWebhooks(app, findings);
  await verifyRefundDays(app, findings, walks('refund days', work));
  return verifyRights(app, findings, arrivals);
}
