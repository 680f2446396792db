import {
  ascii,
  type BankFileFormat,
  bareRut,
  eachLine,
  fitting,
  mailOf,
  partsOfRut,
  plain,
  row,
  UnfitLine,
  workbook,
} from './bank-file-format.ts';
import type { AccountType } from './payout-sender.ts';

const BCI_HEADING = [
  'Nº Cuenta de Cargo',
  'Nº Cuenta de Destino',
  'Banco Destino',
  'Rut Beneficiario',
  'Dig. Verif. Beneficiario',
  'Nombre Beneficiario',
  'Monto Transferencia',
  'Nro.Factura Boleta (1)',
  'Nº Orden de Compra(1)',
  'Tipo de Pago(2)',
  'Mensaje Destinatario (3)',
  'Email Destinatario(3)',
  'Cuenta Destino inscrita como(4)',
];

/**
 * BCI, "nómina en línea": 13 columns under a heading. Its instructions ask for .xls of 97-2003, which no maintained
 * library writes, or for text with an unknown separator.
 */
export const bciFile: BankFileFormat = {
  code: 'bci',
  means: { en: 'BCI, nómina en línea (.xlsx, 13 columns)', es: 'BCI, nómina en línea (.xlsx, 13 columnas)' },
  sure: 'several',
  extension: 'xlsx',
  mostLines: 5000,
  needs: [],
  write: ({ account }, lines) =>
    workbook('Nomina', [
      BCI_HEADING,
      ...lines.map((line) => {
        const { number, check } = partsOfRut(line.rut);
        return [
          account,
          line.account,
          line.bankCode,
          number,
          check,
          plain(line.name, 60),
          line.amount,
          '',
          '',
          // OTR, because PRV needs the number of an invoice.
          'OTR',
          plain(line.message, 60),
          mailOf(line, 200),
          '',
        ];
      }),
    ]),
};

const ITAU = '039';

/** Itaú's names for the kinds of accounts. An unknown kind is written as a checking account. */
const ITAU_TYPES: Readonly<Record<AccountType, string>> = {
  checking: 'CAT_CSH_CCTE',
  savings: 'CAT_CSH_CAHORRO',
  sight: 'CAT_CSH_CVIS',
};

/**
 * Itaú, NEL: CSV with a line of totals, then lines of 18 columns. Three sources agree on the layout; one names the
 * kinds of accounts.
 */
export const itauFile: BankFileFormat = {
  code: 'itau-nel',
  means: { en: 'Itaú, NEL (.csv)', es: 'Itaú, NEL (.csv)' },
  sure: 'several',
  extension: 'csv',
  mostLines: 5000,
  needs: ['rut'],
  write: (payer, lines) => {
    const total = lines.reduce((sum, { amount }) => sum + amount, 0);
    const head = [
      fitting(bareRut(payer.rut), 11),
      lines.length,
      total,
      '005003',
      'CAT_CSH_CONTRACT_ACCOUNT',
      fitting(payer.account, 10),
      'Pagos',
      'Pagos',
      'Pagos',
    ];
    const rows = eachLine(lines, (line) => [
      fitting(bareRut(line.rut), 11),
      plain(line.name, 250).replaceAll(',', ' '),
      mailOf(line, 200),
      'CAT_CSH_TRANSFER',
      line.bankCode,
      ITAU_TYPES[line.accountType ?? 'checking'],
      fitting(line.account, 50),
      payer.day.split('-').toReversed().join('/'),
      '',
      '',
      fitting(String(line.amount), 15),
      'CAT_CSH_CCTE',
      payer.account,
      line.bankCode === ITAU ? '001' : '',
      plain(line.reference, 40),
      plain(line.message, 100),
      plain(line.message, 20),
      plain(line.message, 20),
    ]);
    return ascii(
      [head, ...rows].map((cells) => row(cells, ',')),
      '\r\n',
    );
  },
};

/** BICE: CSV with semicolons, 10 columns, no heading. */
export const biceFile: BankFileFormat = {
  code: 'bice',
  means: { en: 'BICE (.csv, 10 columns)', es: 'BICE (.csv, 10 columnas)' },
  sure: 'one',
  extension: 'csv',
  mostLines: 5000,
  needs: [],
  write: (_payer, lines) =>
    ascii(
      eachLine(lines, (line) =>
        row(
          [
            plain(line.name, 40),
            bareRut(line.rut),
            fitting(line.account, 20),
            line.amount,
            line.bankCode,
            3,
            0,
            1,
            1,
            plain(line.message, 40),
          ],
          ';',
        ),
      ),
      '\r\n',
    ),
};

/** Scotiabank's names for the banks. */
const BANK_NAMES: Readonly<Record<string, string>> = {
  '001': 'BANCO DE CHILE',
  '009': 'BANCO INTERNACIONAL',
  '012': 'BANCO ESTADO',
  '014': 'SCOTIABANK',
  '016': 'BCI',
  '028': 'BANCO BICE',
  '037': 'SANTANDER',
  '039': 'ITAU',
  '049': 'BANCO SECURITY',
  '051': 'BANCO FALABELLA',
  '053': 'BANCO RIPLEY',
  '055': 'BANCO CONSORCIO',
};

/**
 * Scotiabank, proveedores: the sheet of its macro. Known from one source, and it identifies banks by name: test it with
 * one line first.
 */
export const scotiabankFile: BankFileFormat = {
  code: 'scotiabank',
  means: { en: 'Scotiabank, proveedores (.xlsx)', es: 'Scotiabank, proveedores (.xlsx)' },
  sure: 'weak',
  extension: 'xlsx',
  mostLines: 5000,
  needs: ['rut', 'name', 'agreement'],
  write: (payer, lines) =>
    workbook('Proveedores', [
      ['Scotiabank', 'Nombre empresa', payer.name, 'Rut empresa:', payer.rut, 'N° Convenio', payer.agreement],
      ['', '', '', '', '', 'Fecha nómina:', payer.day],
      [],
      [
        'Rut Proveedor',
        'Nombre Proveedor',
        'Banco Proveedor',
        'Cuenta Proveedor',
        'Tipo Documento',
        'Nº Documento',
        'Monto',
        'Forma Pago',
        'Cód. Suc',
        'email aviso',
      ],
      ...eachLine(lines, (line, at) => {
        const bank = BANK_NAMES[line.bankCode];
        if (bank === undefined)
          throw new UnfitLine({
            en: `the name of bank ${line.bankCode} is not known`,
            es: `no se conoce el nombre del banco ${line.bankCode}`,
          });
        const form = line.bankCode === '014' ? 'CUENTA SCOTIABANK' : 'CUENTA OTRO BANCO';
        return [
          line.rut,
          plain(line.name, 60),
          bank,
          line.account,
          'FACTURA',
          at + 1,
          line.amount,
          form,
          '',
          mailOf(line, 200),
        ];
      }),
    ]),
};
