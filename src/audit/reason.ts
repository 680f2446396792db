import { holdsCardNumber } from '../../protocol/card-number.ts';
import { MISLEADING } from '../lib/misleading-text.ts';
import { checkCharacter } from '../lib/modulo-eleven.ts';

/**
 * Returns whether a text may be a reason. Reasons are stored permanently, so they must not contain an e-mail address, a
 * card number or the RUT of a person; nor a character that misleads their reader.
 */
export function isReason(text: string): boolean {
  const isShort = text !== '' && text.length <= 200;
  return isShort && !text.includes('@') && !MISLEADING.test(text) && !holdsCardNumber(text) && !holdsPersonalRut(text);
}

/**
 * Returns whether a text contains the RUT of a natural person with its dash: `12.345.678-5`. RUTs of companies, from
 * 50,000,000, are not personal data. Digits without a dash may be an amount or an order, so they pass.
 */
function holdsPersonalRut(text: string): boolean {
  return [...text.matchAll(WRITTEN_RUT)].some(([, written = '', check = '']) => {
    const body = written.replaceAll(/\D/g, '');
    return Number(body) < FIRST_ENTITY && checkCharacter(body) === check.toUpperCase();
  });
}

/**
 * With the dashes of word processors too, and after `RUT` without a space. An order such as `A12345678-5` and an amount
 * such as `$1.500.000` are no RUT.
 */
const WRITTEN_RUT =
  /(?<![\d.,]|\$ ?|\p{L}(?<!\bru[tn]))(\d{1,2}[., ]?\d{3}[., ]?\d{3}) ?[-\u2010-\u2015\u2212](?: (?!\d ?\p{L}{2}))?([\dk])(?![\p{L}\d])/giu;
const FIRST_ENTITY = 50_000_000;
