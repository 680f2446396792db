import { hasTwoReadings, type RutFormat, readRut } from '../rut.ts';

/** Collects the RUTs of a column to find out how RUTs of digits alone are written. */
export type ColumnJudge = {
  look(text: string): void;
  /** Null if the column does not show it; then a person must decide. */
  format(): RutFormat | null;
};

/**
 * By chance, one in eleven numbers without a check character also reads as a RUT with one; ten of ten do so once in
 * 11^10.
 */
const ENOUGH = 10;

/**
 * Only RUTs with two readings are evidence, because rows of two programs may be in one file: a RUT with a hyphen says
 * nothing about the next one without.
 *
 * `with-dv`: ten or more such RUTs, and all are valid with a check character. `without-dv`: ten or more, at most a
 * quarter of them valid with a check character, and no other spelling in the column (seven of eight RUTs with a check
 * character have nine digits).
 */
export function judgeColumn(): ColumnJudge {
  let open = 0;
  let fitting = 0;
  let others = 0;
  return {
    look: (cell) => {
      const text = cell.trim();
      if (hasTwoReadings(text)) {
        open++;
        if (readRut(text, 'with-dv').valid) fitting++;
      } else if (text !== '') others++;
    },
    format: () => {
      if (open < ENOUGH) return null;
      if (fitting === open) return 'with-dv';
      return others === 0 && fitting <= open / 4 ? 'without-dv' : null;
    },
  };
}
