import { getUsers } from '../api/access/get-users.ts';
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
import { getAvailableBalance, getBalance } from '../api/payouts/get-balance.ts';
import { getRecipients, getRecipientsId } from '../api/payouts/get-recipients.ts';
import { getTefId } from '../api/payouts/get-tef-id.ts';
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
import type { Permission } from '../auth/permission.ts';
import { getConsoleAccounts } from '../console/accounts/account-list.ts';
import { getConsoleAccount, getConsoleStatementCsv } from '../console/accounts/account-page.ts';
import { getConsoleAttention, postConsoleGiveUp, postConsoleTake } from '../console/attention/get-attention.ts';
import { getConsoleAudit } from '../console/audit/get-audit.ts';
import { getConsoleBankAccounts, postConsoleBankAccounts } from '../console/bank-accounts/bank-accounts-page.ts';
import { getConsoleCallbacks } from '../console/callbacks/get-callbacks.ts';
import { getConsoleEndpoint } from '../console/callbacks/get-endpoint.ts';
import {
  postConsoleCallbacksResend,
  postConsoleEndpointTest,
  postConsoleResend,
} from '../console/callbacks/resend-callbacks.ts';
import { postConsoleLanguage } from '../console/choose-language.ts';
import { getConsoleHealth } from '../console/health/health-page.ts';
import { getConsoleLive } from '../console/live-screen.ts';
import {
  postConsoleEventsUrl,
  postConsoleFee,
  postConsoleLimit,
  postConsoleMethod,
  postConsoleState,
} from '../console/merchants/change-merchant.ts';
import { postConsoleEndLink, postConsoleHandOver } from '../console/merchants/make-token-link.ts';
import { getConsoleMerchants, postConsoleMerchants } from '../console/merchants/merchant-list.ts';
import { getConsoleMerchant } from '../console/merchants/merchant-page.ts';
import {
  getConsolePaymentLinks,
  postConsolePaymentLinkEnd,
  postConsolePaymentLinks,
} from '../console/merchants/payment-links-page.ts';
import { postConsoleResendOwn } from '../console/merchants/resend-own.ts';
import { getConsoleRotate, postConsoleRotate } from '../console/merchants/rotate-tokens.ts';
import { getTokenLink, postTokenLink } from '../console/merchants/token-link.ts';
import { getConsolePayment } from '../console/payments/get-payment.ts';
import { getConsolePayments } from '../console/payments/payment-list.ts';
import { getConsoleRefund, postConsoleRefund } from '../console/payments/refund-payment.ts';
import {
  getConsoleNewPayoutFile,
  getConsolePayoutFiles,
  postConsolePayoutFiles,
} from '../console/payouts/bank-file-list.ts';
import {
  getConsolePayoutFile,
  getConsolePayoutFileContent,
  postConsolePayoutResults,
} from '../console/payouts/bank-file-page.ts';
import { getConsoleBatch, getConsoleBatches } from '../console/payouts/batch-page.ts';
import {
  getConsoleApproveBatch,
  getConsoleApprovePayout,
  postConsoleAccountType,
  postConsoleApproveBatch,
  postConsoleApprovePayout,
  postConsoleCancelBatch,
  postConsoleCancelPayout,
  postConsoleRejectBatch,
  postConsoleRejectPayout,
  postConsoleSubmitBatch,
} from '../console/payouts/decide-page.ts';
import { getConsolePayouts } from '../console/payouts/payout-list.ts';
import { getConsolePayout } from '../console/payouts/payout-page.ts';
import { getConsoleRecipients, postConsoleRecipients } from '../console/payouts/recipient-list.ts';
import { getConsoleRecipient, postConsolePay, postConsoleRecipient } from '../console/payouts/recipient-page.ts';
import { getConsoleUpload, postConsoleUpload } from '../console/payouts/upload-payouts.ts';
import { getConsolePersonalData, postConsolePersonalData } from '../console/privacy/personal-data-page.ts';
import { getConsoleRequest, getConsoleRequests } from '../console/requests/refused-requests-page.ts';
import { getConsoleMonth, postConsoleMonth } from '../console/settlements/month-page.ts';
import { getConsoleSettlements, postConsoleSettlements } from '../console/settlements/settlement-list.ts';
import { getConsoleSettlement, postConsoleAccept } from '../console/settlements/settlement-page.ts';
import { getConsoleSignIn, postConsoleSignIn, postConsoleSignOut } from '../console/sign-in.ts';
import { getConsoleTotp, postConsoleTotp } from '../console/staff/enrol-totp-page.ts';
import { getConsoleInvitation, postConsoleInvitation } from '../console/staff/invitation-page.ts';
import { getConsoleStaffInvite, postConsoleStaffInvite } from '../console/staff/invite-page.ts';
import {
  getConsolePerson,
  postConsoleFactorRemove,
  postConsolePassword,
  postConsoleRecoveryCodes,
  postConsoleSessionsEnd,
} from '../console/staff/my-account.ts';
import { getConsolePasskey, postConsolePasskey } from '../console/staff/passkey-page.ts';
import { getConsoleProve, postConsoleProve } from '../console/staff/prove-person.ts';
import { getConsoleStaffConfirm, postConsoleStaffConfirm } from '../console/staff/staff-act.ts';
import { getConsoleStaff } from '../console/staff/staff-list.ts';
import { getConsoleStaffPerson } from '../console/staff/staff-person.ts';
import { getConsoleStaffRights, postConsoleStaffRights } from '../console/staff/staff-rights.ts';
import { getConsole } from '../console/today/get-today.ts';
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
 * THE TABLE of endpoints: method, paths, who may call, with which permission, and what is done. What is not here
 * does not exist; the API description and the access tests are made from it.
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

  bearer('GET', ['/banks'], 'accounts:validate', getBanks),
  bearer('POST', ['/validations/BankAccount'], 'accounts:validate', postValidationsBankAccount),
  bearer('POST', ['/validations/BankAccount/batch'], 'accounts:validate', postValidationsBankAccountBatch),
  bearer('GET', ['/validations/BankAccount/:id'], 'accounts:validate', getValidationsBankAccount),

  bearer('POST', ['/recipients'], 'accounts:validate', postRecipients),
  bearer('GET', ['/recipients'], 'recipients:read', getRecipients),
  bearer('GET', ['/recipients/:id'], 'recipients:read', getRecipientsId),
  bearer('POST', ['/recipients/:id'], 'accounts:validate', postRecipientsId),

  bearer('POST', ['/tef', '/payout/tef'], 'payouts:create', postTef),
  bearer('GET', ['/tef/:id', '/payout/tef/:id'], 'payouts:create', getTefId),
  bearer('GET', ['/balance', '/payout/balance'], 'payouts:create', getBalance),
  bearer('GET', ['/availableBalance', '/payout/availableBalance'], 'payouts:create', getAvailableBalance),

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

  route('GET', ['/hand-over/:link'], 'public', getTokenLink),
  route('POST', ['/hand-over/:link'], 'public', postTokenLink),
  route('GET', ['/console/sign-in'], 'public', getConsoleSignIn),
  route('POST', ['/console/sign-in'], 'public', postConsoleSignIn),
  route('POST', ['/console/sign-out'], 'public', postConsoleSignOut),
  route('POST', ['/console/language'], 'public', postConsoleLanguage),
  screen('GET', ['/console/live'], 'payments:read', getConsoleLive),
  route('GET', ['/console/invitation/:token'], 'public', getConsoleInvitation),
  route('POST', ['/console/invitation/:token'], 'public', postConsoleInvitation),
  own('GET', ['/console/prove'], getConsoleProve),
  own('POST', ['/console/prove'], postConsoleProve),
  own('GET', ['/console/account'], getConsolePerson),
  own('POST', ['/console/account/password'], postConsolePassword),
  own('POST', ['/console/account/sessions/end'], postConsoleSessionsEnd),
  own('POST', ['/console/account/recovery-codes'], postConsoleRecoveryCodes),
  own('GET', ['/console/account/factors/totp'], getConsoleTotp),
  own('POST', ['/console/account/factors/totp'], postConsoleTotp),
  own('GET', ['/console/account/factors/passkey'], getConsolePasskey),
  own('POST', ['/console/account/factors/passkey'], postConsolePasskey),
  own('POST', ['/console/account/factors/remove'], postConsoleFactorRemove),
  screen('GET', ['/console'], 'payments:read', getConsole),
  screen('GET', ['/console/payments'], 'payments:read', getConsolePayments),
  screen('GET', ['/console/payments/:id'], 'payments:read', getConsolePayment),
  screen('POST', ['/console/payments/:id/resend'], 'callbacks:resend', postConsoleResend),
  screen('GET', ['/console/payments/:id/refund'], 'refunds:create', getConsoleRefund),
  screen('POST', ['/console/payments/:id/refund'], 'refunds:create', postConsoleRefund),
  wholeScreen('GET', ['/console/callbacks'], 'callbacks:resend', getConsoleCallbacks),
  wholeScreen('POST', ['/console/callbacks/resend'], 'callbacks:resend', postConsoleCallbacksResend),
  screen('GET', ['/console/accounts'], 'books:read', getConsoleAccounts),
  screen('GET', ['/console/accounts/:id'], 'books:read', getConsoleAccount),
  screen('GET', ['/console/accounts/:id/statement.csv'], 'books:read', getConsoleStatementCsv),
  wholeScreen('GET', ['/console/settlements'], 'books:read', getConsoleSettlements),
  wholeScreen('POST', ['/console/settlements'], 'movements:record', postConsoleSettlements),
  wholeScreen('GET', ['/console/settlements/:id'], 'books:read', getConsoleSettlement),
  wholeScreen('POST', ['/console/settlements/:id/accept'], 'movements:record', postConsoleAccept),
  wholeScreen('GET', ['/console/months'], 'books:read', getConsoleMonth),
  wholeScreen('POST', ['/console/months'], 'movements:record', postConsoleMonth),
  screen('GET', ['/console/payouts'], 'recipients:read', getConsolePayouts),
  screen('GET', ['/console/payouts/upload'], 'payouts:create', getConsoleUpload),
  screen('POST', ['/console/payouts/upload'], 'payouts:create', postConsoleUpload),
  screen('GET', ['/console/payouts/:id'], 'recipients:read', getConsolePayout),
  screen('GET', ['/console/payouts/:id/approve'], 'payouts:approve', getConsoleApprovePayout),
  screen('POST', ['/console/payouts/:id/approve'], 'payouts:approve', postConsoleApprovePayout),
  screen('POST', ['/console/payouts/:id/reject'], 'payouts:approve', postConsoleRejectPayout),
  screen('POST', ['/console/payouts/:id/cancel'], 'payouts:create', postConsoleCancelPayout),
  screen('POST', ['/console/payouts/:id/account-type'], 'payouts:create', postConsoleAccountType),
  screen('GET', ['/console/batches'], 'recipients:read', getConsoleBatches),
  screen('GET', ['/console/batches/:id'], 'recipients:read', getConsoleBatch),
  screen('GET', ['/console/batches/:id/approve'], 'payouts:approve', getConsoleApproveBatch),
  screen('POST', ['/console/batches/:id/approve'], 'payouts:approve', postConsoleApproveBatch),
  screen('POST', ['/console/batches/:id/reject'], 'payouts:approve', postConsoleRejectBatch),
  screen('POST', ['/console/batches/:id/cancel'], 'payouts:create', postConsoleCancelBatch),
  screen('POST', ['/console/batches/:id/submit'], 'payouts:create', postConsoleSubmitBatch),
  screen('GET', ['/console/recipients'], 'recipients:read', getConsoleRecipients),
  screen('POST', ['/console/recipients'], 'accounts:validate', postConsoleRecipients),
  screen('GET', ['/console/recipients/:id'], 'recipients:read', getConsoleRecipient),
  screen('POST', ['/console/recipients/:id'], 'accounts:validate', postConsoleRecipient),
  screen('POST', ['/console/recipients/:id/pay'], 'payouts:create', postConsolePay),
  screen('GET', ['/console/payout-files'], 'recipients:read', getConsolePayoutFiles),
  screen('POST', ['/console/payout-files'], 'payouts:create', postConsolePayoutFiles),
  screen('GET', ['/console/payout-files/new'], 'payouts:create', getConsoleNewPayoutFile),
  screen('GET', ['/console/payout-files/:id'], 'recipients:read', getConsolePayoutFile),
  screen('GET', ['/console/payout-files/:id/content'], 'payouts:create', getConsolePayoutFileContent),
  screen('POST', ['/console/payout-files/:id/results'], 'movements:record', postConsolePayoutResults),
  screen('GET', ['/console/requests'], 'payments:read', getConsoleRequests),
  screen('GET', ['/console/requests/:id'], 'payments:read', getConsoleRequest),
  screen('GET', ['/console/merchants'], 'tokens:manage', getConsoleMerchants),
  wholeScreen('POST', ['/console/merchants'], 'payment-services:manage', postConsoleMerchants),
  screen('GET', ['/console/merchants/:id'], 'tokens:manage', getConsoleMerchant),
  screen('POST', ['/console/merchants/:id/hand-over'], 'tokens:manage', postConsoleHandOver),
  screen('POST', ['/console/merchants/:id/end-link'], 'tokens:manage', postConsoleEndLink),
  screen('GET', ['/console/merchants/:id/rotate'], 'tokens:manage', getConsoleRotate),
  screen('POST', ['/console/merchants/:id/rotate'], 'tokens:manage', postConsoleRotate),
  screen('GET', ['/console/merchants/:id/links'], 'tokens:manage', getConsolePaymentLinks),
  screen('POST', ['/console/merchants/:id/links'], 'tokens:manage', postConsolePaymentLinks),
  screen('POST', ['/console/merchants/:id/links/end'], 'tokens:manage', postConsolePaymentLinkEnd),
  screen('POST', ['/console/merchants/:id/resend'], 'callbacks:resend', postConsoleResendOwn),
  screen('POST', ['/console/merchants/:id/events-url'], 'tokens:manage', postConsoleEventsUrl),
  screen('POST', ['/console/merchants/:id/fee'], 'payment-services:manage', postConsoleFee),
  screen('POST', ['/console/merchants/:id/method'], 'payment-services:manage', postConsoleMethod),
  screen('POST', ['/console/merchants/:id/limit'], 'payment-services:manage', postConsoleLimit),
  screen('POST', ['/console/merchants/:id/state'], 'payment-services:manage', postConsoleState),
  wholeScreen('GET', ['/console/attention'], 'books:read', getConsoleAttention),
  wholeScreen('POST', ['/console/attention/take'], 'books:read', postConsoleTake),
  wholeScreen('POST', ['/console/attention/give-up'], 'books:read', postConsoleGiveUp),
  wholeScreen('GET', ['/console/staff'], 'users:manage', getConsoleStaff),
  wholeScreen('GET', ['/console/staff/invite'], 'users:manage', getConsoleStaffInvite),
  wholeScreen('POST', ['/console/staff/invite'], 'users:manage', postConsoleStaffInvite),
  wholeScreen('GET', ['/console/staff/:id'], 'users:manage', getConsoleStaffPerson),
  wholeScreen('GET', ['/console/staff/:id/rights'], 'users:manage', getConsoleStaffRights),
  wholeScreen('POST', ['/console/staff/:id/rights'], 'users:manage', postConsoleStaffRights),
  wholeScreen('GET', ['/console/staff/:id/confirm'], 'users:manage', getConsoleStaffConfirm),
  wholeScreen('POST', ['/console/staff/:id/confirm'], 'users:manage', postConsoleStaffConfirm),
  screen('GET', ['/console/bank-accounts'], 'accounts:validate', getConsoleBankAccounts),
  screen('POST', ['/console/bank-accounts'], 'accounts:validate', postConsoleBankAccounts),
  wholeScreen('GET', ['/console/health'], 'payment-services:manage', getConsoleHealth),
  wholeScreen('GET', ['/console/personal-data'], 'privacy:manage', getConsolePersonalData),
  wholeScreen('POST', ['/console/personal-data'], 'privacy:manage', postConsolePersonalData),
  wholeScreen('GET', ['/console/audit'], 'audit:read', getConsoleAudit),
  wholeScreen('GET', ['/console/callbacks/:id'], 'callbacks:resend', getConsoleEndpoint),
  wholeScreen('POST', ['/console/callbacks/:id/test'], 'callbacks:resend', postConsoleEndpointTest),

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

function route(
  method: Endpoint['method'],
  paths: Endpoint['paths'],
  access: Exclude<Access, 'bearer' | 'session'>,
  operation: Operation,
): Endpoint {
  return { method, paths, access, ...operation };
}

/** A screen that a person of the console sees with this permission alone. */
function screen(
  method: Endpoint['method'],
  paths: Endpoint['paths'],
  permission: Permission,
  operation: Operation,
): Endpoint {
  return { method, paths, access: 'session', permission, ...operation };
}

/** The same, about all payment services: for who does not see all of them it does not exist. */
function wholeScreen(
  method: Endpoint['method'],
  paths: Endpoint['paths'],
  permission: Permission,
  operation: Operation,
): Endpoint {
  return { method, paths, access: 'session', permission, whole: true, ...operation };
}

/** A screen of everybody who has signed in to the console: their own account. */
function own(method: Endpoint['method'], paths: Endpoint['paths'], operation: Operation): Endpoint {
  return { method, paths, access: 'session', ...operation };
}

/** An endpoint that an access token may call with this permission alone. */
function bearer(
  method: Endpoint['method'],
  paths: Endpoint['paths'],
  permission: Permission,
  operation: Operation,
): Endpoint {
  return { method, paths, access: 'bearer', permission, ...operation };
}
