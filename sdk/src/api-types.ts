// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

// Users of the package import all of it as one namespace, `Api`.

export type * from './api-access.ts';
export type * from './api-bank-accounts.ts';
export type * from './api-bank-files.ts';
export type * from './api-errors.ts';
export type * from './api-operations.ts';
export type * from './api-payments.ts';
export type * from './api-payout-operations.ts';
export type * from './api-payouts.ts';
export type * from './api-recipients.ts';
export type * from './api-reconciliation.ts';
