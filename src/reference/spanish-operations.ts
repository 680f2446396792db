import { INFO } from './openapi-texts.ts';

const REMITTANCES =
  'Responde las remesas del ambiente de RUBRICA_ENV, en cada moneda: los abonos a los comercios cuyos libros puedes leer y, si puedes leer `GET /tef/{id}`, los pagos a personas. El destinatario y la cuenta de un pago a una persona son null sin el permiso `recipients:read`. `limit` vale para ambos juntos.';

/** The Spanish summary and description of each endpoint by its operationId. A test finds missing ones. */
export const SPANISH_OPERATIONS: Readonly<Record<string, readonly [summary: string, description: string]>> = {
  createTransaction: [
    'Crea una transacción',
    'Crea una transacción con los diez campos `x_`, firmados con el Secret Token. Repetir una solicitud idéntica es seguro: responde 200 con la primera transacción e `Idempotency-Hit: true`.',
  ],
  initTransaction: [
    'Crea una transacción desde un formulario del navegador',
    'Crea una transacción y redirige a la página de pago con 303. `method=WebPayPST` significa `webpay`. Una solicitud rechazada responde una página en el idioma de quien paga, con un enlace de vuelta a la tienda si la firma era válida; un cliente que solo acepta JSON recibe JSON. Prefiere `POST /trxs` desde tu servidor: así la solicitud firmada no pasa por el navegador. Los objetos sin firma no se guardan, porque los pudo enviar quien paga.',
  ],
  createTransactionUnsigned: [
    'Crea una transacción con un token de acceso',
    'Crea una transacción para tiendas anteriores a `POST /trxs`. Prefiere `POST /trxs`: va firmado y repetirlo es seguro. El usuario debe ver el servicio de pago. Una referencia ya usada se rechaza con 400, con `idTrx`, `x_account_id` y `x_reference` en la raíz de la respuesta, y con `payUrl` si todos los campos son iguales.',
  ],
  readTransactionStatusUnsigned: [
    'Lee el estado de una transacción (tiendas antiguas)',
    'Responde el estado a tiendas anteriores a `POST /trxs`. `GET /trxs/{id}` responde más.',
  ],
  readTransaction: [
    'Lee una transacción',
    'Responde una transacción. Los clientes existentes leen `status` y los miembros hasta `abonos`; `state` y los miembros que siguen usan las palabras de este servicio.',
  ],
  readTransactionStatus: [
    'Lee el estado de una transacción',
    'Responde una palabra: `pending` hasta que la transacción termina, `complete` cuando está pagada, `failed` si se anuló, se rechazó o venció. `GET /trxs/{id}` responde la transacción completa.',
  ],
  listRefunds: [
    'Lista las devoluciones de una transacción',
    'Responde todas las devoluciones de una transacción, también las fallidas. `montoAnulado` va en unidades de la moneda: 1000 son 1.000 CLP. Las devoluciones que no fallaron suman más que lo pagado solo si el medio de pago hizo una que antes había rechazado.',
  ],
  createRefund: [
    'Devuelve un pago, en parte o completo',
    'Devuelve un pago, en parte o completo. La devolución está aceptada si la respuesta trae `data.verificationToken`. Su resultado está en el endpoint de estado, el feed y la URL de eventos. Un rechazo también responde 200, con el motivo en `code` y `message`. Una devolución aceptada reserva su monto de inmediato: nunca se devuelve más de lo que se pagó. Sin `Idempotency-Key`, el mismo monto y tipo del mismo usuario dentro de un minuto responde con la primera devolución e `Idempotency-Hit: true`, salvo que haya fallado. Para devolver dos veces el mismo monto, envía dos claves.',
  ],
  readRefundStatus: [
    'Lee el estado de una devolución',
    'Responde el estado de una devolución: `processing` hasta que el medio de pago devolvió el dinero o se negó, y después `completed` o `failed`. Una devolución fallida no devolvió dinero, y su monto se puede devolver otra vez.',
  ],
  reconcileDay: [
    'Cuadra un día',
    'Responde los pagos y devoluciones que se completaron en un día de Chile (America/Santiago), en una moneda. `totalRemittances` es `totalTransactions` menos el `cost` de cada ítem y menos `totalNullification`. `payouts` trae los abonos al comercio en ese día.',
  ],
  listRemittances: ['Lista los últimos abonos y pagos a terceros', REMITTANCES],
  listRemittancesOfDay: ['Lista los abonos y pagos a terceros de un día', REMITTANCES],
  readRemittanceIndicators: [
    'Lee los montos que se le deben a un comercio',
    'Responde solo los indicadores que nombras. El dinero que se debe y no se ha abonado está por venir (`futureRemittances`).',
  ],
  listPaymentMethods: [
    'Lista los medios de pago de un servicio de pago',
    'Responde los medios de pago que el servicio de pago ofrece para una moneda, en el orden de la página de pago. Envía el Service Token en el encabezado `Authorization`, sin `Bearer`; no se firma.',
  ],
  listPaymentMethodsV2: [
    'Lista los medios de pago de un servicio de pago para una moneda',
    'Responde lo mismo que `GET /payments`, con el Service Token en la consulta.',
  ],
  readEvents: [
    'Lee los eventos',
    'Responde los eventos en el orden en que se guardaron, cada uno exactamente una vez a lo largo de los cursores. Comienza sin `after` y después envía `data.next` como `after`. Mientras `has_more` sea true, lee la página siguiente de inmediato, aunque esta venga vacía. `sequence` no tiene saltos dentro de una transacción.',
  ],
  findTransactions: [
    'Busca transacciones',
    'Responde las transacciones que cumplen todos los filtros. `data.next` es el cursor de la página siguiente, null en la última; una página puede venir vacía y tener otra después, sobre todo con `reference_part` o `card_last_digits` a solas: agrega un monto o un día. `data.complete` es false por un momento después de muchísimos pagos, y tras una actualización que hace de nuevo el índice: entonces a la página le pueden faltar pagos.',
  ],
  showTransaction: [
    'Muestra una transacción con su línea de tiempo',
    'Responde una transacción con su línea de tiempo, en orden de hora: intentos de pago con las respuestas del medio de pago, estados, callbacks con las respuestas de la tienda, devoluciones, asientos de los libros y decisiones. El enlace de pago no viene, para que quien lee no pueda pagar.',
  ],
  listRefusedRequests: [
    'Lista las solicitudes rechazadas',
    'Responde las solicitudes rechazadas en los últimos 7 días, primero la más nueva. Una solicitud es tuya si nombra tu Service Token o si su ruta nombra tu transacción. Las de tokens de producción se guardan solo si lo dice `REFUSED_REQUESTS`. De cada código se guardan las primeras 50 de cada hora. Los errores vienen en el idioma de `Accept-Language`. `data.next` es el cursor de la página siguiente.',
  ],
  createWebhook: [
    'Suscríbete a abonos y devoluciones',
    'Suscribe `url` a cada abono, pago y devolución que ve el usuario, desde ahora. Cada uno se envía por POST como el JSON de la URL de eventos, con encabezados Standard Webhooks firmados con el Secret Token del servicio de pago, y se reintenta como los callbacks. Un usuario tiene una dirección por webhook; una nueva la reemplaza.',
  ],
  listWebhooks: [
    'Lista tus webhooks',
    'Responde los webhooks en uso de tu usuario, cada uno con su dirección. Solo puedes listar los tuyos; `idUser` es el `id` de `GET /users`.',
  ],
  changeWebhook: [
    'Cambia la dirección de un webhook',
    'Envía los eventos siguientes a la dirección nueva, y de inmediato los envíos que esperan, también los reintentos: a la anterior no empieza ninguno más. La misma dirección otra vez no cambia nada; después de un 410 vuelve a recibir los eventos siguientes.',
  ],
  endWebhook: [
    'Termina un webhook',
    'Termina un webhook: no se le envía nada más. Los envíos que esperan, también los reintentos, terminan sin enviarse; `GET /events` tiene sus eventos. `POST /webhooks` lo crea otra vez.',
  ],
  beginListening: [
    'Recibe los callbacks de desarrollo en tu computador',
    'Comienza un oyente. Desde ahora los callbacks que causan los tokens de desarrollo de un servicio de pago esperan al oyente, y el servicio no los envía. Pide cada uno con `/next`, envíalo e informa el resultado. Un oyente termina tras 30 segundos sin solicitudes; entonces el servicio vuelve a enviar los callbacks. Un oyente más nuevo reemplaza al anterior. En producción no hay oyentes. `bin/rubrica listen` usa este endpoint.',
  ],
  takeCallback: [
    'Toma el siguiente callback de desarrollo',
    'Responde el callback que lleva más tiempo pendiente, o null después de 10 segundos sin ninguno. Una solicitud más nueva del mismo listener termina la anterior con null. Es tuyo por un minuto: envíalo y después informa el resultado. Un callback sin informe se vuelve a entregar.',
  ],
  reportCallback: [
    'Informa el resultado de un callback de desarrollo',
    'Registra el resultado como un intento de entrega. El calendario de reintentos del callback decide el paso siguiente.',
  ],
  endListening: [
    'Termina un oyente de callbacks de desarrollo',
    'Termina un oyente. Desde entonces el servicio vuelve a enviar los callbacks de desarrollo.',
  ],
  readUser: [
    'Lee tu propio usuario',
    'Responde el usuario del token de acceso. `id` es el número que las rutas de `/webhooks` reciben como `idUser`.',
  ],
  listApiTokens: [
    'Lista los tokens de API de un usuario',
    'Responde los tokens de API de un usuario, primero el más antiguo, también los cerrados. El texto de un token se muestra solo al crearlo.',
  ],
  createApiToken: [
    'Crea un token de API',
    'Crea un token de API más, con nombre propio, para un programa. Puedes crearlo para usuarios cuyos permisos, servicios de pago y límite diario de devoluciones no superan los tuyos, pero no para ti. Si tienes un segundo factor, envía su `code`; un código sirve una vez.',
  ],
  endApiToken: [
    'Cierra un token de API',
    'Cierra un token de API. Los tokens de acceso que se obtuvieron con él dejan de servir en un segundo. Puedes cerrar los tuyos y los de usuarios cuyos derechos no superan los tuyos. Cerrarlo otra vez responde lo mismo.',
  ],
  logIn: [
    'Inicia sesión',
    'Responde un token de acceso. Tras diez contraseñas erradas seguidas, la cuenta no puede iniciar sesión desde la misma red por 30 minutos. Los tokens de acceso que ya existen siguen sirviendo.',
  ],
  logInV2: [
    'Inicia sesión, para clientes de la segunda versión',
    'Hace lo mismo que `POST /users/login`, con otros nombres en la respuesta.',
  ],
  logInV1: [
    'Inicia sesión, para clientes de la primera versión',
    'Responde un token de acceso. Una contraseña errada se rechaza con 400.',
  ],
  logInWithApiToken: [
    'Cambia un token de API por un token de acceso',
    'Responde un token de acceso. Envía el token de API como `Authorization: Bearer`, o `email` y `apiToken` en el cuerpo. Un token inválido se rechaza con 403 si vino en el encabezado, y con 401 si vino en el cuerpo.',
  ],
  listBanks: [
    'Lista los bancos',
    'Responde cada institución de la lista que usan las validaciones, también las cerradas o fusionadas.',
  ],
  validateBankAccount: [
    'Valida una cuenta bancaria',
    'Responde un veredicto y las revisiones detrás de él a cada solicitud bien formada. Un dígito verificador errado es un veredicto, no un error. Sin un proveedor en línea el mejor veredicto es `plausible`.',
  ],
  validateBankAccounts: [
    'Valida hasta 1.000 cuentas bancarias',
    'Responde un resultado por ítem, en el orden de los ítems. Un ítem que no se puede leer, o que se rechaza mientras se pregunta al proveedor, trae un `error` y no afecta a los demás. Un lote que falla con 503 no guarda nada, salvo que el código sea OUTCOME_UNKNOWN.',
  ],
  readBankAccountValidation: [
    'Lee una validación',
    'Responde una validación guardada. Su RUT es null, porque el RUT no se guarda.',
  ],
  createPaymentLink: [
    'Crea un enlace de pago',
    'Crea una dirección, con código QR y afiche, donde se paga un monto sin tienda. Envía un `Idempotency-Key`: la misma solicitud con la misma clave responde con el mismo enlace e `Idempotency-Hit: true`; otra solicitud con esa clave se rechaza con 409. Sin clave, cada solicitud crea un enlace.',
  ],
  listPaymentLinks: [
    'Lista los enlaces de pago',
    'Responde los enlaces de todos los servicios de pago que ve el usuario, primero los más nuevos.',
  ],
  readPaymentLink: ['Lee un enlace de pago', 'Responde un enlace con su estado y el número de sus pagos.'],
  endPaymentLink: [
    'Cierra un enlace de pago',
    'Cierra un enlace: no puede comenzar otro pago. Quien ya comenzó a pagar puede terminar. Un enlace que ya estaba cerrado queda como estaba.',
  ],
  listRecipients: [
    'Lista los destinatarios',
    'Responde la versión más nueva de cada destinatario. Un usuario ve los de sus servicios de pago y los que guardó para sí; un usuario de todos los servicios de pago ve todos.',
  ],
  createRecipient: [
    'Guarda una cuenta validada como destinatario',
    'Guarda una cuenta validada para pagos a terceros. Envía otra vez los datos validados con el id de la validación, porque una validación no guarda ni el RUT ni la cuenta. La misma solicitud responde con el mismo destinatario.',
  ],
  readRecipient: ['Lee un destinatario', 'Responde el destinatario con todas sus versiones.'],
  changeRecipient: [
    'Cambia la cuenta de un destinatario',
    'Crea una versión nueva del destinatario, con otra cuenta o con un veredicto más nuevo de la misma. En ambos casos hace falta una validación nueva. El titular no cambia.',
  ],
  createTransfer: [
    'Crea un pago a un tercero',
    'Crea un pago del único servicio de pago que ve el usuario. La cuenta se valida de inmediato. El pago espera la aprobación de una persona, salvo que la regla para programas lo apruebe. El mismo `tef.id` con los mismos campos responde con el mismo pago; con otros se rechaza (409). El estado final se envía a `callbackUrl` como `{"tefResponse": …}`, con encabezados Standard Webhooks.',
  ],
  readTransfer: [
    'Lee un pago',
    'Responde un pago por el id que le diste. `status` dice si está en curso, completado o fallido; `state` es su estado exacto.',
  ],
  readBalance: ['Lee el saldo', 'Responde el dinero del comercio, con los pagos aprobados que aún no llegan.'],
  proposePayoutBatch: [
    'Propón un lote de pagos',
    'Crea un lote de pagos. Una fila mala rechaza todo el lote, y la respuesta nombra cada fila mala. Se valida cada cuenta. Un lote espera siempre la aprobación de otra persona, también si lo propuso un programa. Los mismos pagos otra vez (sus ids con los mismos campos) responden el mismo lote. Un pago que no cabe en una transferencia se divide en varios.',
  ],
  listPayoutBatches: [
    'Lista los lotes de pagos',
    'Responde los lotes, primero los más nuevos, cada uno con el número y la suma de sus pagos en cada estado. Envía `next` como `after` para los lotes anteriores.',
  ],
  readPayoutBatch: [
    'Lee un lote de pagos',
    'Responde un lote con sus pagos, las advertencias sobre cada uno y los archivos de banco en que salieron. Envía `next` como `after` para los pagos siguientes.',
  ],
  approvePayoutBatch: [
    'Aprueba un lote de pagos',
    'Aprueba todos los pagos del lote que esperan aprobación, o ninguno, y reserva su dinero. Solo aprueba una persona, con el `code` de su segundo factor. Esa persona no debe haber propuesto los pagos, ni cambiado una de sus cuentas, ni hecho un token de API o puesto la contraseña del programa que los propuso.',
  ],
  rejectPayoutBatch: [
    'Rechaza un lote de pagos',
    'Rechaza los pagos del lote que esperan aprobación. Su dinero no estaba reservado.',
  ],
  cancelPayoutBatch: [
    'Cancela un lote de pagos',
    'Cancela los pagos que no han salido, aprobados o no, y libera su dinero reservado.',
  ],
  submitPayoutBatch: [
    'Envía un borrador a aprobación',
    'Envía a aprobación un lote que se propuso con `draft`: sus pagos esperan desde ahora a otra persona. No lleva cuerpo.',
  ],
  makePayoutFiles: [
    'Escribe los pagos aprobados en archivos para un banco',
    'Escribe los pagos aprobados en tantos archivos como pida el límite de líneas del banco. Cada pago está en un solo archivo y queda `sent`. La misma solicitud otra vez escribe solo los pagos aprobados desde entonces. Si no hay, se rechaza con INVALID_PAYOUT; con `batchId` responde en cambio los archivos del lote. Los archivos se guardan: `GET /payout-files` los lista.',
  ],
  downloadPayoutFile: [
    'Descarga un archivo de pagos',
    'Responde los bytes de un archivo tal como se hizo para el banco. Contiene RUT, nombres y números de cuenta: protégelo igual que esos datos.',
  ],
  listPayoutFiles: [
    'Lista los archivos de pagos',
    'Responde los archivos hechos para bancos, primero los más nuevos, sin su contenido. Envía `next` como `after` para los archivos anteriores.',
  ],
  readPayoutFile: [
    'Lee un archivo de pagos',
    'Responde un archivo con sus pagos en el orden de sus líneas, y el estado de cada uno.',
  ],
  takePayoutResults: [
    'Importa los resultados de un archivo de pagos',
    'Importa los resultados que informa el banco como CSV, .xlsx o .xls. Cada línea trae un id, o RUT y monto, y un estado como `Pagado` o `Rechazado`. El mismo archivo otra vez no cambia nada. Un resultado que contradice el estado de un pago no mueve dinero y espera a una persona.',
  ],
  importStatement: [
    'Importa una cartola del banco',
    'Importa un CSV, .xlsx o .xls tal como lo exporta el banco. Primero se revisan los saldos o totales del archivo. Cada línea nueva tiene un solo uso: confirma un pago o un archivo de pagos, informa que un pago volvió, corresponde a un depósito anotado, o espera sin explicar. Las líneas que ya vinieron en otro archivo no se importan dos veces, y el mismo archivo otra vez no cambia nada.',
  ],
  listStatements: [
    'Lista las cartolas del banco',
    'Responde las cartolas, primero las más nuevas, cada una con el número de sus líneas sin explicar. Envía `next` como `after` para las cartolas anteriores.',
  ],
  readStatement: [
    'Lee una cartola del banco',
    'Responde una cartola con sus líneas en el orden del archivo, y el uso de cada una. El texto de las líneas no se guarda, porque contiene nombres y RUT. Envía `next` como `after` para las líneas siguientes.',
  ],
  resolveStatementLine: [
    'Explica una línea',
    'Da su uso a una línea sin explicar, en una sola operación con el estado y los asientos del pago, o con el depósito y su asiento. Una línea tiene un solo uso, que dura, con dos excepciones: una línea con el uso `other` que se indica por su número puede recibir otro uso, y `suspense` deja otra vez sin explicar una línea a la que se le dio el pago o depósito que no era; ningún asiento cambia. La misma solicitud con el mismo motivo no cambia nada.',
  ],
  readAvailableBalance: [
    'Lee el saldo que se puede pagar',
    'Responde el dinero del comercio sin las devoluciones en curso, lo retenido para devoluciones ni lo reservado por pagos.',
  ],
  health: [
    'Revisa si el proceso corre',
    'Responde mientras el proceso corre, también mientras se detiene y sin su base de datos. Para un balanceador usa `GET /readyz`.',
  ],
  ready: [
    'Revisa si el proceso puede recibir solicitudes',
    'Agrega `"held_after_restore": true` a la respuesta mientras los callbacks y las devoluciones esperan tras una restauración; las solicitudes se aceptan.',
  ],
  metrics: [
    'Lee las métricas en el formato de texto de Prometheus',
    'Atiende solo a clientes de la misma máquina, sin un proxy. Si `METRICS_PORT` está puesto, las métricas están solo en ese puerto, y esta ruta responde 404.',
  ],
};

/** The sections of the reference by tag. */
export const SPANISH_TAGS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  Transactions: ['Transacciones', 'Crea una transacción, lleva a quien paga a su página de pago y lee su resultado.'],
  'Payment links': ['Enlaces de pago', 'Una dirección donde se paga un monto sin tienda.'],
  Refunds: ['Devoluciones', 'Devuelve un pago, en parte o completo.'],
  Reconciliation: ['Conciliación', 'Pagos y devoluciones de un día, con sus asientos en los libros.'],
  'Payment methods': ['Medios de pago', 'Medios que puede elegir quien paga.'],
  Webhooks: ['Webhooks', 'Avisos de abonos, pagos y devoluciones, enviados a una dirección del usuario.'],
  Events: ['Eventos', 'Todos los eventos, para leerlos cuando quieras. Los callbacks envían eventos a la tienda.'],
  'Bank account validation': ['Validación de cuentas bancarias', 'Revisa una cuenta bancaria antes de enviar dinero.'],
  Payouts: ['Pagos a terceros', 'Dinero que un comercio envía a otros.'],
  'Bank files': ['Archivos de bancos', 'Archivos de pagos para bancos, sus resultados, y cartolas.'],
  Recipients: ['Destinatarios', 'Cuentas validadas, guardadas para pagos a terceros.'],
  Access: ['Acceso', 'Tokens de acceso para personas y programas que leen y validan.'],
  Operation: ['Operación', 'Para quienes operan el servicio.'],
};

/** The introduction of the reference. */
const SPANISH_INFO: readonly string[] = [
  'Rúbrica implementa el protocolo de transacciones firmadas de las tiendas chilenas y la validación de cuentas de la API de transferencias electrónicas.',
  '**Firma.** Toma los diez campos `x_` obligatorios, ordénalos por nombre y une cada nombre y valor sin separadores: `x_account_id…x_amount1000x_currencyCLP…`. `x_signature` es el HMAC-SHA256 de ese texto, en hexadecimal y minúsculas, con el texto del Secret Token como clave. Los valores van en UTF-8, sin cambios. `x_products`, `x_billing_details`, `x_shippment` y `x_document` nunca se firman.',
  '**Los tokens deciden.** Un servicio de pago tiene un Service Token y un Secret Token para `development` y otros para `production`. Cada servidor acepta ambos pares; una solicitud firmada con los de desarrollo es una prueba.',
  '**Repetir es seguro.** Una referencia es de una sola transacción, para siempre. La misma solicitud responde con la primera transacción e `Idempotency-Hit: true`; otros campos con la misma referencia se rechazan con 409.',
  '**Los errores** son `application/problem+json`, con un `code` que no cambia y qué hacer; cada código tiene su página en `/errors/{code}`. Con `Accept-Language: es` vienen en español. `errors` trae todos los errores, no solo el primero.',
  '**Límites.** Un cuerpo tiene a lo más 16 KiB (512 KiB para un lote, 3 MiB para un archivo de banco); los encabezados, 8 KiB y 64 líneas. Las rutas se comparan tal cual.',
];

/** The fixed texts of the reference. */
export const REFERENCE_WORDS = {
  en: {
    title: 'API reference',
    contents: 'Endpoints',
    requestsIn: 'Requests in',
    info: INFO.description.split('\n\n'),
    version: (version: string) => `Version ${version}, as in the response header Rubrica-Version. For programs:`,
    or: 'or',
    parameters: 'Parameters',
    in: (type: string, place: string) => `${type} in the ${place}`,
    optional: 'optional',
    body: 'Body',
    answers: 'Responses',
    answer: 'Response',
    errors: 'Errors',
    header: 'header',
    try: 'Try it with your own fields',
    access: 'Access.',
    signed: 'Signed with the Secret Token of the payment service.',
    open: 'No access token needed.',
    needs: (permissions: readonly string[]) =>
      `The user has the permission ${permissions.map((one) => `\`${one}\``).join(' or ')}.`,
    schemes: {
      accessToken: 'An access token as `Authorization: Bearer`.',
      apiToken: 'An API token as `Authorization: Bearer`, or in the body.',
      serviceToken: 'A Service Token in `Authorization`.',
      serviceTokenInQuery: 'A Service Token in the query, as `x_account_id`.',
    },
  },
  es: {
    title: 'Referencia de la API',
    contents: 'Endpoints',
    requestsIn: 'Solicitudes en',
    info: SPANISH_INFO,
    version: (version: string) => `Versión ${version}, como en el encabezado Rubrica-Version. Para programas:`,
    or: 'o',
    parameters: 'Parámetros',
    in: (type: string, place: string) => `${type} en ${PLACES[place] ?? place}`,
    optional: 'opcional',
    body: 'Cuerpo',
    answers: 'Respuestas',
    answer: 'Respuesta',
    errors: 'Errores',
    header: 'encabezado',
    try: 'Pruébalo con tus propios campos',
    access: 'Acceso.',
    signed: 'Firmado con el Secret Token del servicio de pago.',
    open: 'No necesita token de acceso.',
    needs: (permissions: readonly string[]) =>
      `El usuario tiene el permiso ${permissions.map((one) => `\`${one}\``).join(' o ')}.`,
    schemes: {
      accessToken: 'Un token de acceso como `Authorization: Bearer`.',
      apiToken: 'Un token de API como `Authorization: Bearer`, o en el cuerpo.',
      serviceToken: 'Un Service Token en `Authorization`.',
      serviceTokenInQuery: 'Un Service Token en la URL, como `x_account_id`.',
    },
  },
} as const;

const PLACES: Readonly<Record<string, string>> = { path: 'la ruta', query: 'la URL', header: 'el encabezado' };
