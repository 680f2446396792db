import { readRut } from '../bank-validation/rut.ts';

/** The words by which banks mark returned money. */
const RETURN = /devol|devuel|revers|rechaz|reintegro|anulaci/i;

/** Returns whether a line says that money came back. */
export function saysReturn(text: string): boolean {
  return RETURN.test(text);
}

/** Returns what has its payout id in a text. A bank may write capitals, and letters right behind an id. */
export function idsIn<One>(text: string, byId: ReadonlyMap<string, One>): One[] {
  const found = new Set<One>();
  for (const [written] of text.toLowerCase().matchAll(/po_[0-9a-z]{1,20}/g)) {
    for (let length = written.length; length > 3; length--) {
      const one = byId.get(written.slice(0, length));
      if (one !== undefined) found.add(one);
    }
  }
  return [...found];
}

/** Returns whether a text has the whole id of a payout, also of one that is not known here. */
export function namesPayout(text: string): boolean {
  return /po_[0-9a-z]{20}/i.test(text);
}

/**
 * Returns the key of a reference: itself in small letters, or '' if it has other characters and must be compared with
 * every text.
 */
export function keyOfReference(reference: string): string {
  return /^[\p{L}\p{N}._/-]+$/u.test(reference) ? reference.toLowerCase() : '';
}

/**
 * Returns the keys of all references that may be in a text: its distinct words, and ''. A point at the end may end a
 * sentence, so the word without it counts too.
 */
export function keysIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}._/-]+/gu) ?? [];
  return [...new Set(['', ...words, ...words.flatMap((word) => (word.endsWith('.') ? word.slice(0, -1) : []))])];
}

/**
 * Returns whether a text has a RUT with a hyphen and its check digit. Other numbers, such as the day in a reference,
 * may pass for a RUT by chance.
 */
export function hasWrittenRut(text: string): boolean {
  const written = text.match(/\b\d{1,3}(?:\.?\d{3}){2}-[\dkK]\b/g) ?? [];
  return written.some((one) => readRut(one).canonical !== null);
}

/** A reference shorter than 6 characters may be in any text, so it does not count. Many banks write only capitals. */
export function hasReference(text: string, reference: string): boolean {
  return reference.length >= 6 && hasWord(text.toLowerCase(), reference.toLowerCase());
}

/**
 * Returns whether the text contains the word on its own: `nomina-2` is not in `nomina-21`, `nomina-2/1` or
 * `x.nomina-2`.
 */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!BEGUN_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && !GOES_ON.test(text.slice(end, end + 3))) return true;
  }
  return false;
}

// Compiled once: compiling an expression for each reference takes longer than everything else.
const BEGUN_BEFORE = /[\p{L}\p{N}._/-]$/u;
const GOES_ON = /^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}._/-])/u;
