/**
 * Whether the whole text is a card number, with or without spaces and dashes: of a length and a range that issuers use,
 * and with its check digit. An own number of such a shape must be refused too, one in ten of its range.
 */
export function isCardNumber(text: string): boolean {
  if (text.length < 13 || !OF_DIGITS.test(text)) return false;
  const digits = text.replaceAll(/[ -]/g, '');
  return ISSUED.test(digits) && hasCheckDigit(digits);
}

const OF_DIGITS = /^[2-6][0-9 -]+$/;

// Shops number orders by the time: 1… in seconds, 2026… by the year, and by a day or a short year before a month. The last
// two can look like Mastercard and Diners, so of those the numbers that go on with 01 to 12 are let through.
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

/** The rule of Luhn: every second digit from the right counts double, as the sum of its digits. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits.at(-1 - place));
    const counted = place % 2 === 0 ? digit : digit * 2;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
