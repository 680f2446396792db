import { foldText } from '../../lib/fold-text.ts';
import { type Bank, type BankDirectory, findBank } from './bank-directory.ts';

/**
 * Returns the code of the bank with a name or an alias, in any spelling: `Falabella`, `BANCO FALABELLA`, `Bco. Estado`,
 * `Cuenta RUT`, `BCI / MACH`, `012 - BancoEstado`. Returns null if no bank or several banks have the name, if the parts
 * of the text name different banks, or if the bank is closed or unverified.
 */
export function codeOfBankName(directory: BankDirectory, text: string): string | null {
  if (text.length > LONGEST_NAME) return null;
  const whole = codesOf(directory, text);
  if (whole.size > 0) return onlyOne(directory, whole);
  const parts = text.split(/[/|()[\]:;,]|\s-\s?|-\s|(?<=^\d{1,3})[-\s]|[-\s](?=\d{1,3}$)/).map((part) => part.trim());
  const codes = parts.filter((part) => part !== '').map((part) => codeOfPart(directory, part));
  const [first = null] = codes;
  return codes.length > 1 && codes.every((code) => code === first) ? first : null;
}

/** Returns the code with its zeros; null if no bank has it. `12`, `0012` and `012` are the same code. */
export function codeWithZeros(directory: BankDirectory, text: string): string | null {
  if (!/^[0-9]{1,6}$/.test(text)) return null;
  const code = text.replace(/^0+/, '').padStart(3, '0');
  return findBank(directory, code).found === 'bank' ? code : null;
}

const LONGEST_NAME = 100;

const NAMED: ReadonlySet<Bank['status']> = new Set(['active', 'authorised', 'merged']);

/** Words that many banks have in their names, or that people often omit. */
const FILLERS = new Set('a banco bco bank caja chile de del el la las los prepago s sa'.split(' '));

type Index = ReadonlyMap<string, Set<string>>;

const INDEXES = new WeakMap<BankDirectory, { exact: Index; loose: Index }>();

function codeOfPart(directory: BankDirectory, part: string): string | null {
  return codeWithZeros(directory, part) ?? onlyOne(directory, codesOf(directory, part));
}

function codesOf(directory: BankDirectory, name: string): ReadonlySet<string> {
  const { exact, loose } = indexOf(directory);
  const [whole = '', ...others] = keysOf(name);
  return exact.get(whole) ?? [whole, ...others].map((key) => loose.get(key)).find((codes) => codes) ?? new Set();
}

/** Returns the only bank with a name. If a merged bank and its successor have it, returns the successor. */
function onlyOne({ banks }: BankDirectory, codes: ReadonlySet<string>): string | null {
  const named = [...codes].map((code) => banks.get(code) as Bank);
  const operating = named.filter(({ status }) => status !== 'merged');
  const [bank, ...others] = operating.length > 0 ? operating : named;
  if (bank === undefined || others.length > 0 || !NAMED.has(bank.status)) return null;
  const became = named.every(({ code, successor }) => code === bank.code || successor === bank.code);
  return became ? bank.code : null;
}

function indexOf(directory: BankDirectory): { exact: Index; loose: Index } {
  const known = INDEXES.get(directory);
  if (known !== undefined) return known;
  const exact = new Map<string, Set<string>>();
  const loose = new Map<string, Set<string>>();
  const put = (index: Map<string, Set<string>>, key: string, code: string) =>
    index.set(key, (index.get(key) ?? new Set()).add(code));
  for (const { code, name, aliases } of directory.banks.values()) {
    for (const keys of [name, ...aliases].map(keysOf)) {
      if (keys[0] !== undefined) put(exact, keys[0], code);
      for (const key of keys) put(loose, key, code);
    }
  }
  INDEXES.set(directory, { exact, loose });
  return { exact, loose };
}

/**
 * Returns the name without accents, case, spaces and points: complete, and without fillers. `Bco. Itaú Chile` gives
 * `itau`.
 */
function keysOf(name: string): string[] {
  const plain = foldText(name);
  const words = plain
    .replace(/\bs\.\s?a\./g, ' sa ')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const telling = words.filter((word) => !FILLERS.has(word)).join('');
  const whole = words.map((word) => (word === 'bco' ? 'banco' : word)).join('');
  // "BancoEstado" is "Banco Estado". "Banco de Chile" has only fillers, so its complete name is used.
  const bare = telling.replace(/^(banco|bco)(?=.{3})/, '');
  const keys = telling === '' ? [whole, words.filter((word) => word !== 'de').join('')] : [whole, telling, bare];
  return [...new Set(keys)].filter((key) => key.length >= 3);
}
