import type { SigningCode } from '../protocol/signing-error.ts';
import type { ErrorCode } from './error-catalogue.ts';

/** Every entry of `CATALOGUE` in Spanish. A code without its text does not compile. */
export const SPANISH_ERRORS: Readonly<Record<ErrorCode, { title: string; fix: string }>> = {
  INVALID_JSON: entry('El cuerpo no es JSON válido', 'Envía un solo objeto JSON, en UTF-8, sin nada después.'),
  NOT_AN_OBJECT: entry('El cuerpo no es un objeto JSON', 'Envía los campos como miembros de un solo objeto.'),
  INVALID_ENCODING: entry('El cuerpo no es UTF-8 bien formado', 'Codifica el texto en UTF-8, sin sustitutos sueltos.'),
  DUPLICATE_KEY: entry('Un nombre aparece dos veces', 'Envía cada campo exactamente una vez.'),
  FORBIDDEN_KEY: entry('Un nombre está prohibido', 'Quita __proto__, constructor y prototype.'),
  JSON_TOO_DEEP: entry(
    'El cuerpo tiene demasiados niveles',
    'Anida menos niveles: el detalle dice cuántos se aceptan.',
  ),
  TOO_MANY_FIELDS: entry('La solicitud tiene demasiados campos', 'Envía menos: el detalle dice cuántos se aceptan.'),
  FIELD_TOO_LONG: entry('Un valor es demasiado largo', 'Acórtalo al largo que da la referencia de la API.'),
  CONTROL_CHARACTER: entry(
    'Un valor contiene un carácter de control',
    'Quita los saltos de línea y los demás caracteres de control.',
  ),
  UNKNOWN_FIELD: entry('Un campo es desconocido', 'Envía solo los campos de la referencia de la API.'),
  MISSING_FIELD: entry('Falta un campo obligatorio', 'Envíalo y fírmalo junto con los demás.'),
  EMPTY_FIELD: entry('Un campo obligatorio está vacío', 'Dale un valor antes de firmar.'),
  INVALID_TYPE: entry(
    'Un valor es del tipo equivocado',
    'Envía texto; x_amount y x_reference también pueden ser números JSON.',
  ),
  AMBIGUOUS_FIELD: entry(
    'Un valor contiene el nombre de un campo',
    'La firma no lleva separadores, así que ese valor se podría leer como dos campos. En una URL escribe _ como %5F (?x%5Freference=1); en lo demás elige otro valor.',
  ),
  INVALID_AMOUNT: entry(
    'El monto no se puede usar',
    'Escribe solo dígitos: mil es 1000, sin punto ni coma de miles, sin signo ni ceros delante. Uno o dos decimales si la moneda los tiene; CLP no los tiene, a lo más .0 o .00. Mínimo 500 en CLP.',
  ),
  INVALID_CURRENCY: entry('La moneda no es un código ISO 4217', 'Envía tres letras mayúsculas, como CLP.'),
  INVALID_COUNTRY: entry('El país no es un código ISO 3166-1', 'Envía dos letras, como CL.'),
  INVALID_EMAIL: entry(
    'El correo electrónico no se puede usar',
    'Envía una sola dirección, como comprador@example.cl.',
  ),
  INVALID_REFERENCE: entry(
    'La referencia no se puede usar',
    'Envía de 1 a 100 caracteres ASCII visibles, sin espacios en los extremos.',
  ),
  INVALID_SESSION_ID: entry('El id de sesión no se puede usar', 'Envía de 5 a 100 caracteres visibles.'),
  CARD_NUMBER: entry(
    'Un valor parece un número de tarjeta',
    'Solo el medio de pago puede recibir números de tarjeta. Envía tu propio número; si solo se parece a uno, escribe una letra justo antes, como A.',
  ),
  INVALID_ACCOUNT_ID: entry(
    'El Service Token no se puede usar',
    'Envía el Service Token de tu servicio de pago, de 1 a 100 caracteres.',
  ),
  INVALID_URL: entry(
    'Una URL no se puede usar',
    'Envía una URL https absoluta, escrita como la normaliza un navegador, sin usuario ni fragmento. Solo x_url_cancel puede ser una ruta de la tienda, como /cart.',
  ),
  URL_NOT_ALLOWED: entry(
    'Una URL apunta a una dirección que el servicio no llama',
    'Usa un nombre público en el puerto 443 u 8443. En desarrollo define ALLOW_PRIVATE_CALLBACKS y usa tokens de desarrollo.',
  ),
  INVALID_PARAMETER: entry('Un parámetro no se puede usar', 'Mira su formato en la referencia de la API.'),
  UNEXPECTED_QUERY: entry('Esta dirección no acepta parámetros en la URL', 'Envía los campos solo en el cuerpo.'),
  HTTP_MALFORMED: entry(
    'La solicitud no es HTTP/1.1 bien formado',
    'Usa un cliente HTTP común y revisa los proxies que haya en medio.',
  ),
  DUPLICATE_HEADER: entry('Un encabezado que va una vez llegó dos veces', 'Envíalo una vez.'),
  INVALID_HEADER: entry('Un encabezado no se puede usar', 'Quítalo o escríbelo como muestra la referencia de la API.'),
  SIGNATURE_MISSING: entry(
    'Falta la firma',
    'Agrega x_signature: HMAC-SHA256 del mensaje con tu Secret Token, en hexadecimal y minúsculas.',
  ),
  SIGNATURE_INVALID: entry(
    'La cuenta o la firma es incorrecta',
    'Compara el texto que firmaste con el de `bin/rubrica sign --message`, o deja que `bin/rubrica explain` diga la causa.',
  ),
  TOKEN_MISSING: entry(
    'Falta el token de acceso',
    'Inicia sesión con POST /users/login o POST /loginToken y envía el token de acceso como Authorization: Bearer.',
  ),
  TOKEN_INVALID: entry(
    'El token de acceso no es válido',
    'Inicia sesión de nuevo: los tokens de acceso vencen y se pueden revocar.',
  ),
  PRIVATE_TOKEN_RETIRED: entry(
    'Los tokens privados de la beta ya no sirven',
    'Inicia sesión con POST /users/login o POST /loginToken y envía el token de acceso como Authorization: Bearer.',
  ),
  API_TOKEN_INVALID: entry(
    'El token de API no es válido',
    'Revísalo; un operador puede cambiarlo: `bin/rubrica user reset-api-token`.',
  ),
  SERVICE_TOKEN_INVALID: entry(
    'El Service Token no es válido',
    'Envía el Service Token de tu servicio de pago: en GET /payments en el encabezado Authorization sin Bearer, en GET /v2/payments en x_account_id de los parámetros.',
  ),
  LOGIN_FAILED: entry('Correo o contraseña incorrectos', 'Revisa ambos; un operador puede cambiar la contraseña.'),
  SECOND_FACTOR_NEEDED: entry(
    'Hace falta un segundo factor: la contraseña sola no basta',
    'Un programa usa un token de API: `bin/rubrica user token create`. Una persona entra en /console.',
  ),
  FACTOR_REFUSED: entry(
    'El código no es correcto, o ya se usó',
    'Espera el siguiente código de tu app, o usa un código de recuperación.',
  ),
  PAYOUTS_NOT_ENABLED: entry(
    'Este usuario no tiene los pagos a terceros habilitados',
    'Pídelo a un operador: `bin/rubrica user payouts on`.',
  ),
  PERMISSION_MISSING: entry(
    'Al usuario le falta un permiso',
    'La respuesta nombra el permiso. Pídelo a quien administra los usuarios: `bin/rubrica user grant USER PERMISSION`.',
  ),
  MORE_THAN_YOURS: entry(
    'El usuario tiene más permisos que tú, o eres tú',
    'Pídelo a una persona con todos los permisos de este usuario: `bin/rubrica user list`. Nadie cambia sus propios permisos.',
  ),
  REFUND_LIMIT_REACHED: entry(
    'El usuario alcanzó su límite diario de devoluciones',
    'Pide que otra persona apruebe la devolución: `bin/rubrica refund request`. O espera al día siguiente en Chile, o pide un límite más alto: `bin/rubrica user refund-limit USER AMOUNT`.',
  ),
  NO_PERMISSION: entry(
    'El usuario no existe o no tiene permiso',
    'Revisa el id de la dirección y que el usuario vea el servicio de pago: `bin/rubrica user list`.',
  ),
  NOT_FOUND: entry('No existe nada en esta dirección', 'Revisa la dirección; mira /docs.'),
  NOT_BUILT: entry('Esta llamada del servicio antiguo no existe aquí', 'docs/compatibility.md nombra el reemplazo.'),
  METHOD_NOT_ALLOWED: entry('Esta dirección no acepta ese método', 'El encabezado Allow dice cuáles acepta.'),
  REQUEST_TIMEOUT: entry('La solicitud tardó demasiado en llegar', 'Envía los encabezados y el cuerpo sin pausas.'),
  REFERENCE_CONFLICT: entry(
    'La referencia ya se usó',
    'Una referencia es de una sola orden, para siempre. Usa una nueva o repite la primera solicitud firmada tal cual.',
  ),
  LISTENER_ENDED: entry(
    'El oyente terminó, o venció su reserva de este callback',
    'Otro oyente lo reemplazó, no envió solicitudes por demasiado tiempo, o el reloj volvió atrás. Comienza un oyente nuevo; los callbacks que no llegaron se envían otra vez.',
  ),
  IDEMPOTENCY_KEY_REUSED: entry(
    'La clave de idempotencia ya se usó con otra solicitud',
    'Una clave es de una sola solicitud. Usa una nueva o repite la primera solicitud tal cual.',
  ),
  VALIDATION_NOT_USABLE: entry(
    'La validación no se puede usar para un destinatario',
    'Valida la cuenta de nuevo. El veredicto debe ser plausible o confirmed y más nuevo que VERDICT_MAX_AGE_DAYS. Más de una fuente debe conocer el banco.',
  ),
  ACCOUNT_NOT_VALIDATED: entry(
    'Esta no es la cuenta que se validó',
    'Envía el mismo RUT, banco y cuenta de la validación, o valida primero esta cuenta.',
  ),
  RECIPIENT_CONFLICT: entry(
    'El destinatario o la validación no coincide',
    'Otro titular necesita un destinatario nuevo. Una validación se guarda una sola vez: para otros datos, valida de nuevo.',
  ),
  CHANGED_IN_STORE: entry(
    'Esto se cambió en la base de datos, por fuera del servicio',
    'Avisa a quienes operan el servicio: el registro nombra la fila. Un respaldo tiene el original.',
  ),
  PAYOUT_CONFLICT: entry(
    'El id es de otro pago',
    'Envía los mismos campos para leer el mismo pago, o elige un id nuevo para uno nuevo.',
  ),
  PAYOUT_STATE: entry('El estado del pago no permite esto', 'Lee primero el pago: su estado dice qué se puede hacer.'),
  APPROVAL_REFUSED: entry(
    'Esta aprobación no se puede dar',
    'Mira el detalle: hace falta otra persona, una validación más nueva o una propuesta nueva.',
  ),
  PAYOUT_LIMIT_REACHED: entry(
    'Se alcanzó un límite de pagos a terceros',
    'Espera al día siguiente, paga menos o pide a un operador que cambie el límite: bin/rubrica payout limits.',
  ),
  INSUFFICIENT_BALANCE: entry(
    'El comercio no tiene suficiente dinero',
    'Lee GET /availableBalance; anota un depósito o paga menos.',
  ),
  PERSON_NEEDED: entry(
    'Esto solo lo puede hacer un usuario con nombre',
    'Nombra al usuario: --as CORREO en la línea de comandos. Si el usuario es un programa, que lo haga una persona.',
  ),
  PAYMENT_SERVICE_AMBIGUOUS: entry(
    'No está claro de qué servicio de pago se trata',
    'Nómbralo en `paymentServiceId` donde la solicitud tiene ese campo. Si no, usa un usuario de un solo servicio de pago: `bin/rubrica user create --payment-service ID`.',
  ),
  ACCOUNT_NOT_PAYABLE: entry(
    'A esta cuenta no se le puede pagar',
    'Mira errors[]: corrige el RUT, el banco o la cuenta y envíalo de nuevo.',
  ),
  INVALID_STATEMENT: entry(
    'La cartola del banco no se puede verificar',
    'Expórtala otra vez del banco, completa y tal como viene: CSV, .xlsx o .xls.',
  ),
  INVALID_PAYOUT: entry('Los pagos no son válidos', 'errors[] nombra cada fila o miembro y cómo corregirlo.'),
  USER_EXISTS: entry('Ya existe un usuario con esta dirección', 'Usa el usuario que existe, u otra dirección.'),
  NOT_PAYABLE: entry('La transacción ya no se puede pagar', 'Crea una transacción nueva con una referencia nueva.'),
  PAYMENT_IN_PROGRESS: entry('Hay un pago en curso', 'Espera su resultado; no pagues otra vez.'),
  PAYLOAD_TOO_LARGE: entry(
    'El cuerpo es demasiado grande',
    'Envía a lo más 16 KiB (512 KiB para un lote, 3 MiB para un archivo de banco).',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    'Aquí no se acepta ese tipo de contenido',
    'Envía application/json en UTF-8, o un formulario donde la referencia de la API lo diga.',
  ),
  EXPECTATION_FAILED: entry('No se puede cumplir lo que pide Expect', 'Quita el encabezado Expect.'),
  INVALID_BODY: entry('El cuerpo de la solicitud no es válido', 'errors[] nombra cada miembro y cómo corregirlo.'),
  RATE_LIMITED: entry('Demasiadas solicitudes', 'Espera los segundos que dice Retry-After.'),
  HEADERS_TOO_LARGE: entry('Los encabezados son demasiado grandes', 'Envía a lo más 8 KiB y 64 encabezados.'),
  INTERNAL: entry(
    'El servicio falló',
    'Dale al operador el request_id. Repetir una solicitud firmada con la misma referencia es seguro.',
  ),
  OVERLOADED: entry(
    'El servicio está ocupado',
    'Repite la misma solicitud después de Retry-After; la misma referencia nunca se cobra dos veces.',
  ),
  CURSOR_BEFORE_RESTORE: entry(
    'El cursor es anterior a la restauración del servicio desde un respaldo',
    'Sigue con data.next de esta respuesta. Los eventos que leíste y que ya no están se perdieron: compara sus transacciones con GET /trxs/{id}.',
  ),
  CURSOR_OF_ANOTHER_DATABASE: entry(
    'El cursor es de la base de datos que el servicio de pago dejó',
    'Sigue con data.next de esta respuesta, que comienza con el primer evento guardado aquí. Los eventos que ya leíste vienen otra vez con el mismo id: atiende cada id una sola vez.',
  ),
  CURSOR_TOO_OLD: entry(
    'Los eventos que siguen al cursor se borraron',
    'Sigue con data.next de esta respuesta. Los eventos que hubo entremedio se borraron por su edad: compara tus transacciones con GET /trxs/{id}.',
  ),
  HELD_AFTER_RESTORE: entry(
    'El servicio se restauró desde un respaldo y este pago se está revisando',
    'No se cobró nada. Intenta más tarde.',
  ),
  STOPPING: entry('El servicio se está reiniciando', 'Repite la misma solicitud después de Retry-After.'),
  OUTCOME_UNKNOWN: entry(
    'No se sabe si la solicitud quedó guardada',
    'Repite la misma solicitud: la misma referencia responde con el primer resultado, o la crea ahora.',
  ),
  STORAGE_FULL: entry('El disco está lleno', 'No se guardó nada. Repite la misma solicitud más tarde.'),
  STORAGE_UNAVAILABLE: entry(
    'La base de datos no responde',
    'No se guardó nada. Repite la misma solicitud después de Retry-After.',
  ),
  PAYMENT_SERVICE_MOVED: entry(
    'El servicio de pago se atiende en otra dirección',
    'Envía esta y las próximas solicitudes a la dirección de data.address. Aquí no se guardó nada.',
  ),
  PAYMENT_SERVICE_MOVING: entry(
    'El servicio de pago se está trasladando a otra base de datos',
    'No se guardó nada. Repite la misma solicitud después de Retry-After: un traslado hace esperar unos segundos.',
  ),
  NO_PAYMENT_METHOD: entry(
    'Ningún medio de pago puede cobrar esto',
    'No se guardó nada. Usa tokens de desarrollo con el medio simulado, o pide al operador que configure un medio.',
  ),
};

/** `SIGNING_CATALOGUE` in Spanish: the error, as it follows the name of the field; what to do. */
export const SPANISH_SIGNING: Readonly<Record<SigningCode, readonly [predicate: string, fix: string]>> = {
  INVALID_JSON: ['no es JSON válido', 'Arma el cuerpo con una biblioteca de JSON, no uniendo texto.'],
  INVALID_ENCODING: [
    'no es texto bien formado',
    'Envía UTF-8 sin marca de orden de bytes, con escapes de porcentaje y pares sustitutos completos.',
  ],
  NOT_AN_OBJECT: ['debe ser un objeto JSON', 'Envía los campos como miembros de un solo objeto.'],
  DUPLICATE_KEY: ['aparece más de una vez', 'Envía cada campo una vez: no hay acuerdo sobre cuál de los dos vale.'],
  FORBIDDEN_KEY: ['no se permite como nombre', 'Quita este nombre.'],
  JSON_TOO_DEEP: ['tiene demasiados niveles', 'Anida menos niveles, contando el objeto de afuera.'],
  TOO_MANY_FIELDS: ['tiene demasiados campos', 'Envía menos campos, contando los de los objetos de adentro.'],
  FIELD_TOO_LONG: [
    'es demasiado largo',
    'Acorta el valor: a lo más 100 caracteres en una referencia, un id de sesión o un Service Token, 254 en un correo, 2048 en una URL, 4096 en cualquier otro valor.',
  ],
  CONTROL_CHARACTER: [
    'contiene un carácter de control',
    'Quita saltos de línea, tabulaciones y otros caracteres de control.',
  ],
  UNKNOWN_FIELD: [
    'no es un campo de este mensaje',
    'Quítalo. Los nombres van en minúsculas y no se aceptan campos de más.',
  ],
  MISSING_FIELD: [
    'falta',
    'Envía el campo: no tiene un valor por omisión. Si la solicitud va firmada, fírmalo también.',
  ],
  EMPTY_FIELD: ['está vacío', 'Dale un valor al campo. Si la solicitud va firmada, firma ese valor.'],
  INVALID_TYPE: [
    'tiene el tipo JSON equivocado',
    'Envía texto. En una solicitud x_amount y x_reference pueden ser también números enteros. x_products y los demás campos sin firma deben ser objetos o listas.',
  ],
  AMBIGUOUS_FIELD: [
    'contiene el nombre de otro campo',
    'En las URL escribe _ como %5F (?x%5Freference=1) y no pongas nombres de campos en ningún otro valor.',
  ],
  SIGNATURE_MISSING: ['falta', 'Envía x_signature: HMAC-SHA256 de los campos ordenados, en hexadecimal y minúsculas.'],
  SIGNATURE_INVALID: [
    'no corresponde a los campos',
    'Revisa el secreto y que cada campo se envíe tal como se firmó; `rubrica explain` dice la causa.',
  ],
  INVALID_ACCOUNT_ID: ['no es un Service Token', 'Envía el Service Token: de 1 a 100 caracteres ASCII visibles.'],
  INVALID_AMOUNT: [
    'no es un monto de esta moneda',
    'Escribe un monto mayor que cero con a lo más once dígitos: mil es 1000, sin punto ni coma de miles. Uno o dos decimales si la moneda los tiene, como 10.50; CLP no tiene.',
  ],
  INVALID_CURRENCY: ['no es una moneda', 'Envía un código ISO 4217 en mayúsculas, como CLP.'],
  INVALID_COUNTRY: ['no es un código de país', 'Envía dos letras, como CL.'],
  INVALID_URL: [
    'no es una URL aceptable',
    'Envía una URL https absoluta en su forma normal, sin usuario, contraseña ni fragmento. Solo x_url_cancel puede ser una ruta: /cart.',
  ],
  INVALID_EMAIL: ['no es un correo electrónico', 'Envía una sola dirección, como nombre@example.com.'],
  INVALID_SESSION_ID: [
    'no es un id de sesión',
    'Envía de 5 a 100 caracteres latinos visibles, sin espacios en los extremos.',
  ],
  INVALID_REFERENCE: [
    'no es una referencia',
    'Envía de 1 a 100 caracteres latinos visibles, sin espacios en los extremos.',
  ],
  CARD_NUMBER: [
    'parece un número de tarjeta',
    'Envía tu propio número. Si solo se parece, escribe una letra justo antes, como A, sin guion.',
  ],
  INVALID_TIMESTAMP: ['no es una hora', 'Envía una hora ISO 8601 en UTC, como 2026-01-01T00:00:00.000Z.'],
  INVALID_RESULT: ['no es un resultado', 'Envía completed, failed o pending.'],
  INVALID_TEST: ['no es ni true ni false', 'Envía el texto true o false.'],
  ACCOUNT_MISMATCH: ['no es tu Service Token', 'Ignóralo: el callback es para otro.'],
  REFERENCE_MISMATCH: ['no es la referencia de tu orden', 'Ignóralo: el callback es de otra orden.'],
  AMOUNT_MISMATCH: ['no es el monto de tu orden', 'No entregues; busca la transacción.'],
  CURRENCY_MISMATCH: ['no es la moneda de tu orden', 'No entregues; busca la transacción.'],
  TEST_MISMATCH: ['es del otro ambiente', 'No entregues: un pago de prueba completado no es un pago.'],
  WEBHOOK_HEADERS_MISSING: [
    'llegó sin los encabezados del webhook',
    'Ignóralo y revisa que tu proxy deje pasar webhook-id, webhook-timestamp y webhook-signature.',
  ],
  WEBHOOK_SIGNATURE_INVALID: [
    'no es lo que firman los encabezados del webhook',
    'Ignóralo; verifica el cuerpo sin tocarlo y ambos secretos.',
  ],
  WEBHOOK_TIME_REFUSED: ['no se envió recién', 'Ignóralo: puede ser una repetición. Revisa tu propio reloj.'],
};

function entry(title: string, fix: string): { title: string; fix: string } {
  return { title, fix };
}

/** The details that follow a finding of a body parser after a colon, by their English; `*` stands for a number. */
export const SPANISH_SIGNING_DETAILS: Readonly<Record<string, string>> = {
  'these bytes are not UTF-8': 'estos bytes no son UTF-8',
  'it starts with a byte order mark': 'empieza con una marca de orden de bytes',
  'a surrogate stands alone': 'hay medio par sustituto',
  'a percent escape is wrong': 'un escape de porcentaje está mal',
  'it holds a NUL': 'contiene un NUL',
  'it is empty': 'está vacío',
  'it ends too early': 'termina antes de tiempo',
  'unexpected character at *': 'carácter inesperado en la posición *',
  'at most * are taken': 'se aceptan a lo más *',
  'at most * levels are taken': 'se aceptan a lo más * niveles',
};
