import { holdsCardNumber } from '../../protocol/card-number.ts';

/** The same rule for the header of a request and for the command line. */
export function isIdempotencyKey(text: string): boolean {
  return /^[!-~]{1,200}$/.test(text) && !holdsCardNumber(text);
}
