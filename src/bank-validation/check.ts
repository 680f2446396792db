import { CODE_MESSAGES, type Message, PASS_MESSAGES, VERDICT_MESSAGES } from './check-messages.ts';
import type { Confidence } from './directory/bank-directory.ts';

/** The ids of all checks, in the order of a response. */
export const CHECK_IDS = [
  'rut.format',
  'rut.check_character',
  'rut.range',
  'bank.known',
  'bank.status',
  'bank.accepts_transfers',
  'account.format',
  'account.bank_shape',
  'account.cuentarut_consistency',
  'rut.issued',
  'rut.alive',
  'account.exists',
  'account.open',
  'account.currency',
  'holder.match',
  'holder.name_match',
] as const;

export type CheckId = (typeof CHECK_IDS)[number];

/** `not_performed` never means `pass`: the check says nothing about the account. */
export type CheckResult = 'pass' | 'fail' | 'warn' | 'not_performed' | 'error';

export type CheckCode = keyof typeof CODE_MESSAGES;

/** The source of a result, and its date. */
export type Provenance = {
  readonly kind: 'rule' | 'dataset' | 'provider';
  readonly name: string;
  readonly version: string | null;
  readonly as_of: string | null;
  readonly confidence: Confidence | null;
  readonly source: string | null;
};

/** One finding. A check has one entry for each code that it found, or one with `code: null` if it passed. */
export type Check = {
  readonly id: CheckId;
  readonly result: CheckResult;
  readonly code: CheckCode | null;
  readonly message: Message;
  /** The member of the request, as a JSON pointer. */
  readonly field: string;
  readonly provenance: Provenance;
};

export type Verdict = 'invalid' | 'plausible' | 'confirmed' | 'mismatch' | 'undetermined';

/** Makes a check with a code. */
export function finding(
  id: CheckId,
  result: CheckResult,
  code: CheckCode,
  provenance: Provenance,
  values: Readonly<Record<string, string>> = {},
): Check {
  return { id, result, code, message: fillIn(CODE_MESSAGES[code], values), field: fieldOf(id), provenance };
}

/** Makes a check that passed without a code. */
export function passed(
  id: keyof typeof PASS_MESSAGES,
  provenance: Provenance,
  values: Readonly<Record<string, string>> = {},
): Check {
  return { id, result: 'pass', code: null, message: fillIn(PASS_MESSAGES[id], values), field: fieldOf(id), provenance };
}

/** Fills values into the `{places}` of a message, in all languages. A value such as `S.A.` ends its sentence itself. */
export function fillIn(message: Message, values: Readonly<Record<string, string>>): Message {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}(\.?)/g, (place, name: string, point: string) => {
      const value = values[name];
      return value === undefined ? place : value.endsWith('.') ? value : value + point;
    });
  return { en: fill(message.en), es: fill(message.es) };
}

/**
 * Returns the verdict of the checks. A failed check outweighs a provider's mismatch. A mismatch outweighs checks
 * without a result. Without a provider's answer the best verdict is `plausible`.
 */
export function verdictOf(checks: readonly Check[]): Verdict {
  let verdict: Verdict = 'plausible';
  for (const { id, result, code } of checks) {
    if (code === 'HOLDER_NO_MATCH' || code === 'HOLDER_NAME_NO_MATCH') verdict = 'mismatch';
    else if (result === 'fail') return 'invalid';
    else if (leavesOpen({ result, code })) {
      if (verdict !== 'mismatch') verdict = 'undetermined';
    } else if (id === 'holder.match' && result === 'pass' && verdict === 'plausible') verdict = 'confirmed';
  }
  return verdict;
}

/** Returns whether a check has no result, so that the question stays open. */
export function leavesOpen({ result, code }: Pick<Check, 'result' | 'code'>): boolean {
  return result === 'error' || (code !== null && LEAVES_OPEN.has(code));
}

/**
 * Returns the check that explains why an account cannot be paid: the first that fails, else the first that leaves the
 * question open.
 */
export function decidingCheck(checks: readonly Check[]): Check | undefined {
  return checks.find(({ result }) => result === 'fail') ?? checks.find(leavesOpen);
}

/** The codes whose check says more than its verdict: an answer that is not about the account alone, or not certain. */
const SAID_BY_CHECK: Partial<Record<Verdict, CheckCode>> = {
  plausible: 'HOLDER_CLOSE_MATCH',
  mismatch: 'HOLDER_NAME_NO_MATCH',
};

/** Returns the first line of a response about completed checks: what the provider found, or the text of the verdict. */
export function verdictMessage(verdict: Verdict, checks: readonly Pick<Check, 'code' | 'message'>[]): Message {
  const said = checks.find(({ code }) => code !== null && code === SAID_BY_CHECK[verdict]);
  return said?.message ?? VERDICT_MESSAGES[verdict];
}

/** Returns whether the data can be used. It need not mean that the account belongs to the RUT: see the verdict. */
export function isValid(verdict: Verdict): boolean {
  return verdict === 'plausible' || verdict === 'confirmed';
}

const LEAVES_OPEN: ReadonlySet<CheckCode> = new Set([
  'RUT_CHECK_DIGIT_MAYBE_MISSING',
  'BANK_UNKNOWN',
  'BANK_UNVERIFIED',
  'HOLDER_NOT_CHECKABLE',
  'PROVIDER_OPTED_OUT',
  'PROVIDER_PENDING',
]);

function fieldOf(id: CheckId): string {
  if (id.startsWith('rut.')) return '/rut';
  if (id === 'holder.name_match') return '/holderName';
  return id.startsWith('bank.') ? '/bankData/bankSBIFNumber' : '/bankData/bankAccount';
}
