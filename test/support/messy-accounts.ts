import { createSeededRandom } from '../../src/lib/seeded-random.ts';

/** One row of an export as a person would send it, with the true values. */
export type MessyRow = {
  readonly cells: { readonly rut: string; readonly bank: string; readonly account: string };
  readonly truth: { readonly rut: string; readonly bank: string; readonly account: string };
  /** The changes made to the row; empty for a clean one. */
  readonly done: readonly string[];
  /** Whether a careful person could repair the row from its text alone. */
  readonly repairable: boolean;
};

/**
 * Returns rows with the faults that programs and people produce, and the truth of each; the same rows for the same
 * seed. It shares nothing with the repair rules: the faults come from files that people send, and it computes the check
 * character separately.
 */
export function messyRows(count: number, seed: number): MessyRow[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: count }, () => messyRow(random));
}

type Random = () => number;
type Mess = readonly [name: string, share: number, of: (text: string, random: Random) => string];

/** The names of banks that people and programs write, typed from such files and not from the service's list. */
const BANKS: readonly (readonly [code: string, ...names: string[]])[] = [
  [
    '001',
    'Banco de Chile',
    'BANCO DE CHILE',
    'Bco. de Chile',
    'Banco Chile',
    'BCO CHILE',
    'Banco de Chile / Edwards-Citi',
  ],
  ['009', 'Banco Internacional', 'BANCO INTERNACIONAL', 'Bco Internacional'],
  [
    '012',
    'BancoEstado',
    'BANCO ESTADO',
    'Banco del Estado',
    'Banco Estado de Chile',
    'Cuenta RUT',
    'CuentaRUT',
    'BANCOESTADO',
  ],
  ['012', 'Bco. Estado', 'CUENTA RUT', 'Banco Estado (CuentaRUT)', 'B. Estado', 'BANCO DEL ESTADO DE CHILE'],
  ['014', 'Scotiabank', 'SCOTIABANK CHILE', 'Scotia Bank', 'Scotiabank Chile S.A.'],
  [
    '016',
    'BCI',
    'Bci',
    'Banco BCI',
    'Banco de Credito e Inversiones',
    'BANCO CREDITO E INVERSIONES',
    'BCI / MACH',
    'MACH',
  ],
  ['028', 'BICE', 'Banco Bice', 'BANCO BICE'],
  ['031', 'HSBC', 'HSBC Bank', 'HSBC BANK CHILE'],
  [
    '037',
    'Santander',
    'BANCO SANTANDER',
    'Banco Santander Chile',
    'Bco Santander',
    'Santander-Chile',
    'SANTANDER CHILE',
  ],
  ['039', 'Itaú', 'ITAU', 'Banco Itau', 'BANCO ITAÚ CHILE', 'Itau Corpbanca', 'Banco Itaú Corpbanca'],
  ['051', 'Falabella', 'BANCO FALABELLA', 'Bco. Falabella', 'Banco falabella'],
  ['053', 'Ripley', 'Banco Ripley', 'BANCO RIPLEY'],
  ['055', 'Consorcio', 'BANCO CONSORCIO', 'Banco Consorcio'],
  ['062', 'Tanner', 'Tanner Banco Digital'],
  ['672', 'Coopeuch', 'COOPEUCH', 'Coopeuch / Dale'],
  ['729', 'Prepago Los Heroes', 'Prepago Los Héroes'],
  ['730', 'Tenpo', 'TENPO', 'Tenpo Prepago'],
  ['732', 'Tapp', 'TAPP Caja Los Andes'],
  ['741', 'Copec Pay', 'COPEC PAY'],
  ['875', 'Mercado Pago', 'MERCADO PAGO', 'MercadoPago'],
];

/** `share`: the frequency relative to the other faults of the column. */
const RUT_MESSES: readonly Mess[] = [
  ['points', 8, (rut) => withPoints(rut)],
  ['small k or as it was', 2, (rut) => rut.toLowerCase()],
  ['no hyphen', 6, (rut) => rut.replace('-', '')],
  ['points, no hyphen', 2, (rut) => withPoints(rut).replace('-', '')],
  ['space at the end', 4, (rut) => `${rut} `],
  ['no-break space in front', 3, (rut) => `\u00a0${withPoints(rut)}`],
  ['en dash', 4, (rut) => rut.replace('-', '–')],
  ['hyphen that does not break', 2, (rut) => withPoints(rut).replace('-', '\u2011')],
  ['minus sign', 1, (rut) => rut.replace('-', '\u2212')],
  ['spaces around the hyphen', 2, (rut) => withPoints(rut).replace('-', ' - ')],
  ['apostrophe', 3, (rut) => `'${rut}`],
  ['formula', 3, (rut) => `="${rut}"`],
  ['commas for points', 2, (rut) => withPoints(rut).replaceAll('.', ',')],
  ['spaces for points', 2, (rut) => withPoints(rut).replaceAll('.', ' ')],
  ['zeros in front', 3, (rut) => rut.padStart(10, '0')],
  ['zeros, no hyphen', 2, (rut) => rut.replace('-', '').padStart(10, '0')],
  ['two hyphens', 1, (rut) => rut.replace('-', '--')],
  ['mark without width', 1, (rut) => `\u200b${rut}`],
];

const BANK_MESSES: readonly Mess[] = [
  ['name', 20, (code, random) => oneOf(nameList(code), random)],
  ['code and name', 3, (code, random) => `${code} - ${oneOf(nameList(code), random)}`],
  ['name and code', 1, (code, random) => `${oneOf(nameList(code), random)} (${code})`],
  ['zeros lost', 8, (code) => String(Number(code))],
  ['decimals', 2, (code) => `${Number(code)}.0`],
  ['apostrophe', 2, (code) => `'${code}`],
  ['formula', 2, (code) => `="${code}"`],
  ['no-break space', 2, (code) => `${code}\u00a0`],
  ['one zero more', 1, (code) => `0${code}`],
];

const ACCOUNT_MESSES: readonly Mess[] = [
  ['zeros in front', 5, (account) => account.padStart(12, '0')],
  ['spaces in groups', 4, (account) => groups(account, ' ')],
  ['hyphens in groups', 5, (account) => groups(account, '-')],
  ['en dashes in groups', 2, (account) => groups(account, '–')],
  ['apostrophe', 4, (account) => `'${account}`],
  ['formula', 4, (account) => `="${account}"`],
  ['decimals', 4, (account) => `${account}.0`],
  ['decimals with a comma', 1, (account) => `${account},00`],
  ['no-break spaces', 3, (account) => `\u00a0${account}\u00a0`],
  ['tab at the end', 2, (account) => `${account}\t`],
  ['points for thousands', 2, (account) => thousands(account)],
];

/** Faults that lose information: the value must stay unchanged or be refused. */
const DESTROYED: readonly (readonly [
  name: string,
  of: (cells: MessyRow['truth'], random: Random) => MessyRow['cells'],
])[] = [
  ['account as a power of ten', (truth) => ({ ...truth, account: powerOfTen(truth.account) })],
  ['wrong check character', (truth) => ({ ...truth, rut: truth.rut.slice(0, -1) + otherCheck(truth.rut) })],
  ['a digit too many in the RUT', (truth) => ({ ...truth, rut: `1${truth.rut.padStart(10, '3')}` })],
  ['no check character', (truth) => ({ ...truth, rut: truth.rut.slice(0, -2) })],
  ['no check character, decimals', (truth) => ({ ...truth, rut: `${truth.rut.slice(0, -2)}.0` })],
  ['no check character, points', (truth) => ({ ...truth, rut: withPoints(truth.rut).slice(0, -2) })],
  ['two accounts', (truth, random) => ({ ...truth, account: `${truth.account} / ${digits(10, random)}` })],
  ['two banks', (truth) => ({ ...truth, bank: truth.bank === '016' ? 'BCI o Santander' : 'Santander o BCI' })],
  ['a bank that nobody knows', (truth) => ({ ...truth, bank: 'Banco Pacífico Andino' })],
  ['a name with a typing error', (truth) => ({ ...truth, bank: 'Bnaco Sntander' })],
  ['no account', (truth) => ({ ...truth, account: '' })],
  ['a letter in the account', (truth) => ({ ...truth, account: truth.account.replace(/.$/, 'O') })],
  ['the number of a card', (truth, random) => ({ ...truth, account: `${digits(16, random)}${digits(8, random)}` })],
];

function messyRow(random: Random): MessyRow {
  const truth = { rut: someRut(random), bank: oneOf(BANKS, random)[0], account: someAccount(random) };
  const kind = random();
  if (kind < 0.25) return { cells: truth, truth, done: [], repairable: true };
  if (kind < 0.37) {
    const [name, of] = oneOf(DESTROYED, random);
    return { cells: of(truth, random), truth, done: [name], repairable: false };
  }
  const done: string[] = [];
  const mess = (text: string, messes: readonly Mess[], share: number) => {
    if (random() > share) return text;
    const [name, , of] = weighted(messes, random);
    done.push(name);
    return of(text, random);
  };
  const cells = {
    rut: mess(truth.rut, RUT_MESSES, 0.5),
    bank: mess(truth.bank, BANK_MESSES, 0.6),
    account: mess(truth.account, ACCOUNT_MESSES, 0.45),
  };
  return { cells, truth, done, repairable: !isTwoPeople(cells.rut) };
}

/**
 * Whether a RUT without a hyphen has two readings: up to eight digits can be the whole RUT of one person or the number
 * of another, and only that person can tell. Points resolve it if the check character is the fourth of the last group.
 */
function isTwoPeople(rut: string): boolean {
  const number = rut.replace(/[^0-9.k]/gi, '');
  const isPlain = !/[-\u2010-\u2212]/.test(rut) && !/k/i.test(number) && !/\.\d{4}$/.test(number);
  return isPlain && number.replace(/\D/g, '').replace(/^0+/, '').length <= 8;
}

function someRut(random: Random): string {
  const body = String(
    random() < 0.15 ? between(70_000_000, 99_999_999, random) : between(3_000_000, 27_999_999, random),
  );
  return `${body}-${checkOf(body)}`;
}

/** Computes the check character: the sum of the digits, each times 2 to 7 from the right. */
function checkOf(body: string): string {
  let sum = 0;
  for (let place = 0; place < body.length; place++) sum += Number(body.at(-1 - place)) * (2 + (place % 6));
  const rest = 11 - (sum % 11);
  return rest === 11 ? '0' : rest === 10 ? 'K' : String(rest);
}

function otherCheck(rut: string): string {
  return rut.endsWith('5') ? '6' : '5';
}

function someAccount(random: Random): string {
  return String(between(1, 9, random)) + digits(between(7, 11, random), random);
}

function digits(length: number, random: Random): string {
  return Array.from({ length }, () => between(0, 9, random)).join('');
}

function withPoints(rut: string): string {
  return rut.replace(/^[0-9]+/, (body) => thousands(body));
}

function thousands(number: string): string {
  return number.replace(/\B(?=(\d{3})+$)/g, '.');
}

function groups(account: string, sign: string): string {
  return [account.slice(0, 3), account.slice(3, 5), account.slice(5)].join(sign);
}

function powerOfTen(account: string): string {
  return `${account[0]},${account.slice(1, 6)}E+${account.length - 1}`;
}

function nameList(code: string): string[] {
  return BANKS.filter(([own]) => own === code).flatMap(([, ...names]) => names);
}

function weighted(messes: readonly Mess[], random: Random): Mess {
  let left = random() * messes.reduce((total, [, share]) => total + share, 0);
  return messes.find(([, share]) => (left -= share) < 0) ?? (messes[0] as Mess);
}

function oneOf<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function between(least: number, most: number, random: Random): number {
  return least + Math.floor(random() * (most - least + 1));
}
