import type { AttentionName } from '../attention/attention.ts';
import { type Language, type Said, sayIn } from '../lib/language.ts';

/** The name of a check of `doctor`. A new one needs its name in the console: `console/health/check-names.ts`. */
export type CheckName =
  | AttentionName
  | 'anchors'
  | 'audit-log'
  | 'bank-list'
  | 'callbacks'
  | 'database'
  | 'disk'
  | 'durability'
  | 'feed'
  | 'master-key'
  | 'node'
  | 'passkeys'
  | 'policy'
  | 'port'
  | 'process'
  | 'proxy'
  | 'public-url'
  | 'schema'
  | 'secrets'
  | 'settings';

/** A checked item and the result. With a `fix` it needs a person. */
export type Finding = { check: CheckName; says: Said; fix: Said | null };

/** A finding in one language. */
export type SaidFinding = { check: CheckName; says: string; fix: string | null };

/** Makes a finding without a fix. */
export function fine(check: CheckName, says: Said): Finding {
  return { check, says, fix: null };
}

/** Makes a finding that needs a person, with what to do. */
export function problem(check: CheckName, says: Said, fix: Said): Finding {
  return { check, says, fix };
}

/** Translates a finding into one language. */
export function sayFinding({ check, says, fix }: Finding, language: Language): SaidFinding {
  return { check, says: sayIn(says, language), fix: fix === null ? null : sayIn(fix, language) };
}
