import { readRut } from '../bank-validation/rut.ts';

/** Transbank, as its deposits name it. */
const ACQUIRER = { rut: '96689310-9', words: /TRANSBA/i };

/**
 * Returns all RUTs in a line of a bank, canonical: with or without points, hyphen and leading zeros. Numbers that are a
 * RUT by chance are included.
 */
export function rutsIn(text: string): string[] {
  const found = new Set<string>();
  for (const [token] of text.matchAll(/\d[\d.]{6,13}(?:-[\dkK]|[kK](?![\p{L}\p{N}]))?/gu)) {
    const bare = token.replace(/[.-]/g, '').replace(/^0+/, '');
    const { canonical } = readRut(`${bare.slice(0, -1)}-${bare.slice(-1)}`, 'with-dv');
    if (canonical !== null) found.add(canonical);
  }
  return [...found];
}

/** Returns whether a line names the acquirer as the payer. */
export function isOfAcquirer(text: string, ruts: readonly string[]): boolean {
  return ACQUIRER.words.test(text) || ruts.includes(ACQUIRER.rut);
}

/**
 * Returns which of these payment methods a line names by their codes, such as `ABONO WEBPAY`. A person's own message
 * may do so too.
 */
export function methodsIn(text: string, methods: readonly string[]): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}-]+/u);
  return methods.filter((code) => words.includes(code));
}
