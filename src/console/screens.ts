import { later } from '../http/endpoint.ts';
import { UPLOAD_BYTES } from './upload-bytes.ts';

/**
 * The screens of the console. Payments need none of them, so each loads with its first request: together they are a
 * fifth of the memory of an idle process. The forms' limits and types are here, because a body is checked before its
 * screen loads.
 */
const FORM = { consumes: ['application/x-www-form-urlencoded'], bodyOptional: true } as const;

function upload(bodyLimit: number) {
  return { consumes: ['multipart/form-data'], bodyLimit } as const;
}

export const postConsoleLanguage = later(() => import('./choose-language.ts'), 'postConsoleLanguage', FORM);
export const postConsoleFind = later(() => import('./find-typed.ts'), 'postConsoleFind', FORM);
export const getConsoleLive = later(() => import('./live-screen.ts'), 'getConsoleLive', { streams: true });
export const getConsoleSignIn = later(() => import('./sign-in.ts'), 'getConsoleSignIn');
export const postConsoleSignIn = later(() => import('./sign-in.ts'), 'postConsoleSignIn', FORM);
export const postConsoleSignOut = later(() => import('./sign-in.ts'), 'postConsoleSignOut', FORM);

export const getConsoleAccounts = later(() => import('./accounts/account-list.ts'), 'getConsoleAccounts');
export const getConsoleAccount = later(() => import('./accounts/account-page.ts'), 'getConsoleAccount');
export const getConsoleStatementCsv = later(() => import('./accounts/account-page.ts'), 'getConsoleStatementCsv', {
  streams: true,
});

export const getConsoleAttention = later(() => import('./attention/get-attention.ts'), 'getConsoleAttention');
export const postConsoleGiveUp = later(() => import('./attention/get-attention.ts'), 'postConsoleGiveUp', FORM);
export const postConsoleTake = later(() => import('./attention/get-attention.ts'), 'postConsoleTake', FORM);

export const getConsoleSuspense = later(() => import('./attention/suspense-page.ts'), 'getConsoleSuspense');
export const postConsoleSuspense = later(() => import('./attention/suspense-page.ts'), 'postConsoleSuspense', FORM);

export const getConsoleAudit = later(() => import('./audit/get-audit.ts'), 'getConsoleAudit');

export const getConsoleBankAccounts = later(
  () => import('./bank-accounts/bank-accounts-page.ts'),
  'getConsoleBankAccounts',
);
export const postConsoleBankAccounts = later(
  () => import('./bank-accounts/bank-accounts-page.ts'),
  'postConsoleBankAccounts',
  upload(UPLOAD_BYTES.accounts),
);

export const getConsoleCallbacks = later(() => import('./callbacks/get-callbacks.ts'), 'getConsoleCallbacks');
export const getConsoleEndpoint = later(() => import('./callbacks/get-endpoint.ts'), 'getConsoleEndpoint');
export const postConsoleCallbacksResend = later(
  () => import('./callbacks/resend-callbacks.ts'),
  'postConsoleCallbacksResend',
  FORM,
);
export const postConsoleEndpointTest = later(
  () => import('./callbacks/resend-callbacks.ts'),
  'postConsoleEndpointTest',
  FORM,
);
export const postConsoleResend = later(() => import('./callbacks/resend-callbacks.ts'), 'postConsoleResend', FORM);

export const getConsoleMails = later(() => import('./callbacks/mail-list.ts'), 'getConsoleMails');
export const postConsoleMails = later(() => import('./callbacks/mail-list.ts'), 'postConsoleMails', FORM);

export const getConsoleHealth = later(() => import('./health/health-page.ts'), 'getConsoleHealth');
export const getConsoleRestore = later(() => import('./health/restore-page.ts'), 'getConsoleRestore');
export const postConsoleRestore = later(() => import('./health/restore-page.ts'), 'postConsoleRestore', FORM);
export const getConsoleVerification = later(() => import('./health/verification-page.ts'), 'getConsoleVerification');
export const postConsoleVerification = later(
  () => import('./health/verification-page.ts'),
  'postConsoleVerification',
  FORM,
);

export const postConsoleEventsUrl = later(() => import('./merchants/change-merchant.ts'), 'postConsoleEventsUrl', FORM);
export const postConsoleFee = later(() => import('./merchants/change-merchant.ts'), 'postConsoleFee', FORM);
export const postConsoleLimit = later(() => import('./merchants/change-merchant.ts'), 'postConsoleLimit', FORM);
export const postConsoleMethod = later(() => import('./merchants/change-merchant.ts'), 'postConsoleMethod', FORM);
export const postConsoleState = later(() => import('./merchants/change-merchant.ts'), 'postConsoleState', FORM);
export const getConsoleLook = later(() => import('./merchants/change-look.ts'), 'getConsoleLook');
export const postConsoleLook = later(
  () => import('./merchants/change-look.ts'),
  'postConsoleLook',
  upload(UPLOAD_BYTES.look),
);
export const getConsoleLookPreview = later(() => import('./merchants/look-preview.ts'), 'getConsoleLookPreview');
export const postConsoleEndLink = later(() => import('./merchants/make-token-link.ts'), 'postConsoleEndLink', FORM);
export const postConsoleHandOver = later(() => import('./merchants/make-token-link.ts'), 'postConsoleHandOver', FORM);
export const getConsoleMerchants = later(() => import('./merchants/merchant-list.ts'), 'getConsoleMerchants');
export const postConsoleMerchants = later(() => import('./merchants/merchant-list.ts'), 'postConsoleMerchants', FORM);
export const getConsoleMerchant = later(() => import('./merchants/merchant-page.ts'), 'getConsoleMerchant');
export const getConsolePaymentLinks = later(
  () => import('./merchants/payment-links-page.ts'),
  'getConsolePaymentLinks',
);
export const postConsolePaymentLinkEnd = later(
  () => import('./merchants/payment-links-page.ts'),
  'postConsolePaymentLinkEnd',
  FORM,
);
export const postConsolePaymentLinks = later(
  () => import('./merchants/payment-links-page.ts'),
  'postConsolePaymentLinks',
  FORM,
);
export const postConsoleResendOwn = later(() => import('./merchants/resend-own.ts'), 'postConsoleResendOwn', FORM);
export const getConsoleRotate = later(() => import('./merchants/rotate-tokens.ts'), 'getConsoleRotate');
export const postConsoleRotate = later(() => import('./merchants/rotate-tokens.ts'), 'postConsoleRotate', FORM);
export const getTokenLink = later(() => import('./merchants/token-link.ts'), 'getTokenLink');
export const postTokenLink = later(() => import('./merchants/token-link.ts'), 'postTokenLink', FORM);

export const getConsolePayment = later(() => import('./payments/get-payment.ts'), 'getConsolePayment');
export const getConsolePayments = later(() => import('./payments/payment-list.ts'), 'getConsolePayments');
export const getConsoleRefund = later(() => import('./payments/refund-payment.ts'), 'getConsoleRefund');
export const postConsoleRefund = later(() => import('./payments/refund-payment.ts'), 'postConsoleRefund', FORM);
export const postConsoleRefundRequest = later(
  () => import('./payments/refund-payment.ts'),
  'postConsoleRefundRequest',
  FORM,
);
export const getConsoleRefundRequests = later(
  () => import('./payments/refund-request-list.ts'),
  'getConsoleRefundRequests',
);
export const getConsoleApproveRefund = later(() => import('./payments/decide-request.ts'), 'getConsoleApproveRefund');
export const postConsoleApproveRefund = later(
  () => import('./payments/decide-request.ts'),
  'postConsoleApproveRefund',
  FORM,
);
export const postConsoleRejectRefund = later(
  () => import('./payments/decide-request.ts'),
  'postConsoleRejectRefund',
  FORM,
);
export const postConsoleWithdrawRefund = later(
  () => import('./payments/decide-request.ts'),
  'postConsoleWithdrawRefund',
  FORM,
);

export const getConsoleSettleAttempt = later(() => import('./payments/settle-attempt.ts'), 'getConsoleSettleAttempt');
export const postConsoleSettleAttempt = later(
  () => import('./payments/settle-attempt.ts'),
  'postConsoleSettleAttempt',
  upload(UPLOAD_BYTES.payouts),
);

export const getConsoleSettleRefund = later(() => import('./payments/settle-refund-page.ts'), 'getConsoleSettleRefund');
export const postConsoleSettleRefund = later(
  () => import('./payments/settle-refund-page.ts'),
  'postConsoleSettleRefund',
  upload(UPLOAD_BYTES.payouts),
);

export const getConsoleSettlePayout = later(() => import('./payouts/settle-payout-page.ts'), 'getConsoleSettlePayout');
export const postConsoleSettlePayout = later(
  () => import('./payouts/settle-payout-page.ts'),
  'postConsoleSettlePayout',
  upload(UPLOAD_BYTES.payouts),
);

export const getConsoleNewPayoutFile = later(() => import('./payouts/bank-file-list.ts'), 'getConsoleNewPayoutFile');
export const getConsolePayoutFiles = later(() => import('./payouts/bank-file-list.ts'), 'getConsolePayoutFiles');
export const postConsolePayoutFiles = later(
  () => import('./payouts/bank-file-list.ts'),
  'postConsolePayoutFiles',
  FORM,
);
export const getConsolePayoutFile = later(() => import('./payouts/bank-file-page.ts'), 'getConsolePayoutFile');
export const getConsolePayoutFileContent = later(
  () => import('./payouts/bank-file-page.ts'),
  'getConsolePayoutFileContent',
);
export const postConsolePayoutResults = later(
  () => import('./payouts/bank-file-page.ts'),
  'postConsolePayoutResults',
  upload(UPLOAD_BYTES.payouts),
);
export const getConsoleBatch = later(() => import('./payouts/batch-page.ts'), 'getConsoleBatch');
export const getConsoleBatches = later(() => import('./payouts/batch-page.ts'), 'getConsoleBatches');
export const getConsoleApproveBatch = later(() => import('./payouts/decide-page.ts'), 'getConsoleApproveBatch');
export const getConsoleApprovePayout = later(() => import('./payouts/decide-page.ts'), 'getConsoleApprovePayout');
export const postConsoleAccountType = later(() => import('./payouts/decide-page.ts'), 'postConsoleAccountType', FORM);
export const postConsoleApproveBatch = later(() => import('./payouts/decide-page.ts'), 'postConsoleApproveBatch', FORM);
export const postConsoleApprovePayout = later(
  () => import('./payouts/decide-page.ts'),
  'postConsoleApprovePayout',
  FORM,
);
export const postConsoleCancelBatch = later(() => import('./payouts/decide-page.ts'), 'postConsoleCancelBatch', FORM);
export const postConsoleCancelPayout = later(() => import('./payouts/decide-page.ts'), 'postConsoleCancelPayout', FORM);
export const postConsoleRejectBatch = later(() => import('./payouts/decide-page.ts'), 'postConsoleRejectBatch', FORM);
export const postConsoleRejectPayout = later(() => import('./payouts/decide-page.ts'), 'postConsoleRejectPayout', FORM);
export const postConsoleSubmitBatch = later(() => import('./payouts/decide-page.ts'), 'postConsoleSubmitBatch', FORM);
export const getConsolePayouts = later(() => import('./payouts/payout-list.ts'), 'getConsolePayouts');
export const getConsolePayout = later(() => import('./payouts/payout-page.ts'), 'getConsolePayout');
export const getConsoleRecipients = later(() => import('./payouts/recipient-list.ts'), 'getConsoleRecipients');
export const postConsoleRecipients = later(() => import('./payouts/recipient-list.ts'), 'postConsoleRecipients', FORM);
export const getConsoleRecipient = later(() => import('./payouts/recipient-page.ts'), 'getConsoleRecipient');
export const postConsolePay = later(() => import('./payouts/recipient-page.ts'), 'postConsolePay', FORM);
export const postConsoleRecipient = later(() => import('./payouts/recipient-page.ts'), 'postConsoleRecipient', FORM);
export const getConsoleUpload = later(() => import('./payouts/upload-payouts.ts'), 'getConsoleUpload');
export const postConsoleUpload = later(
  () => import('./payouts/upload-payouts.ts'),
  'postConsoleUpload',
  upload(UPLOAD_BYTES.payouts),
);

export const getConsolePersonalData = later(() => import('./privacy/personal-data-page.ts'), 'getConsolePersonalData');
export const postConsolePersonalData = later(
  () => import('./privacy/personal-data-page.ts'),
  'postConsolePersonalData',
  FORM,
);

export const getConsoleRequest = later(() => import('./requests/refused-requests-page.ts'), 'getConsoleRequest');
export const getConsoleRequests = later(() => import('./requests/refused-requests-page.ts'), 'getConsoleRequests');

export const getConsoleBookMissing = later(() => import('./settlements/book-missing.ts'), 'getConsoleBookMissing');
export const postConsoleBookMissing = later(
  () => import('./settlements/book-missing.ts'),
  'postConsoleBookMissing',
  upload(UPLOAD_BYTES.settlement),
);
export const getConsoleMonth = later(() => import('./settlements/month-page.ts'), 'getConsoleMonth');
export const postConsoleMonth = later(() => import('./settlements/month-page.ts'), 'postConsoleMonth', {
  ...FORM,
  query: ['month', 'environment'],
});
export const getConsoleMovements = later(() => import('./accounts/movement-list.ts'), 'getConsoleMovements');
export const getConsoleDeposit = later(() => import('./accounts/record-by-hand.ts'), 'getConsoleDeposit');
export const postConsoleDeposit = later(() => import('./accounts/record-by-hand.ts'), 'postConsoleDeposit', FORM);
export const getConsolePaidOut = later(() => import('./accounts/record-by-hand.ts'), 'getConsolePaidOut');
export const postConsolePaidOut = later(() => import('./accounts/record-by-hand.ts'), 'postConsolePaidOut', FORM);
export const getConsoleMovement = later(() => import('./accounts/movement-page.ts'), 'getConsoleMovement');
export const postConsoleMovementReturn = later(
  () => import('./accounts/movement-page.ts'),
  'postConsoleMovementReturn',
  FORM,
);
export const getConsoleSettlements = later(() => import('./settlements/settlement-list.ts'), 'getConsoleSettlements');
export const postConsoleSettlements = later(
  () => import('./settlements/settlement-list.ts'),
  'postConsoleSettlements',
  upload(UPLOAD_BYTES.settlement),
);
export const getConsoleSettlement = later(() => import('./settlements/settlement-page.ts'), 'getConsoleSettlement');
export const postConsoleAccept = later(() => import('./settlements/settlement-page.ts'), 'postConsoleAccept', FORM);

export const getConsoleStatements = later(() => import('./statements/bank-statement-list.ts'), 'getConsoleStatements');
export const getConsoleNewStatement = later(
  () => import('./statements/bank-statement-list.ts'),
  'getConsoleNewStatement',
);
export const postConsoleStatements = later(
  () => import('./statements/bank-statement-list.ts'),
  'postConsoleStatements',
  upload(UPLOAD_BYTES.payouts),
);
export const getConsoleStatement = later(() => import('./statements/bank-statement-page.ts'), 'getConsoleStatement');
export const postConsoleStatementUses = later(
  () => import('./statements/explain-line.ts'),
  'postConsoleStatementUses',
  FORM,
);

export const getConsoleTotp = later(() => import('./staff/enrol-totp-page.ts'), 'getConsoleTotp');
export const postConsoleTotp = later(() => import('./staff/enrol-totp-page.ts'), 'postConsoleTotp', FORM);
export const getConsoleInvitation = later(() => import('./staff/invitation-page.ts'), 'getConsoleInvitation');
export const postConsoleInvitation = later(() => import('./staff/invitation-page.ts'), 'postConsoleInvitation', FORM);
export const getConsoleStaffInvite = later(() => import('./staff/invite-page.ts'), 'getConsoleStaffInvite');
export const postConsoleStaffInvite = later(() => import('./staff/invite-page.ts'), 'postConsoleStaffInvite', FORM);
export const getConsolePerson = later(() => import('./staff/my-account.ts'), 'getConsolePerson');
export const postConsoleFactorRemove = later(() => import('./staff/my-account.ts'), 'postConsoleFactorRemove', FORM);
export const postConsolePassword = later(() => import('./staff/my-account.ts'), 'postConsolePassword', FORM);
export const postConsoleRecoveryCodes = later(() => import('./staff/my-account.ts'), 'postConsoleRecoveryCodes', FORM);
export const postConsoleSessionsEnd = later(() => import('./staff/my-account.ts'), 'postConsoleSessionsEnd', FORM);
export const getConsolePasskey = later(() => import('./staff/passkey-page.ts'), 'getConsolePasskey');
export const postConsolePasskey = later(() => import('./staff/passkey-page.ts'), 'postConsolePasskey', FORM);
export const getConsoleProve = later(() => import('./staff/prove-person.ts'), 'getConsoleProve');
export const postConsoleProve = later(() => import('./staff/prove-person.ts'), 'postConsoleProve', FORM);
export const getConsoleStaffConfirm = later(() => import('./staff/staff-act.ts'), 'getConsoleStaffConfirm');
export const postConsoleStaffConfirm = later(() => import('./staff/staff-act.ts'), 'postConsoleStaffConfirm', FORM);
export const getConsoleStaff = later(() => import('./staff/staff-list.ts'), 'getConsoleStaff');
export const getConsoleStaffPerson = later(() => import('./staff/staff-person.ts'), 'getConsoleStaffPerson');
export const getConsoleStaffTokens = later(() => import('./staff/token-list.ts'), 'getConsoleStaffTokens');
export const getConsoleStaffRights = later(() => import('./staff/staff-rights.ts'), 'getConsoleStaffRights');
export const postConsoleStaffRights = later(() => import('./staff/staff-rights.ts'), 'postConsoleStaffRights', FORM);
export const getConsoleStaffToken = later(() => import('./staff/staff-token.ts'), 'getConsoleStaffToken');
export const postConsoleStaffToken = later(() => import('./staff/staff-token.ts'), 'postConsoleStaffToken', FORM);

export const getConsole = later(() => import('./today/get-today.ts'), 'getConsole');
