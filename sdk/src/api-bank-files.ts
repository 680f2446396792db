// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type PayoutFile = {
  id: string;
  /** The bank that takes it: see docs/payouts.md */
  format: string;
  name: string;
  createdAt: string;
  madeBy: string;
  payouts: number;
  /** Pesos */
  total: number;
  sha256: string;
};

export type PayoutFileRequest = {
  /** The bank that takes it: see docs/payouts.md */
  format: string;
  /** The account that is debited */
  account: string;
  /** Of the holder of that account, where the bank asks */
  rut?: string | undefined;
  /** Of the holder of that account, where the bank asks */
  name?: string | undefined;
  /** Number of the contract with the bank, where it asks */
  agreement?: string | undefined;
  /** This batch alone; unless said all that is approved */
  batchId?: string | undefined;
  /** The merchant that pays; unless said the one of the batch, or the only one that the user sees */
  paymentServiceId?: string | undefined;
  /** Of the service unless said */
  environment?: 'development' | 'production' | undefined;
  /** Of your app, or a recovery code: needed where you have a second factor */
  code?: string | undefined;
};

export type PayoutFilesMade = { message: string; errors: null; data: { files: PayoutFile[] } };

export type PayoutFileList = { message: string; errors: null; data: { files: PayoutFile[] } };

export type PayoutFileRead = {
  message: string;
  errors: null;
  data: {
    file: PayoutFile;
    payouts: {
      id: string;
      reference: string;
      line: number | null;
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
      reason: string | null;
      /** Something that was said of it, and that it cannot become */
      contradiction: string | null;
    }[];
  };
};

export type PayoutFileContent = {
  message: string;
  errors: null;
  data: {
    file: PayoutFile;
    /** Its bytes in base64 */
    content: string;
  };
};

export type PayoutResultsRequest = {
  /** As the bank calls it, up to 200 characters */
  fileName: string;
  /** Its bytes in base64; the file has 2 MiB at most */
  content: string;
};

export type PayoutResults = {
  /** Those that have another state now */
  settled: {
    id: string;
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
  }[];
  /** Those that were so before */
  already: string[];
  /** Those that cannot become it: no money moved */
  contradicted: {
    id: string;
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
  }[];
  /** Lines of no payout of this file */
  unmatchedLines: number[];
  /** Lines with a state that nobody knows */
  unclearLines: number[];
};

export type PayoutResultsTaken = { message: string; errors: null; data: PayoutResults };

export type StatementRequest = {
  /** The number of the account, 4 to 20 digits */
  account: string;
  /** As the bank calls it, up to 200 characters */
  fileName: string;
  /** Its bytes in base64; the file has 2 MiB at most */
  content: string;
  /** Of the service unless said */
  environment?: 'development' | 'production' | undefined;
  /** The owner of the account; unless said the only one that the user sees, for a user of all of them all */
  paymentServiceId?: string | undefined;
};

export type ImportedStatement = {
  /** Null: every line had come with other files */
  id: string | null;
  lines: number;
  /** How many had come with another file */
  known: number;
  /** By what the file proved that no line is missing: each balance follows, its totals are right, or nothing */
  proof: 'balance' | 'totals' | 'nothing';
  uses: {
    payout: number;
    return: number;
    deposit: number;
    /** A person has to explain these */
    suspense: number;
    other: number;
  };
  /** The payouts that have another state now */
  settled: string[];
  /** The payouts whose state the file contradicts: no money moved */
  contradicted: string[];
};

export type StatementImported = { message: string; errors: null; data: ImportedStatement };

export type BankStatement = {
  id: string;
  environment: 'development' | 'production';
  /** Null: the account of all of them */
  paymentServiceId: string | null;
  account: { masked: string };
  fileName: string;
  fileSha256: string;
  importedAt: string;
  importedBy: string;
  firstDay: string;
  lastDay: string;
  lines: number;
  /** How many lines are in suspense */
  open: number;
  proof: 'balance' | 'totals' | 'nothing';
};

export type StatementList = { message: string; errors: null; data: { statements: BankStatement[] } };

export type BankStatementLine = {
  /** Of the file, which has its text: that is not kept */
  line: number;
  day: string;
  /** Minor units: above 0 it came, below 0 it left */
  amount: number;
  currency: string;
  use: 'payout' | 'return' | 'deposit' | 'suspense' | 'other';
  /** The payout, the file of payouts or the deposit */
  of: string | null;
  note: string | null;
  reason: string | null;
  resolvedBy: string | null;
};

export type StatementRead = {
  message: string;
  errors: null;
  data: { statement: BankStatement; lines: BankStatementLine[] };
};

export type StatementUseRequest = {
  /** `payout`: it left; `return`: it came back; `deposit`: see `from`; `other`: of nothing here */
  use: 'payout' | 'return' | 'deposit' | 'other';
  /** Of the file. For `other` it may be left out: then all are so that are in suspense and nothing is known about */
  line?: number | undefined;
  /** Ours, of `payout` and `return` */
  payoutId?: string | undefined;
  /** Of a deposit that is recorded */
  depositId?: string | undefined;
  /** Of a deposit that is booked with the line: `merchant`, or the code of a payment method such as `webpay` */
  from?: string | undefined;
  /** The acquirer kept it beside the amount; in minor units */
  commission?: number | undefined;
  /** The owner of a deposit that is booked, where the account is of all payment services */
  paymentServiceId?: string | undefined;
  /** Why, for a later reader; it names no person */
  reason: string;
};

export type StatementUsed = { message: string; errors: null; data: { lines: BankStatementLine[] } };
