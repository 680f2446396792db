import type { Config } from '../config.ts';
import {
  type AccountReading,
  CUENTARUT_BANK,
  type CuentaRutOutcome,
  compareWithCuentaRut,
  contradictsHint,
  equalsWholeRut,
  isUnusualShape,
  LENGTH_HINTS,
  type LengthHint,
  maskAccount,
  readAccount,
} from './bank-account.ts';
import { type BankView, bankFindings, type Suggestion, suggestion } from './bank-findings.ts';
import {
  CHECK_IDS,
  type Check,
  type CheckCode,
  type CheckId,
  type CheckResult,
  finding,
  type Provenance,
  passed,
} from './check.ts';
import type { BankDirectory } from './directory/bank-directory.ts';
import { type PossibleRut, possibleRuts, type RutFormat, type RutReading, type RutWarning, readRut } from './rut.ts';

/** The three values exactly as sent. Any values get checks and a verdict. */
export type AccountInput = {
  readonly rut: unknown;
  readonly bankCode: unknown;
  readonly account: unknown;
  /** How to read a RUT without a hyphen. */
  readonly rutFormat?: RutFormat | null;
  /**
   * The caller's name for the holder. Only a provider can compare it. It is stored only in the sealed question, until
   * the provider has answered.
   */
  readonly holderName?: string | null;
};

export type OfflineFindings = {
  /** Canonical; `null` if the RUT is wrong, because a wrong value is never repeated. */
  readonly rut: string | null;
  /** Both readings of a RUT whose check character may be missing; otherwise empty. */
  readonly readings: readonly PossibleRut[];
  readonly bank: BankView | null;
  readonly maskedAccount: string;
  readonly checks: readonly Check[];
  readonly suggestions: readonly Suggestion[];
};

/**
 * Runs all checks that need no provider. Pure, and far below a millisecond for any input.
 *
 * `unknownBank`: the result for a bank code that is not in the directory. A check that cannot run after an earlier
 * failure is `not_performed`; every check is in the result. No text contains the account, or a RUT other than the one
 * that the caller sent.
 */
export function runOfflineChecks(
  input: AccountInput,
  directory: BankDirectory,
  unknownBank: Config['unknownBank'] = 'warn',
): OfflineFindings {
  const rut = readRut(input.rut, input.rutFormat);
  const bank = bankFindings(directory, input.bankCode);
  const account = readAccount(input.account);
  const cuentaRut = cuentaRutCheck(rut, bank.view, account);
  const readings = rut.reason === 'RUT_CHECK_DIGIT_MAYBE_MISSING' ? possibleRuts(input.rut) : [];
  return {
    rut: rut.canonical,
    readings,
    bank: bank.view,
    maskedAccount: maskAccount(account),
    checks: [
      ...rutChecks(rut, readings),
      ...bankChecks(bank.checks, unknownBank),
      ...accountChecks(rut, bank.view, account),
      cuentaRut,
    ],
    suggestions: [...bank.suggestions, ...cuentaRutSuggestions(rut, bank.view, cuentaRut, input.account)],
  };
}

/** Returns the online checks as `not_performed`, with the reason `code`. */
export function checksNotPerformed(code: CheckCode, provenance: Provenance): readonly Check[] {
  return ONLINE_CHECKS.map((id) => finding(id, 'not_performed', code, provenance));
}

const ONLINE_CHECKS = CHECK_IDS.slice(CHECK_IDS.indexOf('rut.issued'));

// The checks below never differ, so they are made once and shared by all results.

const RUT_RULE = rule(
  'rut',
  'high',
  'modulo 11, as in python-stdnum stdnum/cl/rut.py and the Oracle documentation for Chile',
);
const RUT_RANGE_RULE = rule('rut-range', 'medium', 'a convention; no text of the tax office gives ranges');
const ACCOUNT_RULE = rule('account-number', 'high', 'field widths of the formats that Chilean banks publish');
const CUENTARUT_RULE = rule('cuentarut', 'high', 'the number of a CuentaRUT is the RUT without its check character');

/** The sources of the checks of the RUT and the account. */
export const RULE_OF_CHECK: Partial<Record<CheckId, Provenance>> = {
  'rut.format': RUT_RULE,
  'rut.check_character': RUT_RULE,
  'rut.range': RUT_RANGE_RULE,
  'account.format': ACCOUNT_RULE,
  'account.bank_shape': ACCOUNT_RULE,
  'account.cuentarut_consistency': CUENTARUT_RULE,
};

const RUT_PASSED = passed('rut.format', RUT_RULE);
const CHECK_CHARACTER_PASSED = passed('rut.check_character', RUT_RULE);
const RANGE_PASSED = passed('rut.range', RUT_RANGE_RULE);
const ALL_RUT_PASSED = [RUT_PASSED, CHECK_CHARACTER_PASSED, RANGE_PASSED];
const CHECK_CHARACTER_SKIPPED = finding('rut.check_character', 'not_performed', 'PREREQUISITE_FAILED', RUT_RULE);
const RANGE_SKIPPED = finding('rut.range', 'not_performed', 'PREREQUISITE_FAILED', RUT_RANGE_RULE);

const FORMAT_FAILURES = findings('rut.format', 'fail', RUT_RULE, [
  'RUT_MISSING',
  'RUT_NOT_STRING',
  'RUT_TOO_LONG',
  'RUT_BAD_FORMAT',
]);
const CHECK_CHARACTER_FAILED = finding('rut.check_character', 'fail', 'RUT_CHECK_DIGIT_MISMATCH', RUT_RULE);
const CHECK_CHARACTER_MISSING = finding('rut.check_character', 'fail', 'RUT_CHECK_DIGIT_MAYBE_MISSING', RUT_RULE);
const CHECK_CHARACTER_IN_DOUBT = finding('rut.check_character', 'warn', 'RUT_CHECK_DIGIT_MAYBE_MISSING', RUT_RULE);
const CHECK_CHARACTER_ADDED = finding('rut.check_character', 'warn', 'RUT_CHECK_DIGIT_ADDED', RUT_RULE);
const RANGE_FAILED = finding('rut.range', 'fail', 'RUT_OUT_OF_RANGE', RUT_RANGE_RULE);
const FORMAT_WARNINGS = findings('rut.format', 'warn', RUT_RULE, [
  'RUT_WHITESPACE_TRIMMED',
  'RUT_LEADING_ZEROS_STRIPPED',
]);
const RANGE_WARNINGS = findings('rut.range', 'warn', RUT_RANGE_RULE, [
  'RUT_IMPLAUSIBLY_LOW',
  'RUT_REPEATED_DIGITS',
  'RUT_GENERIC_PLACEHOLDER',
]);

const FORMAT_PASSED = passed('account.format', ACCOUNT_RULE);
const ACCOUNT_FAILURES = findings('account.format', 'fail', ACCOUNT_RULE, [
  'ACCOUNT_NOT_STRING',
  'ACCOUNT_MISSING',
  'ACCOUNT_BAD_FORMAT',
  'ACCOUNT_TOO_LONG',
  'ACCOUNT_ALL_ZEROS',
]);
const SHAPE_PASSED = passed('account.bank_shape', ACCOUNT_RULE);
const SHAPE_SKIPPED = finding('account.bank_shape', 'not_performed', 'PREREQUISITE_FAILED', ACCOUNT_RULE);
const SHAPE_UNUSUAL = finding('account.bank_shape', 'warn', 'ACCOUNT_SHAPE_UNUSUAL', ACCOUNT_RULE);
const EQUALS_RUT = finding('account.bank_shape', 'warn', 'ACCOUNT_EQUALS_RUT', ACCOUNT_RULE);
const UNUSUAL_FOR: ReadonlyMap<LengthHint, Check> = new Map(
  Object.values(LENGTH_HINTS).map((hint) => [
    hint,
    finding(
      'account.bank_shape',
      'warn',
      'ACCOUNT_SHAPE_UNUSUAL',
      rule('account-length', hint.confidence, hint.source),
    ),
  ]),
);
const CUENTARUT_ID = 'account.cuentarut_consistency';
const CUENTARUT_SKIPPED = finding(CUENTARUT_ID, 'not_performed', 'PREREQUISITE_FAILED', CUENTARUT_RULE);
const CUENTARUT_NOT_APPLICABLE = finding(CUENTARUT_ID, 'not_performed', 'NOT_APPLICABLE', CUENTARUT_RULE);
const CUENTARUT_OUTCOMES: Readonly<Record<CuentaRutOutcome, Check>> = {
  ACCOUNT_EQUALS_RUT: finding(CUENTARUT_ID, 'warn', 'ACCOUNT_EQUALS_RUT', CUENTARUT_RULE),
  ACCOUNT_IS_CUENTARUT_OF_HOLDER: finding(CUENTARUT_ID, 'pass', 'ACCOUNT_IS_CUENTARUT_OF_HOLDER', CUENTARUT_RULE),
  CUENTARUT_INCLUDES_CHECK_DIGIT: finding(CUENTARUT_ID, 'warn', 'CUENTARUT_INCLUDES_CHECK_DIGIT', CUENTARUT_RULE),
  ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT: finding(
    CUENTARUT_ID,
    'warn',
    'ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT',
    CUENTARUT_RULE,
  ),
};

function rule(name: string, confidence: Provenance['confidence'], source: string): Provenance {
  return { kind: 'rule', name, version: '1', as_of: '2026', confidence, source };
}

function findings<Code extends CheckCode>(
  id: CheckId,
  result: CheckResult,
  provenance: Provenance,
  codes: readonly Code[],
): Readonly<Record<Code, Check>> {
  return Object.fromEntries(codes.map((code) => [code, finding(id, result, code, provenance)])) as Record<Code, Check>;
}

function rutChecks(rut: RutReading, readings: readonly PossibleRut[]): readonly Check[] {
  if (rut.valid) return rut.warnings.length === 0 ? ALL_RUT_PASSED : warnedRutChecks(rut.warnings);
  // Any of the digits may be wrong, so the range cannot be checked.
  if (rut.reason === 'RUT_CHECK_DIGIT_MISMATCH') return [RUT_PASSED, CHECK_CHARACTER_FAILED, RANGE_SKIPPED];
  if (rut.reason === 'RUT_CHECK_DIGIT_MAYBE_MISSING') {
    // As written, the RUT is wrong, unless its last digit is also the right check character.
    const isTwoPeople = readings.every((reading) => reading.rut !== null);
    return [RUT_PASSED, isTwoPeople ? CHECK_CHARACTER_IN_DOUBT : CHECK_CHARACTER_MISSING, RANGE_SKIPPED];
  }
  if (rut.reason === 'RUT_OUT_OF_RANGE') return [RUT_PASSED, CHECK_CHARACTER_SKIPPED, RANGE_FAILED];
  return [FORMAT_FAILURES[rut.reason], CHECK_CHARACTER_SKIPPED, RANGE_SKIPPED];
}

function warnedRutChecks(warnings: readonly RutWarning[]): Check[] {
  const format: Check[] = [];
  const range: Check[] = [];
  for (const code of warnings) {
    if (code in FORMAT_WARNINGS) format.push(FORMAT_WARNINGS[code as keyof typeof FORMAT_WARNINGS]);
    else if (code in RANGE_WARNINGS) range.push(RANGE_WARNINGS[code as keyof typeof RANGE_WARNINGS]);
  }
  return [
    ...(format.length > 0 ? format : [RUT_PASSED]),
    warnings.includes('RUT_CHECK_DIGIT_ADDED') ? CHECK_CHARACTER_ADDED : CHECK_CHARACTER_PASSED,
    ...(range.length > 0 ? range : [RANGE_PASSED]),
  ];
}

/** The cached findings have `warn` for an unknown bank; replaces it by the setting. */
function bankChecks(checks: readonly Check[], unknownBank: Config['unknownBank']): readonly Check[] {
  if (unknownBank === 'warn') return checks;
  return checks.map((check) => (check.code === 'BANK_UNKNOWN' ? { ...check, result: unknownBank } : check));
}

function accountChecks(rut: RutReading, bank: BankView | null, account: AccountReading): readonly Check[] {
  if (!account.valid) return [ACCOUNT_FAILURES[account.reason], SHAPE_SKIPPED];
  const shape = shapeChecks(rut, bank, account);
  return [FORMAT_PASSED, ...(shape.length > 0 ? shape : [SHAPE_PASSED])];
}

function shapeChecks(rut: RutReading, bank: BankView | null, account: AccountReading & { valid: true }): Check[] {
  const { digits, significant } = account;
  const hint = bank === null ? undefined : LENGTH_HINTS[bank.code];
  const checks: Check[] = [];
  if (isUnusualShape(digits, significant)) checks.push(SHAPE_UNUSUAL);
  else if (hint !== undefined && contradictsHint(hint, digits, significant))
    checks.push(UNUSUAL_FOR.get(hint) ?? SHAPE_UNUSUAL);
  if (rut.valid && equalsWholeRut(rut, significant)) checks.push(EQUALS_RUT);
  return checks;
}

function cuentaRutCheck(rut: RutReading, bank: BankView | null, account: AccountReading): Check {
  if (bank !== null && bank.code !== CUENTARUT_BANK) return CUENTARUT_NOT_APPLICABLE;
  if (bank === null || !rut.valid || !account.valid) return CUENTARUT_SKIPPED;
  const outcome = compareWithCuentaRut(rut, account.significant);
  return outcome === null ? CUENTARUT_NOT_APPLICABLE : CUENTARUT_OUTCOMES[outcome];
}

/** Suggests the number of the CuentaRUT for the whole RUT as the account, also for one with dots or a hyphen. */
function cuentaRutSuggestions(
  rut: RutReading,
  bank: BankView | null,
  { code, field }: Check,
  account: unknown,
): Suggestion[] {
  if (!rut.valid || rut.holderClass === 'legal_entity' || bank?.code !== CUENTARUT_BANK) return [];
  const isWholeRut = code === 'CUENTARUT_INCLUDES_CHECK_DIGIT' || readRut(account).canonical === rut.canonical;
  return isWholeRut ? [suggestion(field, 'CUENTARUT_INCLUDES_CHECK_DIGIT', rut.canonical.slice(0, -2))] : [];
}
