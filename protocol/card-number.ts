/**
 * Returns whether the whole text is a card number, with or without spaces and dashes: with the length and the range of
 * an issuer, and a valid check digit. A shop's own number of this shape is refused too; one in ten of that range is.
 */
export function isCardNumber(text: string): boolean {
  if (text.length < 13 || !OF_DIGITS.test(text)) return false;
  const digits = text.replaceAll(/[ -]/g, '');
  return ISSUED.test(digits) && hasCheckDigit(digits);
}

/**
 * Returns whether a text contains a card number, such as `TC 4111 1111 1111 1111`: as one word of 14 to 19 digits, or
 * in its printed groups with any characters between them. Digits beside a letter are not a card number, so random
 * identifiers pass; so do 13 digits, which are barcodes.
 */
export function holdsCardNumber(text: string): boolean {
  return MAY_HOLD.test(text) && findCardNumbers(text).length > 0;
}

/** Replaces every digit of the card numbers in a text by a star. */
export function maskCardNumbers(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  let masked = text;
  for (const { start, end } of findCardNumbers(text)) {
    masked = masked.slice(0, start) + masked.slice(start, end).replaceAll(/[0-9]/g, '*') + masked.slice(end);
  }
  return masked;
}

type Word = { text: string; start: number; end: number };

function findCardNumbers(text: string): { start: number; end: number }[] {
  // Of the same length, so that positions do not change.
  const spaced = text.replaceAll('%20', '   ');
  const words: Word[] = [];
  for (const { 0: word, index } of spaced.matchAll(/[0-9A-Za-z]+/g)) {
    words.push({ text: word, start: index, end: index + word.length });
  }
  return words.flatMap((word, at) => {
    if (word.text.length >= 14 && isCardNumber(word.text)) return [word];
    const groups = PRINTED.map((lengths) => words.slice(at, at + lengths.length));
    const printed = groups.find((group, n) => isPrinted(group, PRINTED[n] as readonly number[]));
    return printed === undefined ? [] : [{ start: word.start, end: (printed.at(-1) as Word).end }];
  });
}

/** The groups as printed by Visa and Mastercard, American Express, and Diners. */
const PRINTED: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
];
/** The most characters between two groups. */
const MOST_BETWEEN = 3;

function isPrinted(words: readonly Word[], lengths: readonly number[]): boolean {
  const fits = lengths.every((length, n) => {
    const [before, word] = [words[n - 1], words[n]];
    const follows = before === undefined || (word !== undefined && word.start - before.end <= MOST_BETWEEN);
    return word?.text.length === length && follows;
  });
  return fits && isCardNumber(words.map(({ text }) => text).join(''));
}

// Checked first for every text of a shop, because most texts end here.
const MAY_HOLD = /[0-9]{14}|[0-9]{4}[^0-9A-Za-z]{1,3}(?:[0-9]{2})?[0-9]{4}/;

const OF_DIGITS = /^[2-6][0-9 -]+$/;

// Shops number orders by time: 1… in seconds, 2026… by year, and by a day or a two-digit year before a month. The last
// two can look like Mastercard and Diners, so numbers of these ranges that continue with 01 to 12 pass.
const ISSUED = new RegExp(
  [
    '^(?:4(?:\\d{12}|\\d{15}|\\d{18})', // Visa
    '5[1-5]\\d{14}', // Mastercard
    '2(?!\\d(?:0[1-9]|1[0-2]))(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}', // Mastercard
    '3[47]\\d{13}', // American Express
    '3(?:0(?!0[1-9]|1[0-2])|[68])\\d{12}', // Diners
    '6(?:011|5\\d\\d)\\d{12})$', // Discover
  ].join('|'),
);

/** Checks the Luhn digit: every second digit from the right counts double, as the sum of its digits. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits.at(-1 - place));
    const counted = place % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
