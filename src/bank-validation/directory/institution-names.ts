import { foldText } from '../../lib/fold-text.ts';

/**
 * Returns whether two names mean the same institution, because one has no words that the other lacks: "Banco Itaú
 * Chile" and "ITAU", "Caja Los Andes" and "Los Andes".
 */
export function sameInstitution(left: string, right: string): boolean {
  const a = new Set(nameWords(left));
  const b = new Set(nameWords(right));
  return a.size > 0 && (a.isSubsetOf(b) || b.isSubsetOf(a));
}

/** Returns a key that is equal for names with the same words, in any order and spelling. */
export function nameKey(name: string): string {
  return nameWords(name).sort().join(' ');
}

const FILLERS = new Set('a banco bank cl chile de del do el en la las los n na of s sa y'.split(' '));

/** Returns the distinctive words without accents and case. "BancoEstado" counts as "Banco Estado". */
function nameWords(name: string): string[] {
  const plain = foldText(name);
  const words = [...new Set(plain.split(/[^a-z0-9]+/).filter((word) => word !== ''))];
  const telling = words.map((word) => word.replace(/^banco(?=.)/, '')).filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}
