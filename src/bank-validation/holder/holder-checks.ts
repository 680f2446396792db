import { isoTime } from '../../lib/iso-time.ts';
import { NAME_MATCHES, type NameMatch } from '../../validation-providers/compare-names.ts';
import type { HolderAnswer, ValidationProvider } from '../../validation-providers/validation-provider.ts';
import { checksNotPerformed } from '../account-checks.ts';
import { type Check, type CheckCode, type CheckResult, finding, type Provenance, passed } from '../check.ts';

const NO_PROVIDER: Provenance = {
  kind: 'provider',
  name: 'none',
  version: null,
  as_of: null,
  confidence: null,
  source: null,
};

/** The online checks if no provider is configured, or if it does not cover this account. */
export const NO_PROVIDER_CHECKS = checksNotPerformed('NO_PROVIDER_CONFIGURED', NO_PROVIDER);

/** Returns `name@version`, as stored with a validation. */
export function providerLabel({ name, version }: ValidationProvider): string {
  return `${name}@${version}`;
}

/**
 * Returns the online checks for an answer of the provider. `answeredAt` is `null` while the provider is still checking.
 */
export function holderChecks(provider: string, answer: HolderAnswer, answeredAt: number | null): readonly Check[] {
  const provenance = providerProvenance(provider, answeredAt);
  const told = [holderMatch(answer.kind, provenance), ...nameCheck(nameMatchOf(answer), provenance)];
  return checksNotPerformed('NOT_COVERED_BY_PROVIDER', provenance).map(
    (check) => told.find(({ id }) => id === check.id) ?? check,
  );
}

/**
 * Returns whether an answer costs the price of a wrong guess: the account is not of this RUT, or the name does not
 * match.
 */
export function isMiss(answer: HolderAnswer): boolean {
  return answer.kind === 'no_match' || nameMatchOf(answer) === 'none';
}

/** How well the name matches, as the API returns it; `not_performed` if nobody compared it. */
export const NAME_GRADES = [...NAME_MATCHES, 'not_performed'] as const;

/** Returns the grade of the check of the name. */
export function nameGradeOf({ result, code }: Pick<Check, 'result' | 'code'>): (typeof NAME_GRADES)[number] {
  if (result === 'pass') return 'exact';
  const [grade] = Object.entries(NAME_CODES).find(([, one]) => one === code) ?? [];
  return (grade as NameMatch | undefined) ?? 'not_performed';
}

const NAME_CODES = {
  close: 'HOLDER_NAME_CLOSE',
  partial: 'HOLDER_NAME_PARTIAL',
  none: 'HOLDER_NAME_NO_MATCH',
} as const satisfies Record<Exclude<NameMatch, 'exact'>, CheckCode>;

function nameMatchOf(answer: HolderAnswer): NameMatch | null {
  return 'nameMatch' in answer ? answer.nameMatch : null;
}

function nameCheck(match: NameMatch | null, provenance: Provenance): Check[] {
  if (match === null) return [];
  if (match === 'exact') return [passed('holder.name_match', provenance)];
  return [finding('holder.name_match', match === 'none' ? 'fail' : 'warn', NAME_CODES[match], provenance)];
}

/** Returns the provider as the source of an answer. */
export function providerProvenance(label: string, answeredAt: number | null): Provenance {
  const [name = label, version = null] = label.split('@');
  const asOf = isoTime(answeredAt);
  return { kind: 'provider', name, version, as_of: asOf, confidence: null, source: null };
}

/** Only a mismatch is a `fail`; an answer without a result never is. */
const OUTCOMES: Readonly<Record<Exclude<HolderAnswer['kind'], 'match'>, readonly [CheckResult, CheckCode]>> = {
  close_match: ['warn', 'HOLDER_CLOSE_MATCH'],
  no_match: ['fail', 'HOLDER_NO_MATCH'],
  not_checkable: ['not_performed', 'HOLDER_NOT_CHECKABLE'],
  opted_out: ['not_performed', 'PROVIDER_OPTED_OUT'],
  pending: ['not_performed', 'PROVIDER_PENDING'],
  timeout: ['error', 'PROVIDER_TIMEOUT'],
  unavailable: ['error', 'PROVIDER_UNAVAILABLE'],
  rate_limited: ['error', 'PROVIDER_UNAVAILABLE'],
};

function holderMatch(outcome: HolderAnswer['kind'], provenance: Provenance): Check {
  if (outcome === 'match') return passed('holder.match', provenance);
  const [result, code] = OUTCOMES[outcome];
  return finding('holder.match', result, code, provenance);
}
