import { holdsCardNumber } from '../../protocol/card-number.ts';

/**
 * Returns whether a text may be a reason. Reasons are stored permanently, so they must not contain an e-mail address or
 * a card number.
 */
export function isReason(text: string): boolean {
  return text !== '' && text.length <= 200 && !/[\p{Cc}@]/u.test(text) && !holdsCardNumber(text);
}
