import { deleteApiToken } from '../api/access/delete-api-token.ts';
import { getApiTokens } from '../api/access/get-api-tokens.ts';
import { getUsers } from '../api/access/get-users.ts';
import { postApiTokens } from '../api/access/post-api-tokens.ts';
import { postLogin } from '../api/access/post-login.ts';
import { postLoginToken } from '../api/access/post-login-token.ts';
import { postUsersLogin } from '../api/access/post-users-login.ts';
import { postV2Login } from '../api/access/post-v2-login.ts';
import { getBanks } from '../api/bank-accounts/get-banks.ts';
import { getValidationsBankAccount } from '../api/bank-accounts/get-validations-bank-account.ts';
import { postValidationsBankAccount } from '../api/bank-accounts/post-validations-bank-account.ts';
import { postValidationsBankAccountBatch } from '../api/bank-accounts/post-validations-bank-account-batch.ts';
import { deleteListener } from '../api/listeners/delete-listener.ts';
import { postListenerAttempts } from '../api/listeners/post-listener-attempts.ts';
import { postListenerNext } from '../api/listeners/post-listener-next.ts';
import { postListeners } from '../api/listeners/post-listeners.ts';
import { getHealthz, getReadyz } from '../api/operation/get-health.ts';
import { getMetrics } from '../api/operation/get-metrics.ts';
import { getRequests } from '../api/operation/get-requests.ts';
import { postCspReports } from '../api/operation/post-csp-reports.ts';
import { getPaymentLinks, getPaymentLinksId } from '../api/payment-links/get-payment-links.ts';
import { postPaymentLinkEnd, postPaymentLinks } from '../api/payment-links/post-payment-links.ts';
import {
  postPayoutBatchApprove,
  postPayoutBatchCancel,
  postPayoutBatchReject,
  postPayoutBatchSubmit,
} from '../api/payouts/decide-payout-batch.ts';
import { getAvailableBalance, getBalance } from '../api/payouts/get-balance.ts';
import { getBankStatements, getBankStatementsId } from '../api/payouts/get-bank-statements.ts';
import { getPayoutBatches, getPayoutBatchesId } from '../api/payouts/get-payout-batches.ts';
import { getPayoutFiles, getPayoutFilesContent, getPayoutFilesId } from '../api/payouts/get-payout-files.ts';
import { getRecipients, getRecipientsId } from '../api/payouts/get-recipients.ts';
import { getTefId } from '../api/payouts/get-tef-id.ts';
import { postBankStatements } from '../api/payouts/post-bank-statements.ts';
import { postBankStatementsUses } from '../api/payouts/post-bank-statements-uses.ts';
import { postPayoutBatches } from '../api/payouts/post-payout-batches.ts';
import { postPayoutFiles } from '../api/payouts/post-payout-files.ts';
import { postPayoutFilesResults } from '../api/payouts/post-payout-files-results.ts';
import { postRecipients, postRecipientsId } from '../api/payouts/post-recipients.ts';
import { postTef } from '../api/payouts/post-tef.ts';
import { getIndicatorsRemittances } from '../api/reconciliation/get-indicators-remittances.ts';
import { getRemittancesConciliation } from '../api/reconciliation/get-remittances-conciliation.ts';
import { postGetRemittance, postGetRemittances } from '../api/reconciliation/post-get-remittances.ts';
import { getNullificationStatus } from '../api/refunds/get-nullification-status.ts';
import { getNullifications } from '../api/refunds/get-nullifications.ts';
import { postNullification } from '../api/refunds/post-nullification.ts';
import { getEvents } from '../api/transactions/get-events.ts';
import { getPayments, getV2Payments } from '../api/transactions/get-payments.ts';
import { getTransactions } from '../api/transactions/get-transactions.ts';
import { getTransactionsId } from '../api/transactions/get-transactions-id.ts';
import { getTrxsId } from '../api/transactions/get-trxs-id.ts';
import { getTrxsStatus } from '../api/transactions/get-trxs-status.ts';
import { getTrxsStatusId } from '../api/transactions/get-trxs-status-id.ts';
import { postTrxs } from '../api/transactions/post-trxs.ts';
import { postTrxsCreate } from '../api/transactions/post-trxs-create.ts';
import { deleteWebhook } from '../api/webhooks/delete-webhook.ts';
import { getWebhooks } from '../api/webhooks/get-webhooks.ts';
import { postWebhooks } from '../api/webhooks/post-webhooks.ts';
import { putWebhook } from '../api/webhooks/put-webhook.ts';
import { asNeeded, type Needed, type Permission, readWith } from '../auth/permission.ts';
import { CONSOLE_ROUTES } from '../console/console-routes.ts';
import type { Access, Endpoint, Operation } from '../http/endpoint.ts';
import { getAsset } from '../pages/get-asset.ts';
import { getLookFile } from '../pages/get-look-file.ts';
import { getPay } from '../pages/get-pay.ts';
import { getPayCancel } from '../pages/get-pay-cancel.ts';
import { getPayReturn, postPayReturn } from '../pages/get-pay-return.ts';
import { getRoot } from '../pages/get-root.ts';
import { getLink, getLinkPoster, getLinkQr, postLink } from '../pages/link-page.ts';
import { postInitTransaction } from '../pages/post-init-transaction.ts';
import { postPay } from '../pages/post-pay.ts';
import { postPayCancel } from '../pages/post-pay-cancel.ts';
import { postPayReceipt } from '../pages/post-pay-receipt.ts';
import { getDocsSign, postDocsSign } from '../reference/explain-body.ts';
import { getDocs, getDocsGuide, getDocsGuideSpanish, getDocsReference } from '../reference/get-docs.ts';
import { getErrors, getErrorsCode } from '../reference/get-errors-code.ts';
import { getOpenapi, getOpenapiTransfers } from '../reference/get-openapi.ts';

/**
 * THE TABLE of endpoints: method, paths, access, permission, operation. An address that is not here does not exist. The
 * API description and the access tests are built from it.
 */
export const ROUTES: readonly Endpoint[] = [
  route('POST', ['/trxs', '/v2/trxs'], 'signature', postTrxs),
  route('POST', ['/initTransaction'], 'signature', postInitTransaction),
  bearer('POST', ['/trxs/create'], 'payments:create', postTrxsCreate),
  bearer('GET', ['/trxs/status/:id'], 'payments:read', getTrxsStatusId),
  bearer('GET', ['/trxs/:id'], 'payments:read', getTrxsId),
  bearer('GET', ['/v2/trxs/:id/status'], 'payments:read', getTrxsStatus),
  bearer('POST', ['/trxs/:id/nullification', '/trxs/:id/nullification/'], 'refunds:create', postNullification),
  bearer('GET', ['/trxs/:id/nullification', '/trxs/:id/nullification/'], 'payments:read', getNullifications),
  bearer('GET', ['/trxs/:id/nullification/status'], 'payments:read', getNullificationStatus),
  bearer('GET', ['/remittances/conciliation', '/remittances/conciliation/'], 'books:read', getRemittancesConciliation),
  bearer('POST', ['/remittances/getRemittances'], 'books:read', postGetRemittances),
  bearer('POST', ['/remittances/getRemittance/:date'], 'books:read', postGetRemittance),
  bearer('GET', ['/indicators/remittances', '/indicators/remittances/'], 'books:read', getIndicatorsRemittances),
  route('GET', ['/payments'], 'service-token', getPayments),
  route('GET', ['/v2/payments'], 'service-token', getV2Payments),
  bearer('GET', ['/events'], 'events:read', getEvents),
  bearer('GET', ['/transactions'], 'payments:read', getTransactions),
  bearer('GET', ['/transactions/:id'], 'payments:read', getTransactionsId),
  bearer('GET', ['/requests'], 'payments:read', getRequests),

  bearer('POST', ['/payment-links'], 'payments:create', postPaymentLinks),
  bearer('GET', ['/payment-links'], 'payments:read', getPaymentLinks),
  bearer('GET', ['/payment-links/:id'], 'payments:read', getPaymentLinksId),
  bearer('POST', ['/payment-links/:id/end'], 'payments:create', postPaymentLinkEnd),

  bearer('POST', ['/webhooks'], 'events:read', postWebhooks),
  bearer('GET', ['/webhooks/:idUser'], 'events:read', getWebhooks),
  bearer('PUT', ['/webhooks/:idUser/:webhook'], 'events:read', putWebhook),
  bearer('DELETE', ['/webhooks/:idUser/:webhook'], 'events:read', deleteWebhook),

  bearer('POST', ['/listeners'], 'callbacks:listen', postListeners),
  bearer('POST', ['/listeners/:listener/next'], 'callbacks:listen', postListenerNext),
  bearer('POST', ['/listeners/:listener/attempts'], 'callbacks:listen', postListenerAttempts),
  bearer('DELETE', ['/listeners/:listener'], 'callbacks:listen', deleteListener),

  bearer('GET', ['/users'], 'payments:read', getUsers),
  route('POST', ['/users/login'], 'public', postUsersLogin),
  route('POST', ['/v2/login'], 'public', postV2Login),
  route('POST', ['/login'], 'public', postLogin),
  route('POST', ['/loginToken'], 'public', postLoginToken),
  bearer('GET', ['/api-tokens'], readWith('users:manage'), getApiTokens),
  bearer('POST', ['/api-tokens'], 'users:manage', postApiTokens),
  bearer('DELETE', ['/api-tokens/:id'], 'users:manage', deleteApiToken),

  bearer('GET', ['/banks'], readWith('accounts:validate'), getBanks),
  bearer('POST', ['/validations/BankAccount'], 'accounts:validate', postValidationsBankAccount),
  bearer('POST', ['/validations/BankAccount/batch'], 'accounts:validate', postValidationsBankAccountBatch),
  bearer('GET', ['/validations/BankAccount/:id'], 'accounts:validate', getValidationsBankAccount),

  bearer('POST', ['/recipients'], 'accounts:validate', postRecipients),
  bearer('GET', ['/recipients'], 'recipients:read', getRecipients),
  bearer('GET', ['/recipients/:id'], 'recipients:read', getRecipientsId),
  bearer('POST', ['/recipients/:id'], 'accounts:validate', postRecipientsId),

  bearer('POST', ['/tef', '/payout/tef'], 'payouts:create', postTef),
  bearer('GET', ['/tef/:id', '/payout/tef/:id'], readWith('payouts:create'), getTefId),
  bearer('GET', ['/balance', '/payout/balance'], readWith('payouts:create'), getBalance),
  bearer('GET', ['/availableBalance', '/payout/availableBalance'], readWith('payouts:create'), getAvailableBalance),
  bearer('POST', ['/payout-batches'], 'payouts:create', postPayoutBatches),
  bearer('GET', ['/payout-batches'], 'recipients:read', getPayoutBatches),
  bearer('GET', ['/payout-batches/:id'], 'recipients:read', getPayoutBatchesId),
  bearer('POST', ['/payout-batches/:id/approve'], 'payouts:approve', postPayoutBatchApprove),
  bearer('POST', ['/payout-batches/:id/reject'], 'payouts:approve', postPayoutBatchReject),
  bearer('POST', ['/payout-batches/:id/cancel'], 'payouts:create', postPayoutBatchCancel),
  bearer('POST', ['/payout-batches/:id/submit'], 'payouts:create', postPayoutBatchSubmit),
  bearer('POST', ['/payout-files'], 'payouts:create', postPayoutFiles),
  bearer('GET', ['/payout-files'], 'recipients:read', getPayoutFiles),
  bearer('GET', ['/payout-files/:id'], 'recipients:read', getPayoutFilesId),
  bearer('GET', ['/payout-files/:id/content'], readWith('payouts:create'), getPayoutFilesContent),
  bearer('POST', ['/payout-files/:id/results'], 'movements:record', postPayoutFilesResults),
  bearer('POST', ['/bank-statements'], 'movements:record', postBankStatements),
  bearer('GET', ['/bank-statements'], 'books:read', getBankStatements),
  bearer('GET', ['/bank-statements/:id'], 'books:read', getBankStatementsId),
  bearer('POST', ['/bank-statements/:id/uses'], 'movements:record', postBankStatementsUses),

  route('GET', ['/pay/:token'], 'pay-link', getPay),
  route('POST', ['/pay/:token'], 'pay-link', postPay),
  route('GET', ['/pay/:token/cancel'], 'pay-link', getPayCancel),
  route('POST', ['/pay/:token/cancel'], 'pay-link', postPayCancel),
  route('GET', ['/pay/:token/return'], 'pay-link', getPayReturn),
  route('POST', ['/pay/:token/return'], 'pay-link', postPayReturn),
  route('POST', ['/pay/:token/receipt'], 'pay-link', postPayReceipt),
  route('GET', ['/link/:id'], 'pay-link', getLink),
  route('POST', ['/link/:id'], 'pay-link', postLink),
  route('GET', ['/link/:id/poster'], 'pay-link', getLinkPoster),
  route('GET', ['/link/:id/qr.svg'], 'pay-link', getLinkQr),
  route('GET', ['/assets/:name'], 'public', getAsset),
  route('GET', ['/looks/:name'], 'public', getLookFile),
  route('POST', ['/csp-reports'], 'public', postCspReports),

  ...CONSOLE_ROUTES,

  route('GET', ['/'], 'public', getRoot),
  route('GET', ['/docs'], 'public', getDocs),
  route('GET', ['/docs/reference'], 'public', getDocsReference),
  route('GET', ['/docs/sign'], 'public', getDocsSign),
  route('POST', ['/docs/sign'], 'public', postDocsSign),
  route('GET', ['/docs/:guide'], 'public', getDocsGuide),
  route('GET', ['/docs/es/:guide'], 'public', getDocsGuideSpanish),
  route('GET', ['/openapi.json'], 'public', getOpenapi),
  route('GET', ['/openapi/transfers.json'], 'public', getOpenapiTransfers),
  route('GET', ['/errors'], 'public', getErrors),
  route('GET', ['/errors/:code'], 'public', getErrorsCode),
  route('GET', ['/healthz'], 'public', getHealthz),
  route('GET', ['/readyz'], 'public', getReadyz),
  route('GET', ['/metrics'], 'public', getMetrics),
];

type Method = Endpoint['method'];
type Paths = Endpoint['paths'];

function route(
  method: Method,
  paths: Paths,
  access: Exclude<Access, 'bearer' | 'session'>,
  operation: Operation,
): Endpoint {
  return { method, paths, access, ...operation };
}

/** Adds an endpoint for an access token with this permission, or with one of several. */
function bearer(method: Method, paths: Paths, permission: Permission | Needed, operation: Operation): Endpoint {
  return { method, paths, access: 'bearer', needed: asNeeded(permission), ...operation };
}
