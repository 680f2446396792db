import type { Language } from '../../lib/language.ts';
import type { Verdict } from '../check.ts';
import type { Repair } from './repair-account.ts';
import { causeOf, type ValidatedRow } from './validated-row.ts';

export type CsvSummary = {
  rows: number;
  /** Rows that the store or the provider's budget refused. */
  refused: number;
  /** Why rows are not valid, most frequent first. */
  causes: { code: string; rows: number; message: string }[];
  /** The repaired rows, and how often each rule changed a cell, most frequent first. */
  repaired: { rows: number; rules: { rule: string; changes: number }[] };
} & Record<Verdict, number>;

/** Counts rows as they are processed. */
export type Counted = {
  readonly summary: Readonly<CsvSummary>;
  count(rows: readonly ValidatedRow[], repairs: readonly (readonly Repair[])[]): void;
  end(): CsvSummary;
};

/** Returns an empty count, with causes in `language`. */
export function countCauses(language: Language): Counted {
  const summary: CsvSummary = {
    rows: 0,
    refused: 0,
    invalid: 0,
    plausible: 0,
    confirmed: 0,
    mismatch: 0,
    undetermined: 0,
    causes: [],
    repaired: { rows: 0, rules: [] },
  };
  const causes = new Map<string, { rows: number; message: string }>();
  const rules = new Map<string, number>();
  return {
    summary,
    count: (rows, repairs) => {
      for (const row of rows) {
        summary.rows++;
        if ('problem' in row.result) summary.refused++;
        else summary[row.result.validation.verdict]++;
        const cause = causeOf(row);
        if (cause === null) continue;
        // Shows the first row's sentence; other rows may name other banks.
        const known = causes.get(cause.code) ?? { rows: 0, message: cause.general[language] };
        causes.set(cause.code, { ...known, rows: known.rows + 1 });
      }
      for (const made of repairs) {
        if (made.length > 0) summary.repaired.rows++;
        for (const { rule } of made) rules.set(rule, (rules.get(rule) ?? 0) + 1);
      }
    },
    end: () => ({
      ...summary,
      causes: [...causes].map(([code, cause]) => ({ code, ...cause })).sort((one, other) => other.rows - one.rows),
      repaired: {
        ...summary.repaired,
        rules: [...rules]
          .map(([rule, changes]) => ({ rule, changes }))
          .sort((one, other) => other.changes - one.changes),
      },
    }),
  };
}
