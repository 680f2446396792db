import { methodNames } from '../checkout/texts.ts';
import type { InBoth } from '../error-catalogue.ts';
import { formatMoney, formatPlain, parseDecimal } from '../lib/money.ts';
import { LEFT_OTHERWISE, SECOND_LINE, STATE_NAMES, sayContradiction } from '../payouts/kept-texts.ts';
import { contradictingLines, type PayoutState } from '../payouts/payout.ts';
import type { WaitingPayout } from '../payouts/waiting-payout-queries.ts';

/** The part of a payout that its texts name. */
type Contradicted = Pick<
  WaitingPayout,
  'id' | 'state' | 'payment_service' | 'environment' | 'amount' | 'currency' | 'contradicted_by'
>;

/**
 * Describes a stored contradiction of a refund and what ends it. The text is JSON of `refund_unasked`, `refund_missing`
 * or `refund_declined`, with amounts as in the API, or of the reason `suspense` or `above_paid`. Any other text is
 * returned as it is. `code`: of the payment method.
 */
export function sayRefundContradiction(text: string, code: string): InBoth {
  const method = methodNames(code);
  const { event, reason, unasked, missing, currency = '' } = readObject(text);
  if (reason === 'suspense') {
    return {
      en: `${method.en} was not asked for it, because money of its payment that no refund asked for is in suspense. Where it is this refund, settle it as completed. Where it is not, decide about that money on the page of the payment, or with books resolve, and then retry the refund, or settle it as failed`,
      es: `no se le pidió a ${method.es}, porque hay dinero sin dueño de su pago que ninguna devolución pedía. Si es esta devolución, ciérrala como completada (completed). Si no lo es, decide de quién es ese dinero en la página del pago, o con books resolve, y después reintenta la devolución, o ciérrala como fallida (failed)`,
    };
  }
  if (reason === 'above_paid') {
    return {
      en: `${method.en} was not asked for it, because more than was paid would go back: since it was accepted, other money of the payment has gone back. Settle it as failed, or as completed if it is what went back`,
      es: `no se le pidió a ${method.es}, porque se devolvería más de lo pagado: desde que se aceptó, se devolvió otro dinero del pago. Ciérrala como fallida (failed), o como completada (completed) si es lo que se devolvió`,
    };
  }
  if (event === 'refund_unasked' && unasked !== undefined) {
    const amount = amountOf(unasked, currency);
    return {
      en: `${amount} went back at ${method.en} that no refund asked for, and is in suspense. Where it is this refund, settle it as completed: it takes its amount out of suspense. Where it is not, resolve the suspense, and then retry or settle the refund`,
      es: `${method.es} devolvió ${amount} que ninguna devolución pedía, y es dinero sin dueño. Si es esta devolución, ciérrala como completada (completed): toma su monto de ahí. Si no lo es, decide de quién es ese dinero y después reintenta o cierra la devolución`,
    };
  }
  if (event === 'refund_missing' && missing !== undefined) {
    const amount = amountOf(missing, currency);
    return {
      en: `the books say that ${amount} more went back than ${method.en} says. Look in its portal which refunds of the payment it made, and make there what lacks. Then settle this refund as it ended (completed or failed)`,
      es: `los libros dicen que se devolvieron ${amount} más de lo que dice ${method.es}. Mira en su portal qué devoluciones del pago hizo, y haz ahí la que falte. Después cierra esta devolución según terminó: completada (completed) o fallida (failed)`,
    };
  }
  if (event === 'refund_declined') {
    return {
      en: `${method.en} had completed it, and says now that it was declined. Ask there whether the money went back, and settle the refund as completed where it did`,
      es: `${method.es} la había completado y ahora dice que la rechazó. Pregunta ahí si el dinero volvió; si volvió, ciérrala como completada (completed)`,
    };
  }
  return {
    en: `${method.en} says something else than the books: ${text}`,
    es: `${method.es} dice algo distinto de los libros: ${text}`,
  };
}

/**
 * Describes a stored contradiction of a payment: its reason, if it is a known one, and then its other members as
 * stored, in order. `code`: of the payment method.
 */
export function sayPaymentContradiction(text: string, code: string): InBoth {
  const method = methodNames(code);
  const { reason = '', ...members } = readObject(text);
  const told = Object.entries(members).map(([name, value]) => `${name} ${value}`);
  const known = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  const rest = known === undefined && reason !== '' ? [`reason ${reason}`, ...told] : told;
  const details = rest.length === 0 ? text : rest.join(', ');
  const said = known ?? { en: 'says something else than what is known', es: 'dice algo distinto de lo que se sabe' };
  return { en: `${method.en} ${said.en}: ${details}`, es: `${method.es} ${said.es}: ${details}` };
}

/** The reasons of this service's payment methods. */
const REASONS: Readonly<Record<string, InBoth>> = {
  other_payment: { en: 'answered with another payment', es: 'respondió con otro pago' },
  two_ends: { en: 'says both that it was paid and that it was not', es: 'dice que se pagó y también que no' },
  given_back_elsewhere: {
    en: 'says that the money went back by nothing that we asked for',
    es: 'dice que el dinero volvió por algo que no pedimos',
  },
};

/** Describes a stored contradiction of a payout, and what a person does about it in the payout's state. */
export function sayPayoutContradiction(payout: Contradicted, text: string): InBoth {
  const { state } = payout;
  const said = sayContradiction(text);
  const isOut = state === 'sent' || state === 'unknown' || state === 'confirmed';
  const sayEnd = text === LEFT_OTHERWISE && isOut ? stopThenClear : END_IN[state];
  const end = text === SECOND_LINE ? ofSecondLine(payout) : sayEnd(payout, text);
  return {
    en: `it is in "${STATE_NAMES[state].en}", and somebody says "${said.en}". ${end.en}`,
    es: `está en «${STATE_NAMES[state].es}», y se dijo «${said.es}». ${end.es}`,
  };
}

type SayEnd = (payout: Contradicted, text: string) => InBoth;

/** Money may still arrive or return: `payout settle` books it. */
const settleOrClear: SayEnd = () => ({
  en: 'Settle it where that is right; clear it where the state is',
  es: 'Si es verdad, ciérralo; si su estado es el correcto, termina la contradicción',
});

const returnOrClear: SayEnd = () => ({
  en: 'Settle it as "Came back" (returned) where the money is back; clear it where it arrived',
  es: 'Si el dinero volvió, ciérralo como «Volvió»; si llegó, termina la contradicción',
});

/**
 * The money is the merchant's again, and no outcome changes that. Money that left after all is booked with `payout
 * create`, or with the line of the statement that shows it.
 */
const bookThenClear: SayEnd = (payout, text) =>
  text === 'failed' || text === 'returned'
    ? {
        en: `Its money is with the merchant: clear it. Where it was recorded by hand as ${payout.id}, take that back first: under "Recorded by hand", or with payout return`,
        es: `Su dinero lo tiene el comercio: termina la contradicción. Si se había registrado a mano como ${payout.id}, deshazlo antes: en «Registrado a mano», o con payout return`,
      }
    : {
        en: `Where the money never left, or left and came back, ${nothingAt(payout).en}. Where it left and stayed away, book it first${atLine(payout).en}: ${bookingOf(payout, payout.id)}. Then clear it`,
        es: `Si el dinero no salió, o salió y volvió, ${nothingAt(payout).es}. Si salió y no volvió, anótalo primero${atLine(payout).es}: ${bookingOf(payout, payout.id)}. Después termina la contradicción`,
      };

/**
 * Names the step that says that nothing is booked: `refuseUnbooked` asks for it at a line that contradicts the payout.
 */
function nothingAt(payout: Contradicted): InBoth {
  const [line] = contradictingLines(payout);
  return line === undefined
    ? { en: 'book nothing', es: 'no anotes nada' }
    : {
        en: `say so at line ${line} of the statement ("It is not that…", then "Of nothing here")`,
        es: `dilo en la línea ${line} de la cartola («No es eso…» y después «Ajena»)`,
      };
}

/**
 * Names the step of the console that books what a line shows: of the line that contradicts the payout, if there is one.
 */
function atLine(payout: Contradicted): InBoth {
  const [line] = contradictingLines(payout);
  return line === undefined
    ? {
        en: ', at the line of a statement that shows it ("It left at the merchant’s expense") or in a terminal with',
        es: ', en la línea de la cartola que lo muestre («Salió a costa del comercio») o en una terminal con',
      }
    : {
        en: `, at line ${line} of the statement ("It is not that…", then "It left at the merchant’s expense") or in a terminal with`,
        es: `, en la línea ${line} de la cartola («No es eso…» y después «Salió a costa del comercio») o en una terminal con`,
      };
}

const cancelThenClear: SayEnd = (payout) => ({
  en: `It has not left from here. Where the money left another way, cancel it and book that${atLine(payout).en}: ${bookingOf(payout, payout.id)}. Then clear it`,
  es: `No ha salido de aquí. Si el dinero salió por otra vía, retíralo y anota la salida${atLine(payout).es}: ${bookingOf(payout, payout.id)}. Después termina la contradicción`,
});

/** The payout has left in a file, so no outcome of it books what leaves by the provider. */
const stopThenClear: SayEnd = (payout) => ({
  en: `Ask the provider to stop it. Where the money left twice, book the second time${atLine(payout).en}: ${bookingOf(payout, payout.id)}. Then clear it`,
  es: `Pide al proveedor que no lo pague. Si el dinero salió dos veces, anota la segunda${atLine(payout).es}: ${bookingOf(payout, payout.id)}. Después termina la contradicción`,
});

const END_IN: Readonly<Record<PayoutState, SayEnd>> = {
  draft: cancelThenClear,
  awaiting_approval: cancelThenClear,
  approved: cancelThenClear,
  rejected: bookThenClear,
  cancelled: bookThenClear,
  sent: settleOrClear,
  unknown: settleOrClear,
  confirmed: returnOrClear,
  failed: bookThenClear,
  returned: bookThenClear,
};

/**
 * The lines book what left once more: apart from its line it could be booked twice. A payout that came back may have
 * come back by a second line too.
 */
function ofSecondLine(payout: Contradicted): InBoth {
  const { state } = payout;
  const lines = contradictingLines(payout);
  const named = lines.join(', ');
  return {
    en: `Explain ${lines.length === 1 ? `line ${named}` : `each such line (${named})`} first: where money left once more, as money that left at the merchant's expense${state === 'returned' ? '; where it came back once more, as paid in by the merchant or as nothing here' : ''}. Then clear the payout`,
    es: `Explica primero ${lines.length === 1 ? `la línea ${named}` : `cada línea así (${named})`}: si salió dinero otra vez, como dinero que salió a costa del comercio${state === 'returned' ? '; si volvió otra vez, como depósito del comercio o como ajena' : ''}. Después termina la contradicción`,
  };
}

/** Returns the booking command with the id as reference, so that repeating it books nothing more. */
function bookingOf({ payment_service, environment, amount, currency }: Contradicted, reference: string): string {
  const money = `--amount ${formatPlain(amount, currency)} --currency ${currency}`;
  return `bin/rubrica payout create --payment-service ${payment_service} --environment ${environment} ${money} --reference ${reference}`;
}

function amountOf(decimal: string, currency: string): string {
  const amount = parseDecimal(decimal, currency);
  return amount === null ? `${decimal} ${currency}` : formatMoney(amount, currency);
}

function readObject(text: string): Record<string, string> {
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as Record<string, string>;
}
