import { type Check, fillIn, finding, type Provenance, passed } from './check.ts';
import { CODE_MESSAGES, type Message, SUGGESTION_MESSAGES } from './check-messages.ts';
import {
  type Bank,
  type BankDirectory,
  type BankLookup,
  type BankStatus,
  findBank,
} from './directory/bank-directory.ts';
import { codeOfBankName, codeWithZeros } from './directory/bank-names.ts';

/** A value to send instead. It is only a suggestion: the service never changes the caller's values. */
export type Suggestion = {
  readonly field: string;
  readonly code: keyof typeof SUGGESTION_MESSAGES;
  readonly value: string;
  readonly message: Message;
};

export type BankView = {
  readonly code: string;
  readonly name: string | null;
  readonly status: BankStatus | 'unknown' | 'rejected';
};

export type BankFindings = {
  /** `null` if the text is not a bank code. */
  readonly view: BankView | null;
  readonly checks: readonly Check[];
  readonly suggestions: readonly Suggestion[];
};

/** Checks a bank code, as the caller sent it, against the directory. */
export function bankFindings(directory: BankDirectory, code: unknown): BankFindings {
  let known = FINDINGS.get(directory);
  if (known === undefined) FINDINGS.set(directory, (known = new Map()));
  const lookup = findBank(directory, code);
  if (lookup.code === null) return unreadableCode(directory, code);

  // There are at most a thousand codes of three digits, so the findings of each are cached.
  let findings = known.get(lookup.code);
  if (findings === undefined) known.set(lookup.code, (findings = findingsOf(directory, lookup)));
  return findings;
}

/**
 * Returns why an active institution is not paid: only one source knows it, and no transfer catalogue. Null for every
 * other code: the verdict of the account decides there. An imported list that knows the institution better allows it.
 */
export function payeeRefusal(directory: BankDirectory, code: string): Message | null {
  const bank = directory.banks.get(code);
  if (bank === undefined || bank.status !== 'active' || bank.confidence !== 'low') return null;
  if (REACHABLE.has(bank.transferReachable)) return null;
  return fillIn(CODE_MESSAGES.BANK_NOT_TRANSFER_TARGET, bankWords(directory, bank));
}

/** Returns the codes of the institutions that `payeeRefusal` refuses. */
export function unpaidBanks(directory: BankDirectory): string[] {
  return [...directory.banks.keys()].filter((code) => payeeRefusal(directory, code) !== null);
}

/** Makes a suggestion. */
export function suggestion(
  field: string,
  code: keyof typeof SUGGESTION_MESSAGES,
  value: string,
  name: string = value,
): Suggestion {
  return { field, code, value, message: fillIn(SUGGESTION_MESSAGES[code], { value, name }) };
}

/** Returns the source of the checks of a bank: the list's version, and the confidence of the entry. */
export function bankProvenance(
  { version, asOf }: Pick<BankDirectory, 'version' | 'asOf'>,
  bank: Bank | null,
): Provenance {
  return {
    kind: 'dataset',
    name: 'bank-directory',
    version,
    as_of: asOf,
    confidence: bank?.confidence ?? null,
    source: BANK_LIST_SOURCE,
  };
}

/** The sources of the bank list. */
export const BANK_LIST_SOURCE = 'lists of the regulator and transfer catalogues, cross-checked';

/** Returns the values for messages about a bank. */
export function bankWords(directory: Pick<BankDirectory, 'banks' | 'asOf'>, bank: Bank): Record<string, string> {
  const successor = bank.successor === null ? '' : (directory.banks.get(bank.successor)?.name ?? bank.successor);
  return { name: bank.name, as_of: directory.asOf, successor };
}

const FINDINGS = new WeakMap<BankDirectory, Map<string, BankFindings>>();
const FIELD = '/bankData/bankSBIFNumber';
/** A name of a bank is shorter. */
const LONGEST_READ = 100;

/** Suggests the code: some systems drop its zeros, and people write the name of the bank. */
function unreadableCode(directory: BankDirectory, sent: unknown): BankFindings {
  const text = typeof sent === 'string' && sent.length <= LONGEST_READ ? sent.trim() : '';
  const code = codeWithZeros(directory, text) ?? codeOfBankName(directory, text);
  const known = finding('bank.known', 'fail', 'BANK_BAD_FORMAT', bankProvenance(directory, null));
  return {
    view: null,
    checks: unknownTo(directory, known),
    suggestions: code === null ? [] : [suggestBank(directory, 'BANK_BAD_FORMAT', code)],
  };
}

function findingsOf(directory: BankDirectory, lookup: BankLookup & { code: string }): BankFindings {
  const values = { as_of: directory.asOf };
  switch (lookup.found) {
    case 'bank':
      return findingsOfBank(directory, lookup.bank);
    case 'rejected': {
      const { code, instead } = lookup.rejected;
      return {
        view: { code, name: null, status: 'rejected' },
        checks: unknownTo(
          directory,
          finding('bank.known', 'warn', 'BANK_UNVERIFIED', bankProvenance(directory, null), values),
        ),
        suggestions: instead === null ? [] : [suggestBank(directory, 'BANK_UNVERIFIED', instead)],
      };
    }
    case 'nothing':
      return {
        view: { code: lookup.code, name: null, status: 'unknown' },
        checks: unknownTo(
          directory,
          finding('bank.known', 'warn', 'BANK_UNKNOWN', bankProvenance(directory, null), values),
        ),
        suggestions: [],
      };
  }
}

function findingsOfBank(directory: BankDirectory, bank: Bank): BankFindings {
  const provenance = bankProvenance(directory, bank);
  const values = bankWords(directory, bank);
  return {
    view: { code: bank.code, name: bank.name, status: bank.status },
    checks: [
      passed('bank.known', provenance, values),
      statusCheck(bank.status, provenance, values),
      REACHABLE.has(bank.transferReachable)
        ? passed('bank.accepts_transfers', provenance, values)
        : finding('bank.accepts_transfers', 'warn', 'BANK_NOT_TRANSFER_TARGET', provenance, values),
    ],
    suggestions: bank.successor === null ? [] : [suggestBank(directory, 'BANK_MERGED', bank.successor)],
  };
}

// `legacy`: the institution merged, but transfer catalogues still have its code.
const REACHABLE: ReadonlySet<Bank['transferReachable']> = new Set(['yes', 'likely', 'legacy']);

function statusCheck(status: BankStatus, provenance: Provenance, values: Record<string, string>): Check {
  switch (status) {
    case 'active':
      return passed('bank.status', provenance, values);
    case 'authorised':
      return finding('bank.status', 'warn', 'BANK_NOT_YET_OPERATING', provenance, values);
    case 'merged':
      return finding('bank.status', 'warn', 'BANK_MERGED', provenance, values);
    case 'closed':
      return finding('bank.status', 'fail', 'BANK_CLOSED', provenance, values);
    case 'unverified':
      return finding('bank.status', 'warn', 'BANK_UNVERIFIED', provenance, values);
  }
}

function unknownTo(directory: BankDirectory, known: Check): readonly Check[] {
  const provenance = bankProvenance(directory, null);
  return [
    known,
    finding('bank.status', 'not_performed', 'PREREQUISITE_FAILED', provenance),
    finding('bank.accepts_transfers', 'not_performed', 'PREREQUISITE_FAILED', provenance),
  ];
}

function suggestBank(directory: BankDirectory, code: Suggestion['code'], value: string): Suggestion {
  return suggestion(FIELD, code, value, directory.banks.get(value)?.name);
}
