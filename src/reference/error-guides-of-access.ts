import { guide } from './error-guide.ts';

/** Guides to errors of permissions, of conflicts with existing objects, and of the service itself. */
export const ACCESS_GUIDES = {
  SIGNATURE_MISSING: guide(
    'sign',
    ['{"x_amount": "1000"}', '{"x_amount": "1000", "x_signature": "3b2f…"}'],
    ['The body has no signature, or has it under another name.'],
    ['El cuerpo se envió sin firma, o con la firma bajo otro nombre.'],
  ),
  SIGNATURE_INVALID: guide(
    'sign',
    [
      'HMAC(production secret, …) with a development x_account_id',
      'HMAC(development secret, …) with a development x_account_id',
    ],
    [
      'The two tokens are of different environments.',
      'A field was changed or added after signing.',
      'The fields were not sorted by name, or were joined with separators.',
    ],
    [
      'Los dos tokens son de ambientes distintos.',
      'Un campo se cambió o se agregó después de firmar.',
      'Los campos no se ordenaron por nombre, o se unieron con separadores.',
    ],
  ),
  TOKEN_MISSING: guide(
    'logIn',
    ['GET /trxs/42', 'GET /trxs/42\nAuthorization: Bearer eyJ…'],
    ['The client sent no Authorization header, or a proxy removes it.'],
    ['No se envió el encabezado Authorization, o un proxy lo quita.'],
  ),
  TOKEN_INVALID: guide(
    'logIn',
    ['Authorization: Bearer api_…', 'Authorization: Bearer eyJ…'],
    [
      'The access token has expired.',
      'An API token was sent instead of an access token.',
      'Another installation issued the token.',
    ],
    [
      'El token de acceso venció.',
      'Se envió un token de API en lugar de un token de acceso.',
      'Otra instalación emitió el token.',
    ],
  ),
  PRIVATE_TOKEN_RETIRED: guide(
    'logIn',
    ['Authorization: 1f0c7b2e-…', 'Authorization: Bearer eyJ…'],
    ['The program still sends the private token of the beta.'],
    ['El programa aún envía el token privado de la beta.'],
  ),
  API_TOKEN_INVALID: guide(
    'ask',
    ['{"email": "…", "apiToken": "api_old…"}', '{"email": "…", "apiToken": "api_new…"}'],
    ['The API token was ended or reset, or its user was disabled.'],
    ['El token de API se terminó o se cambió, o su usuario se deshabilitó.'],
  ),
  SERVICE_TOKEN_INVALID: guide(
    'ask',
    ['GET /v2/payments?x_account_id=1', 'GET /v2/payments?x_account_id=…Service Token…'],
    ['The Secret Token or the number of the merchant was sent instead.', 'The payment service was disabled.'],
    ['Se envió en su lugar el Secret Token o el número del comercio.', 'El servicio de pago se deshabilitó.'],
  ),
  LOGIN_FAILED: guide(
    'ask',
    ['{"username": "ana@exampel.cl", "password": "…"}', '{"username": "ana@example.cl", "password": "…"}'],
    ['The e-mail address or the password has a typing error.', 'The password was reset, or the user was disabled.'],
    ['Un error de digitación en el correo o la contraseña.', 'La contraseña se cambió, o el usuario se deshabilitó.'],
  ),
  SECOND_FACTOR_NEEDED: guide(
    'ask',
    [
      'POST /users/login {"username": "ana@example.cl", "password": "…"}',
      'POST /loginToken, with an API token of the program',
    ],
    [
      'A program logs in as a person with a second factor.',
      'A person approves money by API without a code, or has no second factor yet.',
    ],
    [
      'Un programa inicia sesión como una persona que tiene un segundo factor.',
      'Una persona aprueba dinero por la API sin un código, o todavía no tiene un segundo factor.',
    ],
  ),
  FACTOR_REFUSED: guide(
    'wait',
    ['123456, a second time', '123456, and then the next code'],
    ['The clock of the phone is more than 30 seconds off.', 'The code was used before.'],
    ['El reloj del teléfono está corrido en más de 30 segundos.', 'El código ya se usó.'],
  ),
  PAYOUTS_NOT_ENABLED: guide(
    'ask',
    ['"payouts": false', '"payouts": true'],
    ['The user may only read payments.'],
    ['El usuario solo puede leer pagos.'],
  ),
  PERMISSION_MISSING: guide(
    'ask',
    ['"data": {"permission": "refunds:create"}', 'a user with refunds:create'],
    ['The role of the user lacks the permission. data.permission of the response names it.'],
    ['Al rol del usuario le falta el permiso. data.permission de la respuesta lo nombra.'],
  ),
  MORE_THAN_YOURS: guide(
    'ask',
    ['POST /api-tokens for an owner, by a program with only users:manage', 'the same by an owner'],
    [
      'A token for a user with more rights would give those rights to its creator.',
      'A program requested a token for itself.',
    ],
    [
      'Un token de un usuario con más permisos le daría esos permisos a quien lo crea.',
      'Un programa pidió un token para sí mismo.',
    ],
  ),
  REFUND_LIMIT_REACHED: guide(
    'ask',
    ['{"amount": 150000}', '{"amount": 40000}'],
    ['Today’s refunds and this one together exceed the limit of the user.'],
    ['Las devoluciones de hoy y esta superan juntas el límite del usuario.'],
  ),
  NO_PERMISSION: guide(
    'ask',
    ['GET /webhooks/7', 'GET /webhooks/{your own id}'],
    ['The id in the address belongs to another user.', 'The user does not see this payment service.'],
    ['El id de la dirección es de otro usuario.', 'El usuario no ve este servicio de pago.'],
  ),
  REFERENCE_CONFLICT: guide(
    'look',
    ['ORD-1042 for 12990, then ORD-1042 for 14990', 'ORD-1042 for 12990, then ORD-1042-2 for 14990'],
    ['The cart was changed after the first attempt, and the order kept its number.', 'A test already used the number.'],
    ['El carro cambió después del primer intento y la orden conservó su número.', 'Una prueba ya usó el número.'],
  ),
  LISTENER_ENDED: guide(
    'api',
    ['POST /listeners/1-old…/next', 'POST /listeners, then POST /listeners/1-new…/next'],
    [
      'Another `bin/rubrica listen` started for the same payment service.',
      'The computer slept for more than 30 seconds.',
    ],
    ['Empezó otro `bin/rubrica listen` para el mismo servicio de pago.', 'El computador durmió más de 30 segundos.'],
  ),
  IDEMPOTENCY_KEY_REUSED: guide(
    'api',
    ['Idempotency-Key: 1  (for every request)', 'Idempotency-Key: 0f8e…  (one for each)'],
    ['The key is a constant, or the program creates it once per process.'],
    ['La clave es una constante, o se crea una vez por proceso.'],
  ),
  VALIDATION_NOT_USABLE: guide(
    'api',
    ['"verdict": "invalid"', '"verdict": "plausible"'],
    [
      'The account was not valid.',
      'The verdict is too old, or the provider is still checking.',
      'Only one source knows the bank, so payouts to it are refused.',
    ],
    [
      'La cuenta no era válida.',
      'El veredicto es demasiado antiguo, o el proveedor aún verifica.',
      'Solo una fuente conoce el banco, y no se le paga.',
    ],
  ),
  ACCOUNT_NOT_VALIDATED: guide(
    'api',
    ['validated 12345678, kept 12345679', 'validated 12345678, kept 12345678'],
    ['The account was corrected after its validation.'],
    ['La cuenta se corrigió después de validarla.'],
  ),
  RECIPIENT_CONFLICT: guide(
    'api',
    ['POST /recipients/{id of Ana} with an account of Ben', 'POST /recipients with an account of Ben'],
    ['The account belongs to another holder, or the validation was stored before.'],
    ['La cuenta es de otro titular, o la validación ya se había guardado.'],
  ),
  CHANGED_IN_STORE: guide(
    'ask',
    [
      'GET /recipients/{id of Ana}',
      'POST /recipients/{id of Ana} with a new validation, then GET /recipients/{id of Ana}',
    ],
    ['Somebody wrote to the database by hand, or part of it was damaged.'],
    ['Alguien escribió en la base a mano, o una parte de ella se dañó.'],
  ),
  USER_EXISTS: guide(
    'ask',
    ['ana@example.cl, twice', 'ana@example.cl, once'],
    ['The user already exists, perhaps with upper-case letters.'],
    ['El usuario ya existe, quizás con mayúsculas.'],
  ),
  NOT_PAYABLE: guide(
    'look',
    ['an old pay link', 'a new transaction and its pay link'],
    ['The time to pay has expired.', 'The order was paid or cancelled in another tab.'],
    ['Se acabó el tiempo para pagar.', 'La orden se pagó o se anuló en otra pestaña.'],
  ),
  PAYMENT_IN_PROGRESS: guide(
    'look',
    ['two payments at once', 'one, and its outcome'],
    ['Another tab or another device is paying.', 'The bank has not responded yet.'],
    ['Otra pestaña u otro dispositivo está pagando.', 'El banco aún no responde.'],
  ),
  RATE_LIMITED: guide(
    'wait',
    ['1,000 requests at once', 'a few at a time, and Retry-After'],
    ['A loop sends requests without a pause.', 'Many machines share one IP address.'],
    ['Un ciclo envía solicitudes sin pausa.', 'Muchas máquinas comparten una dirección IP.'],
  ),
  INTERNAL: guide(
    'ask',
    ['a new order for the same purchase', 'the same request again'],
    ['The service has a bug. The log has the error under the request_id.'],
    ['El servicio tiene una falla. El registro tiene el error bajo el request_id.'],
  ),
  OVERLOADED: guide(
    'wait',
    ['retry at once', 'retry after Retry-After'],
    ['Requests arrive faster than the machine can store them.'],
    ['Las solicitudes llegan más rápido de lo que la máquina puede guardarlas.'],
  ),
  CURSOR_BEFORE_RESTORE: guide(
    'look',
    ['GET /events?after=…old…', 'GET /events?after=…data.next…'],
    ['The service was restored from a backup, and the feed continues from that backup.'],
    ['El servicio se restauró desde un respaldo y la lista de eventos sigue desde ahí.'],
  ),
  CURSOR_OF_ANOTHER_DATABASE: guide(
    'look',
    ['GET /events?after=…of the other group…', 'GET /events?after=…data.next…'],
    ['The payment service has moved to another group of the installation, whose feed has its own order.'],
    ['El servicio de pago se trasladó a otro grupo de la instalación, cuya lista de eventos tiene su propio orden.'],
  ),
  CURSOR_TOO_OLD: guide(
    'look',
    ['GET /events?after=…of last year…', 'GET /events?after=…data.next…'],
    ['The program has not read events for longer than they are stored.'],
    ['El programa no ha leído eventos por más tiempo del que se guardan.'],
  ),
  HELD_AFTER_RESTORE: guide(
    'wait',
    ['pay again at once', 'pay later'],
    ['The service was restored, and a person compares the payments since the backup.'],
    ['El servicio se restauró y una persona compara los pagos desde el respaldo.'],
  ),
  STOPPING: guide(
    'wait',
    ['give up', 'retry after Retry-After'],
    ['A new version is starting.'],
    ['Se está iniciando una versión nueva.'],
  ),
  OUTCOME_UNKNOWN: guide(
    'look',
    ['a new x_reference', 'the same x_reference again'],
    ['The disk or the database connection failed during the write.'],
    ['El disco o la conexión con la base de datos falló al momento de guardar.'],
  ),
  STORAGE_FULL: guide(
    'ask',
    ['a new x_reference', 'the same x_reference later'],
    ['The disk of the service is full.'],
    ['El disco del servicio está lleno.'],
  ),
  STORAGE_UNAVAILABLE: guide(
    'wait',
    ['a new x_reference', 'the same x_reference after Retry-After'],
    ['The database is restarting or cannot be reached.'],
    ['La base de datos se está reiniciando o no se alcanza.'],
  ),
  PAYMENT_SERVICE_MOVED: guide(
    'ask',
    ['the address that you had', 'the address in data.address'],
    ['The operator moved your payment service to another group of servers.'],
    ['El operador movió tu servicio de pago a otro grupo de servidores.'],
  ),
  PAYMENT_SERVICE_MOVING: guide(
    'wait',
    ['give up', 'the same x_reference after Retry-After'],
    ['The operator is moving your payment service to another database.'],
    ['El operador está trasladando tu servicio de pago a otra base de datos.'],
  ),
  NO_PAYMENT_METHOD: guide(
    'ask',
    ['"x_currency": "USD" where only CLP is collected', '"x_currency": "CLP"'],
    ['No payment method is set up for this environment.', 'No payment method collects this currency or this amount.'],
    ['No hay un medio de pago configurado en este ambiente.', 'Ninguno cobra esta moneda o este monto.'],
  ),
} as const;
