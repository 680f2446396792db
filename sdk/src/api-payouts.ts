// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

import type { PayoutFile } from './api-bank-files.ts';

export type TefRequest = {
  tef: {
    /** Your own: 1 to 80 letters, digits, points, hyphens, underscores. The same again is the same payout */
    id: string;
    /** A text for the recipient, up to 200 characters */
    messageToAddressee?: string | undefined;
    /** Whole pesos, as a number or its digits */
    amount: number | string;
    recipientData: {
      /** With or without points */
      rut: string;
      /** Of the holder */
      name: string;
      /** Of the holder */
      email: string;
    };
    bankData: {
      /** Three digits */
      bankSBIFNumber: string;
      /** As a text, so that its zeros stay */
      bankAccount: string;
    };
    /** Where the end is told */
    url?: string | undefined;
  };
  /** Where the end is told */
  callbackUrl?: string | undefined;
};

export type TefResponse = {
  status: 'processing' | 'completed' | 'failed';
  tef: {
    /** As you sent it */
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
    /** Ours, for the command line */
    payoutId: string;
    /** Why it failed */
    reason: string | null;
  };
};

export type TefCreated = { message: string; errors: null; tefResponse: TefResponse };

export type TefRead = { tefResponse: TefResponse };

export type Balance = {
  /** Pesos */
  balance: number;
};

export type PayoutBatchRequest = {
  /** For the people who approve it, up to 200 characters */
  name: string;
  /** 1 to 1000, as `POST /tef` has them */
  payouts: {
    /** Your own: 1 to 80 letters, digits, points, hyphens, underscores. The same again is the same payout */
    id: string;
    /** A text for the recipient, up to 200 characters */
    messageToAddressee?: string | undefined;
    /** Whole pesos, as a number or its digits */
    amount: number | string;
    recipientData: {
      /** With or without points */
      rut: string;
      /** Of the holder */
      name: string;
      /** Of the holder */
      email: string;
    };
    bankData: {
      /** Three digits */
      bankSBIFNumber: string;
      /** As a text, so that its zeros stay */
      bankAccount: string;
    };
    /** Where the end is told */
    url?: string | undefined;
  }[];
  /** The merchant that pays; unless said the only one that the user sees */
  paymentServiceId?: string | undefined;
  /** Of the service unless said */
  environment?: 'development' | 'production' | undefined;
  /** true: nobody is asked to approve it yet */
  draft?: boolean | undefined;
};

export type PayoutBatch = {
  id: string;
  /** Of the merchant that pays */
  paymentServiceId: string;
  environment: 'development' | 'production';
  name: string;
  createdAt: string;
  proposedBy: string;
  /** How many */
  payouts: number;
  /** Pesos */
  total: number;
  /** How many are in which state */
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
    /** Pesos */
    total: number;
  }[];
};

export type PayoutBatchProposed = { message: string; errors: null; data: PayoutBatch };

export type PayoutBatchList = { message: string; errors: null; data: { batches: PayoutBatch[] } };

export type BatchedPayout = {
  id: string;
  /** The id that was sent; with `/1`, `/2` … where one transfer did not take it */
  reference: string;
  /** Pesos */
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
  /** How old the verdict of the account is */
  verdictDays: number;
  /** Odd things about it, to be read before anybody approves */
  warnings: {
    /** See docs/payouts.md */
    code: string;
    text: string;
  }[];
  approvedBy: string | null;
  /** The file of a bank in which it left */
  file: string | null;
  line: number | null;
  reason: string | null;
  contradiction: string | null;
};

export type PayoutBatchRead = {
  message: string;
  errors: null;
  data: {
    batch: PayoutBatch;
    payouts: BatchedPayout[];
    files: PayoutFile[];
    /** The `after` of the page that follows */
    next: string | null;
  };
};

export type PayoutBatchApproval = {
  /** Of your app, or a recovery code: always needed, and it works once */
  code?: string | undefined;
  /** Why, for a later reader; it names no person */
  reason?: string | undefined;
};

export type PayoutBatchDecided = {
  message: string;
  errors: null;
  data: {
    /** How many payouts it was about */
    decided: number;
    batch: PayoutBatch;
  };
};

export type PayoutBatchReason = {
  /** Why, for a later reader; it names no person */
  reason: string;
};
