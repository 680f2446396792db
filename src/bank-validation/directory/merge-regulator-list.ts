import type { Bank, BankDirectory, BankKind, BankList } from './bank-directory.ts';
import { sameInstitution } from './institution-names.ts';
import type { BankListProblem } from './read-bank-directory.ts';
import type { RegulatorEntry, RegulatorList } from './regulator-list.ts';

export type MergedList = {
  readonly list: BankList;
  /**
   * Banks that operate according to the current list but are not in the regulator's. They stay until a person decides.
   */
  readonly missing: readonly string[];
};

/** At least this many entries must match known ones, because invented lists carry the regulator's name too. */
const LEAST_KNOWN = 10;

/**
 * Returns the current list updated from the regulator's: which institutions exist, and their names. Aliases, mergers
 * and transfers stay, because the regulator's list does not have them. A new institution has no second source yet: its
 * confidence is medium, and whether it accepts transfers is unknown. `accepted`: codes whose new name a person has
 * checked.
 */
export function mergeRegulatorList(
  serving: BankDirectory,
  { entries }: RegulatorList,
  about: { asOf: string; source: string; accepted: readonly string[] },
): MergedList | { problems: BankListProblem[] } {
  const listed = entries.filter(holdsAccounts);
  const problems = [
    ...codeProblems(listed),
    ...repeatProblems(listed),
    ...nameProblems(serving, listed, about.accepted),
    ...familiarity(serving, listed),
    ...ageProblems(serving, about.asOf),
  ];
  if (problems.length > 0) return { problems };
  const named = new Map(listed.map((entry) => [entry.code, entry]));
  const kept = [...serving.banks.values()].map((bank) => confirmed(bank, named.get(bank.code), about.accepted));
  const added = [...named.values()].filter(({ code }) => !serving.banks.has(code)).map(newBank);
  const banks = [...kept, ...added].sort((one, other) => (one.code < other.code ? -1 : 1));
  return {
    list: {
      meta: { asOf: about.asOf, source: about.source },
      banks: banks.map((bank) => ({ ...bank, aliases: [...bank.aliases] })),
      rejectedCodes: [...serving.rejected.values()],
    },
    missing: kept
      .filter((bank) => OPERATING.has(bank.kind) && bank.status === 'active' && !named.has(bank.code))
      .map(({ code }) => code),
  };
}

/** The kinds in the regulator's list of banks; card issuers are in another list. */
const OPERATING: ReadonlySet<BankKind> = new Set(['bank', 'state_bank', 'foreign_branch']);

/**
 * Returns whether an institution may hold accounts. Branches abroad, advisers, collectors and card operators also have
 * codes, but do not.
 */
function holdsAccounts({ code, kind }: RegulatorEntry): boolean {
  if (/^9\d\d$/.test(code)) return false;
  if (kind === null) return !/^[23]\d\d$/.test(code);
  return (
    /banco|bank|cooperativa|emisor|prepago/i.test(kind) && !/apoyo|asesor|cobranza|operador(?!.*emisor)/i.test(kind)
  );
}

function codeProblems(entries: readonly RegulatorEntry[]): BankListProblem[] {
  return entries
    .filter(({ code }) => !/^\d{3}$/.test(code))
    .map(({ line }) => problem('BANK_LIST_INVALID', line, 'The code is not three digits.'));
}

function repeatProblems(entries: readonly RegulatorEntry[]): BankListProblem[] {
  const first = new Map<string, RegulatorEntry>();
  return entries.flatMap((entry) => {
    const earlier = first.get(entry.code);
    if (earlier === undefined) first.set(entry.code, entry);
    if (earlier === undefined || sameInstitution(earlier.name, entry.name)) return [];
    return [
      problem('BANK_LIST_DUPLICATE_CODE', entry.line, `Code ${entry.code} has another name in line ${earlier.line}.`),
    ];
  });
}

function nameProblems(
  { banks }: BankDirectory,
  entries: readonly RegulatorEntry[],
  accepted: readonly string[],
): BankListProblem[] {
  return entries.flatMap(({ line, code, name }) => {
    const bank = banks.get(code);
    if (bank === undefined || accepted.includes(code) || isNamed(bank, name)) return [];
    const message = `Code ${code} is "${bank.name}" here and "${name}" in the file. If it was renamed, say --accept ${code}.`;
    return [problem('BANK_LIST_NAME_CONFLICT', line, message)];
  });
}

function familiarity({ banks }: BankDirectory, entries: readonly RegulatorEntry[]): BankListProblem[] {
  const known = entries.filter(({ code, name }) => banks.has(code) && isNamed(banks.get(code) as Bank, name)).length;
  if (known >= LEAST_KNOWN) return [];
  const message = `Only ${known} entries say what is known already: this does not look like the regulator's list of institutions.`;
  return [{ pointer: '', code: 'BANK_LIST_UNFAMILIAR', message }];
}

function ageProblems({ asOf: serving }: BankDirectory, asOf: string): BankListProblem[] {
  const length = Math.min(serving.length, asOf.length);
  if (asOf.slice(0, length) >= serving.slice(0, length)) return [];
  const message = `The list is of ${asOf}, and the one that serves of ${serving}. If its date is wrong, say it with --as-of.`;
  return [{ pointer: '', code: 'BANK_LIST_OLDER', message }];
}

function isNamed({ name, aliases }: Bank, other: string): boolean {
  return [name, ...aliases].some((known) => sameInstitution(known, other));
}

/**
 * Returns a bank with the regulator's facts. A listed institution has a licence, so it is active. A merged code may
 * stay listed until the systems are joined; it stays merged.
 */
function confirmed(bank: Bank, entry: RegulatorEntry | undefined, accepted: readonly string[]): Bank {
  if (entry === undefined) return bank;
  const renamed = accepted.includes(bank.code) && !isNamed(bank, entry.name);
  const status = bank.status === 'merged' ? bank.status : 'active';
  return {
    ...bank,
    status,
    effective: status === bank.status ? bank.effective : null,
    // The regulator is at least a second source.
    confidence: bank.confidence === 'low' ? 'medium' : bank.confidence,
    ...(renamed && { name: entry.name, aliases: [bank.name, ...bank.aliases] }),
  };
}

function newBank({ code, name, kind }: RegulatorEntry): Bank {
  return {
    code,
    name,
    kind: kindOf(code, kind ?? name),
    status: 'active',
    successor: null,
    effective: null,
    transferReachable: 'unknown',
    confidence: 'medium',
    aliases: [],
  };
}

function kindOf(code: string, text: string): BankKind {
  if (/coop/i.test(text)) return 'cooperative';
  if (/emisor|prepago|tarjeta/i.test(text)) return 'prepaid_issuer';
  if (/sucursal|agencia/i.test(text)) return 'foreign_branch';
  return code < '600' ? 'bank' : 'prepaid_issuer';
}

function problem(code: BankListProblem['code'], line: number, message: string): BankListProblem {
  return { pointer: `line ${line}`, code, message };
}
