import { type Said, sayIn } from '../error-catalogue.ts';

/** A checked item and the result. With a `fix` it needs a person. */
export type Finding = { check: string; says: Said; fix: Said | null };

/** A finding in one language. */
export type SaidFinding = { check: string; says: string; fix: string | null };

/** Makes a finding without a fix. */
export function fine(check: string, says: Said): Finding {
  return { check, says, fix: null };
}

/** Makes a finding that needs a person, with what to do. */
export function problem(check: string, says: Said, fix: Said): Finding {
  return { check, says, fix };
}

/** Translates a finding into one language. */
export function sayFinding({ check, says, fix }: Finding, language: 'en' | 'es'): SaidFinding {
  return { check, says: sayIn(says, language), fix: fix === null ? null : sayIn(fix, language) };
}
