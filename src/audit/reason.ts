import { holdsCardNumber } from '../../protocol/card-number.ts';

/** Whether a text may be kept as the reason of an act: it is kept for ever, so no address and no card number belongs in it. */
export function isReason(text: string): boolean {
  return text !== '' && text.length <= 200 && !/[\p{Cc}@]/u.test(text) && !holdsCardNumber(text);
}
