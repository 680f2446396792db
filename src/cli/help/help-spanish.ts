import { PAYOUT_HELP } from './help-spanish-of-payouts.ts';

/**
 * The Spanish help of the command line, by the English text: the list of commands, and the commands for shops and
 * finance. A test finds missing texts.
 */
export const SPANISH_HELP: Readonly<Record<string, string>> = {
  ...PAYOUT_HELP,
  'The payment service that a company can run itself.':
    'El servicio de pagos que una empresa puede operar por sí misma.',
  'display help for command': 'muestra la ayuda del comando',
  'output the version number': 'muestra la versión',
  'read the fields as JSON from stdin and print only x_signature; status 2 if they must not be signed':
    'lee los campos como JSON de la entrada estándar e imprime solo x_signature; estado 2 si no se deben firmar',
  'environment variable that holds the Secret Token': 'variable de entorno con el Secret Token',
  'file that holds the Secret Token': 'archivo con el Secret Token',
  'the Secret Token itself; other users of the machine and the shell history can see it':
    'el Secret Token mismo; lo ven otros usuarios de la máquina y el historial de la shell',
  'print the text that is signed, not the signature': 'imprime el texto que se firma, no la firma',
  'verify a callback (form or JSON) from stdin; status 0 if it is genuine, else 1 with the reason':
    'verifica un callback (formulario o JSON) de la entrada estándar; estado 0 si es auténtico, si no 1 con el motivo',
  'find why a signature is wrong: reads the body of a request or callback (form or JSON) with its x_signature from stdin; status 1 if no cause is found':
    'busca por qué una firma está mal: lee de la entrada estándar el cuerpo de una solicitud o callback (formulario o JSON) con su x_signature; estado 1 si no encuentra la causa',
  'environment variable that holds the expected Secret Token': 'variable de entorno con el Secret Token esperado',
  'file that holds the expected Secret Token': 'archivo con el Secret Token esperado',
  'the expected Secret Token itself; other users of the machine and the shell history can see it':
    'el Secret Token esperado; lo ven otros usuarios de la máquina y el historial de la shell',
  'environment variable that holds a secret that may have been used by mistake':
    'variable de entorno con un secreto que se pudo usar por error',
  'file that holds a secret that may have been used by mistake': 'archivo con un secreto que se pudo usar por error',
  'a secret that may have been used by mistake, itself; other users of the machine and the shell history can see it':
    'un secreto que se pudo usar por error; lo ven otros usuarios de la máquina y el historial de la shell',
  'find payments and show what happened to them': 'encuentra pagos y muestra qué pasó con ellos',
  'find payments by a reference or part of it, an e-mail, an amount, an authorisation code, the last four digits of a card or an ID':
    'busca pagos por una referencia o parte de ella, un correo, un monto, un código de autorización, los últimos cuatro dígitos de una tarjeta o un ID',
  "such as ORD-1, buyer@example.cl, '$12.990', 123456, 6623, rf_…, pa_… (the buy order at Webpay)":
    "como ORD-1, buyer@example.cl, '$12.990', 123456, 6623, rf_…, pa_… (la orden de compra en Webpay)",
  'list the newest payments that match all filters': 'lista los pagos más nuevos que cumplen todos los filtros',
  'x_reference, exactly': 'x_reference, exacta',
  'part of x_reference, ignoring case': 'parte de x_reference, en mayúsculas o minúsculas',
  'e-mail of the payer': 'correo de quien paga',
  'last four digits of the card that paid': 'últimos cuatro dígitos de la tarjeta que pagó',
  'authorisation code of the payment method': 'código de autorización del medio de pago',
  'amount: CLP such as 12990, without points; USD such as 10.55':
    'monto: en CLP como 12990, sin puntos; en USD como 10.55',
  'currency of --amount (default: CLP)': 'moneda de --amount (por omisión, CLP)',
  'only in this state': 'solo en este estado',
  'only of this payment service': 'solo de este servicio de pago',
  'only of this environment': 'solo de este ambiente',
  'created at or after a day (Chilean time), such as 2026-01-15, or a time, such as 2026-01-15T10:30Z':
    'creados desde un día de Chile, como 2026-01-15, o una hora, como 2026-01-15T10:30Z',
  'created before this time, or on or before this day': 'creados antes de esta hora, o hasta este día',
  'show a payment and its timeline': 'muestra un pago y todo lo que le pasó',
  idTrx: 'idTrx',
  'end payments that need a person': 'termina pagos que necesitan a una persona',
  'end a payment attempt that its payment method left open or contradicts':
    'termina un intento de pago que su medio dejó abierto o contradice',
  'approved: the money was taken; the others: it was not': 'approved: se cobró el dinero; las otras: no se cobró',
  'file that proves it, such as a page of the acquirer; the store keeps its name, hash and first bytes':
    'archivo que lo prueba, como una página del adquirente; se guardan su nombre, su hash y sus primeros bytes',
  'reason for the audit log; do not name people': 'motivo, para el registro de auditoría; no nombres a nadie',
  'amount taken, if it differs from the amount of the transaction': 'monto cobrado, si no es el de la transacción',
  'ID from `attention list`': 'ID de `attention list`',
  'list decisions about payments with author, reason and evidence, newest first':
    'lista las decisiones sobre pagos con su autor, motivo y evidencia; primero las más nuevas',
  'print one JSON object; amounts in minor units, the beginning of each file in base64':
    'imprime un objeto JSON; los montos en unidades mínimas, los primeros bytes de cada archivo en base64',
  'record payments that the acquirer has and the books do not; shows the plan, and needs --yes to act':
    'anota pagos que tiene el adquirente y no los libros; muestra el plan, y actúa con --yes',
  'payment service of the file; may be repeated, and the first gets money of no known payment':
    'servicio de pago del archivo; se puede repetir, y el primero recibe el dinero que no es de ningún pago conocido',
  'payment method that collected': 'medio de pago que cobró',
  'carry it out; without it nothing changes': 'lo hace; sin esto no cambia nada',
  'settlement file, as for `reconcile --settlement`': 'archivo de liquidación, como en `reconcile --settlement`',
  'manage refunds': 'administra las devoluciones',
  'refund a payment, whole or in part; the running service carries it out':
    'devuelve un pago, entero o en parte; lo hace el servicio en marcha',
  'total: everything that is left; used without --amount': 'total: todo lo que queda; se usa sin --amount',
  'your key, such as a case number; repeating it never refunds twice':
    'tu clave, como el número de un caso; si la repites, no se devuelve dos veces',
  'list the newest refunds': 'lista las devoluciones más nuevas',
  'end a refund that its payment method left open or contradicts':
    'termina una devolución que su medio de pago dejó abierta o contradice',
  'completed: the money went back; failed: it did not': 'completed: el dinero volvió; failed: no volvió',
  'file that proves it; the store keeps its name, hash and first bytes':
    'archivo que lo prueba; se guardan su nombre, su hash y sus primeros bytes',
  'request the refund from the payment method again, if the balance there allows it':
    'pide otra vez la devolución al medio de pago, si el saldo allá lo permite',
  'file that proves that the request of the last 24 hours did nothing':
    'archivo que prueba que la solicitud de las últimas 24 horas no hizo nada',
  'list decisions about refunds with author, reason and evidence, newest first':
    'lista las decisiones sobre devoluciones con su autor, motivo y evidencia; primero las más nuevas',
  'request a refund above your limit; another person must approve it first':
    'pide una devolución sobre tu límite; antes debe aprobarla otra persona',
  'list refund requests that wait for approval, oldest first':
    'lista las devoluciones que esperan aprobación; primero las más antiguas',
  'also approved and rejected ones, newest first': 'también las aprobadas y rechazadas; primero las más nuevas',
  'approve and carry out a refund that another person requested; never your own':
    'aprueba y hace una devolución que pidió otra persona; nunca la tuya',
  'ID from `refund requests`': 'ID de `refund requests`',
  'reject a refund that another person requested, or withdraw your own request':
    'rechaza una devolución que pidió otra persona, o retira la que pediste tú',
  'list, inspect and resend callbacks to merchants': 'lista, examina y reenvía los callbacks a los comercios',
  'list the newest callbacks and the result of their last attempt':
    'lista los callbacks más nuevos y el resultado de su último intento',
  'only callbacks to this URL, with any query, or ENDPOINT from `callback endpoints`':
    'solo los callbacks a esta URL, con cualquier parámetro, o ENDPOINT de `callback endpoints`',
  'only of this transaction (idTrx)': 'solo de esta transacción (idTrx)',
  'only callbacks created at or after a day (Chilean time), such as 2026-01-15, or a time, such as 2026-01-15T10:30Z':
    'solo los callbacks creados desde un día de Chile, como 2026-01-15, o una hora, como 2026-01-15T10:30Z',
  'only callbacks created before this time, or on or before this day':
    'solo los callbacks creados antes de esta hora, o hasta este día',
  'list endpoints that fail or are gone: owner, since when, cause and waiting callbacks':
    'lista las direcciones que fallan o ya no existen: de quién, desde cuándo, la causa y los callbacks que esperan',
  'show a callback: state, delivery attempts and responses':
    'muestra un callback: su estado, los intentos de entrega y las respuestas',
  'print only the request body': 'imprime solo el cuerpo de la solicitud',
  'ID from `callback list`': 'ID de `callback list`',
  'diagnose why a callback does not arrive, from the last responses, and how to fix it':
    'diagnostica por qué un callback no llega, según las últimas respuestas, y cómo se arregla',
  'send a callback now, or all that wait or were given up, with the same bytes; enables their endpoints':
    'envía un callback ahora, o todos los que esperan o se abandonaron, con los mismos bytes; habilita sus direcciones',
  'list and assign what waits for a person': 'lista y asigna lo que espera a una persona',
  'list what waits for a person, oldest first, with its assignee and the command that resolves it':
    'lista lo que espera a una persona, primero lo más antiguo, con quién lo ve y el comando que lo resuelve',
  'only of this kind': 'solo de este tipo',
  'print one JSON object; amounts in minor units, times and ages in milliseconds':
    'imprime un objeto JSON; los montos en unidades mínimas, horas y edades en milisegundos',
  'assign an item to yourself, so that nobody else starts on it': 'toma un caso, para que nadie más empiece',
  'to choose one, if several items have this ID': 'para elegir, si varios casos tienen este ID',
  'unassign an item': 'suelta un caso',
  'read and verify the books': 'lee y verifica los libros',
  'list every account balance by payment service, environment and currency':
    'lista el saldo de cada cuenta por servicio de pago, ambiente y moneda',
  'list the newest entries': 'lista los asientos más nuevos',
  'only of this transaction': 'solo de esta transacción',
  'show what a merchant was owed before and after a period, and why; --csv prints every line':
    'muestra lo que se le debía a un comercio antes y después de un período, y por qué; --csv imprime cada línea',
  'first day (Chilean time), such as 2026-01-01': 'primer día (hora de Chile), como 2026-01-01',
  'last day': 'último día',
  currency: 'moneda',
  'print CSV': 'imprime CSV',
  'verify the books against the payments, refunds, fees and owners; status 1 with the places if anything was changed':
    'verifica los libros con los pagos, devoluciones, comisiones y dueños; estado 1 con los lugares si algo se cambió',
  'start from the beginning, even if an interrupted run can be resumed':
    'empieza desde el comienzo, aunque se pueda continuar una ejecución interrumpida',
  'compare with an earlier output of `books head --json`; reads from the start':
    'compara con una salida anterior de `books head --json`; lee desde el comienzo',
  'file or folder with anchors kept elsewhere, besides the store and ANCHOR_DIR; may be repeated':
    'archivo o carpeta con anclas guardadas en otro lugar, además de la base y ANCHOR_DIR; se puede repetir',
  'seal the heads of all chains now and write them to ANCHOR_DIR; `serve` does it daily':
    'sella ahora los finales de todas las cadenas y los escribe en ANCHOR_DIR; `serve` lo hace cada día',
  'print the key (Standard Webhooks format) with which a receiver verifies posts to ANCHOR_URL':
    'imprime la clave (formato Standard Webhooks) con que un receptor verifica los envíos a ANCHOR_URL',
  'print the head of every chain, to be kept where this service cannot write':
    'imprime el final de cada cadena, para guardarlo donde este servicio no pueda escribir',
  'list money in suspense, which no order or refund explains, and the decisions about it':
    'lista el dinero sin dueño, que ninguna orden ni devolución explica, y lo que se decidió sobre él',
  'decide what money in suspense is; final': 'decide qué es el dinero sin dueño; es definitivo',
  'transaction that the alarm names; leave it out for money without a transaction':
    'transacción que nombra la alarma; no la des si el dinero no es de una transacción',
  'only this entry, such as 12.0; without a transaction, with its environment: 7/12.0':
    'solo este asiento, como 12.0; sin transacción, con su ambiente: 7/12.0',
  'returned: it went back at the payment method, or came back from it; kept: it is the merchant’s':
    'returned: volvió en el medio de pago, o volvió de él; kept: es del comercio',
  'user who acts, for the audit log (default: RUBRICA_USER); may be repeated':
    'usuario que actúa, para el registro de auditoría (por omisión, RUBRICA_USER); se puede repetir',
  'compare a day or an acquirer’s settlement file with the books; status 1 if something differs':
    'compara un día, o el archivo de liquidación de un adquirente, con los libros; estado 1 si algo no calza',
  'Chilean day, such as 2026-01-15': 'día de Chile, como 2026-01-15',
  'CSV or .xlsx as the acquirer exports it; compares the days in it':
    'CSV o .xlsx tal como lo exporta el adquirente; compara sus días',
  'only this one': 'solo este',
  'only payments collected by this method': 'solo los pagos que cobró este medio',
  'record money received from payment methods and merchants': 'anota dinero recibido de medios de pago y comercios',
  'record a deposit; never more than the payment method owes':
    'anota un depósito; nunca más de lo que debe el medio de pago',
  'payment method that paid, such as webpay': 'medio de pago que abonó, como webpay',
  'the merchant paid it in, to cover refunds and payouts': 'lo depositó el comercio, para cubrir devoluciones y pagos',
  'list the newest deposits': 'lista los depósitos más nuevos',
  'validate the bank accounts of a file with columns rut, bank and account, in any order':
    'valida las cuentas bancarias de un archivo con columnas RUT, banco y cuenta, en cualquier orden',
  'file for the rows with their verdicts (default: standard output)':
    'archivo para las filas con sus veredictos (por omisión, la salida estándar)',
  'write a copy of the table with known mistakes repaired; the verdicts are about the repaired rows':
    'escribe una copia de la tabla con los errores conocidos corregidos; los veredictos son de las filas corregidas',
  'with --repair: file for the changes and proposals, with reasons':
    'con --repair: archivo para los cambios y las propuestas, con sus razones',
  'for a table without a header: the order of its columns, such as rut,bank,-,account':
    'para una tabla sin encabezado: el orden de sus columnas, como rut,bank,-,account',
  'whether RUTs without a hyphen include the check digit (default: inferred from the whole column)':
    'si los RUT sin guion incluyen el dígito verificador (por omisión, se deduce de toda la columna)',
  'language of the messages (default: LANG)': 'idioma de los mensajes (por omisión, LANG)',
  'print the summary as one JSON object (needs --out or --repair)':
    'imprime el resumen como un objeto JSON (necesita --out o --repair)',
  'CSV or .xlsx with a header row, or - for standard input; keeps leading zeros':
    'CSV o .xlsx con encabezado, o - para la entrada estándar; conserva los ceros a la izquierda',
  'store validated accounts for payouts': 'guarda cuentas validadas para pagos a terceros',
  'store an account; JSON from a file or standard input':
    'guarda una cuenta; JSON de un archivo o de la entrada estándar',
  'JSON file (default: standard input)': 'archivo JSON (por omisión, la entrada estándar)',
  'add a new version of a recipient; JSON from a file or standard input':
    'una versión nueva de un destinatario; JSON de un archivo o de la entrada estándar',
  'ID from `recipient list`': 'ID de `recipient list`',
  'list the recipients with their current version and how long its verdict is valid':
    'lista los destinatarios con su versión actual y hasta cuándo vale su veredicto',
  'show a recipient with all its versions': 'muestra un destinatario con todas sus versiones',
  'start a service and show the product: sign, create, pay, receive the callback, refund, validate bank accounts, pay out':
    'inicia un servicio y muestra el producto: firma, crea, paga, recibe el callback, devuelve, valida cuentas bancarias, paga a un tercero',
  'run the service (HTTP and worker); migrates the store first; SIGTERM drains, a second SIGTERM stops at once':
    'ejecuta el servicio (HTTP y trabajador); primero migra la base; SIGTERM lo detiene con calma, el segundo de inmediato',
  'print the address of the console, the documentation or a pay page, and open it in a browser':
    'imprime la dirección de la consola, la documentación o una página de pago, y la abre en un navegador',
  'make a test payment with the outcome you choose, and notify your shop of it':
    'hace un pago de prueba con el resultado que elijas y avisa a tu tienda',
  'follow the requests of shops as they happen': 'sigue las solicitudes de las tiendas mientras ocurren',
  'test how your shop handles late, repeated, forged and lost callbacks':
    'prueba cómo maneja tu tienda los callbacks tardíos, repetidos, falsos y perdidos',
  'show or advance the clock of a development installation':
    'muestra o adelanta el reloj de una instalación de desarrollo',
  'manage payment services and their tokens': 'administra los servicios de pago y sus tokens',
  'configure payment methods of payment services': 'configura los medios de pago de los servicios de pago',
  'manage users (people and programs) and their permissions':
    'administra usuarios (personas y programas) y sus permisos',
  'list and end webhooks of users': 'lista y termina webhooks de usuarios',
  'list and resend receipts sent by mail': 'lista y reenvía los comprobantes por correo',
  'list or update the bank directory': 'lista o actualiza el directorio de bancos',
  'report the health and the settings in force; status 1 if something needs a person':
    'informa la salud y la configuración vigente; estado 1 si algo necesita a una persona',
  'migrate the store to the schema of this version': 'migra la base al esquema de esta versión',
  'write a consistent backup of the embedded store while the service runs':
    'escribe un respaldo coherente de la base embebida mientras el servicio funciona',
  'replace the embedded store with a backup and begin a new epoch; stop the service first':
    'reemplaza la base embebida por un respaldo y empieza una nueva época; antes detén el servicio',
  'begin a new epoch in a database that was restored with its own tools; stop every service first':
    'empieza una nueva época en una base restaurada con sus propias herramientas; antes detén todos los servicios',
  'after a restore: show what to compare, then release callbacks and refunds; asks unless --yes':
    'después de restaurar: muestra qué comparar y libera callbacks y devoluciones; pregunta, salvo con --yes',
  'manage the master key that encrypts secrets in the store':
    'administra la clave maestra que cifra los secretos de la base',
  'read and verify the audit log': 'lee y verifica el registro de auditoría',
  'export or erase personal data (Law 21.719)': 'exporta o borra datos personales (ley 21.719)',
  'measure the service against reference programs and print the ratios':
    'mide el servicio frente a programas de referencia e imprime las razones',
  'print the completion script of a shell': 'imprime el script con que una shell completa comandos',
  'print one JSON object, with the verdicts of their accounts':
    'imprime un objeto JSON, con los veredictos de sus cuentas',
  'list receipts that wait or were given up, with age and cause; --state shows one state only':
    'lista los comprobantes que esperan o se abandonaron, con su edad y la causa; --state muestra un solo estado',
  'send a receipt again, starting with the first attempt': 'envía otra vez un comprobante, desde el primer intento',
  'stop sending a receipt that has not left': 'deja de enviar un comprobante que no ha salido',
  'ID from `mail list`': 'ID de `mail list`',
  'set the language of receipts by mail, or turn them off; needs SMTP_URL':
    'define el idioma de los comprobantes por correo, o los apaga; necesita SMTP_URL',
  'es, en or off': 'es, en u off',
  'only open differences': 'solo las diferencias abiertas',
  'list the institutions in use, with names, state and the date of the list':
    'lista las instituciones vigentes, con sus nombres, su estado y la fecha de la lista',
  'import a newer bank list; every running process uses it within a second; an implausible list changes nothing':
    'importa una lista de bancos más nueva; todos los procesos la usan en un segundo; una lista inverosímil no cambia nada',
  "date of the regulator's list, if the file does not say it (default: today)":
    'fecha de la lista del regulador, si el archivo no la dice (por omisión, hoy)',
  'codes whose institution was renamed, such as 027,504': 'códigos cuya institución cambió de nombre, como 027,504',
  environment: 'ambiente',
};

/** The headings of the help. */
export const SPANISH_TITLES: Readonly<Record<string, string>> = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opciones:',
  'Commands:': 'Comandos:',
  'Examples:': 'Ejemplos:',
  // The groups of commands
  'Run it:': 'Para partir:',
  'For developers of shops:': 'Para quienes desarrollan tiendas:',
  'Merchants and users:': 'Comercios y usuarios:',
  'Payments:': 'Pagos:',
  'Money:': 'Dinero:',
  'Bank accounts:': 'Cuentas bancarias:',
  'Operation:': 'Operación:',
  'forward development callbacks to a server of yours, such as one on this laptop, until Ctrl+C':
    'reenvía los callbacks de desarrollo a un servidor tuyo, como uno en este computador, hasta Ctrl+C',
  'record development requests and their outcomes into a file, until Ctrl+C':
    'graba en un archivo las solicitudes de desarrollo y sus resultados, hasta Ctrl+C',
  'replay a recording with a payment service of its own and print the differences':
    'repite una grabación con un servicio de pago propio e imprime las diferencias',
  'list requests refused in the last 7 days, and why':
    'lista las solicitudes rechazadas en los últimos 7 días, y por qué',
  'manage links that can be paid without a shop': 'administra enlaces que se pagan sin tienda',
  'diagnose and test the servers of merchants that receive callbacks':
    'diagnostica y prueba los servidores de comercios que reciben callbacks',
  "keep acquirers' settlement files and their differences from the books":
    'guarda los archivos de liquidación de los adquirentes y sus diferencias con los libros',
  'review and close a month of the books': 'revisa y cierra un mes de los libros',
  'record that a backup was made with other tools, such as pg_dump, so that `doctor` does not ask for one':
    'anota que se hizo un respaldo con otras herramientas, como pg_dump, para que `doctor` no pida uno',
  'reserve a range of IDs for this database, so that payment services can move to and from it':
    'reserva un rango de IDs para esta base, para que los servicios de pago se trasladen a ella y desde ella',
};
