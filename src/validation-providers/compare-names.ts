import { foldText } from '../lib/fold-text.ts';

/** How well two names match, from best to worst. */
export const NAME_MATCHES = ['exact', 'close', 'partial', 'none'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

/**
 * Compares two names of people or companies as written in Chile. Ignores case, accents, punctuation, the order of words
 * and particles (`de la`). Also ignores a company suffix (`SpA`, `Ltda.`) that only one name has.
 *
 * - `exact`: the same words. Two different suffixes make it `close`.
 * - `close`: every word of the shorter name is in the other; a word may be an initial or differ by one letter. At least
 *   two whole words match, or all words of a company.
 * - `partial`: a lone surname, or one with an initial; or at least two words match, and at least half of the shorter
 *   name.
 * - `none`: anything else, such as a common given name only.
 */
export function compareNames(one: string, other: string): NameMatch {
  const [first, second] = [readName(one), readName(other)];
  const [shorter, longer] =
    first.words.length <= second.words.length ? [first.words, second.words] : [second.words, first.words];
  if (shorter.length === 0) return 'none';
  const found = pair(shorter, longer);
  const isWhole = found.alike + found.initials === shorter.length;
  if (found.same === longer.length)
    return first.suffix === second.suffix || oneIsLeftOut(first, second) ? 'exact' : 'close';
  const isCompany = first.suffix !== null || second.suffix !== null;
  if (isWhole && (found.alike >= 2 || (isCompany && found.alike === longer.length))) return 'close';
  if (found.telling === 0) return 'none';
  if (isWhole) return 'partial';
  return found.telling >= 2 && found.alike * 2 >= shorter.length ? 'partial' : 'none';
}

type Name = { readonly words: readonly string[]; readonly suffix: string | null };

/** Longer than any name at a bank; the rest is ignored. */
const LONGEST_NAME = 200;

const PARTICLES = new Set('de del la las los el y e da do dos di van von'.split(' '));

const SUFFIXES: Readonly<Record<string, string>> = {
  spa: 'spa',
  sa: 'sa',
  sac: 'sa',
  ltda: 'ltda',
  limitada: 'ltda',
  eirl: 'eirl',
  cia: 'cia',
  compania: 'cia',
};

/** Words for a company's business. Two companies with only such words in common do not match. */
const GENERIC = new Set(
  'agricola asesorias chile comercial comercializadora constructora consultores distribuidora empresa empresas exportadora grupo importadora industrias ingenieria inmobiliaria inversiones servicios sociedad transportes'.split(
    ' ',
  ),
);

function readName(text: string): Name {
  const plain = foldText(text.slice(0, LONGEST_NAME));
  // "S.A." and "E.I.R.L." are words; "J.P." is two initials.
  const joined = plain.replace(/\b[a-z](?:\.[a-z]){1,3}\b/g, (letters) => {
    const word = letters.replaceAll('.', '');
    return Object.hasOwn(SUFFIXES, word) ? word : letters;
  });
  const all = joined
    .replace(/['’`´]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !PARTICLES.has(word));
  const words = all.filter((word, place) => place === 0 || !Object.hasOwn(SUFFIXES, word));
  const suffix = all.findLast((word, place) => place > 0 && Object.hasOwn(SUFFIXES, word));
  return { words, suffix: suffix === undefined ? null : (SUFFIXES[suffix] as string) };
}

function oneIsLeftOut(first: Name, second: Name): boolean {
  return first.suffix === null || second.suffix === null;
}

/**
 * Pairs words of `shorter` with different words of `longer` and counts the pairs: the same, alike (the same or one
 * letter wrong), or an initial. `telling`: alike words that are not generic or single letters.
 */
function pair(
  shorter: readonly string[],
  longer: readonly string[],
): { same: number; alike: number; initials: number; telling: number } {
  const left = [...longer];
  const take = (fits: (word: string) => boolean) => {
    const place = left.findIndex(fits);
    return place === -1 ? null : (left.splice(place, 1)[0] as string);
  };
  const unpaired = (words: readonly string[], fits: (word: string, other: string) => boolean) =>
    words.filter((word) => take((other) => fits(word, other)) === null);
  const notSame = unpaired(shorter, (word, other) => word === other);
  const notAlike = unpaired(notSame, differByOne);
  const notInitial = unpaired(notAlike, isInitial);
  const alike = shorter.filter((word) => word.length > 1 && !notAlike.includes(word));
  return {
    same: shorter.length - notSame.length,
    alike: shorter.length - notAlike.length,
    initials: notAlike.length - notInitial.length,
    telling: alike.filter((word) => !GENERIC.has(word)).length,
  };
}

function isInitial(one: string, other: string): boolean {
  return (one.length === 1 || other.length === 1) && one[0] === other[0];
}

/**
 * Returns whether words differ by one letter: added, missing, other, or two exchanged. Never for words under 5 letters,
 * where another letter is another name.
 */
function differByOne(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 5 || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [a, b] = [one.slice(start), other.slice(start)];
  if (a.length !== b.length) return a.length > b.length ? a.slice(1) === b : a === b.slice(1);
  return a.slice(1) === b.slice(1) || (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2));
}
