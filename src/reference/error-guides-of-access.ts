import { guide } from './error-guide.ts';

/** Of who may do what, of what is there already, and of the service itself. */
export const ACCESS_GUIDES = {
  SIGNATURE_MISSING: guide(
    'sign',
    ['{"x_amount": "1000"}', '{"x_amount": "1000", "x_signature": "3b2f…"}'],
    ['The body was sent without a signature, or with it under another name.'],
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
      'The fields were not sorted by name, or have something between them.',
    ],
    [
      'Los dos tokens son de ambientes distintos.',
      'Un campo se cambió o se agregó después de firmar.',
      'Los campos no se ordenaron por nombre, o llevan algo en medio.',
    ],
  ),
  TOKEN_MISSING: guide(
    'logIn',
    ['GET /trxs/42', 'GET /trxs/42\nAuthorization: Bearer eyJ…'],
    ['The header Authorization was not sent, or a proxy takes it away.'],
    ['No se envió el encabezado Authorization, o un proxy lo quita.'],
  ),
  TOKEN_INVALID: guide(
    'logIn',
    ['Authorization: Bearer api_…', 'Authorization: Bearer eyJ…'],
    [
      'The access token has expired.',
      'An API token was sent in place of an access token.',
      'It was issued by another installation.',
    ],
    [
      'El token de acceso venció.',
      'Se envió un token de API en lugar de un token de acceso.',
      'Lo emitió otra instalación.',
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
    ['GET /payments?x_account_id=1', 'GET /payments?x_account_id=…Service Token…'],
    ['The Secret Token, or the number of the merchant, was sent in its place.', 'The payment service was disabled.'],
    ['Se envió en su lugar el Secret Token o el número del comercio.', 'El servicio de pago se deshabilitó.'],
  ),
  LOGIN_FAILED: guide(
    'ask',
    ['{"email": "ana@example.cl ", "password": "…"}', '{"email": "ana@example.cl", "password": "…"}'],
    ['A typing error in one of them.', 'The password was reset, or the user was disabled.'],
    ['Un error de digitación en uno de los dos.', 'La contraseña se cambió, o el usuario se deshabilitó.'],
  ),
  SECOND_FACTOR_NEEDED: guide(
    'ask',
    [
      'POST /users/login {"email": "ana@example.cl", "password": "…"}',
      'POST /loginToken, with an API token of the program',
    ],
    ['A program logs in as a person who has added a second factor at the console.'],
    ['Un programa entra con los datos de una persona que añadió un segundo factor en la consola.'],
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
    ['The user was made to read payments alone.'],
    ['El usuario se creó solo para leer pagos.'],
  ),
  PERMISSION_MISSING: guide(
    'ask',
    ['"data": {"permission": "refunds:create"}', 'a user with refunds:create'],
    ['The role of the user does not have it. data.permission of the answer names it.'],
    ['El rol del usuario no lo tiene. data.permission de la respuesta lo nombra.'],
  ),
  REFUND_LIMIT_REACHED: guide(
    'ask',
    ['{"amount": 150000}', '{"amount": 40000}'],
    ['What was refunded today and this refund are more than the limit of the user.'],
    ['Lo que se devolvió hoy y esta devolución superan el límite del usuario.'],
  ),
  NO_PERMISSION: guide(
    'ask',
    ['GET /webhooks/7', 'GET /webhooks/{your own id}'],
    ['The id in the address is of another user.', 'The user does not see this payment service.'],
    ['El id de la dirección es de otro usuario.', 'El usuario no ve este servicio de pago.'],
  ),
  REFERENCE_CONFLICT: guide(
    'look',
    ['ORD-1042 for 12990, then ORD-1042 for 14990', 'ORD-1042 for 12990, then ORD-1042-2 for 14990'],
    ['The cart was changed after the first attempt, and the order kept its number.', 'A test used the number before.'],
    ['El carro cambió después del primer intento y la orden conservó su número.', 'Una prueba ya usó el número.'],
  ),
  LISTENER_ENDED: guide(
    'api',
    ['POST /listeners/1-old…/next', 'POST /listeners, then POST /listeners/1-new…/next'],
    [
      'Another `bin/rubrica listen` began for the same payment service.',
      'The computer slept for more than 30 seconds.',
    ],
    ['Empezó otro `bin/rubrica listen` para el mismo servicio de pago.', 'El computador durmió más de 30 segundos.'],
  ),
  IDEMPOTENCY_KEY_REUSED: guide(
    'api',
    ['Idempotency-Key: 1  (for every request)', 'Idempotency-Key: 0f8e…  (one for each)'],
    ['The key is a constant, or is made once for each process.'],
    ['La clave es una constante, o se crea una vez por proceso.'],
  ),
  VALIDATION_NOT_USABLE: guide(
    'api',
    ['"verdict": "invalid"', '"verdict": "plausible"'],
    ['The account was not valid.', 'The verdict is too old, or the provider is still checking.'],
    ['La cuenta no era válida.', 'El veredicto es demasiado antiguo, o el proveedor aún verifica.'],
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
    ['The account is of another holder, or the validation was kept before.'],
    ['La cuenta es de otro titular, o la validación ya se había guardado.'],
  ),
  USER_EXISTS: guide(
    'ask',
    ['ana@example.cl, twice', 'ana@example.cl, once'],
    ['The user was made before, perhaps in other letter case.'],
    ['El usuario ya se había creado, quizás con otras mayúsculas.'],
  ),
  NOT_PAYABLE: guide(
    'look',
    ['an old pay link', 'a new transaction and its pay link'],
    ['The time for paying is over.', 'The order was paid or cancelled in another tab.'],
    ['Se acabó el tiempo para pagar.', 'La orden se pagó o se anuló en otra pestaña.'],
  ),
  PAYMENT_IN_PROGRESS: guide(
    'look',
    ['two payments at once', 'one, and its outcome'],
    ['Another tab or another device is paying.', 'The bank has not answered yet.'],
    ['Otra pestaña u otro dispositivo está pagando.', 'El banco aún no responde.'],
  ),
  RATE_LIMITED: guide(
    'wait',
    ['1,000 requests at once', 'a few at a time, and Retry-After'],
    ['A loop repeats without a pause.', 'Many machines share one address.'],
    ['Un ciclo repite sin pausa.', 'Muchas máquinas comparten una dirección.'],
  ),
  INTERNAL: guide(
    'ask',
    ['a new order for the same purchase', 'the same request again'],
    ['The service has a fault. It is in its log, under the request_id.'],
    ['El servicio tiene una falla. Está en su registro, bajo el request_id.'],
  ),
  OVERLOADED: guide(
    'wait',
    ['repeat at once', 'repeat after Retry-After'],
    ['More arrives than the machine can store.'],
    ['Llega más de lo que la máquina puede guardar.'],
  ),
  CURSOR_BEFORE_RESTORE: guide(
    'look',
    ['GET /events?after=…old…', 'GET /events?after=…data.next…'],
    ['The service was restored from a backup, and the feed began anew behind it.'],
    ['El servicio se restauró desde un respaldo y la lista de eventos sigue desde ahí.'],
  ),
  CURSOR_TOO_OLD: guide(
    'look',
    ['GET /events?after=…of last year…', 'GET /events?after=…data.next…'],
    ['The program did not read for longer than events are kept.'],
    ['El programa no leyó por más tiempo del que se guardan los eventos.'],
  ),
  HELD_AFTER_RESTORE: guide(
    'wait',
    ['pay again at once', 'pay later'],
    ['The service was restored, and a person compares what was paid meanwhile.'],
    ['El servicio se restauró y una persona compara lo que se pagó entretanto.'],
  ),
  STOPPING: guide(
    'wait',
    ['give up', 'repeat after Retry-After'],
    ['A new version is being started.'],
    ['Se está iniciando una versión nueva.'],
  ),
  OUTCOME_UNKNOWN: guide(
    'look',
    ['a new x_reference', 'the same x_reference again'],
    ['The disk or the connection to the database failed at the moment of storing.'],
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
  NO_PAYMENT_METHOD: guide(
    'ask',
    ['"x_currency": "USD" where only CLP is collected', '"x_currency": "CLP"'],
    ['No payment method is set up for this environment.', 'None of them collects this currency or this amount.'],
    ['No hay un medio de pago configurado en este ambiente.', 'Ninguno cobra esta moneda o este monto.'],
  ),
} as const;
