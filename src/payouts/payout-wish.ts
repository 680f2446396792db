import { holdsCardNumber } from '../../protocol/card-number.ts';
import type { App } from '../app.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import { readRut } from '../bank-validation/rut.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import { type ErrorItem, errorItem } from '../error-item.ts';
import type { PayeeWish } from './recipients/find-payees.ts';
import { faultOfText } from './recipients/recipient.ts';

/** One requested payout. `amount` is in CLP. `reference` is the client's id. */
export type PayoutWish = {
  readonly reference: string;
  readonly amount: number;
  readonly payee: PayeeWish;
  /** The text that the recipient reads. */
  readonly message: string;
  readonly callbackUrl: string | null;
};

/** A checked wish that fits in one transfer. `row` is the index of the requested payout, from 0. */
export type CheckedWish = PayoutWish & { readonly row: number; readonly hash: string };

const MOST_MESSAGE = 200;
/** A larger commit would delay payments on SQLite. */
export const MOST_IN_BATCH = 10_000;

/**
 * Checks wishes and splits each into transfers of at most `most`. Only a batch splits; the parts are named `REF/1`,
 * `REF/2` … Throws `Problem` INVALID_PAYOUT with the first 1,000 errors of all rows.
 */
export async function checkWishes(
  app: App,
  wishes: readonly PayoutWish[],
  { most, splits }: { most: number; splits: boolean },
): Promise<CheckedWish[]> {
  const errors = wishes.flatMap((wish, row) => wishErrors(wish, row, splits ? Number.MAX_SAFE_INTEGER : most));
  const seen = new Set<string>();
  for (const [row, { reference }] of wishes.entries()) {
    if (seen.has(reference)) {
      errors.push(
        errorItem(`/${row}/id`, 'DUPLICATE_KEY', [
          'The id occurs twice.',
          'Give each payout its own.',
          'El id aparece dos veces.',
          'Cada pago lleva el suyo.',
        ]),
      );
    }
    seen.add(reference);
  }
  // Counts the parts before making them: a few thousand huge amounts have more parts than fit in memory.
  const count = wishes.reduce((sum, { amount }) => sum + Math.ceil(amount / most), 0);
  if (errors.length === 0 && (count === 0 || count > MOST_IN_BATCH)) {
    errors.push(
      errorItem('', 'INVALID_PARAMETER', [
        `There are ${count} payouts.`,
        `Send 1 to ${MOST_IN_BATCH} at once.`,
        `Hay ${count} pagos.`,
        `Envía de 1 a ${MOST_IN_BATCH} a la vez.`,
      ]),
    );
  }
  if (errors.length > 0) throw invalidRows('INVALID_PAYOUT', errors);
  return hashed(
    app,
    wishes.flatMap((wish, row) => partsOf(wish, row, most)),
  );
}

/** Returns the error for payouts, or a file of them, that cannot be used; `detail` says why. */
export function invalidPayout(detail: InBoth): Problem {
  return new Problem('INVALID_PAYOUT', { detail });
}

/** Returns the error for these rows; the first 1,000 are listed. */
export function invalidRows(code: 'INVALID_PAYOUT' | 'ACCOUNT_NOT_PAYABLE', errors: readonly ErrorItem[]): Problem {
  return new Problem(code, { errors: errors.slice(0, 1000) });
}

function partsOf(wish: PayoutWish, row: number, most: number): (PayoutWish & { row: number })[] {
  const parts = Math.ceil(wish.amount / most);
  if (parts <= 1) return [{ ...wish, row }];
  return Array.from({ length: parts }, (_, at) => ({
    ...wish,
    row,
    reference: `${wish.reference}/${at + 1}`,
    amount: at < parts - 1 ? most : wish.amount - most * (parts - 1),
  }));
}

/**
 * Returns the same text for all parts of a wish: `REF/` for `REF/1`, and the reference itself if the payout was not
 * split.
 */
export function wishOf(reference: string): string {
  return reference.replace(/\/\d+$/, '/');
}

function wishErrors({ reference, amount, message, payee }: PayoutWish, row: number, most: number): ErrorItem[] {
  const errors: ErrorItem[] = [];
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(reference) || holdsCardNumber(reference)) {
    errors.push(
      errorItem(`/${row}/id`, 'INVALID_REFERENCE', [
        'The id cannot be used.',
        'Send 1 to 80 letters, digits, points, hyphens and underscores, and no card number.',
        'El id no se puede usar.',
        'Usa de 1 a 80 letras, números, puntos, guiones y guiones bajos, y ningún número de tarjeta.',
      ]),
    );
  }
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > most) {
    errors.push(
      errorItem(`/${row}/amount`, 'INVALID_AMOUNT', [
        'The amount cannot be paid.',
        amount > most
          ? `One transfer takes ${most} pesos at most: send several.`
          : 'Send whole pesos above zero, such as 15000, without a point or a comma.',
        'El monto no se puede pagar.',
        amount > most
          ? `Una transferencia lleva como máximo ${most} pesos: envía varias.`
          : 'Escribe pesos enteros sobre cero, como 15000, sin puntos ni comas.',
      ]),
    );
  }
  const messageFault = message.length > MOST_MESSAGE ? 'FIELD_TOO_LONG' : faultOfText(message);
  if (messageFault !== null) {
    errors.push(
      errorItem(`/${row}/messageToAddressee`, messageFault, [
        'The message cannot be used.',
        `Send at most ${MOST_MESSAGE} characters without line breaks or a card number.`,
        'El mensaje no se puede usar.',
        `Escribe como máximo ${MOST_MESSAGE} caracteres, sin saltos de línea ni un número de tarjeta.`,
      ]),
    );
  }
  errors.push(...holderErrors(payee, row));
  if (payee.email === '') {
    errors.push(
      errorItem(`/${row}/recipientData/email`, 'INVALID_EMAIL', [
        'The e-mail cannot be used.',
        'Write one address such as ana@example.cl, or leave the cell empty.',
        'El correo no sirve.',
        'Escribe una sola dirección, como ana@example.cl, o deja la celda vacía.',
      ]),
    );
  }
  if (payee.accountType === '') {
    errors.push(
      errorItem(`/${row}/bankData/accountType`, 'INVALID_PARAMETER', [
        'The kind of account is not known.',
        'Write corriente, vista or ahorro, or leave the cell empty.',
        'No se conoce ese tipo de cuenta.',
        'Escribe corriente, vista o ahorro, o deja la celda vacía.',
      ]),
    );
  }
  return errors;
}

/** Returns the errors of a name and an e-mail address that an approver would misread. `row`: the payout in its list. */
export function holderErrors({ name, email }: Pick<PayeeWish, 'name' | 'email'>, row: number): ErrorItem[] {
  const members = [
    { member: 'name', text: name, en: 'The name', es: 'El nombre' },
    { member: 'email', text: email, en: 'The e-mail', es: 'El correo' },
  ];
  return members.flatMap(({ member, text, en, es }) => {
    const fault = faultOfText(text ?? '');
    if (fault === null) return [];
    return [
      errorItem(`/${row}/recipientData/${member}`, fault, [
        `${en} cannot be used.`,
        'Write it on one line, without tabs, hidden characters or a card number.',
        `${es} no sirve.`,
        'Escríbelo en una línea, sin tabulaciones, caracteres ocultos ni un número de tarjeta.',
      ]),
    ];
  });
}

/** Adds the hash of everything that was requested, so that the same id with other data is detected. */
async function hashed(app: App, wishes: readonly (PayoutWish & { row: number })[]): Promise<CheckedWish[]> {
  const hashes = await identityHashes(app);
  return wishes.map((wish) => {
    const { reference, amount, payee, message, callbackUrl } = wish;
    const { rut, rutFormat, bankCode, account, name, email } = payee;
    const plain = readRut(rut, rutFormat).canonical ?? rut;
    const whole = [reference, amount, plain, bankCode, account, name, email, message, callbackUrl];
    return { ...wish, hash: hashes.ofRequest(JSON.stringify(whole)) };
  });
}
