// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type PayoutFile = {
  id: string;
  /** Code of the bank format; see docs/payouts.md */
  format: string;
  name: string;
  createdAt: string;
  madeBy: string;
  payouts: number;
  /** Whole pesos */
  total: number;
  sha256: string;
};

export type PayoutFileRequest = {
  /** Code of the bank format; see docs/payouts.md */
  format: string;
  /** Account to debit */
  account: string;
  /** RUT of the account holder, if the bank requires it */
  rut?: string | undefined;
  /** Name of the account holder, if the bank requires it */
  name?: string | undefined;
  /** Number of the contract with the bank, if the bank requires it */
  agreement?: string | undefined;
  /** Only this batch. Default: all approved payouts */
  batchId?: string | undefined;
  /** Payment service that pays. Default: the one of the batch, or the only one that the user sees */
  paymentServiceId?: string | undefined;
  /** Default: the environment of RUBRICA_ENV */
  environment?: 'development' | 'production' | undefined;
  /** Code of your app, or a recovery code; required if you have a second factor */
  code?: string | undefined;
};

export type PayoutFilesMade = { message: string; errors: null; data: { files: PayoutFile[] } };

export type PayoutFileList = {
  message: string;
  errors: null;
  data: {
    files: PayoutFile[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type PayoutFileRead = {
  message: string;
  errors: null;
  data: {
    file: PayoutFile;
    payouts: {
      id: string;
      reference: string;
      line: number | null;
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
      reason: string | null;
      /** Reported result that contradicts the state of the payout */
      contradiction: string | null;
    }[];
  };
};

export type PayoutFileContent = {
  message: string;
  errors: null;
  data: {
    file: PayoutFile;
    /** Content of the file, in base64 */
    content: string;
  };
};

export type PayoutResultsRequest = {
  /** File name, up to 200 characters */
  fileName: string;
  /** Content of the file, in base64; at most 2 MiB before encoding */
  content: string;
};

export type PayoutResults = {
  /** Payouts whose state changed */
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
  /** Payouts that already had this state */
  already: string[];
  /** Payouts whose state contradicts the result; no money moved */
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
  /** Lines that match no payout of this file */
  unmatchedLines: number[];
  /** Lines with an unknown state, with different states of one payout, or of one of several equal payouts */
  unclearLines: number[];
};

export type PayoutResultsTaken = { message: string; errors: null; data: PayoutResults };

export type StatementRequest = {
  /** Account number, 4 to 20 digits */
  account: string;
  /** File name, up to 200 characters */
  fileName: string;
  /** Content of the file, in base64; at most 2 MiB before encoding */
  content: string;
  /** Default: the environment of RUBRICA_ENV */
  environment?: 'development' | 'production' | undefined;
  /** Payment service that owns the account. Default: the only one that the user sees; for a user of all payment services, the account is of all */
  paymentServiceId?: string | undefined;
};

export type ImportedStatement = {
  /** Id of the statement; null: other files already had every line */
  id: string | null;
  /** Number of lines of the file, with those that another file already had */
  lines: number;
  /** Number of lines that another file already had */
  known: number;
  /** Known lines, by line in the file, that may be second, equal payments: the file lacks other lines of their day. Add something of its own to the description of such a payment and import the file again */
  doubtful: number[];
  /** Evidence that no line is missing: `balance`: each balance follows from the previous one; `totals`: the totals are right; `nothing`: none */
  proof: 'balance' | 'totals' | 'nothing';
  uses: {
    payout: number;
    return: number;
    deposit: number;
    /** Lines that a person must resolve */
    suspense: number;
    other: number;
  };
  /** Payouts whose state changed */
  settled: string[];
  /** Payouts whose state the file contradicts; no money moved */
  contradicted: string[];
};

export type StatementImported = { message: string; errors: null; data: ImportedStatement };

export type BankStatement = {
  id: string;
  environment: 'development' | 'production';
  /** Payment service that owns the account; null: all of them */
  paymentServiceId: string | null;
  account: { masked: string };
  fileName: string;
  fileSha256: string;
  importedAt: string;
  importedBy: string;
  firstDay: string;
  lastDay: string;
  /** Number of lines of the file, with those that another file already had */
  lines: number;
  /** Number of lines in suspense */
  open: number;
  proof: 'balance' | 'totals' | 'nothing';
};

export type StatementList = {
  message: string;
  errors: null;
  data: {
    statements: BankStatement[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type BankStatementLine = {
  /** Line number in the file; the text of the line is not stored */
  line: number;
  day: string;
  /** Minor units; positive: money received, negative: money sent */
  amount: number;
  currency: string;
  use: 'payout' | 'return' | 'deposit' | 'suspense' | 'other';
  /** Id of the payout, the file of payouts, the deposit or the recorded payout to the merchant; null: none */
  of: string | null;
  note: string | null;
  reason: string | null;
  resolvedBy: string | null;
};

export type StatementRead = {
  message: string;
  errors: null;
  data: {
    statement: BankStatement;
    /** Lines in the order of the file, without those that another file already had */
    lines: BankStatementLine[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};

export type StatementUseRequest = {
  /** `payout`: a payout left, see `payoutId` and `to`; `return`: a payout came back; `deposit`: see `depositId` and `from`; `other`: unrelated to this service; `suspense`: not the payout or deposit that it was matched with */
  use: 'payout' | 'return' | 'deposit' | 'other' | 'suspense';
  /** Line number in the file. Optional for `other`: then the use applies to all lines in suspense that match nothing known */
  line?: number | undefined;
  /** Id of the payout, for `payout` and `return` */
  payoutId?: string | undefined;
  /** `merchant`, for `payout`: the money left at the merchant's expense, such as a payout that left twice; the payout is booked with the line */
  to?: string | undefined;
  /** Id of a recorded deposit */
  depositId?: string | undefined;
  /** Source of a new deposit that is booked with the line: `merchant`, or the code of a payment method such as `webpay` */
  from?: string | undefined;
  /** Commission that the acquirer kept in addition to the amount, in minor units. Default: 0 */
  commission?: number | undefined;
  /** Payment service that owns the new deposit or payout; required if the account is of all payment services */
  paymentServiceId?: string | undefined;
  /** Reason, up to 200 characters, stored for later readers; do not name a person */
  reason: string;
};

export type StatementUsed = {
  message: string;
  errors: null;
  data: {
    lines: BankStatementLine[];
    /** The earlier use of the line, which this request replaced; null: none, or the same request was sent before */
    replaced: { use: 'other'; reason: string | null; resolvedBy: string } | null;
  };
};
