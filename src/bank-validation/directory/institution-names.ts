import { foldText } from '../../lib/fold-text.ts';

/** One name says no more than the other: "Banco Itaú Chile" and "ITAU" are the same, "Caja Los Andes" is "Los Andes". */
export function sameInstitution(left: string, right: string): boolean {
  const a = new Set(nameWords(left));
  const b = new Set(nameWords(right));
  return a.size > 0 && (a.isSubsetOf(b) || b.isSubsetOf(a));
}

/** The same for names that say the same of an institution, in any order and spelling. */
export function nameKey(name: string): string {
  return nameWords(name).sort().join(' ');
}

const FILLERS = new Set('a banco bank cl chile de del do el en la las los n na of s sa y'.split(' '));

/** The words that tell institutions apart, without accents and case. "BancoEstado" counts as "Banco Estado". */
function nameWords(name: string): string[] {
  const plain = foldText(name);
  const words = [...new Set(plain.split(/[^a-z0-9]+/).filter((word) => word !== ''))];
  const telling = words.map((word) => word.replace(/^banco(?=.)/, '')).filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}
