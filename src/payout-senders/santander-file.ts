import { type BankFileFormat, bareRut, eachLine, fitting, mailOf, plain, workbook } from './bank-file-format.ts';

const OWN = '037';

const HEADING = [
  'Cta_origen',
  'moneda_origen',
  'Cta_destino',
  'moneda_destino',
  'Cod_banco',
  'RUT benef.',
  'nombre benef.',
  'Mto Total',
  'Glosa TEF',
  'Correo',
  'Glosa correo',
  'Glosa Cartola Cliente',
  'Glosa Cartola Beneficiario',
];

/** Santander Office Banking, "Transferencias Masivas": 13 columns under a heading; the bank reads them by position. */
export const santanderFile: BankFileFormat = {
  code: 'santander',
  means: {
    en: 'Santander, Transferencias Masivas (.xlsx, 13 columns)',
    es: 'Santander, Transferencias Masivas (.xlsx, 13 columnas)',
  },
  sure: 'several',
  extension: 'xlsx',
  mostLines: 5000,
  needs: [],
  write: ({ account }, lines) =>
    workbook('Transferencias', [
      HEADING,
      ...eachLine(lines, (line) => [
        account,
        'CLP',
        fitting(line.account, 20),
        'CLP',
        line.bankCode === OWN ? '' : line.bankCode,
        bareRut(line.rut),
        plain(line.name, 60),
        line.amount,
        plain(line.message, 40),
        mailOf(line, 100),
        plain(line.message, 60),
        plain(line.reference, 40),
        line.bankCode === OWN ? plain(line.message, 40) : '',
      ]),
    ]),
};
