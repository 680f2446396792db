import { hasTwoReadings, type RutFormat, readRut } from '../rut.ts';

/** Looks at every RUT of a column, and says how RUTs of digits alone are written where the column shows it. */
export type ColumnJudge = {
  look(text: string): void;
  /** Null where the column does not show it: then a person has to say. */
  format(): RutFormat | null;
};

/** By chance a number without its check character reads with one in one case of eleven, and so many in 11^10. */
const ENOUGH = 10;

/**
 * Only what could be read either way is evidence, and one exception makes the column mixed: rows of two programs may stand
 * in one file, and a RUT with a hyphen says nothing about the next one without.
 *
 * With their check character: ten or more, and every one of them fits. Without: ten or more, no other spelling in the
 * column (seven of eight RUTs with their check character have nine digits), and no more of them fit than by chance.
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
