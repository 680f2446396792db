// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type RecipientRequest = {
  /** `data.id` of a validation of this account that is plausible or confirmed */
  validationId: string;
  /** RUT of the holder, such as 12345678-5 */
  rut: string;
  bankData: {
    /** Three digits with their zeros, such as 012 */
    bankSBIFNumber: string;
    /** Digits, zeros kept */
    bankAccount: string;
  };
  /** Whether a RUT of digits alone ends with its check character; needed where it can be read both ways */
  rut_format?: 'with-dv' | 'without-dv' | undefined;
  /** Of the holder, for the people who pay */
  name: string;
  /** Of the holder, to be told of payouts */
  email?: string | undefined;
  /** The payment service whose people share it; unless said the only one that the user sees, with none or several the user alone */
  paymentServiceId?: string | undefined;
};

export type Recipient = {
  id: string;
  /** From 1; another account or a newer verdict is the next */
  version: number;
  /** The payment service whose people share it; null: it is for the user alone who kept it */
  paymentServiceId: string | null;
  name: string;
  rut: string;
  email: string | null;
  bankCode: string;
  account: { masked: string };
  validationId: string;
  verdict: 'plausible' | 'confirmed';
  validatedAt: string;
  /** VERDICT_MAX_AGE_DAYS after it, and no later than the word of its provider */
  validUntil: string;
  /** `stale`: validate the account again before paying */
  state: 'current' | 'stale';
  createdAt: string;
  /** The id of the user who kept this version */
  createdBy: string;
};

export type RecipientReply = { message: string; errors: null; data: Recipient };

export type RecipientList = {
  message: string;
  errors: null;
  data: {
    recipients: Recipient[];
    /** The `after` of the page that follows */
    next: string | null;
  };
};

export type RecipientHistory = {
  message: string;
  errors: null;
  data: Recipient & {
    /** All, the newest first */
    versions: Recipient[];
  };
};
