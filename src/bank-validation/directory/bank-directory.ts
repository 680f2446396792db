import { createHash } from 'node:crypto';

export type BankStatus = 'active' | 'authorised' | 'merged' | 'closed' | 'unverified';
export type BankKind = 'bank' | 'state_bank' | 'foreign_branch' | 'cooperative' | 'prepaid_issuer';
export type Confidence = 'high' | 'medium' | 'low';

/** How transfer catalogues of banks and payment companies list an institution. */
export type TransferReach = 'yes' | 'likely' | 'legacy' | 'no' | 'unknown' | 'no_evidence';

export type Bank = {
  /** Three digits, with zeros. */
  readonly code: string;
  readonly name: string;
  readonly kind: BankKind;
  readonly status: BankStatus;
  /** For a merged institution: the code to use instead. */
  readonly successor: string | null;
  /** When the merger or the licence took effect: `YYYY` or `YYYY-MM-DD`. */
  readonly effective: string | null;
  readonly transferReachable: TransferReach;
  readonly confidence: Confidence;
  readonly aliases: readonly string[];
};

/** A code that only unreliable lists have for an institution. */
export type RejectedCode = { readonly code: string; readonly name: string; readonly instead: string | null };

export type BankDirectory = {
  /** When the facts were gathered, according to the file: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly asOf: string;
  /** `asOf` and a digest of the content, which differs between two lists of the same date. */
  readonly version: string;
  /** The source of an imported list and when it was imported; null if the list has none. */
  readonly source: string | null;
  readonly banks: ReadonlyMap<string, Bank>;
  readonly rejected: ReadonlyMap<string, RejectedCode>;
};

/** The file format of a directory. `successor`, `effective` and `instead` are optional. */
export type BankList = {
  meta: { asOf: string; source?: string | null };
  banks: (Pick<Bank, 'code' | 'name' | 'kind' | 'status' | 'transferReachable' | 'confidence'> & {
    successor?: string | null;
    effective?: string | null;
    aliases?: string[];
  })[];
  rejectedCodes?: { code: string; name: string; instead?: string | null }[];
};

export type BankLookup =
  | { readonly found: 'bank'; readonly code: string; readonly bank: Bank }
  | { readonly found: 'rejected'; readonly code: string; readonly rejected: RejectedCode }
  | { readonly found: 'nothing'; readonly code: string }
  | { readonly found: 'bad_format'; readonly code: null };

/** Looks up a bank code exactly as sent; does not even add a zero. */
export function findBank(directory: BankDirectory, code: unknown): BankLookup {
  if (typeof code !== 'string' || code.length !== 3 || !/^[0-9]{3}$/.test(code)) {
    return { found: 'bad_format', code: null };
  }
  const bank = directory.banks.get(code);
  if (bank !== undefined) return { found: 'bank', code, bank };
  const rejected = directory.rejected.get(code);
  return rejected === undefined ? { found: 'nothing', code } : { found: 'rejected', code, rejected };
}

/** Builds the directory of a list that was already checked. */
export function createBankDirectory({ meta, banks, rejectedCodes = [] }: BankList): BankDirectory {
  const entries = banks.map((entry) => ({
    code: entry.code,
    name: entry.name,
    kind: entry.kind,
    status: entry.status,
    successor: entry.successor ?? null,
    effective: entry.effective ?? null,
    transferReachable: entry.transferReachable,
    confidence: entry.confidence,
    aliases: entry.aliases ?? [],
  }));
  const rejected = rejectedCodes.map(({ code, name, instead = null }) => ({ code, name, instead }));
  const digest = createHash('sha256')
    .update(JSON.stringify([entries, rejected]))
    .digest('hex');
  return {
    asOf: meta.asOf,
    version: `${meta.asOf}+${digest.slice(0, 8)}`,
    source: meta.source ?? null,
    banks: new Map(entries.map((bank) => [bank.code, bank])),
    rejected: new Map(rejected.map((entry) => [entry.code, entry])),
  };
}
