// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type Bank = {
  /** Three digits, with leading zeros */
  code: string;
  name: string;
  /** Other names of the bank */
  aliases: string[];
  kind: 'bank' | 'state_bank' | 'foreign_branch' | 'cooperative' | 'prepaid_issuer';
  status: 'active' | 'authorised' | 'merged' | 'closed' | 'unverified';
  /** Code that replaces the code of a merged bank */
  successor: string | null;
  /** Date of the merger or authorisation */
  effective: string | null;
  /** Presence of the bank in transfer catalogues */
  transferReachable: 'yes' | 'likely' | 'legacy' | 'no' | 'unknown' | 'no_evidence';
  confidence: 'high' | 'medium' | 'low';
  /** Known format of the account numbers; always digits */
  account: {
    /** Maximum number of digits at any bank */
    most: number;
    /** Published lengths. Another length is a warning, never a refusal */
    usual: { least: number; most: number; confidence: 'high' | 'medium' | 'low'; source: string } | null;
    /** true if account numbers can be the RUT without its check character */
    cuentaRut: boolean;
  };
};

export type BankList = {
  message: string;
  errors: null;
  data: {
    /** Date of the list, as the list states it: a year, a month or a day */
    asOf: string;
    /** Changes when any entry changes */
    version: string;
    source: string | null;
    /** `release`: shipped with the program; `import`: imported later */
    origin: 'release' | 'import';
    banks: Bank[];
  };
};

export type BankAccountRequest = {
  /** RUT of the holder, such as 12345678-5 */
  rut: string;
  bankData: {
    /** Three digits with leading zeros, such as 012 */
    bankSBIFNumber: string;
    /** Digits, with leading zeros */
    bankAccount: string;
  };
  /** Name of the holder as you have it. An online provider says how well it matches. It is not stored */
  holderName?: string | undefined;
  /** Whether a RUT that is only digits ends with its check character; required if it can be read both ways */
  rut_format?: 'with-dv' | 'without-dv' | undefined;
};

export type Suggestion = { field: string; code: string; value: string; message: string };

export type Provenance = {
  kind: 'rule' | 'dataset' | 'provider';
  name: string;
  version: string | null;
  /** Date of the information */
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
  /** Stable code; null if the check passed without remarks */
  code: string | null;
  /** Message in English or Spanish, by `Accept-Language` */
  message: string;
  /** JSON pointer to the field of the request */
  field: string;
  /** Only for `holder.name_match`: how well `holderName` matches the name of the holder */
  grade?: 'exact' | 'close' | 'partial' | 'none' | 'not_performed' | undefined;
  provenance: Provenance;
};

export type BankAccountValidation = {
  id: string;
  state: 'completed' | 'pending';
  verdict: 'invalid' | 'plausible' | 'confirmed' | 'mismatch' | 'undetermined';
  /** `holder`: a provider said whether the account is of the RUT */
  assurance: 'format' | 'holder';
  /** true for `plausible` and `confirmed` */
  isValid: boolean;
  /** RUT in canonical form; null if it is wrong or the validation is read again */
  rut: string | null;
  /** Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT read with and without its check character; null if that reading is impossible */
  readings?: { rut_format: 'with-dv' | 'without-dv'; rut: string | null }[] | undefined;
  bank: { code: string; name: string | null; status: string } | null;
  account: { masked: string };
  suggestions: Suggestion[];
  /** End of validity of the provider’s answer */
  expiresAt: string | null;
  validatedAt: string;
  /** All checks. An id occurs once for each code that the check found */
  checks: Check[];
};

export type BankAccountValidationReply = { message: string; errors: null; data: BankAccountValidation };

export type BankAccountBatch = {
  items: {
    /** Your own reference, returned with the result */
    reference?: string | undefined;
    /** RUT of the holder, such as 12345678-5 */
    rut: string;
    bankData: {
      /** Three digits with leading zeros, such as 012 */
      bankSBIFNumber: string;
      /** Digits, with leading zeros */
      bankAccount: string;
    };
    /** Name of the holder as you have it. An online provider says how well it matches. It is not stored */
    holderName?: string | undefined;
    /** Whether a RUT that is only digits ends with its check character; required if it can be read both ways */
    rut_format?: 'with-dv' | 'without-dv' | undefined;
  }[];
  /** Default for items without their own `rut_format` */
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
          /** `holder`: a provider said whether the account is of the RUT */
          assurance: 'format' | 'holder';
          /** true for `plausible` and `confirmed` */
          isValid: boolean;
          /** RUT in canonical form; null if it is wrong or the validation is read again */
          rut: string | null;
          /** Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT read with and without its check character; null if that reading is impossible */
          readings?: { rut_format: 'with-dv' | 'without-dv'; rut: string | null }[] | undefined;
          bank: { code: string; name: string | null; status: string } | null;
          account: { masked: string };
          suggestions: Suggestion[];
          /** End of validity of the provider’s answer */
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
            /** Stable code; null if the check passed without remarks */
            code: string | null;
            /** Message in English or Spanish, by `Accept-Language` */
            message: string;
            /** JSON pointer to the field of the request */
            field: string;
            /** Only for `holder.name_match`: how well `holderName` matches the name of the holder */
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
