import type { AccountReason } from '../../bank-validation/bank-account.ts';
import { decidingCheck, isValid } from '../../bank-validation/check.ts';
import { BANK_NAME_UNKNOWN, CODE_MESSAGES, type Message } from '../../bank-validation/check-messages.ts';
import type { RutReason } from '../../bank-validation/rut.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import { CATALOGUE, type InBoth, type Problem } from '../../error-catalogue.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { SPANISH_ERRORS } from '../../error-spanish.ts';
import { ANOTHER_BANK } from '../kept-texts.ts';

// A payout does not say how its RUT is written, so only the hyphen decides.
export const NO_CHECK_CHARACTER = errorItem('/recipientData/rut', 'RUT_CHECK_DIGIT_MAYBE_MISSING', [
  'The check character of the RUT may be missing, and then another person is meant.',
  'Write the RUT with its hyphen, such as 12345678-5.',
  'Puede faltar el dígito verificador del RUT, y entonces se trata de otra persona.',
  'Escribe el RUT con su guion, como 12345678-5.',
]);

export const DESTROYED = errorItem('/bankData/bankAccount', 'ACCOUNT_BAD_FORMAT', [
  'A spreadsheet has destroyed this account number: some of its digits are lost.',
  'Ask its owner for the number, format the column as text and enter it again.',
  'Una planilla de cálculo destruyó este número de cuenta: se perdieron algunos de sus dígitos.',
  'Pide el número a su titular, da formato de texto a la columna e ingrésalo de nuevo.',
]);

/** Returns the error for a RUT or an account number that cannot be read. */
export function unreadable(pointer: string, code: RutReason | AccountReason): ErrorItem {
  const { en, es } = CODE_MESSAGES[code];
  return errorItem(pointer, code, [en, MENDED.en, es, MENDED.es]);
}

/** Returns the error for a bank that takes no transfers; the message says why. */
export function unprovenBank({ en, es }: Message): ErrorItem {
  return errorItem('/bankData/bankSBIFNumber', 'BANK_NOT_TRANSFER_TARGET', [en, ANOTHER_BANK.en, es, ANOTHER_BANK.es]);
}

/** Returns why a validated account cannot be paid; null if it can. `name`: of the wish or of the stored recipient. */
export function accountError(validation: Validation, bankCode: string, name: string | null): ErrorItem | null {
  if (validation.state !== 'completed') {
    return errorItem('/bankData/bankAccount', 'VALIDATION_PENDING', [
      'The provider is still checking the account.',
      'Send it again in a minute.',
      'El proveedor todavía revisa la cuenta.',
      'Envíalo de nuevo en un minuto.',
    ]);
  }
  if (!isValid(validation.verdict)) {
    const failed = decidingCheck(validation.checks);
    const pointer = failed?.field ?? '/bankData/bankAccount';
    const suggested = validation.suggestions.find(({ code }) => code === failed?.code);
    // A name of a bank in a file that the list does not have is still a name.
    if (failed?.code === 'BANK_BAD_FORMAT' && suggested === undefined && /\p{L}/u.test(bankCode)) {
      const { wrong, fix } = BANK_NAME_UNKNOWN;
      return errorItem(pointer, failed.code, [wrong.en, fix.en, wrong.es, fix.es]);
    }
    const fix = suggested?.message ?? (failed?.code === 'BANK_UNKNOWN' ? ANOTHER_LIST : MENDED);
    return errorItem(MEMBERS[pointer] ?? pointer, failed?.code ?? 'ACCOUNT_NOT_PAYABLE', [
      `The account ${VERDICT_WORDS[validation.verdict].en}${failed === undefined ? '.' : `: ${failed.message.en}`}`,
      fix.en,
      `La cuenta ${VERDICT_WORDS[validation.verdict].es}${failed === undefined ? '.' : `: ${failed.message.es}`}`,
      fix.es,
    ]);
  }
  if (name !== null && name.trim() !== '') return null;
  return errorItem('/recipientData/name', 'MISSING_FIELD', [
    'The name of the recipient is missing.',
    'Send it.',
    'Falta el nombre del destinatario.',
    'Envíalo.',
  ]);
}

/** Members of a validation whose place in a payout differs. */
const MEMBERS: Readonly<Record<string, string>> = {
  '/rut': '/recipientData/rut',
  '/holderName': '/recipientData/name',
};

const VERDICT_WORDS: Readonly<Record<Validation['verdict'], InBoth>> = {
  invalid: { en: 'is not valid', es: 'no es válida' },
  plausible: { en: 'is plausible', es: 'es plausible' },
  confirmed: { en: 'is confirmed', es: 'está confirmada' },
  mismatch: { en: 'does not match the recipient', es: 'no coincide con el destinatario' },
  undetermined: { en: 'could not be checked', es: 'no se pudo comprobar' },
};

/** Returns the error for an account whose validation was refused. */
export function refusedValidation({ code }: Problem): ErrorItem {
  const [english, spanish] = [CATALOGUE[code].title, SPANISH_ERRORS[code].title];
  const words = [`${english}.`, 'Send it again later.', `${spanish}.`, 'Envíalo de nuevo más tarde.'] as const;
  return errorItem('/bankData/bankAccount', code, words);
}

const MENDED = { en: 'Mend it, and send it again.', es: 'Corrígelo y envíalo de nuevo.' };

const ANOTHER_LIST = {
  en: 'Check the code. If it is right, the operator imports a newer list: bin/rubrica banks import.',
  es: 'Revisa el código. Si es correcto, el operador importa una lista más nueva: bin/rubrica banks import.',
};
