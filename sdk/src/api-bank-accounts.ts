// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type Bank = {
  /** Three digits with their zeros */
  code: string;
  name: string;
  /** Other names that people know it by */
  aliases: string[];
  kind: 'bank' | 'state_bank' | 'foreign_branch' | 'cooperative' | 'prepaid_issuer';
  status: 'active' | 'authorised' | 'merged' | 'closed' | 'unverified';
  /** The code to use instead of a merged one */
  successor: string | null;
  /** Since when it is merged or authorised */
  effective: string | null;
  /** How it appears in transfer catalogues */
  transferReachable: 'yes' | 'likely' | 'legacy' | 'no' | 'unknown' | 'no_evidence';
  confidence: 'high' | 'medium' | 'low';
  /** The known form of its account numbers: digits always */
  account: {
    /** Digits at most, at any bank */
    most: number;
    /** The published lengths: another one is a warning, never a refusal */
    usual: { least: number; most: number; confidence: 'high' | 'medium' | 'low'; source: string } | null;
    /** Has accounts whose number is the RUT without its check character */
    cuentaRut: boolean;
  };
};

export type BankList = {
  message: string;
  errors: null;
  data: {
    /** How old the list is by its own word: a year, a month or a day */
    asOf: string;
    /** Changes with any entry */
    version: string;
    source: string | null;
    /** Came with the program, or was imported since */
    origin: 'release' | 'import';
    banks: Bank[];
  };
};

export type BankAccountRequest = {
  /** RUT of the holder, such as 12345678-5 */
  rut: string;
  bankData: {
    /** Three digits with their zeros, such as 012 */
    bankSBIFNumber: string;
    /** Digits, zeros kept */
    bankAccount: string;
  };
  /** The holder’s name as you have it: an online provider says how well it fits. It is not kept */
  holderName?: string | undefined;
  /** Whether a RUT of digits alone ends with its check character; needed where it can be read both ways */
  rut_format?: 'with-dv' | 'without-dv' | undefined;
};

export type Suggestion = { field: string; code: string; value: string; message: string };

export type Provenance = {
  kind: 'rule' | 'dataset' | 'provider';
  name: string;
  version: string | null;
  /** How old the knowledge is */
  as_of: string | null;
  confidence: 'high' | 'medium' | 'low' | null;
  source: string | null;
};

export type Check = {
  id:
    | 'rut.format'
    | 'rut.check_character'
    | 'rut.range'
    | 'bank.known'
    | 'bank.status'
    | 'bank.accepts_transfers'
    | 'account.format'
    | 'account.bank_shape'
    | 'account.cuentarut_consistency'
    | 'rut.issued'
    | 'rut.alive'
    | 'account.exists'
    | 'account.open'
    | 'account.currency'
    | 'holder.match'
    | 'holder.name_match';
  result: 'pass' | 'fail' | 'warn' | 'not_performed' | 'error';
  /** Stable; null where the check just passed */
  code: string | null;
  /** English or Spanish, by Accept-Language */
  message: string;
  /** JSON pointer into the request */
  field: string;
  /** Only of `holder.name_match`: how well `holderName` fits the name of the holder */
  grade?: 'exact' | 'close' | 'partial' | 'none' | 'not_performed' | undefined;
  provenance: Provenance;
};

export type BankAccountValidation = {
  id: string;
  state: 'completed' | 'pending';
  verdict: 'invalid' | 'plausible' | 'confirmed' | 'mismatch' | 'undetermined';
  /** `format`: nobody was asked whose account it is */
  assurance: 'format' | 'holder';
  /** True for plausible and confirmed */
  isValid: boolean;
  /** Canonical. Null where wrong, and when read again */
  rut: string | null;
  /** Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT with and without its check character; null where it cannot be read so */
  readings?: { rut_format: 'with-dv' | 'without-dv'; rut: string | null }[] | undefined;
  bank: { code: string; name: string | null; status: string } | null;
  account: { masked: string };
  suggestions: Suggestion[];
  /** Until when the provider's word holds */
  expiresAt: string | null;
  validatedAt: string;
  /** All of them. An id occurs once for each code that it found */
  checks: Check[];
};

export type BankAccountValidationReply = { message: string; errors: null; data: BankAccountValidation };

export type BankAccountBatch = {
  items: {
    /** Yours; answered with the result */
    reference?: string | undefined;
    /** RUT of the holder, such as 12345678-5 */
    rut: string;
    bankData: {
      /** Three digits with their zeros, such as 012 */
      bankSBIFNumber: string;
      /** Digits, zeros kept */
      bankAccount: string;
    };
    /** The holder’s name as you have it: an online provider says how well it fits. It is not kept */
    holderName?: string | undefined;
    /** Whether a RUT of digits alone ends with its check character; needed where it can be read both ways */
    rut_format?: 'with-dv' | 'without-dv' | undefined;
  }[];
  /** Of every item that does not say its own */
  rut_format?: 'with-dv' | 'without-dv' | undefined;
};

export type BankAccountBatchReply = {
  message: string;
  errors: null;
  data: {
    summary: {
      total: number;
      invalid: number;
      plausible: number;
      confirmed: number;
      mismatch: number;
      undetermined: number;
      errors: number;
    };
    results: (
      | ({ reference: string | null; error: null } & {
          id: string;
          state: 'completed' | 'pending';
          verdict: 'invalid' | 'plausible' | 'confirmed' | 'mismatch' | 'undetermined';
          /** `format`: nobody was asked whose account it is */
          assurance: 'format' | 'holder';
          /** True for plausible and confirmed */
          isValid: boolean;
          /** Canonical. Null where wrong, and when read again */
          rut: string | null;
          /** Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT with and without its check character; null where it cannot be read so */
          readings?: { rut_format: 'with-dv' | 'without-dv'; rut: string | null }[] | undefined;
          bank: { code: string; name: string | null; status: string } | null;
          account: { masked: string };
          suggestions: Suggestion[];
          /** Until when the provider's word holds */
          expiresAt: string | null;
          validatedAt: string;
          checks: {
            id:
              | 'rut.format'
              | 'rut.check_character'
              | 'rut.range'
              | 'bank.known'
              | 'bank.status'
              | 'bank.accepts_transfers'
              | 'account.format'
              | 'account.bank_shape'
              | 'account.cuentarut_consistency'
              | 'rut.issued'
              | 'rut.alive'
              | 'account.exists'
              | 'account.open'
              | 'account.currency'
              | 'holder.match'
              | 'holder.name_match';
            result: 'pass' | 'fail' | 'warn' | 'not_performed' | 'error';
            /** Stable; null where the check just passed */
            code: string | null;
            /** English or Spanish, by Accept-Language */
            message: string;
            /** JSON pointer into the request */
            field: string;
            /** Only of `holder.name_match`: how well `holderName` fits the name of the holder */
            grade?: 'exact' | 'close' | 'partial' | 'none' | 'not_performed' | undefined;
            provenance: Provenance | number;
          }[];
        })
      | { reference: string | null; error: { status: number; code: string; detail: string; errors: unknown[] } }
    )[];
    /** Only with `checks=failed` */
    provenance?: Provenance[] | undefined;
  };
};
