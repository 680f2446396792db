import { INFO } from './openapi-texts.ts';

/**
 * The Spanish summary of each endpoint by its operationId, and its description where useful. A test finds a missing
 * one.
 */
const REMITTANCES =
  'Los del ambiente de RUBRICA_ENV, en cada moneda: los abonos a los comercios cuyos libros lees y, si puedes leer `GET /tef/{id}`, los pagos a terceros; para quién son exige `recipients:read`, y sin él es nulo. `limit` vale para ambos juntos.';

export const SPANISH_OPERATIONS: Readonly<Record<string, readonly [summary: string, description?: string]>> = {
  createTransaction: [
    'Crea una transacción',
    'Los diez campos `x_` van firmados con el Secret Token. Una repetición idéntica responde 200 con la primera transacción e `Idempotency-Hit: true`.',
  ],
  initTransaction: [
    'Crea una transacción desde un formulario del navegador',
    'Responde 303 hacia la página de pago. Lo rechazado es una página en el idioma de quien paga, con el camino de vuelta a la tienda si la firma era válida; un cliente que solo acepta JSON recibe JSON.',
  ],
  createTransactionUnsigned: [
    'Crea una transacción con un token de acceso',
    'Para tiendas de la generación anterior a `POST /trxs`, que es mejor: va firmado y se puede repetir sin riesgo. El usuario debe ver el servicio de pago.',
  ],
  readTransactionStatusUnsigned: [
    'Lee el estado de una transacción, como las tiendas antiguas',
    'Para tiendas de la generación anterior a `POST /trxs`. `GET /trxs/{id}` dice más.',
  ],
  readTransaction: [
    'Lee una transacción',
    '`status` y los miembros hasta `abonos` son los que leen los clientes existentes; `state` y lo que sigue lo dicen con las palabras de este servicio.',
  ],
  readTransactionStatus: ['Lee el estado de una transacción'],
  listRefunds: ['Lista las devoluciones de una transacción'],
  createRefund: [
    'Devuelve un pago, en parte o completo',
    'Está aceptada la que trae `data.verificationToken`; su final lo dicen el estado, los eventos y la URL de eventos. Un rechazo también responde 200, con el motivo en `code` y `message`. El monto se reserva de inmediato.',
  ],
  readRefundStatus: ['Lee el estado de una devolución'],
  reconcileDay: [
    'Cuadra un día',
    'Los pagos y devoluciones que se completaron en un día de Chile (America/Santiago), en una moneda. `totalTransactions` menos el `cost` de cada ítem y menos `totalNullification` es `totalRemittances`.',
  ],
  listRemittances: ['Lista los últimos abonos y pagos a terceros', REMITTANCES],
  listRemittancesOfDay: ['Lista los abonos y pagos a terceros de un día', REMITTANCES],
  readRemittanceIndicators: [
    'Lee lo que se le debe a un comercio',
    'Nombra los indicadores que quieres; solo esos se responden. Lo que se debe y no se ha abonado está por venir.',
  ],
  listPaymentMethods: ['Lista los medios de pago de un servicio de pago'],
  listPaymentMethodsV2: ['Lista los medios de pago de un servicio de pago para una moneda'],
  readEvents: [
    'Lee lo que pasó',
    'Los eventos vienen en el orden en que quedaron guardados, cada uno exactamente una vez a lo largo de los cursores. Comienza sin `after` y después devuelve `data.next`. Mientras `has_more` sea true hay más que leer, aunque una página venga vacía.',
  ],
  findTransactions: [
    'Busca transacciones',
    'Debe cumplirse todo lo que envías. `data.next` es el cursor de la página siguiente, null al final; una página puede venir vacía y tener otra después.',
  ],
  showTransaction: [
    'Muestra una transacción con su línea de tiempo',
    'Intentos de pago con las respuestas del medio de pago, estados, callbacks con lo que respondió la tienda, devoluciones, asientos de los libros y decisiones, en el orden de sus horas. El enlace de pago no viene.',
  ],
  listRefusedRequests: [
    'Lista las solicitudes rechazadas',
    'Las de los últimos 7 días, primero la más nueva. Una solicitud es tuya por el Service Token que nombra o por la transacción de su ruta. Las de tokens de producción se guardan si la instalación lo dice (`REFUSED_REQUESTS`). Qué estaba mal se cuenta en el idioma de `Accept-Language`.',
  ],
  createWebhook: [
    'Suscríbete a abonos y devoluciones',
    'Desde ahora cada abono y devolución que ve el usuario se envía a `url`, firmado con el Secret Token del servicio de pago según Standard Webhooks, con los reintentos de los callbacks.',
  ],
  listWebhooks: ['Lista tus webhooks'],
  changeWebhook: ['Cambia la dirección de un webhook'],
  endWebhook: ['Termina un webhook'],
  beginListening: ['Recibe los callbacks de desarrollo en tu computador'],
  takeCallback: ['Toma el siguiente callback de desarrollo'],
  reportCallback: ['Informa qué pasó con un callback de desarrollo'],
  endListening: ['Devuelve los callbacks de desarrollo al servicio'],
  readUser: ['Lee tu propio usuario'],
  listApiTokens: [
    'Lista los tokens de API de un usuario',
    'Primero el más antiguo, también los que ya se cerraron. El token mismo no se muestra: se mostró al crearlo.',
  ],
  createApiToken: [
    'Crea un token de API',
    'Uno más para un programa, con nombre propio. Puedes crearlo para quien no tiene nada que tú no tengas: permisos, servicios de pago, devoluciones al día; no para ti. Si tienes un segundo factor, envía su `code`; un código sirve una vez.',
  ],
  endApiToken: [
    'Cierra un token de API',
    'En un segundo deja de servir todo token de acceso que se obtuvo con él. Uno tuyo, o de quien no tiene nada que tú no tengas.',
  ],
  logIn: [
    'Inicia sesión',
    'Tras diez contraseñas erradas seguidas, una cuenta no puede iniciar sesión desde la misma red por 30 minutos. Los tokens de acceso en uso siguen sirviendo.',
  ],
  logInV2: ['Inicia sesión, para clientes de la segunda versión'],
  logInV1: ['Inicia sesión, para clientes de la primera versión', 'Aquí una contraseña errada responde 400.'],
  logInWithApiToken: [
    'Cambia un token de API por un token de acceso',
    'Envía el token de API como `Authorization: Bearer`, o `email` y `apiToken` en el cuerpo. Un token que no es válido responde 403 si vino en el encabezado, y 401 si vino en el cuerpo.',
  ],
  listBanks: [
    'Lista los bancos',
    'Cada institución de la lista que usan las validaciones, también las cerradas o fusionadas.',
  ],
  validateBankAccount: [
    'Valida una cuenta bancaria',
    'Cada solicitud bien formada recibe un veredicto y las comprobaciones detrás de él: un dígito verificador errado es un veredicto, no un error. Sin un proveedor en línea el mejor veredicto es `plausible`.',
  ],
  validateBankAccounts: [
    'Valida hasta 1.000 cuentas bancarias',
    'Los resultados vienen en el orden de los ítems. Un ítem que no se puede leer trae un `error` en su lugar y no arruina los demás.',
  ],
  readBankAccountValidation: ['Lee una validación otra vez', 'Tal como se respondió, salvo el RUT, que no se guarda.'],
  createPaymentLink: [
    'Crea un enlace de pago',
    'Una dirección, con código QR y afiche, donde se paga un monto sin tienda. Envía un `Idempotency-Key`: la misma solicitud otra vez responde con el mismo enlace e `Idempotency-Hit: true`, y otra con la misma clave se rechaza con 409. Sin clave, cada solicitud crea un enlace.',
  ],
  listPaymentLinks: [
    'Lista los enlaces de pago',
    'De todos los servicios de pago que ve el usuario, los más nuevos primero.',
  ],
  readPaymentLink: ['Lee un enlace de pago', 'Si se puede pagar, y cuántos pagos trajo.'],
  endPaymentLink: [
    'Cierra un enlace de pago',
    'Ya no se puede pagar; quien ya está pagando puede terminar. Uno que estaba cerrado queda como estaba.',
  ],
  listRecipients: [
    'Lista los destinatarios',
    'La versión más nueva de cada uno. Un usuario ve los de sus servicios de pago y los que guardó para sí.',
  ],
  createRecipient: [
    'Guarda una cuenta validada',
    'Envía otra vez los datos que se validaron, con el id de su validación: una validación no guarda ni RUT ni cuenta. La misma validación responde con el mismo destinatario.',
  ],
  readRecipient: ['Lee un destinatario', 'Como vale ahora, con cada versión que ha tenido.'],
  changeRecipient: [
    'Cambia la cuenta de un destinatario',
    'Otra cuenta es una validación nueva y una versión nueva del destinatario; un veredicto más nuevo también. El titular no cambia.',
  ],
  createTransfer: [
    'Paga a alguien',
    'Hace un pago del único servicio de pago que ve el usuario. La cuenta se valida de inmediato, y el pago espera la aprobación de una persona, salvo que la regla para programas lo apruebe. El mismo `tef.id` con los mismos campos responde con el mismo pago; con otros se rechaza (409). Su final se envía a `callbackUrl` como `{"tefResponse": …}`.',
  ],
  readTransfer: [
    'Lee un pago',
    'Por el id que le diste. `status` dice si sigue en curso; `state` dice exactamente dónde está.',
  ],
  readBalance: ['Lee el saldo', 'Lo que es del comercio, con lo aprobado para pagar que aún no llega.'],
  proposePayoutBatch: [
    'Propón un lote de pagos',
    'Todos o ninguno: con una fila mala no se crea nada, y se nombra cada fila. Se valida cada cuenta. Un lote espera la aprobación de otra persona, también el de un programa. Los mismos pagos otra vez (sus ids con los mismos campos) son el mismo lote; lo que no cabe en una transferencia se divide en varios.',
  ],
  listPayoutBatches: ['Lista los lotes de pagos', 'Los más nuevos primero, con cuánto de cada uno está en qué estado.'],
  readPayoutBatch: [
    'Lee un lote de pagos',
    'Con sus pagos, lo raro de cada uno, y los archivos de banco en que salieron. Envía `next` como `after` para los pagos que siguen.',
  ],
  approvePayoutBatch: [
    'Aprueba un lote de pagos',
    'Todos los que esperan, o ninguno; desde entonces su dinero queda reservado. Lo hace una persona que no los propuso, ni cambió una de sus cuentas, ni hizo un token de API del programa que los propuso, y prueba su segundo factor con `code`. Un programa no aprueba nada.',
  ],
  rejectPayoutBatch: [
    'Rechaza un lote de pagos',
    'Los que esperan una aprobación no la tienen; nada de su dinero se había tomado.',
  ],
  cancelPayoutBatch: [
    'Retira un lote de pagos',
    'Los que no han salido, aprobados o no; lo reservado vuelve a estar disponible.',
  ],
  submitPayoutBatch: [
    'Pide la aprobación de un borrador',
    'Los pagos de un lote que se propuso con `draft` esperan desde ahora a otra persona. No lleva cuerpo.',
  ],
  makePayoutFiles: [
    'Escribe los pagos aprobados en archivos para un banco',
    'Tantos archivos como pida el límite de líneas del banco. Cada pago está en un solo archivo y queda `sent`, así que la misma solicitud otra vez escribe lo que se aprobó mientras tanto, o nada; con `batchId` responde los archivos que tiene el lote. Los archivos se guardan: `GET /payout-files` los lista.',
  ],
  downloadPayoutFile: [
    'Descarga un archivo de pagos',
    'Los bytes que tenía cuando se hizo, para el banco. Lleva RUT, nombres y números de cuenta: guárdalo como guardas esos datos.',
  ],
  listPayoutFiles: [
    'Lista los archivos de pagos',
    'Los más nuevos primero, como se hicieron para los bancos; sin sus bytes.',
  ],
  readPayoutFile: ['Lee un archivo de pagos', 'Con sus pagos en el orden de sus líneas, y qué pasó con cada uno.'],
  takePayoutResults: [
    'Di qué hizo el banco con un archivo de pagos',
    'El resultado del banco como CSV, .xlsx o .xls, con un id, o con RUT y monto, y un estado como `Pagado` o `Rechazado` de cada línea. El mismo archivo otra vez no cambia nada. Lo que contradice un estado no mueve dinero, y espera a una persona.',
  ],
  importStatement: [
    'Importa una cartola del banco',
    'Un CSV, .xlsx o .xls tal como lo exporta el banco. Primero el archivo se prueba a sí mismo, por sus saldos o totales. Cada línea nueva tiene un solo uso: confirma un pago o un archivo de pagos, trae uno de vuelta, es un depósito anotado, o espera sin explicar. Las líneas que vinieron en otro archivo ya se conocen, y el mismo archivo otra vez no cambia nada.',
  ],
  listStatements: [
    'Lista las cartolas del banco',
    'Las más nuevas primero, con cuántas de sus líneas están sin explicar.',
  ],
  readStatement: [
    'Lee una cartola del banco',
    'Con sus líneas en el orden del archivo, y de qué es cada una. Su texto no se guarda: ahí hay nombres y RUT.',
  ],
  resolveStatementLine: [
    'Di qué es una línea sin explicar',
    'Con el estado y los asientos del pago, o con el depósito y su asiento, en una sola operación. Una línea tiene un uso, y ese queda; lo mismo con el mismo motivo otra vez no cambia nada.',
  ],
  readAvailableBalance: [
    'Lee lo que se puede pagar',
    'Lo que es del comercio, sin lo que se está devolviendo ni lo que tienen reservado los pagos.',
  ],
  health: ['Si el proceso corre'],
  ready: ['Si el proceso debe recibir solicitudes'],
  metrics: ['Métricas en el formato de texto de Prometheus'],
};

/** The sections of the reference by tag. */
export const SPANISH_TAGS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  Transactions: [
    'Transacciones',
    'Crea una transacción, lleva a quien paga a su página de pago y mira qué pasó con ella.',
  ],
  'Payment links': ['Enlaces de pago', 'Una dirección donde se paga un monto sin tienda.'],
  Refunds: ['Devoluciones', 'Devuelve un pago, en parte o completo.'],
  Reconciliation: ['Conciliación', 'Lo que se pagó y devolvió en un día, atado a los libros.'],
  'Payment methods': ['Medios de pago', 'Con qué se puede pagar.'],
  Webhooks: ['Webhooks', 'Un usuario se entera de abonos y devoluciones en una dirección propia.'],
  Events: ['Eventos', 'Todo lo que pasó, para leerlo cuando quieras. El callback es lo mismo, enviado a ti.'],
  'Bank account validation': [
    'Validación de cuentas bancarias',
    'Si una cuenta bancaria puede ser lo que alguien dice que es, antes de enviar dinero.',
  ],
  Payouts: ['Pagos a terceros', 'Dinero que un comercio envía a otros.'],
  'Bank files': ['Archivos de bancos', 'Archivos de pagos para bancos, qué pasó con ellos, y cartolas del banco.'],
  Recipients: ['Destinatarios', 'Cuentas validadas que se guardan para pagos a terceros.'],
  Access: ['Acceso', 'Tokens de acceso para personas y programas que leen y validan.'],
  Operation: ['Operación', 'Para quienes operan el servicio.'],
};

/** The introduction of the reference. */
const SPANISH_INFO: readonly string[] = [
  'Rúbrica habla el protocolo de transacciones firmadas de las tiendas chilenas y la validación de cuentas de la API de transferencias electrónicas.',
  '**Firma.** Toma los diez campos `x_` obligatorios, ordénalos por nombre y escribe nombre y valor, nombre y valor, sin nada en medio: `x_account_id…x_amount1000x_currencyCLP…`. `x_signature` es el HMAC-SHA256 de ese texto, en hexadecimal y minúsculas; la clave es el texto del Secret Token. Los valores van en UTF-8, sin cambios. `x_products`, `x_billing_details`, `x_shippment` y `x_document` nunca se firman.',
  '**Los tokens deciden.** Un servicio de pago tiene un Service Token y un Secret Token para `development` y otros para `production`. Cada servidor acepta ambos; lo que se firma con los de desarrollo es una prueba.',
  '**Repetir es seguro.** Una referencia es de una sola transacción, para siempre. La misma solicitud responde con la primera transacción e `Idempotency-Hit: true`; otros campos con la misma referencia se rechazan con 409.',
  '**Los errores** son `application/problem+json`, con un `code` que no cambia y qué hacer; cada código tiene su página en `/errors/{code}`. Con `Accept-Language: es` vienen en español. `errors` nombra todo lo que está mal, no solo lo primero.',
  '**Límites.** Un cuerpo tiene a lo más 16 KiB (512 KiB para validaciones en lote); los encabezados, 8 KiB y 64 líneas. Las direcciones se comparan tal cual.',
];

/** The fixed texts of the reference. */
export const REFERENCE_WORDS = {
  en: {
    title: 'API reference',
    contents: 'Endpoints',
    requestsIn: 'Requests in',
    info: INFO.description.split('\n\n'),
    version: (version: string) => `Version ${version}, as the answer header Rubrica-Version says it. For programs:`,
    or: 'or',
    parameters: 'Parameters',
    in: (type: string, place: string) => `${type} in the ${place}`,
    optional: 'optional',
    body: 'Body',
    answers: 'Answers',
    answer: 'Answer',
    errors: 'Errors',
    header: 'header',
    try: 'Try it with your own fields',
    access: 'Access.',
    signed: 'Signed with the Secret Token of the payment service.',
    open: 'Open to everybody.',
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
    version: (version: string) => `Versión ${version}, como lo dice el encabezado Rubrica-Version. Para programas:`,
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
    open: 'Abierto a cualquiera.',
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
