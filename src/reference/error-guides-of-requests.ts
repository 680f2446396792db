import { guide } from './error-guide.ts';

/** Guides to errors in a request. */
export const REQUEST_GUIDES = {
  INVALID_JSON: guide(
    'body',
    ['{"x_amount": "1000", "x_currency": "CLP",}', '{"x_amount": "1000", "x_currency": "CLP"}'],
    [
      'The body was put together from texts, with a comma or a quote too many.',
      'A form was sent with the media type of JSON.',
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
    ['The text is Latin-1, as older PHP and databases have it.', 'A text was cut in the middle of a character.'],
    ['El texto está en Latin-1, como en PHP y bases de datos antiguas.', 'Un texto se cortó en medio de un carácter.'],
  ),
  DUPLICATE_KEY: guide(
    'body',
    ['{"x_amount": "1000", "x_amount": "2000"}', '{"x_amount": "2000"}'],
    ['The form has two inputs of this name.', 'A plugin adds a field that is there already.'],
    ['El formulario tiene dos entradas con este nombre.', 'Un plugin agrega un campo que ya estaba.'],
  ),
  FORBIDDEN_KEY: guide(
    'body',
    ['{"__proto__": {}}', '{}'],
    ['A whole object of the program was sent in place of the fields.'],
    ['Se envió un objeto completo del programa en lugar de los campos.'],
  ),
  JSON_TOO_DEEP: guide(
    'body',
    ['{"x_products": [{"a": {"b": {"c": {}}}}]}', '{"x_products": [{"a": {"b": 1}}]}'],
    ['An object of the shop was sent with everything that hangs on it.'],
    ['Se envió un objeto de la tienda con todo lo que cuelga de él.'],
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
    ['A description was sent where a number of the order belongs.'],
    ['Se envió una descripción donde va el número de la orden.'],
  ),
  CONTROL_CHARACTER: guide(
    'body',
    ['"x_reference": "ORD-1042\\n"', '"x_reference": "ORD-1042"'],
    ['The value was read from a file or a form and has a line break at its end.'],
    ['El valor se leyó de un archivo o un formulario y termina en un salto de línea.'],
  ),
  UNKNOWN_FIELD: guide(
    'body',
    ['{"x_amount": "1000", "submit": "Pagar"}', '{"x_amount": "1000"}'],
    ['The button of a form has a name and is sent with it.', 'The name is written in another way, such as xAmount.'],
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
    ['The form was sent before it was filled in.', 'A setting such as the Service Token was not found.'],
    ['El formulario se envió antes de llenarlo.', 'No se encontró una configuración, como el Service Token.'],
  ),
  INVALID_TYPE: guide(
    'body',
    ['"x_session_id": 12345', '"x_session_id": "12345"'],
    ['The program has a number, a boolean or null where the protocol has text.'],
    ['El programa tiene un número, un booleano o null donde el protocolo lleva texto.'],
  ),
  AMBIGUOUS_FIELD: guide(
    'body',
    ['https://shop.cl/ok?x_reference=1', 'https://shop.cl/ok?x%5Freference=1'],
    ['The shop adds its own query to a return address, with the name of a field in it.'],
    ['La tienda agrega sus parámetros a la dirección de retorno, con el nombre de un campo.'],
  ),
  INVALID_AMOUNT: guide(
    'body',
    ['"x_amount": "12.990"', '"x_amount": "12990"'],
    [
      'The amount was formatted for people.',
      'A shop that counts with decimals sends 12990.50 in CLP.',
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
    ['The number of the customer was sent in place of a session.'],
    ['Se envió el número del cliente en lugar de una sesión.'],
  ),
  CARD_NUMBER: guide(
    'body',
    ['"x_reference": "4111111111111111"', '"x_reference": "T4111111111111111"'],
    ['A form asks for the card on the side of the shop.', 'The own number happens to look like one.'],
    ['Un formulario pide la tarjeta en el lado de la tienda.', 'El número propio se parece por casualidad.'],
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
    ['The text is of another form than the parameter has. The detail of the answer says which.'],
    ['El texto tiene otra forma que la del parámetro. El detalle de la respuesta dice cuál.'],
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
    ['A word is missing in front of the value, or the name is written with an underscore.'],
    ['Falta una palabra antes del valor, o el nombre está escrito con guion bajo.'],
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
      'The id is of the other environment, or of another merchant.',
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
    ['The length that was announced is greater than the body.', 'The connection stands still in the middle.'],
    ['El largo anunciado es mayor que el cuerpo.', 'La conexión se queda quieta a la mitad.'],
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
      'The client sends another media type unless it is told: curl -d says that JSON is a form.',
      'The body is compressed.',
    ],
    [
      'El cliente envía otro tipo si no se le dice: curl -d dice que el JSON es un formulario.',
      'El cuerpo está comprimido.',
    ],
  ),
  EXPECTATION_FAILED: guide(
    'api',
    ['Expect: 200-ok', ''],
    ['The client asks for something before it sends the body.'],
    ['El cliente pide algo antes de enviar el cuerpo.'],
  ),
  INVALID_BODY: guide(
    'api',
    ['{"rut": 123456785}', '{"rut": "12345678-5", "bankData": {…}}'],
    ['A member is missing, is of another type, or does not belong here: errors[] of the answer names each.'],
    ['Falta un miembro, es de otro tipo o no va aquí: errors[] de la respuesta nombra cada uno.'],
  ),
  HEADERS_TOO_LARGE: guide(
    'api',
    ['Cookie: …20,000 bytes…', ''],
    ['The cookies of a shop are sent along.'],
    ['Se envían también las cookies de una tienda.'],
  ),
} as const;
