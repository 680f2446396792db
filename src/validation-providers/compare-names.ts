import { foldText } from '../lib/fold-text.ts';

/** How well two names fit each other, from the same to nothing in common. */
export const NAME_MATCHES = ['exact', 'close', 'partial', 'none'] as const;
export type NameMatch = (typeof NAME_MATCHES)[number];

/**
 * Compares two names of people or companies as they are written in Chile. Case, accents, punctuation and the order of the words make
 * no difference, nor do particles (`de la`) and the suffix of a company (`SpA`, `Ltda.`).
 *
 * `exact`: the same words. `close`: every word of the shorter name is in the other, as it is when a second surname or given name is
 * left out, is an initial, or one letter is wrong; two whole words at least, or one that a company has to itself. `partial`: a
 * lone surname or one with an initial, or at least half of the words and two of them. `none`: anything else, such as a given name in common.
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

/** Longer than any name that a bank holds; the rest is not looked at. */
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

/** Words that say what a company does. Two companies that have only these in common have nothing in common. */
const GENERIC = new Set(
  'agricola asesorias chile comercial comercializadora constructora consultores distribuidora empresa empresas exportadora grupo importadora industrias ingenieria inmobiliaria inversiones servicios sociedad transportes'.split(
    ' ',
  ),
);

function readName(text: string): Name {
  const plain = foldText(text.slice(0, LONGEST_NAME));
  // "S.A." and "E.I.R.L." are words; "J.P." are two initials.
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

/** Words of `shorter` that have a partner of their own in `longer`: the same, alike (the same or one letter wrong), or an initial. */
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

/** One letter more, less, other, or two exchanged; never in short words, where another letter is another name. */
function differByOne(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 5 || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [a, b] = [one.slice(start), other.slice(start)];
  if (a.length !== b.length) return a.length > b.length ? a.slice(1) === b : a === b.slice(1);
  return a.slice(1) === b.slice(1) || (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2));
}
