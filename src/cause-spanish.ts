import type { CauseCode } from '../protocol/signature-causes.ts';

/** The general fix of each signing mistake in Spanish, as in `FIXES` in English. Code is the same in both languages. */
export const SPANISH_CAUSES: Readonly<Record<CauseCode, string>> = {
  SECRET_OF_OTHER_ENVIRONMENT:
    'Se firmó con el secreto del otro ambiente. Usa el Service Token y el Secret Token de un mismo ambiente.',
  SECRET_ROTATED: 'Se firmó con un Secret Token que se cambió. Pon el nuevo y reinicia.',
  OTHER_SECRET: 'Se firmó con el otro secreto que diste, no con el de este token.',
  SERVICE_TOKEN_AS_SECRET: 'Se firmó con el Service Token como clave. La clave es el Secret Token.',
  SECRET_WITH_WHITESPACE:
    'El secreto tenía espacios alrededor, como el salto de línea al final de un archivo. Quítalos.',
  SECRET_WITH_QUOTES: 'El secreto se usó con las comillas de su archivo de configuración. Quítalas.',
  SECRET_DECODED: 'El secreto se decodificó de hexadecimal o base64. La clave es su texto, tal como está escrito.',
  SECRET_ENCODED:
    'El secreto se codificó o se le calculó un hash antes de usarlo. La clave es su texto, tal como está escrito.',
  SECRET_CASE_CHANGED: 'El secreto se pasó a mayúsculas o minúsculas. Úsalo tal como está escrito.',
  SECRET_EMPTY: 'Se firmó con un secreto vacío: no se encontró la variable.',
  SIGNATURE_IN_UPPER_CASE: 'Escribe la firma en hexadecimal y minúsculas.',
  SIGNATURE_IN_BASE64: 'Escribe la firma en hexadecimal, no en base64.',
  SIGNATURE_WITH_PREFIX: 'Envía solo los 64 dígitos hexadecimales, sin prefijo, comillas ni guiones.',
  SIGNATURE_WITH_WHITESPACE: 'Quita los espacios alrededor de la firma.',
  SIGNATURE_ENCODED_TWICE: 'El texto hexadecimal se codificó otra vez. Envíalo tal como está.',
  SIGNATURE_MALFORMED: 'Esto no puede ser una firma: son 64 dígitos hexadecimales en minúsculas.',
  WRONG_HASH: 'Usa SHA-256: la firma tiene el largo de otro hash.',
  HASH_WITHOUT_KEY: 'Llegó un hash simple. Usa HMAC, con el Secret Token como clave.',
  KEY_AND_MESSAGE_SWAPPED: 'El mensaje se usó como clave y el secreto como mensaje. Cámbialos de lugar.',
  SECRET_IN_MESSAGE: 'El secreto se unió al mensaje. Es solo la clave del HMAC.',
  MESSAGE_HASHED_FIRST: 'Al mensaje se le calculó un hash antes de firmarlo. Firma el texto mismo.',
  FIELDS_NOT_SORTED: 'Ordena los campos por nombre antes de unirlos.',
  FIELDS_SORTED_BY_VALUE: 'Los campos se ordenaron por sus valores. Ordénalos por nombre.',
  FIELDS_SORTED_WITH_VALUES: 'Nombre y valor se ordenaron como un solo texto. Ordena solo por nombre.',
  SEPARATORS_ADDED: 'Une nombres y valores sin nada en medio: x_amount1000x_currencyCLP.',
  NAMES_NOT_SIGNED: 'Se firmaron solo los valores. Escribe cada nombre antes de su valor: x_amount1000x_currencyCLP.',
  NAMES_CHANGED: 'Firma los nombres tal como se envían: en minúsculas y con x_.',
  JSON_SIGNED: 'Se firmó el texto JSON. Firma los nombres y valores ordenados, unidos sin separadores.',
  URL_ENCODED_MESSAGE: 'Se firmó una query string. Une nombres y valores simples sin nada en medio.',
  TRAILING_NEWLINE: 'Lo que se firmó terminaba con un salto de línea. Quítalo.',
  FIELD_NOT_SIGNED: 'El campo se envía, pero no se firmó. Firma exactamente los campos que envías.',
  FIELD_SIGNED_BUT_NOT_SENT: 'El campo se firmó, pero no está en el cuerpo. Firma exactamente los campos que envías.',
  SIGNATURE_FIELD_SIGNED: 'x_signature entró en su propio mensaje. Déjalo fuera.',
  UNPREFIXED_FIELD_SIGNED:
    'Se firmó un campo sin x_. Solo se firman los nombres que comienzan con x_, y no se puede enviar ningún otro.',
  OBJECT_SIGNED: 'Se firmó un objeto o un arreglo. x_products y los demás objetos se envían, pero nunca se firman.',
  NULL_PRINTED: 'Un null se firmó como texto. Cada campo necesita un valor, y null no lo es.',
  BOOLEAN_PRINTED: 'Un booleano se firmó como lo escribe un lenguaje. Envía y firma el texto true o false.',
  NUMBER_PRINTED_DIFFERENTLY:
    'El número se firmó escrito de otra forma que la enviada. Pásalo a texto una vez, y firma y envía ese texto.',
  PLUS_AND_SPACE:
    'Se confundieron el signo más y el espacio: en un formulario el espacio se escribe + y el más se escribe %2B.',
  URL_ENCODED_VALUE: 'El valor se firmó con escapes de porcentaje. Firma el valor simple que se envía.',
  URL_DECODED_VALUE:
    'El valor se codificó con porcentajes otra vez después de firmarlo. Codifícalo una vez, al enviar.',
  HTML_ENTITIES:
    'Se firmaron o enviaron entidades HTML como &amp; en lugar de los caracteres. Escapa para HTML solo en las páginas.',
  LATIN_1: 'Se mezclaron Latin-1 y UTF-8. Firma y envía UTF-8.',
  UNICODE_CHANGED:
    'Las tildes se firmaron en otra forma que la enviada, o se quitaron. Firma exactamente el texto que se envía.',
  BACKSLASHES_ADDED: 'El valor se firmó con los escapes de JSON o SQL. Firma el valor simple.',
  SURROUNDING_SPACE: 'El valor tenía espacios alrededor en uno de los dos lugares. Recórtalo antes de firmar y enviar.',
  CASE_CHANGED:
    'El valor se firmó con otras mayúsculas y minúsculas que las enviadas. Firma exactamente lo que envías.',
  TRAILING_SLASH: 'La URL se firmó con otro final que la enviada. Firma exactamente el texto que se envía.',
  EMPTY_WHEN_SIGNED: 'El campo aún estaba vacío cuando se firmó el mensaje. Llénalo antes de firmar.',
};
