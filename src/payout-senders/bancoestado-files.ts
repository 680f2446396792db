import { ascii, type BankFileFormat, bareRut, capitals, type FileLine, fitting, mailOf, row } from './bank-file.ts';

const OWN = '012';

/** "Proveedores", DET-SUBDET: 9 columns, TAB and CRLF; one line of the payment and one of its document. */
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
      lines.flatMap((line, at) => [
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
        // 33: an electronic invoice, as the tax office numbers documents.
        row([2, date + month + year, fitting(String(line.amount), 10), at + 1, 33, '', '', '', ''], '\t'),
      ]),
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
      lines.map((line) =>
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

/** Its number is the RUT without the check character. */
function isCuentaRut({ bankCode, account, rut }: FileLine): boolean {
  return bankCode === OWN && account.replace(/^0+/, '') === bareRut(rut).slice(0, -1).replace(/^0+/, '');
}

/** Only its own accounts have a form of payment of their own. */
function isSavings(line: FileLine): boolean {
  return isOwn(line) && line.accountType === 'savings';
}

function isOwn({ bankCode }: FileLine): boolean {
  return bankCode === OWN;
}
