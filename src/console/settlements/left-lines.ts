import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import type { ImportStep } from '../../movements/imported-payment.ts';
import { tableOf } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';

/** Why an import leaves a line to a person, in Spanish. */
const SPANISH_NOTES: Readonly<Record<string, string>> = {
  'the same line again': 'la misma línea otra vez',
  'a part of a payment: bin/rubrica payment settle': 'una cuota o parte de un pago',
  'a payment whose money went back: bin/rubrica payment settle': 'un pago cuyo dinero volvió',
  'perhaps a line that was taken over before': 'quizás una línea que ya se asentó antes',
  'several payments of ours have its code': 'varios pagos de aquí tienen su código',
  'perhaps a payment that its method has not answered yet: bin/rubrica attention list':
    'quizás un pago que su medio aún no ha contestado',
  'money that was refunded: bin/rubrica reconcile': 'dinero que se devolvió, quizás por una devolución de aquí',
  'a chargeback that was won: bin/rubrica books resolve': 'un contracargo ganado: decide sobre su dinero sin dueño',
  'a chargeback of no payment of ours': 'un contracargo cuya orden de compra no es de ningún pago de aquí',
  'a chargeback of a payment that is not in the books': 'un contracargo de un pago que los libros no tienen',
  'a chargeback of an order that was paid twice or overpaid':
    'un contracargo de una orden que se pagó dos veces o de más',
  'a chargeback of money in suspense: bin/rubrica books resolve':
    'un contracargo de dinero sin dueño: decide primero de quién es',
  'a chargeback of money that went back: bin/rubrica reconcile': 'un contracargo de dinero que ya se había devuelto',
  'a chargeback of more than is left of the payment: bin/rubrica reconcile':
    'un contracargo de más de lo que queda del pago',
  'a payment of a payment service that was not named': 'un pago de otro comercio',
  'a payment of a payment service in another database': 'un pago de un comercio que está en otra base',
  'another currency': 'otra moneda',
};

/** The most lines on the page; a person looks at each in the file. */
const SHOWN = 100;

/** Lists the lines that an import leaves to a person, each with the reason. */
export function leftTable(language: Language, steps: readonly ImportStep[]): Html | false {
  const left = steps.filter(({ does }) => does === 'left');
  if (left.length === 0) return false;
  const head = tellAll(language, ['column.line', 'column.days', 'column.reference', 'column.amount', 'column.why']);
  const rows = left
    .slice(0, SHOWN)
    .map(({ row, note }) => [
      String(row.fileLine),
      row.date,
      row.buyOrder ?? row.authorizationCode ?? '—',
      formatMoney(row.amount, row.currency),
      sayNote(language, note),
    ]);
  return html`<h2>${tell(language, 'book.left')}</h2>
${tableOf(head, rows, [3])}
${left.length > SHOWN && html`<p class="quiet">${tell(language, 'upload.more', { n: left.length - SHOWN })}</p>`}`;
}

function sayNote(language: Language, note: string): Html | string {
  if (language === 'en') return note;
  return SPANISH_NOTES[note] ?? html`<span lang="en">${note}</span>`;
}
