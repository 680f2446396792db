/** Every act that is written down, in dotted words, with what it means. THE TABLE: docs/audit.md has a row for each. */
export const AUDIT_ACTIONS = {
  'payment_service.created': 'a payment service was made, with its tokens',
  'payment_service.imported': 'a payment service was brought over with the tokens of its clients',
  'payment_service.disabled': 'its signatures fail from now on',
  'payment_service.enabled': 'its signatures are taken again',
  'payment_service.rotated': 'a new Secret Token was made; the old one closes at `closes_at`',
  'payment_service.events_url_set': 'where refunds are told, and where they were',
  'fee.set': 'what is kept of payments, and what it was',
  'payment_method.set': "the merchant's account at a payment method, and the one before",
  'payment_method.removed': 'the payment method is no longer offered',
  'user.created': 'a user was made, and what he may do',
  'user.disabled': 'cannot sign in any more',
  'user.enabled': 'can sign in again',
  'user.payouts_set': 'whether he validates bank accounts',
  'user.role_set': 'what he may do, and what he could',
  'user.password_reset': 'a new password; access tokens of before end',
  'user.api_token_reset': 'a new API token; access tokens of before end',
  'user.signed_in': 'a sign-in, counted by account and network',
  'user.sign_in_refused': 'a wrong password or token, counted by account and network',
  'user.permission_refused': 'asked for what he may not do, counted by account and network',
  'user.second_factor_set': 'a second factor was added or reset',
  'user.session_ended': 'a session was ended before its time',
  'api_token.created': 'a program was given a token',
  'api_token.ended': 'a token of a program was ended',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
