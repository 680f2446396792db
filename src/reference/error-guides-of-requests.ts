import { guide } from './error-guide.ts';

/** Guides to errors in a request. */
export const REQUEST_GUIDES = {
  INVALID_JSON: guide(
    'body',
    ['{"x_amount": "1000", "x_currency": "CLP",}', '{"x_amount": "1000", "x_currency": "CLP"}'],
    [
      'The body was built by joining strings, with an extra comma or quote.',
      'A form was sent with the JSON media type.',
    ],
    [
      'El cuerpo se armó uniendo textos, con una coma o una comilla de más.',
      'Se envió un formulario con el tipo de contenido de JSON.',
    ],
  ),
  NOT_AN_OBJECT: guide(
    'body',
    ['[{"x_amount": "1000"}]', '{"x_amount": "1000"}'],
    ['The fields were put into a list, or sent as one text inside quotes.'],
    ['Los campos se pusieron en una lista, o se enviaron como un solo texto entre comillas.'],
  ),
  INVALID_ENCODING: guide(
    'body',
    ['Pe%F1a', 'Pe%C3%B1a'],
    ['The text is Latin-1, as in older PHP programs and databases.', 'A text was cut in the middle of a character.'],
    ['El texto está en Latin-1, como en PHP y bases de datos antiguas.', 'Un texto se cortó en medio de un carácter.'],
  ),
  DUPLICATE_KEY: guide(
    'body',
    ['{"x_amount": "1000", "x_amount": "2000"}', '{"x_amount": "2000"}'],
    ['The form has two inputs of this name.', 'A plugin adds a field that already exists.'],
    ['El formulario tiene dos entradas con este nombre.', 'Un plugin agrega un campo que ya estaba.'],
  ),
  FORBIDDEN_KEY: guide(
    'body',
    ['{"__proto__": {}}', '{}'],
    ['A whole object of the program was sent instead of the fields.'],
    ['Se envió un objeto completo del programa en lugar de los campos.'],
  ),
  JSON_TOO_DEEP: guide(
    'body',
    ['{"x_products": [{"a": {"b": {"c": {}}}}]}', '{"x_products": [{"a": {"b": 1}}]}'],
    ['An object of the shop was sent with all its nested objects.'],
    ['Se envió un objeto de la tienda con todos sus objetos anidados.'],
  ),
  TOO_MANY_FIELDS: guide(
    'body',
    ['{"x_products": [ … 200 … ]}', '{"x_products": [ … 20 … ]}'],
    ['The whole cart or the whole form of the shop was sent.'],
    ['Se envió el carro completo o todo el formulario de la tienda.'],
  ),
  FIELD_TOO_LONG: guide(
    'body',
    ['"x_reference": "…300 characters…"', '"x_reference": "ORD-1042"'],
    ['A description was sent instead of the order number.'],
    ['Se envió una descripción en lugar del número de la orden.'],
  ),
  CONTROL_CHARACTER: guide(
    'body',
    ['"x_reference": "ORD-1042\\n"', '"x_reference": "ORD-1042"'],
    ['The value was read from a file or a form and ends with a line break.'],
    ['El valor se leyó de un archivo o un formulario y termina en un salto de línea.'],
  ),
  UNKNOWN_FIELD: guide(
    'body',
    ['{"x_amount": "1000", "submit": "Pagar"}', '{"x_amount": "1000"}'],
    ['The button of a form has a name and is sent with it.', 'The name has another spelling, such as xAmount.'],
    [
      'El botón de un formulario tiene nombre y se envía con él.',
      'El nombre está escrito de otra forma, como xAmount.',
    ],
  ),
  MISSING_FIELD: guide(
    'body',
    ['{"x_amount": "1000"}', '{"x_amount": "1000", "x_currency": "CLP", …}'],
    ['The value was undefined or null in the program, and JSON left it out.'],
    ['El valor era undefined o null en el programa, y JSON lo omitió.'],
  ),
  EMPTY_FIELD: guide(
    'body',
    ['"x_customer_email": ""', '"x_customer_email": "buyer@example.cl"'],
    ['The form was sent before it was filled in.', 'A setting such as the Service Token is missing.'],
    ['El formulario se envió antes de llenarlo.', 'No se encontró una configuración, como el Service Token.'],
  ),
  INVALID_TYPE: guide(
    'body',
    ['"x_session_id": 12345', '"x_session_id": "12345"'],
    ['The program sends a number, a boolean or null where the protocol requires text.'],
    ['El programa envía un número, un booleano o null donde el protocolo pide texto.'],
  ),
  AMBIGUOUS_FIELD: guide(
    'body',
    ['https://shop.cl/ok?x_reference=1', 'https://shop.cl/ok?x%5Freference=1'],
    ['The shop adds query parameters to a return address, and one has the name of a field.'],
    ['La tienda agrega sus parámetros a la dirección de retorno, con el nombre de un campo.'],
  ),
  INVALID_AMOUNT: guide(
    'body',
    ['"x_amount": "12.990"', '"x_amount": "12990"'],
    [
      'The amount was formatted for people.',
      'A shop that calculates with decimals sends 12990.50 in CLP.',
      'In CLP the amount is below 500.',
    ],
    [
      'El monto se formateó para personas.',
      'Una tienda que calcula con decimales envía 12990.50 en CLP.',
      'El monto en CLP es menor que 500.',
    ],
  ),
  INVALID_CURRENCY: guide(
    'body',
    ['"x_currency": "$"', '"x_currency": "CLP"'],
    ['The sign or the name of the currency was sent.'],
    ['Se envió el signo o el nombre de la moneda.'],
  ),
  INVALID_COUNTRY: guide(
    'body',
    ['"x_shop_country": "Chile"', '"x_shop_country": "CL"'],
    ['The name of the country, or its code of three letters, was sent.'],
    ['Se envió el nombre del país, o su código de tres letras.'],
  ),
  INVALID_EMAIL: guide(
    'body',
    ['"x_customer_email": "Ana <ana@example.cl>"', '"x_customer_email": "ana@example.cl"'],
    ['The payer left the field empty, or the shop adds the name.'],
    ['Quien paga dejó el campo vacío, o la tienda agrega el nombre.'],
  ),
  INVALID_REFERENCE: guide(
    'body',
    ['"x_reference": "Órden Nº 1042 "', '"x_reference": "ORD-1042"'],
    ['The reference has accents or a space at its end.'],
    ['La referencia tiene tildes o un espacio al final.'],
  ),
  INVALID_SESSION_ID: guide(
    'body',
    ['"x_session_id": "1"', '"x_session_id": "sess-0001"'],
    ['The customer number was sent instead of a session id.'],
    ['Se envió el número del cliente en lugar de un id de sesión.'],
  ),
  CARD_NUMBER: guide(
    'body',
    ['"x_reference": "4111111111111111"', '"x_reference": "T4111111111111111"'],
    ['A form of the shop asks for the card.', 'Your own number happens to look like a card number.'],
    ['Un formulario de la tienda pide la tarjeta.', 'Tu propio número se parece por casualidad a uno de tarjeta.'],
  ),
  INVALID_ACCOUNT_ID: guide(
    'body',
    ['"x_account_id": "Mi tienda"', '"x_account_id": "…64 characters of the Service Token…"'],
    ['The name of the shop or the e-mail of its user was sent.'],
    ['Se envió el nombre de la tienda o el correo de su usuario.'],
  ),
  INVALID_URL: guide(
    'body',
    ['"x_url_callback": "shop.cl/callback"', '"x_url_callback": "https://shop.cl/callback"'],
    ['The address has no https://.', 'It has a space, an accent or a fragment (#).'],
    ['La dirección no tiene https://.', 'Tiene un espacio, una tilde o un fragmento (#).'],
  ),
  URL_NOT_ALLOWED: guide(
    'body',
    ['https://localhost:3000/callback', 'https://shop.cl/callback'],
    ['The shop runs on your own machine or in a private network.'],
    ['La tienda corre en tu propio equipo o en una red privada.'],
  ),
  INVALID_PARAMETER: guide(
    'api',
    ['?limit=many', '?limit=50'],
    [
      'The value does not have the format of the parameter. The detail of the response names the format.',
      'The request has no parameter of this name, often because of a spelling mistake. The detail lists the parameters.',
    ],
    [
      'El valor no tiene el formato del parámetro. El detalle de la respuesta lo nombra.',
      'La solicitud no tiene un parámetro con este nombre, a menudo por un error al escribirlo. El detalle nombra los parámetros.',
    ],
  ),
  UNEXPECTED_QUERY: guide(
    'api',
    ['POST /trxs?x_amount=1000', 'POST /trxs'],
    ['The fields of a form were sent with the method GET, or twice.'],
    ['Los campos de un formulario se enviaron con el método GET, o dos veces.'],
  ),
  HTTP_MALFORMED: guide(
    'api',
    ['GET https://pay.example.cl/trxs HTTP/1.0', 'GET /trxs HTTP/1.1'],
    ['The request was written by hand on a socket.', 'A proxy in between changes it.'],
    ['La solicitud se escribió a mano en un socket.', 'Un proxy en medio la cambia.'],
  ),
  DUPLICATE_HEADER: guide(
    'api',
    ['Content-Type: a\nContent-Type: b', 'Content-Type: application/json'],
    ['The client and the program set the same header.'],
    ['El cliente y el programa ponen el mismo encabezado.'],
  ),
  INVALID_HEADER: guide(
    'api',
    ['Authorization: mytoken', 'Authorization: Bearer mytoken'],
    ['The scheme, such as Bearer, is missing before the value, or the name contains an underscore.'],
    ['Falta el esquema antes del valor, como Bearer, o el nombre lleva guion bajo.'],
  ),
  METHOD_NOT_ALLOWED: guide(
    'api',
    ['GET /trxs', 'POST /trxs'],
    ['The address was opened in a browser.', 'A redirect turned a POST into a GET.'],
    ['La dirección se abrió en un navegador.', 'Una redirección convirtió un POST en GET.'],
  ),
  NOT_FOUND: guide(
    'api',
    ['GET /trx/42', 'GET /trxs/42'],
    [
      'A part of the address is missing, such as the base path.',
      'The id belongs to the other environment or to another merchant.',
    ],
    ['Falta una parte de la dirección, como la ruta base.', 'El id es del otro ambiente, o de otro comercio.'],
  ),
  NOT_BUILT: guide(
    'api',
    ['POST /services/register', 'docs/compatibility.md'],
    ['The client was written for an older generation of the protocol.'],
    ['El cliente se escribió para una generación anterior del protocolo.'],
  ),
  REQUEST_TIMEOUT: guide(
    'wait',
    ['Content-Length: 500  (300 bytes follow)', 'Content-Length: 300'],
    ['Content-Length is greater than the body.', 'The connection stalls in the middle of the body.'],
    ['Content-Length es mayor que el cuerpo.', 'La conexión se detiene en medio del cuerpo.'],
  ),
  PAYLOAD_TOO_LARGE: guide(
    'api',
    ['20,000 bytes', '2,000 bytes'],
    ['A whole cart, an image or a file was sent with the fields.'],
    ['Se envió un carro completo, una imagen o un archivo con los campos.'],
  ),
  UNSUPPORTED_MEDIA_TYPE: guide(
    'api',
    ['Content-Type: text/plain', 'Content-Type: application/json'],
    [
      'The client sends another media type by default: curl -d sends JSON as a form.',
      'The body is compressed.',
      'Its charset is not UTF-8.',
    ],
    [
      'El cliente envía otro tipo por defecto: curl -d envía el JSON como un formulario.',
      'El cuerpo está comprimido.',
      'Su charset no es UTF-8.',
    ],
  ),
  EXPECTATION_FAILED: guide(
    'api',
    ['Expect: 200-ok', ''],
    ['The client sends an Expect header that the service does not support.'],
    ['El cliente envía un encabezado Expect que el servicio no admite.'],
  ),
  INVALID_BODY: guide(
    'api',
    ['{"rut": 123456785}', '{"rut": "12345678-5", "bankData": {…}}'],
    ['A member is missing, has the wrong type, or is unknown: errors[] of the response names each.'],
    ['Un miembro falta, es del tipo equivocado o es desconocido: errors[] de la respuesta nombra cada uno.'],
  ),
  HEADERS_TOO_LARGE: guide(
    'api',
    ['Cookie: …20,000 bytes…', ''],
    ['The client also sends the cookies of the shop.'],
    ['El cliente envía también las cookies de la tienda.'],
  ),
} as const;
