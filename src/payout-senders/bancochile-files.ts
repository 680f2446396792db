import {
  ascii,
  type BankFileFormat,
  bareRut,
  blanks,
  eachLine,
  fitting,
  mailOf,
  plain,
  UnfitLine,
  workbook,
  zeros,
} from './bank-file-format.ts';
import type { AccountType, PayoutLine } from './payout-sender.ts';

const OWN = '001';

/** Banco de Chile's names for the kinds of accounts. */
const TYPES: Readonly<Record<AccountType, string>> = { checking: 'CTD', savings: 'AHB', sight: 'JUV' };

/** The RUT of each bank by its code; this file identifies banks by RUT. */
const BANK_RUTS: Readonly<Record<string, string>> = {
  '001': '97004000-5',
  '009': '97011000-3',
  '012': '97030000-7',
  '014': '97018000-1',
  '016': '97006000-6',
  '017': '97003000-K',
  '028': '97080000-K',
  '031': '97951000-4',
  '037': '97036000-K',
  '039': '76645030-K',
  '049': '97053000-2',
  '051': '96509660-4',
  '053': '97947000-2',
  '055': '99500410-0',
  '059': '76362099-9',
  '672': '82878900-7',
};

/** "Transferencias de fondos masivas": at most 100 lines of 219 characters. */
export const bancochileMasivas: BankFileFormat = {
  code: 'bancochile-masivas',
  means: {
    en: 'Banco de Chile, Transferencias de fondos masivas (.txt, 219 characters a line)',
    es: 'Banco de Chile, Transferencias de fondos masivas (.txt, 219 caracteres por línea)',
  },
  sure: 'several',
  extension: 'txt',
  mostLines: 100,
  needs: ['rut', 'accountTypes'],
  asksTypeOf: ({ bankCode }) => bankCode !== OWN,
  write: (payer, lines) => {
    const debited = zeros(bareRut(payer.rut), 10) + zeros(payer.account, 12);
    return ascii(
      eachLine(lines, (line) => masivas(debited, line)),
      '\n',
    );
  },
};

function masivas(debited: string, line: PayoutLine): string {
  const isOwn = line.bankCode === OWN;
  const bankRut = BANK_RUTS[line.bankCode];
  if (bankRut === undefined)
    throw new UnfitLine({
      en: `the RUT of bank ${line.bankCode} is not known`,
      es: `no se conoce el RUT del banco ${line.bankCode}`,
    });
  return [
    isOwn ? 'TEC' : 'TOB',
    debited,
    zeros(bareRut(line.rut), 10),
    blanks(plain(line.name, 30), 30),
    blanks(fitting(line.account, 18), 18),
    zeros(bareRut(bankRut), 10),
    zeros(line.amount, 11),
    ' ',
    blanks(plain(line.message, 30), 30),
    mailOf(line, 50) === '' ? '0' : '1',
    blanks(plain(line.message, 30), 30),
    blanks(mailOf(line, 50), 50),
    isOwn ? '   ' : TYPES[line.accountType ?? 'sight'],
  ].join('');
}

const HEADING = [
  'Rut Beneficiario *',
  'Nombre Beneficiario*',
  'Cuenta beneficiario*',
  'Cod Banco *',
  'Monto*',
  'Tipo de Cuenta*',
  'Identificador ',
  'Descripcion del Pago',
  'Mail destinatario',
  'Campo Libre 1  (Glosa 1)',
  'Campo Libre 2 (Glosa 2)',
];

/** "Pago Fácil", template v4: the sheet `Nomina`. The statement shows a payment as "Pago Fácil Bch: 0<RUT>". */
export const bancochileV4: BankFileFormat = {
  code: 'bancochile-v4',
  means: {
    en: 'Banco de Chile, Pago Fácil, template v4 (.xlsx)',
    es: 'Banco de Chile, Pago Fácil, plantilla v4 (.xlsx)',
  },
  sure: 'one',
  extension: 'xlsx',
  mostLines: 5000,
  needs: ['accountTypes'],
  nameLeavesOut: /[^A-Za-z0-9 ]/g,
  write: (_payer, lines) =>
    workbook('Nomina', [
      HEADING,
      ...eachLine(lines, (line) => [
        line.rut.toUpperCase(),
        plain(line.name, 50),
        fitting(line.account, 18),
        line.bankCode,
        Number(fitting(String(line.amount), line.bankCode === OWN ? 11 : 10)),
        TYPES[line.accountType ?? 'sight'],
        plain(line.reference, 20),
        plain(line.message, 30),
        mailOf(line, 100),
        '',
        '',
      ]),
    ]),
};
