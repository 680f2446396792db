/** What `doctor` looked at. With a `fix` it needs a person. */
export type Finding = { check: string; says: string; fix: string | null };

/** As it should be. */
export function fine(check: string, says: string): Finding {
  return { check, says, fix: null };
}

/** Needs a person, who is told what to do. */
export function problem(check: string, says: string, fix: string): Finding {
  return { check, says, fix };
}
