import { ascii, type BankFileFormat, bareRut, capitals, eachLine, fitting, mailOf, row } from './bank-file-format.ts';
import type { PayoutLine } from './payout-sender.ts';

const OWN = '012';

/**
 * "Proveedores", DET-SUBDET: 9 columns, TAB and CRLF. Each payment has one line for itself and one for its document.
 */
export const bancoestadoProveedores: BankFileFormat = {
  code: 'bancoestado-proveedores',
  means: {
    en: 'BancoEstado, Pago a proveedores DET-SUBDET (.txt, TAB)',
    es: 'BancoEstado, Pago a proveedores DET-SUBDET (.txt, TAB)',
  },
  sure: 'one',
  extension: 'txt',
  mostLines: 5000,
  needs: ['accountTypes'],
  asksTypeOf: isOwn,
  write: ({ day }, lines) => {
    const [year = '', month = '', date = ''] = day.split('-');
    return ascii(
      eachLine(lines, (line, at) => [
        row(
          [
            1,
            fitting(bareRut(line.rut), 10),
            capitals(line.name, 60),
            mailOf(line, 40),
            line.bankCode,
            isSavings(line) ? '02' : '01',
            fitting(line.account, 17),
            '',
            fitting(String(line.amount), 13),
          ],
          '\t',
        ),
        // 33: the tax office's number for an electronic invoice.
        row([2, date + month + year, fitting(String(line.amount), 10), at + 1, 33, '', '', '', ''], '\t'),
      ]).flat(),
      '\r\n',
    );
  },
};

/** "Pago Solo Abonos", DET: 7 columns, TAB and CRLF. */
export const bancoestadoAbonos: BankFileFormat = {
  code: 'bancoestado-abonos',
  means: { en: 'BancoEstado, Pago Solo Abonos DET (.txt, TAB)', es: 'BancoEstado, Pago Solo Abonos DET (.txt, TAB)' },
  sure: 'one',
  extension: 'txt',
  mostLines: 5000,
  needs: ['accountTypes'],
  asksTypeOf: isOwn,
  write: (_payer, lines) =>
    ascii(
      eachLine(lines, (line) =>
        row(
          [
            fitting(bareRut(line.rut), 10),
            capitals(line.name, 60),
            mailOf(line, 40),
            line.bankCode,
            isCuentaRut(line) ? '30' : isSavings(line) ? '02' : '01',
            isCuentaRut(line) ? bareRut(line.rut).slice(0, -1) : fitting(line.account, 17),
            fitting(String(line.amount), 13),
          ],
          '\t',
        ),
      ),
      '\r\n',
    ),
};

/** The number of a CuentaRUT is the RUT without the check character. */
function isCuentaRut({ bankCode, account, rut }: PayoutLine): boolean {
  return bankCode === OWN && account.replace(/^0+/, '') === bareRut(rut).slice(0, -1).replace(/^0+/, '');
}

/** Only accounts at BancoEstado have a separate code for savings accounts. */
function isSavings(line: PayoutLine): boolean {
  return isOwn(line) && line.accountType === 'savings';
}

function isOwn({ bankCode }: PayoutLine): boolean {
  return bankCode === OWN;
}
