import { type Said, sayIn } from '../error-catalogue.ts';

/** A finding: what was looked at, and the result. With a `fix` it needs a person. */
export type Finding = { check: string; says: Said; fix: Said | null };

/** The same in one language, for who prints it. */
export type SaidFinding = { check: string; says: string; fix: string | null };

/** As it should be. */
export function fine(check: string, says: Said): Finding {
  return { check, says, fix: null };
}

/** Needs a person, who is told what to do. */
export function problem(check: string, says: Said, fix: Said): Finding {
  return { check, says, fix };
}

/** In one language, as it is printed. */
export function sayFinding({ check, says, fix }: Finding, language: 'en' | 'es'): SaidFinding {
  return { check, says: sayIn(says, language), fix: fix === null ? null : sayIn(fix, language) };
}
