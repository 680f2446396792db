// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

import type { PayoutFile } from './api-bank-files.ts';

export type TefRequest = {
  tef: {
    /** Your own id: 1 to 80 letters, digits, points, hyphens, underscores. The same id is the same payout */
    id: string;
    /** Text for the recipient, up to 200 characters */
    messageToAddressee?: string | undefined;
    /** Whole pesos, as a number or a text of digits */
    amount: number | string;
    recipientData: {
      /** RUT of the holder, with or without points */
      rut: string;
      /** Name of the holder, up to 200 characters */
      name: string;
      /** E-mail address of the holder, up to 254 characters */
      email: string;
    };
    bankData: {
      /** Code of the bank, three digits */
      bankSBIFNumber: string;
      /** Account number as text, with leading zeros */
      bankAccount: string;
    };
    /** URL to which the final state is posted, up to 1000 characters */
    url?: string | undefined;
  };
  /** URL to which the final state is posted, up to 1000 characters */
  callbackUrl?: string | undefined;
};

export type TefResponse = {
  status: 'processing' | 'completed' | 'failed';
  tef: {
    /** Id that you sent */
    id: string;
    amount: number;
    /** See docs/payouts.md */
    state:
      | 'draft'
      | 'awaiting_approval'
      | 'approved'
      | 'rejected'
      | 'cancelled'
      | 'sent'
      | 'unknown'
      | 'confirmed'
      | 'failed'
      | 'returned';
    /** Id of the payout in this service, for the command line */
    payoutId: string;
    /** Reason of a failure */
    reason: string | null;
  };
};

export type TefCreated = { message: string; errors: null; tefResponse: TefResponse };

export type TefRead = { tefResponse: TefResponse };

export type Balance = {
  /** Whole pesos */
  balance: number;
};

export type PayoutBatchRequest = {
  /** Name of the batch, shown to approvers, up to 200 characters */
  name: string;
  /** 1 to 1000 payouts, each like `tef` of `POST /tef` */
  payouts: {
    /** Your own id: 1 to 80 letters, digits, points, hyphens, underscores. The same id is the same payout */
    id: string;
    /** Text for the recipient, up to 200 characters */
    messageToAddressee?: string | undefined;
    /** Whole pesos, as a number or a text of digits */
    amount: number | string;
    recipientData: {
      /** RUT of the holder, with or without points */
      rut: string;
      /** Name of the holder, up to 200 characters */
      name: string;
      /** E-mail address of the holder, up to 254 characters */
      email: string;
    };
    bankData: {
      /** Code of the bank, three digits */
      bankSBIFNumber: string;
      /** Account number as text, with leading zeros */
      bankAccount: string;
    };
    /** URL to which the final state is posted, up to 1000 characters */
    url?: string | undefined;
  }[];
  /** Payment service that pays. Default: the only one that the user sees */
  paymentServiceId?: string | undefined;
  /** Default: the environment of RUBRICA_ENV */
  environment?: 'development' | 'production' | undefined;
  /** true: the batch does not wait for approval yet */
  draft?: boolean | undefined;
};

export type PayoutBatch = {
  id: string;
  /** Payment service that pays */
  paymentServiceId: string;
  environment: 'development' | 'production';
  name: string;
  createdAt: string;
  proposedBy: string;
  /** Number of payouts */
  payouts: number;
  /** Whole pesos */
  total: number;
  /** Number and sum of the payouts in each state */
  states: {
    state:
      | 'draft'
      | 'awaiting_approval'
      | 'approved'
      | 'rejected'
      | 'cancelled'
      | 'sent'
      | 'unknown'
      | 'confirmed'
      | 'failed'
      | 'returned';
    payouts: number;
    /** Whole pesos */
    total: number;
  }[];
};

export type PayoutBatchProposed = { message: string; errors: null; data: PayoutBatch };

export type PayoutBatchList = {
  message: string;
  errors: null;
  data: {
    batches: PayoutBatch[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type BatchedPayout = {
  id: string;
  /** Id that was sent, with `/1`, `/2` … for the parts of a payout that exceeds one transfer */
  reference: string;
  /** Whole pesos */
  amount: number;
  state:
    | 'draft'
    | 'awaiting_approval'
    | 'approved'
    | 'rejected'
    | 'cancelled'
    | 'sent'
    | 'unknown'
    | 'confirmed'
    | 'failed'
    | 'returned';
  recipient: { id: string; name: string; rut: string } | null;
  bankCode: string;
  account: { masked: string };
  verdict: string;
  /** Age of the verdict of the account, in days */
  verdictDays: number;
  /** Warnings to read before approval */
  warnings: {
    /** See docs/payouts.md */
    code: string;
    text: string;
  }[];
  approvedBy: string | null;
  /** Id of the bank file in which the payout left */
  file: string | null;
  line: number | null;
  reason: string | null;
  contradiction: string | null;
  /** Line of a bank statement that contradicts the payout: id of the statement, `/`, line in the file */
  contradictedBy: string | null;
  /** All lines of bank statements that contradict the payout, each like `contradictedBy` */
  contradictingLines: string[];
};

export type PayoutBatchRead = {
  message: string;
  errors: null;
  data: {
    batch: PayoutBatch;
    payouts: BatchedPayout[];
    files: PayoutFile[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type PayoutBatchApproval = {
  /** Code of your app, or a recovery code; always required, and valid once */
  code?: string | undefined;
  /** Reason, up to 200 characters, stored for later readers; do not name a person */
  reason?: string | undefined;
};

export type PayoutBatchDecided = {
  message: string;
  errors: null;
  data: {
    /** Number of payouts that the decision changed */
    decided: number;
    batch: PayoutBatch;
  };
};

export type PayoutBatchReason = {
  /** Reason, up to 200 characters, stored for later readers; do not name a person */
  reason: string;
};
