import type { Language } from '../lib/language.ts';

export type Message = Readonly<Record<Language, string>>;

/** The messages of passing checks. `{as_of}` is the date of the bank list. */
export const PASS_MESSAGES = {
  'rut.format': { en: 'The RUT is well formed.', es: 'El RUT está bien escrito.' },
  'rut.check_character': { en: 'The check character is right.', es: 'El dígito verificador es correcto.' },
  'rut.range': { en: 'The number of the RUT is plausible.', es: 'El número del RUT es plausible.' },
  'bank.known': { en: 'The code belongs to {name}.', es: 'El código corresponde a {name}.' },
  'bank.status': { en: '{name} is active, as of {as_of}.', es: '{name} está activo, según datos de {as_of}.' },
  'bank.accepts_transfers': {
    en: '{name} appears in transfer catalogues, as of {as_of}.',
    es: '{name} aparece en catálogos de transferencias, según datos de {as_of}.',
  },
  'account.format': { en: 'The account number is well formed.', es: 'El número de cuenta está bien escrito.' },
  'account.bank_shape': {
    en: 'The number contradicts nothing that is published for this bank.',
    es: 'El número no contradice nada de lo publicado para este banco.',
  },
  'holder.match': {
    en: 'The provider confirms that the account belongs to this RUT.',
    es: 'El proveedor confirma que la cuenta pertenece a este RUT.',
  },
  'holder.name_match': {
    en: 'The name is the holder’s.',
    es: 'El nombre es el del titular.',
  },
} as const satisfies Record<string, Message>;

/** The message of every code. `{name}`, `{successor}` and `{as_of}` are filled from the bank list. */
export const CODE_MESSAGES = {
  RUT_MISSING: { en: 'There is no RUT.', es: 'Falta el RUT.' },
  RUT_NOT_STRING: { en: 'The RUT must be a text.', es: 'El RUT debe ser un texto.' },
  RUT_TOO_LONG: {
    en: 'The RUT is too long: at most 8 digits before the check character.',
    es: 'El RUT es demasiado largo: a lo más 8 dígitos antes del dígito verificador.',
  },
  RUT_BAD_FORMAT: {
    en: 'This is not written like a RUT. Write it as 12345678-5.',
    es: 'Esto no está escrito como un RUT. Escríbelo como 12345678-5.',
  },
  RUT_WHITESPACE_TRIMMED: {
    en: 'Spaces around the RUT were left out.',
    es: 'Se quitaron los espacios alrededor del RUT.',
  },
  RUT_LEADING_ZEROS_STRIPPED: {
    en: 'Zeros in front of the RUT were left out.',
    es: 'Se quitaron los ceros delante del RUT.',
  },
  RUT_OUT_OF_RANGE: { en: 'No RUT has the number zero.', es: 'Ningún RUT tiene el número cero.' },
  RUT_CHECK_DIGIT_MISMATCH: {
    en: 'The check character does not fit the number: one of them has a typing error.',
    es: 'El dígito verificador no corresponde al número: hay un error de digitación.',
  },
  RUT_CHECK_DIGIT_MAYBE_MISSING: {
    en: 'It is not certain that these digits end with their check character: the RUT of another person may be meant. Say so (rut_format), or write the hyphen.',
    es: 'No es seguro que estos dígitos terminen en su dígito verificador: puede ser el RUT de otra persona. Indícalo (rut_format) o escribe el guion.',
  },
  RUT_CHECK_DIGIT_ADDED: {
    en: 'The check character was worked out from the number, so it shows no typing error.',
    es: 'El dígito verificador se calculó a partir del número, así que no revela errores de digitación.',
  },
  RUT_IMPLAUSIBLY_LOW: {
    en: 'The number is unusually low. Was it typed in full?',
    es: 'El número es inusualmente bajo. ¿Está completo?',
  },
  RUT_REPEATED_DIGITS: {
    en: 'All digits are equal, as in invented examples.',
    es: 'Todos los dígitos son iguales, como en los ejemplos inventados.',
  },
  RUT_GENERIC_PLACEHOLDER: {
    en: 'Tax systems use this RUT for foreigners without one; it belongs to nobody.',
    es: 'Los sistemas tributarios usan este RUT para extranjeros sin RUT; no pertenece a nadie.',
  },

  BANK_BAD_FORMAT: {
    en: 'A bank code is three digits with its zeros, such as 001.',
    es: 'Un código de banco son tres dígitos con sus ceros, como 001.',
  },
  BANK_UNKNOWN: {
    en: 'The bank list of {as_of} does not have this code. It may be newer than the list.',
    es: 'La lista de bancos de {as_of} no tiene este código. Puede ser más nuevo que la lista.',
  },
  BANK_CLOSED: {
    en: '{name} does not operate in Chile any more, as of {as_of}.',
    es: '{name} ya no opera en Chile, según datos de {as_of}.',
  },
  BANK_MERGED: {
    en: '{name} has merged into {successor}. Its code may still work; the code was left as sent.',
    es: '{name} se fusionó con {successor}. Su código puede seguir funcionando; se dejó tal como llegó.',
  },
  BANK_UNVERIFIED: {
    en: 'Only one old or unreliable source knows this code, so nothing can be said about it.',
    es: 'Solo una fuente antigua o poco confiable conoce este código: no se puede afirmar nada sobre él.',
  },
  BANK_NOT_TRANSFER_TARGET: {
    en: 'This institution was not found as a destination in transfer catalogues, as of {as_of}.',
    es: 'Esta institución no aparece como destino en catálogos de transferencias, según datos de {as_of}.',
  },
  BANK_NOT_YET_OPERATING: {
    en: '{name} has its licence but may not have begun to operate, as of {as_of}.',
    es: '{name} tiene licencia, pero puede que aún no opere, según datos de {as_of}.',
  },

  ACCOUNT_NOT_STRING: {
    en: 'The account must be a text: a number loses its zeros.',
    es: 'La cuenta debe ser un texto: un número pierde sus ceros.',
  },
  ACCOUNT_MISSING: { en: 'There is no account number.', es: 'Falta el número de cuenta.' },
  ACCOUNT_BAD_FORMAT: {
    en: 'An account number has digits only: no hyphens, dots, spaces or letters. A CuentaRUT is the RUT without its check character.',
    es: 'Un número de cuenta tiene solo dígitos: sin guiones, puntos, espacios ni letras. Una CuentaRUT es el RUT sin su dígito verificador.',
  },
  ACCOUNT_TOO_LONG: {
    en: 'No Chilean account number has more than 20 digits.',
    es: 'Ningún número de cuenta chileno tiene más de 20 dígitos.',
  },
  ACCOUNT_ALL_ZEROS: { en: 'No account has the number zero.', es: 'Ninguna cuenta tiene el número cero.' },
  ACCOUNT_SHAPE_UNUSUAL: {
    en: 'The number is unusual for this bank, or looks like a placeholder. Check it with its owner.',
    es: 'El número es inusual para este banco o parece un ejemplo. Confírmalo con su titular.',
  },
  ACCOUNT_EQUALS_RUT: {
    en: 'The account number is the RUT itself, which is a common typing error.',
    es: 'El número de cuenta es el mismo RUT, un error de digitación frecuente.',
  },
  ACCOUNT_IS_CUENTARUT_OF_HOLDER: {
    en: 'This is the number that the CuentaRUT of this RUT has. It does not prove that the account exists.',
    es: 'Este es el número que tiene la CuentaRUT de este RUT. No prueba que la cuenta exista.',
  },
  CUENTARUT_INCLUDES_CHECK_DIGIT: {
    en: 'This looks like a CuentaRUT with the check character of the RUT; the account goes without it.',
    es: 'Esto parece una CuentaRUT con el dígito verificador del RUT; la cuenta va sin él.',
  },
  ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT: {
    en: 'The number is shaped like the CuentaRUT of somebody else. Check it with its owner.',
    es: 'El número tiene la forma de la CuentaRUT de otra persona. Confírmalo con su titular.',
  },

  HOLDER_NO_MATCH: {
    en: 'The provider could not match this account with this RUT.',
    es: 'El proveedor no pudo asociar esta cuenta con este RUT.',
  },
  HOLDER_CLOSE_MATCH: {
    en: 'The provider found a close match only. Check the data with the owner of the account.',
    es: 'El proveedor encontró solo una coincidencia cercana. Confirma los datos con el titular.',
  },
  HOLDER_NAME_CLOSE: {
    en: 'The name is the holder’s with small differences, such as a surname that was left out.',
    es: 'El nombre es el del titular con pequeñas diferencias, como un apellido que falta.',
  },
  HOLDER_NAME_PARTIAL: {
    en: 'Only a part of the name is the holder’s. Check the data with the owner of the account.',
    es: 'Solo una parte del nombre es la del titular. Confirma los datos con el titular.',
  },
  HOLDER_NAME_NO_MATCH: {
    en: 'The account belongs to this RUT, and its holder has another name. Check the RUT with the owner of the account.',
    es: 'La cuenta pertenece a este RUT, pero su titular tiene otro nombre. Confirma el RUT con el titular.',
  },
  HOLDER_NOT_CHECKABLE: {
    en: 'The provider cannot check this account. That does not mean that it is wrong.',
    es: 'El proveedor no puede verificar esta cuenta. Eso no significa que esté mal.',
  },
  PROVIDER_OPTED_OUT: {
    en: 'The bank does not take part in verification. That does not mean that the account is wrong.',
    es: 'El banco no participa en la verificación. Eso no significa que la cuenta esté mal.',
  },
  PROVIDER_TIMEOUT: {
    en: 'The provider did not answer in time. Nothing is known about the holder; try again later.',
    es: 'El proveedor no respondió a tiempo. No se sabe nada del titular; intenta más tarde.',
  },
  PROVIDER_UNAVAILABLE: {
    en: 'The provider could not be reached. Nothing is known about the holder; try again later.',
    es: 'No se pudo contactar al proveedor. No se sabe nada del titular; intenta más tarde.',
  },
  PROVIDER_PENDING: {
    en: 'The provider is still checking. Ask for this validation again.',
    es: 'El proveedor aún está verificando. Consulta esta validación más tarde.',
  },
  NO_PROVIDER_CONFIGURED: {
    en: 'Not checked: this installation has no online provider.',
    es: 'No verificado: esta instalación no tiene un proveedor en línea.',
  },
  NOT_COVERED_BY_PROVIDER: {
    en: 'Not checked: the provider does not answer this.',
    es: 'No verificado: el proveedor no responde esto.',
  },
  PREREQUISITE_FAILED: {
    en: 'Not checked: an earlier check left nothing to look at.',
    es: 'No verificado: una comprobación anterior no dejó nada que revisar.',
  },
  NOT_APPLICABLE: { en: 'Does not apply to this account.', es: 'No se aplica a esta cuenta.' },
} as const satisfies Record<string, Message>;

/** The error of a name of a bank that the list does not have, and its fix. Payouts use them too. */
export const BANK_NAME_UNKNOWN = {
  wrong: {
    en: 'No operating bank of the list has this name, or several have it.',
    es: 'Ningún banco vigente de la lista se llama así, o se llaman así varios.',
  },
  fix: {
    en: 'Write its name as in the list of banks, or its code of three digits, such as 012.',
    es: 'Escribe su nombre como en la lista de bancos, o su código de tres dígitos, como 012.',
  },
} as const satisfies Record<string, Message>;

/** The messages about a whole row of a CSV. Those about single values are above. */
export const ROW_MESSAGES = {
  ROW_WIDTH: {
    en: 'The row has more cells than the first row has names, and the last ones were cut off.',
    es: 'La fila tiene más celdas que nombres la primera fila, y se cortaron las últimas.',
  },
  RUT_TWO_READINGS: {
    en: 'The check character may be missing, and then this is another person’s RUT. It can be read as {readings}. Write the hyphen, or say how the column is written with --rut-format.',
    es: 'Puede faltar el dígito verificador, y entonces es el RUT de otra persona. Se puede leer como {readings}. Escribe el guion o indica con --rut-format cómo está escrita la columna.',
  },
  BANK_NAME_UNKNOWN: {
    en: `${BANK_NAME_UNKNOWN.wrong.en} ${BANK_NAME_UNKNOWN.fix.en}`,
    es: `${BANK_NAME_UNKNOWN.wrong.es} ${BANK_NAME_UNKNOWN.fix.es}`,
  },
  CELLS_SWAPPED: {
    en: 'The cells of this row seem to be in the wrong columns. Check which cell is the RUT, which the bank and which the account.',
    es: 'Las celdas de esta fila parecen estar en otra columna. Revisa cuál celda es el RUT, cuál el banco y cuál la cuenta.',
  },
  NUMBER_DESTROYED: {
    en: 'A spreadsheet has destroyed this account number. Format the column as text and enter it again.',
    es: 'Una planilla de cálculo destruyó este número de cuenta. Da formato de texto a la columna e ingrésalo de nuevo.',
  },
} as const satisfies Record<string, Message>;

/** The messages of suggestions, by the code of the check that they belong to. */
export const SUGGESTION_MESSAGES = {
  BANK_BAD_FORMAT: { en: 'Send {value}, the code of {name}.', es: 'Envía {value}, el código de {name}.' },
  BANK_MERGED: { en: 'Use {value}, {name}.', es: 'Usa {value}, {name}.' },
  BANK_UNVERIFIED: { en: 'Did you mean {value}, {name}?', es: '¿Quisiste decir {value}, {name}?' },
  CUENTARUT_INCLUDES_CHECK_DIGIT: {
    en: 'Send the RUT without its check character as the account.',
    es: 'Envía como cuenta el RUT sin su dígito verificador.',
  },
} as const satisfies Record<string, Message>;

/** The first line of a response, by verdict. */
export const VERDICT_MESSAGES = {
  invalid: { en: 'The bank account data is not valid.', es: 'Los datos de la cuenta bancaria no son válidos.' },
  plausible: {
    en: 'The bank account data is plausible. Who owns the account was not checked.',
    es: 'Los datos de la cuenta bancaria son plausibles. No se verificó a quién pertenece.',
  },
  confirmed: {
    en: 'The account belongs to this RUT.',
    es: 'La cuenta pertenece a este RUT.',
  },
  mismatch: {
    en: 'The account could not be matched with this RUT.',
    es: 'La cuenta no se pudo asociar con este RUT.',
  },
  undetermined: {
    en: 'The bank account could not be checked in full. That does not mean that it is wrong.',
    es: 'La cuenta bancaria no se pudo verificar por completo. Eso no significa que esté mal.',
  },
} as const satisfies Record<string, Message>;

/** The first line of a response while the provider is still checking. */
export const PENDING_MESSAGE: Message = {
  en: 'The provider is still checking the bank account.',
  es: 'El proveedor aún está verificando la cuenta bancaria.',
};
