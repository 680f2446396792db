import { SPANISH_PAYOUT_MEMBERS } from './spanish-payout-members.ts';
import { SPANISH_REPLIES } from './spanish-replies.ts';

/** Spanish descriptions by their English text, except descriptions of endpoints. A test finds a missing one. */
export const SPANISH_MEMBERS: Readonly<Record<string, string>> = {
  ...SPANISH_PAYOUT_MEMBERS,
  ...SPANISH_REPLIES,
  'Service Token of the payment service': 'Service Token del servicio de pago',
  'Digits, with one or two decimals only if the currency has them. The signature covers the text as written.':
    'Dígitos; uno o dos decimales solo si la moneda los tiene. Se firma el texto tal como se escribe.',
  'ISO 4217': 'ISO 4217',
  'E-mail of the payer': 'Correo de quien paga',
  'Reference of the order. It belongs to one transaction for ever.':
    'Referencia de la orden. Es de una sola transacción, para siempre.',
  'Session of the shop': 'Sesión de la tienda',
  'ISO 3166-1, upper or lower case': 'ISO 3166-1, en mayúsculas o minúsculas',
  'URL of the callback': 'URL del callback',
  'Page for a payer who cancels: a URL, or a path on the origin of `x_url_complete`':
    'Página para quien anula: una URL, o una ruta en el origen de `x_url_complete`',
  'Page for the payer at the end of the payment': 'Página para quien paga, al final del pago',
  'HMAC-SHA256 of the message, lower-case hexadecimal': 'HMAC-SHA256 del mensaje, en hexadecimal y minúsculas',
  'Not signed; only stored': 'No se firma; solo se guarda',
  'Id of the transaction': 'Id de la transacción',
  'First the pay page, then the same page for each payment method':
    'Primero la página de pago, después la misma página para cada medio de pago',
  'URL of the page that explains the code': 'URL de la página que explica el código',
  'Stable error code; see `/errors/{code}`': 'Código que no cambia; mira `/errors/{code}`',
  'All errors, not only the first': 'Todos los errores, no solo el primero',
  'Code for older clients of the login endpoints': 'Código para clientes antiguos del inicio de sesión',
  '`idService` of `GET /trxs/{id}`, or the Service Token': '`idService` de `GET /trxs/{id}`, o el Service Token',
  'ISO 4217. Default: CLP': 'ISO 4217. Por defecto, CLP',
  'ISO 3166-1, upper or lower case. Default: CL': 'ISO 3166-1, en mayúsculas o minúsculas. Por defecto, CL',
  'Only stored': 'Solo se guarda',
  'The pay page': 'La página de pago',
  'With two decimals': 'Con dos decimales',
  'The same words as in a callback': 'Las mismas palabras que en un callback',
  'The payment method; `WebPayPST` is `webpay`': 'El medio de pago; `WebPayPST` es `webpay`',
  'Number of the environment of the payment service': 'Número del ambiente del servicio de pago',
  x_reference: 'La x_reference',
  'Fee; null unless the transaction is completed': 'Comisión; null si la transacción no está completada',
  'Always null; for clients that expect this member': 'Siempre null; para clientes que esperan este miembro',
  'As Webpay reports it: `VN` credit, `VD` debit, `VP` prepaid …':
    'Como lo informa Webpay: `VN` crédito, `VD` débito, `VP` prepago …',
  'Number of instalments': 'Número de cuotas',
  'Response code of the payment method; 0 means approved':
    'Código de respuesta del medio de pago; 0 significa aprobado',
  'As Webpay reports it': 'Como lo informa Webpay',
  'Sequence of the last event': 'Secuencia del último evento',
  'Amount in the currency of the transaction': 'Monto en la moneda de la transacción',
  '`total`: the whole remaining amount of the payment': '`total`: todo lo que queda del pago',
  'Accepted from existing clients and ignored': 'Se acepta de clientes existentes y se ignora',
  'Id of the refund': 'Id de la devolución',
  'Time of acceptance, in seconds since 1970': 'Hora en que se aceptó, en segundos desde 1970',
  Fees: 'Comisiones',
  '`amount` minus `cost`': '`amount` menos `cost`',
  'Milliseconds since 1970': 'Milisegundos desde 1970',
  'true if the whole payment has been refunded': 'true si ya se devolvió completo',
  'true if part of the payment has been refunded': 'true si ya se devolvió una parte',
  '`x_document` of the order': '`x_document` de la orden',
  'Position in the books: environment, link and line': 'Posición en los libros: ambiente, eslabón y línea',
  'Seconds since 1970': 'Segundos desde 1970',
  'Reference of the bank': 'Referencia del banco',
  'Amount of the day for the merchant': 'Monto del día para el comercio',
  'Sum of the payments': 'Suma de los pagos',
  'Sum of the refunds': 'Suma de las devoluciones',
  'Number of remittances, as text. Default: 10; at most 500':
    'Número de remesas, como texto. Por defecto, 10; 500 como máximo',
  'User of the access token': 'Usuario del token de acceso',
  'Message of a payout to a person; reference of a payout to a merchant':
    'Mensaje de un pago a una persona; referencia de un abono al comercio',
  'Null for a payout to a merchant and for an erased person': 'Null en un abono al comercio y en una persona borrada',
  'For a payout to a merchant, the name of its payment service':
    'En un abono al comercio, el nombre de su servicio de pago',
  'Null if none was given': 'Null si no se dio',
  'Null for a payout to a merchant': 'Null en un abono al comercio',
  'Five bullets and the last four digits': 'Cinco puntos y los últimos cuatro dígitos',
  'As in `GET /tef/{id}`. For a payout to a merchant, `failed` means that it was returned':
    'Como en `GET /tef/{id}`. En un abono al comercio, `failed` significa que se deshizo',
  'Unix seconds': 'Segundos Unix',
  'For an event of a transaction, also the `webhook-id` of its callback':
    'En un evento de una transacción, también el `webhook-id` de su callback',
  'State of the transaction after the event': 'Estado de la transacción después del evento',
  'With the decimals of a callback: `12990.00`': 'Con los decimales de un callback: `12990.00`',
  'Sum of the completed refunds': 'Suma de las devoluciones completadas',
  'With `q`: the part of the payment that matches the text': 'Con `q`: la parte del pago que coincide con el texto',
  'An event of the feed, a payment attempt, a callback, a delivery attempt, an entry of the books, a decision of a person about an attempt or a refund, or another act of a person or a program':
    'Un evento del feed, un intento de pago, un callback, un intento de entrega, un asiento de los libros, una decisión de una persona sobre un intento o una devolución, u otro acto de una persona o de un programa',
  'Type of the event, state, response, kind of entry, outcome, or action':
    'Tipo del evento, estado, respuesta, clase de asiento, resultado o acción',
  'Person or program that did it, if known': 'La persona o el programa que lo hizo, si se conoce',
  'Details, by name': 'Detalles, por nombre',
  'Time until which the transaction can be paid': 'Hasta cuándo se puede pagar la transacción',
  '`request_id` and `X-Request-Id` of the response': '`request_id` y `X-Request-Id` de la respuesta',
  'Path of the endpoint, with its parameters as names': 'Ruta del endpoint, con los nombres de sus parámetros',
  'Fields that the shop sent, without signatures, secrets and data of the payer':
    'Campos que envió la tienda, sin firmas, secretos ni datos de quien paga',
  'Number of similar requests in the same hour that were not stored':
    'Número de solicitudes iguales en la misma hora que no se guardaron',
  '12990, or 10.55 in a currency with decimals; also as text, as in responses':
    '12990, o 10.55 en una moneda con decimales; también como texto, igual que en las respuestas',
  'Default: CLP': 'Por defecto, CLP',
  'Reason of the payment, shown to the payer': 'Motivo del pago, que se muestra a quien paga',
  '`one` (default): can be paid once; `many`: can be paid any number of times':
    '`one` (por defecto): se paga una vez; `many`: se paga las veces que sea',
  'ISO 8601 with an offset or `Z`, within five years': 'ISO 8601 con desfase o `Z`, dentro de cinco años',
  'URL for the callback of each payment': 'URL del callback de cada pago',
  'Id of the payment service that is paid. Default: the only one that you see':
    'Id del servicio de pago que cobra. Por defecto, el único que ves',
  'Address to give to the payer': 'Dirección que le das a quien paga',
  'URL of an SVG file with the QR code of the address': 'URL de un archivo SVG con el código QR de la dirección',
  'URL of a page to print, with the QR code': 'URL de una página para imprimir, con el código QR',
  'Id of the payment service that is paid': 'Id del servicio de pago que cobra',
  '`one`: can be paid once; `many`: any number of times': '`one`: se paga una vez; `many`: las veces que sea',
  '`used`: a link for one payment was paid; `ended`: a user ended it':
    '`used`: un enlace para un solo pago se pagó; `ended`: un usuario lo cerró',
  'Number of payments': 'Número de pagos',
  'URL for the callback of each payment; null: no callbacks': 'URL del callback de cada pago; null: sin callbacks',
  'Time after which the link cannot be paid; null: until a user ends it':
    'Hora desde la que no se puede pagar; null: hasta que un usuario lo cierre',
  'Time at which a user ended it': 'Hora en que un usuario lo cerró',
  '`after` for the next page; null on the last page': '`after` de la página siguiente; null en la última',
  'URL of your server: https, with a public host name': 'URL de tu servidor: https, con un nombre de host público',
  'As you sent it. Default: POST. Events are always posted, because a GET cannot carry the signed body':
    'Como lo enviaste. Por defecto, POST. Los eventos siempre se envían por POST: un GET no puede llevar el cuerpo firmado',
  '`remittances`: payouts and refunds; `refunds`: only refunds':
    '`remittances`: abonos y devoluciones; `refunds`: solo devoluciones',
  'Id of the payment service. Default: the only one that you see':
    'Id del servicio de pago. Por defecto, el único que ves',
  'Id of a callback to send again first': 'Id de un callback que se envía otra vez primero',
  'Id of the listener, for its paths': 'Id del oyente, para sus rutas',
  'Lease of the callback, to send in the report': 'Reserva del callback, que se envía en el informe',
  'Id of the transaction; 0: none': 'Id de la transacción; 0: ninguna',
  'Number of the attempt, from 1': 'Número del intento, desde 1',
  'URL of the shop. Post to your own address instead': 'URL de la tienda. Envíalo a tu propia dirección',
  'Headers to send, with the signature of this attempt': 'Encabezados que se envían, con la firma de este intento',
  'Body to send, byte for byte': 'Cuerpo que se envía, byte por byte',
  'Id of the payment service': 'Id del servicio de pago',
  'Id of the payment service, if several that you see have a payout with this id':
    'Id del servicio de pago, si varios que ves tienen un pago con este id',
  'Id of the callback': 'Id del callback',
  'Duration in milliseconds; more than 60,000 counts as 60,000':
    'Duración en milisegundos; más de 60.000 cuenta como 60.000',
  'Status of the response; leave it out without a response': 'Estado de la respuesta; no lo envíes si no hubo',
  'Reason why there was no response': 'Por qué no hubo respuesta',
  'System error code, such as `ECONNREFUSED`': 'Código de error del sistema, como `ECONNREFUSED`',
  'Header of the response, unchanged': 'Encabezado de la respuesta, sin cambios',
  'Start of the response body, with spaces for line breaks':
    'Comienzo del cuerpo de la respuesta, con espacios por saltos de línea',
  '`no`: a failed callback is not retried': '`no`: un callback que falló no se reintenta',
  'The next step; `unwanted`: the webhook has ended meanwhile':
    'El paso que sigue; `unwanted`: el webhook terminó mientras tanto',
  'Number of the user, for the paths of `/webhooks`': 'Número del usuario, para las rutas de `/webhooks`',
  'Id of the user in this service': 'Id del usuario en este servicio',
  'Always 1 (enabled): a disabled user has no access token':
    'Siempre 1 (habilitado): un usuario deshabilitado no tiene token de acceso',
  'Always false (not blocked): a disabled user has no access token':
    'Siempre false (no bloqueado): un usuario deshabilitado no tiene token de acceso',
  'E-mail address of the user': 'Correo del usuario',
  'Access token, to send as `Authorization: Bearer`': 'Token de acceso, que se envía como `Authorization: Bearer`',
  'Lifetime in seconds': 'Duración en segundos',
  'End of the access token, in Unix seconds; within a year':
    'Fin del token de acceso, en segundos Unix; dentro de un año',
  'Program or purpose of the token': 'Programa o fin del token',
  'User who made the token; null for tokens made before this was recorded':
    'Usuario que hizo el token; null en tokens hechos antes de que se registrara',
  'End of validity; null: valid until a user ends it': 'Fin de su validez; null: vale hasta que un usuario lo cierre',
  'Id or e-mail address of the user of the token': 'Id o correo del usuario del token',
  'Program or purpose: 1 to 60 letters, digits, spaces, points, dashes, underscores':
    'Programa o fin: 1 a 60 letras, dígitos, espacios, puntos, guiones y guiones bajos',
  'End of validity, ISO 8601. Default: valid until a user ends it':
    'Fin de su validez, ISO 8601. Por defecto, vale hasta que un usuario lo cierre',
  'Code of your app, or a recovery code; required if you have a second factor':
    'Código de tu app, o un código de recuperación; obligatorio si tienes un segundo factor',
  'Text of the API token, for `POST /loginToken`; shown only here':
    'Texto del token de API, para `POST /loginToken`; se muestra solo aquí',
};
