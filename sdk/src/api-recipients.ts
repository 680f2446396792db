// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type RecipientRequest = {
  /** `data.id` of a validation of this account that is plausible or confirmed */
  validationId: string;
  /** RUT of the holder, such as 12345678-5 */
  rut: string;
  bankData: {
    /** Three digits with leading zeros, such as 012 */
    bankSBIFNumber: string;
    /** Digits, with leading zeros */
    bankAccount: string;
  };
  /** Whether a RUT that is only digits ends with its check character; required if it can be read both ways */
  rut_format?: 'with-dv' | 'without-dv' | undefined;
  /** Name of the holder, for the people who pay */
  name: string;
  /** E-mail address of the holder, for notices of payouts */
  email?: string | undefined;
  /** Payment service whose users share the recipient. Default: the only one that the user sees; with none or several, only the user sees the recipient */
  paymentServiceId?: string | undefined;
};

export type Recipient = {
  id: string;
  /** Version, from 1. Another account or a newer verdict makes the next version */
  version: number;
  /** Payment service whose users share the recipient; null: only the user who stored it sees it */
  paymentServiceId: string | null;
  name: string;
  rut: string;
  email: string | null;
  bankCode: string;
  account: { masked: string };
  validationId: string;
  verdict: 'plausible' | 'confirmed';
  validatedAt: string;
  /** `validatedAt` plus VERDICT_MAX_AGE_DAYS, but not after the validity of the provider’s answer */
  validUntil: string;
  /** `stale`: validate the account again before paying */
  state: 'current' | 'stale';
  createdAt: string;
  /** Id of the user who stored this version */
  createdBy: string;
};

export type RecipientReply = { message: string; errors: null; data: Recipient };

export type RecipientList = {
  message: string;
  errors: null;
  data: {
    recipients: Recipient[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type RecipientHistory = {
  message: string;
  errors: null;
  data: Recipient & {
    /** All versions, newest first */
    versions: Recipient[];
  };
};
