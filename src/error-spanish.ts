import type { SigningCode } from '../protocol/signing-error.ts';
import type { ErrorCode } from './error-catalogue.ts';

/** Every entry of `CATALOGUE` in Spanish. A code without its text does not compile. */
export const SPANISH_ERRORS: Readonly<Record<ErrorCode, { title: string; fix: string }>> = {
  INVALID_JSON: {
    title: 'El cuerpo no es JSON válido',
    fix: 'Envía un solo objeto JSON, en UTF-8, sin nada después.',
  },
  NOT_AN_OBJECT: {
    title: 'El cuerpo no es un objeto JSON',
    fix: 'Envía los campos como miembros de un solo objeto.',
  },
  INVALID_ENCODING: {
    title: 'El cuerpo no es UTF-8 bien formado',
    fix: 'Codifica el texto en UTF-8, sin sustitutos sueltos.',
  },
  DUPLICATE_KEY: { title: 'Un nombre aparece dos veces', fix: 'Envía cada campo exactamente una vez.' },
  FORBIDDEN_KEY: {
    title: 'Un nombre está prohibido',
    fix: 'Quita __proto__, constructor y prototype.',
  },
  JSON_TOO_DEEP: { title: 'El cuerpo tiene demasiados niveles', fix: 'Anida a lo más cuatro niveles.' },
  TOO_MANY_FIELDS: { title: 'El cuerpo tiene demasiados miembros', fix: 'Envía a lo más 64 miembros en total.' },
  FIELD_TOO_LONG: {
    title: 'Un valor es demasiado largo',
    fix: 'Acórtalo al largo que da la referencia de la API.',
  },
  CONTROL_CHARACTER: {
    title: 'Un valor contiene un carácter de control',
    fix: 'Quita los saltos de línea y los demás caracteres de control.',
  },
  UNKNOWN_FIELD: {
    title: 'Un campo es desconocido',
    fix: 'Envía solo los campos de la referencia de la API.',
  },
  MISSING_FIELD: { title: 'Falta un campo obligatorio', fix: 'Envíalo y fírmalo junto con los demás.' },
  EMPTY_FIELD: { title: 'Un campo obligatorio está vacío', fix: 'Dale un valor antes de firmar.' },
  INVALID_TYPE: {
    title: 'Un valor es del tipo equivocado',
    fix: 'Envía texto; x_amount y x_reference también pueden ser números JSON.',
  },
  AMBIGUOUS_FIELD: {
    title: 'Un valor contiene el nombre de un campo',
    fix: 'La firma no lleva separadores, así que ese valor se podría leer como dos campos. En una URL escribe _ como %5F (?x%5Freference=1); en lo demás elige otro valor.',
  },
  INVALID_AMOUNT: {
    title: 'El monto no se puede usar',
    fix: 'Escribe solo dígitos: mil es 1000, sin punto ni coma de miles, sin signo ni ceros delante. Uno o dos decimales si la moneda los tiene; CLP no los tiene, a lo más .0 o .00. Mínimo 500 en CLP.',
  },
  INVALID_CURRENCY: {
    title: 'La moneda no es un código ISO 4217',
    fix: 'Envía tres letras mayúsculas, como CLP.',
  },
  INVALID_COUNTRY: { title: 'El país no es un código ISO 3166-1', fix: 'Envía dos letras, como CL.' },
  INVALID_EMAIL: {
    title: 'El correo electrónico no se puede usar',
    fix: 'Envía una sola dirección, como comprador@example.cl.',
  },
  INVALID_REFERENCE: {
    title: 'La referencia no se puede usar',
    fix: 'Envía de 1 a 100 caracteres ASCII visibles, sin espacios en los extremos.',
  },
  INVALID_SESSION_ID: {
    title: 'El id de sesión no se puede usar',
    fix: 'Envía de 5 a 100 caracteres visibles.',
  },
  CARD_NUMBER: {
    title: 'Un valor parece un número de tarjeta',
    fix: 'Solo el medio de pago puede recibir números de tarjeta. Envía tu propio número; si solo se parece a uno, haz que comience con una letra.',
  },
  INVALID_ACCOUNT_ID: {
    title: 'El Service Token no se puede usar',
    fix: 'Envía el Service Token de tu servicio de pago, de 1 a 100 caracteres.',
  },
  INVALID_URL: {
    title: 'Una URL no se puede usar',
    fix: 'Envía una URL https absoluta, escrita como la normaliza un navegador, sin usuario ni fragmento. Solo x_url_cancel puede ser una ruta de la tienda, como /cart.',
  },
  URL_NOT_ALLOWED: {
    title: 'Una URL apunta a una dirección que el servicio no llama',
    fix: 'Usa un nombre público en el puerto 443 u 8443. En desarrollo define ALLOW_PRIVATE_CALLBACKS y usa tokens de desarrollo.',
  },
  INVALID_PARAMETER: {
    title: 'Un parámetro no se puede usar',
    fix: 'Mira su formato en la referencia de la API.',
  },
  UNEXPECTED_QUERY: {
    title: 'Esta dirección no acepta parámetros en la URL',
    fix: 'Envía los campos solo en el cuerpo.',
  },
  HTTP_MALFORMED: {
    title: 'La solicitud no es HTTP/1.1 bien formado',
    fix: 'Usa un cliente HTTP común y revisa los proxies que haya en medio.',
  },
  DUPLICATE_HEADER: { title: 'Un encabezado que va una vez llegó dos veces', fix: 'Envíalo una vez.' },
  INVALID_HEADER: {
    title: 'Un encabezado no se puede usar',
    fix: 'Quítalo o escríbelo como muestra la referencia de la API.',
  },
  SIGNATURE_MISSING: {
    title: 'Falta la firma',
    fix: 'Agrega x_signature: HMAC-SHA256 del mensaje con tu Secret Token, en hexadecimal y minúsculas.',
  },
  SIGNATURE_INVALID: {
    title: 'La cuenta o la firma es incorrecta',
    fix: 'Compara el texto que firmaste con el de `bin/rubrica sign --message`, o deja que `bin/rubrica explain` diga la causa.',
  },
  TOKEN_MISSING: {
    title: 'Falta el token de acceso',
    fix: 'Inicia sesión y envía Authorization: Bearer seguido del token de acceso.',
  },
  TOKEN_INVALID: {
    title: 'El token de acceso no es válido',
    fix: 'Inicia sesión de nuevo: los tokens de acceso vencen y se pueden revocar.',
  },
  PRIVATE_TOKEN_RETIRED: {
    title: 'Los tokens privados de la beta ya no sirven',
    fix: 'Inicia sesión con POST /users/login o POST /loginToken y envía el token de acceso como Authorization: Bearer.',
  },
  API_TOKEN_INVALID: {
    title: 'El token de API no es válido',
    fix: 'Revísalo; un operador puede cambiarlo: `bin/rubrica user reset-api-token`.',
  },
  SERVICE_TOKEN_INVALID: {
    title: 'El Service Token no es válido',
    fix: 'Envía el Service Token de tu servicio de pago.',
  },
  LOGIN_FAILED: {
    title: 'Correo o contraseña incorrectos',
    fix: 'Revisa ambos; un operador puede cambiar la contraseña.',
  },
  SECOND_FACTOR_NEEDED: {
    title: 'Esta persona tiene un segundo factor: la contraseña no basta',
    fix: 'Un programa usa un token de API: `bin/rubrica user token create`. Una persona entra en /console.',
  },
  FACTOR_REFUSED: {
    title: 'El código no es correcto, o ya se usó',
    fix: 'Espera el siguiente código de tu app, o usa un código de recuperación.',
  },
  PAYOUTS_NOT_ENABLED: {
    title: 'Este usuario no tiene los pagos a terceros habilitados',
    fix: 'Pídelo a un operador: `bin/rubrica user payouts on`.',
  },
  PERMISSION_MISSING: {
    title: 'Al usuario le falta un permiso',
    fix: 'La respuesta nombra el permiso. Pídelo a quien administra los usuarios: `bin/rubrica user grant USER PERMISSION`.',
  },
  MORE_THAN_YOURS: {
    title: 'El usuario tiene más permisos que tú, o eres tú',
    fix: 'Pídelo a una persona con todos los permisos de este usuario: `bin/rubrica user list`. Nadie cambia sus propios permisos.',
  },
  REFUND_LIMIT_REACHED: {
    title: 'El usuario alcanzó su límite diario de devoluciones',
    fix: 'Pide que otra persona apruebe la devolución: `bin/rubrica refund request`. O espera al día siguiente en Chile, o pide un límite más alto: `bin/rubrica user refund-limit USER AMOUNT`.',
  },
  NO_PERMISSION: {
    title: 'El usuario no existe o no tiene permiso',
    fix: 'Revisa el id de la dirección y que el usuario vea el servicio de pago: `bin/rubrica user list`.',
  },
  NOT_FOUND: { title: 'No existe nada en esta dirección', fix: 'Revisa la dirección; mira /docs.' },
  NOT_BUILT: {
    title: 'Esta llamada del servicio antiguo no existe aquí',
    fix: 'docs/compatibility.md nombra el reemplazo.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'Esta dirección no acepta ese método',
    fix: 'El encabezado Allow dice cuáles acepta.',
  },
  REQUEST_TIMEOUT: {
    title: 'La solicitud tardó demasiado en llegar',
    fix: 'Envía los encabezados y el cuerpo sin pausas.',
  },
  REFERENCE_CONFLICT: {
    title: 'La referencia ya se usó con otros campos',
    fix: 'Una referencia es de una sola orden, para siempre. Usa una nueva o repite la primera solicitud tal cual.',
  },
  LISTENER_ENDED: {
    title: 'El oyente terminó, o venció su reserva de este callback',
    fix: 'Otro oyente lo reemplazó, o no envió solicitudes por demasiado tiempo. Comienza un oyente nuevo; los callbacks que no llegaron se envían otra vez.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    title: 'La clave de idempotencia ya se usó con otra solicitud',
    fix: 'Una clave es de una sola solicitud. Usa una nueva o repite la primera solicitud tal cual.',
  },
  VALIDATION_NOT_USABLE: {
    title: 'La validación no se puede usar para un destinatario',
    fix: 'Valida la cuenta de nuevo. El veredicto debe ser plausible o confirmed y más nuevo que VERDICT_MAX_AGE_DAYS. Más de una fuente debe conocer el banco.',
  },
  ACCOUNT_NOT_VALIDATED: {
    title: 'Esta no es la cuenta que se validó',
    fix: 'Envía el mismo RUT, banco y cuenta de la validación, o valida primero esta cuenta.',
  },
  RECIPIENT_CONFLICT: {
    title: 'El destinatario o la validación no coincide',
    fix: 'Otro titular necesita un destinatario nuevo. Una validación se guarda una sola vez: para otros datos, valida de nuevo.',
  },
  CHANGED_IN_STORE: {
    title: 'Esto se cambió en la base de datos, por fuera del servicio',
    fix: 'Avisa a quienes operan el servicio: el registro nombra la fila. Un respaldo tiene el original.',
  },
  PAYOUT_CONFLICT: {
    title: 'El id es de otro pago',
    fix: 'Envía los mismos campos para leer el mismo pago, o elige un id nuevo para uno nuevo.',
  },
  PAYOUT_STATE: {
    title: 'El estado del pago no permite esto',
    fix: 'Lee primero el pago: su estado dice qué se puede hacer.',
  },
  APPROVAL_REFUSED: {
    title: 'Esta aprobación no se puede dar',
    fix: 'Mira el detalle: hace falta otra persona, una validación más nueva o una propuesta nueva.',
  },
  PAYOUT_LIMIT_REACHED: {
    title: 'Se alcanzó un límite de pagos a terceros',
    fix: 'Espera al día siguiente, paga menos o pide a un operador que cambie el límite: bin/rubrica payout limits.',
  },
  INSUFFICIENT_BALANCE: {
    title: 'El comercio no tiene suficiente dinero',
    fix: 'Lee GET /availableBalance; anota un depósito o paga menos.',
  },
  PERSON_NEEDED: {
    title: 'Esto solo lo puede hacer un usuario con nombre',
    fix: 'Nombra al usuario: --as CORREO en la línea de comandos. Una aprobación necesita a una persona, no a un programa.',
  },
  PAYMENT_SERVICE_AMBIGUOUS: {
    title: 'No está claro de qué servicio de pago se trata',
    fix: 'Nómbralo en `paymentServiceId` donde la solicitud tiene ese campo. Si no, usa un usuario de un solo servicio de pago: `bin/rubrica user create --payment-service ID`.',
  },
  ACCOUNT_NOT_PAYABLE: {
    title: 'A esta cuenta no se le puede pagar',
    fix: 'Mira errors[]: corrige el RUT, el banco o la cuenta y envíalo de nuevo.',
  },
  INVALID_STATEMENT: {
    title: 'La cartola del banco no se puede verificar',
    fix: 'Expórtala otra vez del banco, completa y tal como viene: CSV, .xlsx o .xls.',
  },
  INVALID_PAYOUT: {
    title: 'Los pagos no son válidos',
    fix: 'errors[] nombra cada fila o miembro y cómo corregirlo.',
  },
  USER_EXISTS: {
    title: 'Ya existe un usuario con esta dirección',
    fix: 'Usa el usuario que existe, u otra dirección.',
  },
  NOT_PAYABLE: {
    title: 'La transacción ya no se puede pagar',
    fix: 'Crea una transacción nueva con una referencia nueva.',
  },
  PAYMENT_IN_PROGRESS: { title: 'Hay un pago en curso', fix: 'Espera su resultado; no pagues otra vez.' },
  PAYLOAD_TOO_LARGE: {
    title: 'El cuerpo es demasiado grande',
    fix: 'Envía a lo más 16 KiB (512 KiB para un lote, 3 MiB para un archivo de banco).',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'Aquí no se acepta ese tipo de contenido',
    fix: 'Envía application/json, o un formulario donde la referencia de la API lo diga.',
  },
  EXPECTATION_FAILED: { title: 'No se puede cumplir lo que pide Expect', fix: 'Quita el encabezado Expect.' },
  INVALID_BODY: {
    title: 'El cuerpo de la solicitud no es válido',
    fix: 'errors[] nombra cada miembro y cómo corregirlo.',
  },
  RATE_LIMITED: { title: 'Demasiadas solicitudes', fix: 'Espera los segundos que dice Retry-After.' },
  HEADERS_TOO_LARGE: {
    title: 'Los encabezados son demasiado grandes',
    fix: 'Envía a lo más 8 KiB y 64 encabezados.',
  },
  INTERNAL: {
    title: 'El servicio falló',
    fix: 'Dale al operador el request_id. Repetir una solicitud firmada con la misma referencia es seguro.',
  },
  OVERLOADED: {
    title: 'El servicio está ocupado',
    fix: 'Repite la misma solicitud después de Retry-After; la misma referencia nunca se cobra dos veces.',
  },
  CURSOR_BEFORE_RESTORE: {
    title: 'El cursor es anterior a la restauración del servicio desde un respaldo',
    fix: 'Sigue con data.next de esta respuesta. Los eventos que leíste y que ya no están se perdieron: compara sus transacciones con GET /trxs/{id}.',
  },
  CURSOR_OF_ANOTHER_DATABASE: {
    title: 'El cursor es de la base de datos que el servicio de pago dejó',
    fix: 'Sigue con data.next de esta respuesta, que comienza con el primer evento guardado aquí. Los eventos que ya leíste vienen otra vez con el mismo id: atiende cada id una sola vez.',
  },
  CURSOR_TOO_OLD: {
    title: 'Los eventos que siguen al cursor se borraron',
    fix: 'Sigue con data.next de esta respuesta. Los eventos que hubo entremedio se borraron por su edad: compara tus transacciones con GET /trxs/{id}.',
  },
  HELD_AFTER_RESTORE: {
    title: 'El servicio se restauró desde un respaldo y este pago se está revisando',
    fix: 'No se cobró nada. Intenta más tarde.',
  },
  STOPPING: { title: 'El servicio se está reiniciando', fix: 'Repite la misma solicitud después de Retry-After.' },
  OUTCOME_UNKNOWN: {
    title: 'No se sabe si la solicitud quedó guardada',
    fix: 'Repite la misma solicitud: la misma referencia responde con el primer resultado, o la crea ahora.',
  },
  STORAGE_FULL: {
    title: 'El disco está lleno',
    fix: 'No se guardó nada. Repite la misma solicitud más tarde.',
  },
  STORAGE_UNAVAILABLE: {
    title: 'La base de datos no responde',
    fix: 'No se guardó nada. Repite la misma solicitud después de Retry-After.',
  },
  PAYMENT_SERVICE_MOVED: {
    title: 'El servicio de pago se atiende en otra dirección',
    fix: 'Envía esta y las próximas solicitudes a la dirección de data.address. Aquí no se guardó nada.',
  },
  PAYMENT_SERVICE_MOVING: {
    title: 'El servicio de pago se está trasladando a otra base de datos',
    fix: 'No se guardó nada. Repite la misma solicitud después de Retry-After: un traslado hace esperar unos segundos.',
  },
  NO_PAYMENT_METHOD: {
    title: 'Ningún medio de pago puede cobrar esto',
    fix: 'No se guardó nada. Usa tokens de desarrollo con el medio simulado, o pide al operador que configure un medio.',
  },
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
  JSON_TOO_DEEP: ['tiene demasiados niveles', 'Anida a lo más cuatro niveles, contando el objeto de afuera.'],
  TOO_MANY_FIELDS: ['tiene demasiados campos', 'Envía a lo más 64 miembros, contando los de los objetos de adentro.'],
  FIELD_TOO_LONG: ['es demasiado largo', 'Acorta el valor; los límites están en la referencia de la API.'],
  CONTROL_CHARACTER: [
    'contiene un carácter de control',
    'Quita saltos de línea, tabulaciones y otros caracteres de control.',
  ],
  UNKNOWN_FIELD: [
    'no es un campo de este mensaje',
    'Quítalo. Los nombres van en minúsculas y no se aceptan campos de más.',
  ],
  MISSING_FIELD: ['falta', 'Envía el campo y fírmalo: ninguno tiene un valor por omisión.'],
  EMPTY_FIELD: ['está vacío', 'Dale un valor al campo y firma ese valor.'],
  INVALID_TYPE: [
    'tiene el tipo JSON equivocado',
    'Envía texto. En una solicitud solo x_amount y x_reference pueden ser números, y solo los campos sin firma objetos.',
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
    'Envía tu propio número. Si solo se parece, puede comenzar con una letra.',
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
