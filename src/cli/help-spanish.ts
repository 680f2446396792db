import { PAYOUT_HELP } from './help-spanish-of-payouts.ts';

/**
 * The help of the command line in Spanish, by its English text: the list of commands, and the commands that shops and finance
 * use. A test finds one that is missing.
 */
export const SPANISH_HELP: Readonly<Record<string, string>> = {
  ...PAYOUT_HELP,
  'The payment service that a company can run itself.':
    'El servicio de pagos que una empresa puede operar por sí misma.',
  'display help for command': 'muestra la ayuda del comando',
  'output the version number': 'muestra la versión',
  'print one JSON object': 'imprime un objeto JSON',
  'print one JSON object; amounts in minor units': 'imprime un objeto JSON; los montos en unidades mínimas',
  'print one JSON object; amounts in minor units, the beginning of each file in base64':
    'imprime un objeto JSON; los montos en unidades mínimas, el comienzo de cada archivo en base64',
  'print one JSON object; amounts in minor units, times and ages in milliseconds':
    'imprime un objeto JSON; los montos en unidades mínimas, horas y edades en milisegundos',
  'print one JSON object, with what is known of their accounts':
    'imprime un objeto JSON, con lo que se sabe de sus cuentas',
  'the user in whose name it is done and recorded; RUBRICA_USER unless said':
    'el usuario en cuyo nombre se hace y se registra; RUBRICA_USER si no lo dices',
  'the user in whose name it is done and recorded; RUBRICA_USER unless said. Also takes the decision; may be repeated':
    'el usuario en cuyo nombre se hace y se registra; RUBRICA_USER si no lo dices. También toma la decisión; se puede repetir',
  'do not ask on a terminal; without one nothing is asked':
    'no preguntes en una terminal; sin terminal no se pregunta nada',
  'how many': 'cuántos',
  'the newest': 'los más nuevos',
  'such as CLP': 'como CLP',
  'whose books': 'los libros de quién',
  'whose books; as RUBRICA_ENV unless said': 'qué libros; los de RUBRICA_ENV si no lo dices',
  'only these': 'solo estos',
  'only this one': 'solo este',
  'only of this one': 'solo los de este',
  'only of these tokens': 'solo los de estos tokens',
  'only of this transaction': 'solo los de esta transacción',
  'only of this one, the idTrx': 'solo los de esta, el idTrx',
  'its id': 'su id',
  'the idTrx': 'el idTrx',
  'the ID of attention list': 'el ID de attention list',
  'everything that waits or contradicts, the oldest first, each with who looks after it and the command that ends it':
    'todo lo que espera o se contradice, lo más antiguo primero, con quién lo ve y el comando que lo termina',
  'say that you look after it, so that nobody else begins too': 'di que lo ves tú, para que nadie más empiece',
  "say that it is nobody's work again": 'di que ya no lo ve nadie',
  'where several have the id': 'si varios tienen ese id',
  'the ID of callback list': 'el ID de callback list',

  // Commands, as the first list names them
  'starts the service and shows it: sign, create, pay, receive the callback, refund, validate bank accounts, pay somebody':
    'inicia el servicio y lo muestra: firma, crea, paga, recibe el callback, devuelve, valida cuentas bancarias, paga a un tercero',
  'the service: HTTP and worker; brings the schema up to date first; SIGTERM drains, a second one at once':
    'el servicio: HTTP y trabajador; primero actualiza el esquema; SIGTERM lo detiene con calma, el segundo de inmediato',
  'prints the address of the console, the documentation or a pay page, and opens it in a browser':
    'imprime la dirección de la consola, la documentación o una página de pago, y la abre en un navegador',
  'makes a test payment that ends as you say, so that your shop is told of it':
    'hace un pago de prueba que termina como digas, para que tu tienda se entere',
  'what shops ask of the service, as it happens': 'lo que las tiendas piden al servicio, mientras ocurre',
  'what really happens to callbacks, tried on a shop of yours':
    'lo que de verdad les pasa a los callbacks, probado en una tienda tuya',
  'the time of a development installation, which can be set ahead':
    'la hora de una instalación de desarrollo, que se puede adelantar',
  'prints the file by which a shell completes commands, options and their values':
    'imprime el archivo con que una shell completa comandos, opciones y sus valores',
  'payment services and their tokens': 'los servicios de pago y sus tokens',
  'what a payment method needs to collect for whom': 'lo que un medio de pago necesita para cobrar, y para quién',
  'people and programs that use the API, and what they may do':
    'las personas y programas que usan la API, y lo que pueden hacer',
  'where users are told of remittances and refunds': 'dónde se avisa a los usuarios de abonos y devoluciones',
  'what is kept about a person, as Law 21.719 asks': 'lo que se guarda de una persona, como pide la Ley 21.719',
  'who did what, when and from where': 'quién hizo qué, cuándo y desde dónde',
  'a health report and the settings in force; status 1 when something needs a person':
    'un informe de salud y la configuración vigente; estado 1 si algo necesita a una persona',
  'the key that everything secret in the store is sealed with': 'la clave con que se cifra todo lo secreto',
  'put a backup in the place of the embedded store, and begin a new epoch; the service must be stopped':
    'pone un respaldo en lugar de la base embebida y comienza una época nueva; el servicio debe estar detenido',
  'begin a new epoch in a database that was restored with its own tools; every service must be stopped':
    'comienza una época nueva en una base restaurada con sus propias herramientas; todo servicio debe estar detenido',
  'after a restore: show what is to be compared, and let callbacks and refunds go; without --yes it asks':
    'tras restaurar: muestra qué comparar y deja salir callbacks y devoluciones; sin --yes pregunta',
  'bring the schema up to date': 'actualiza el esquema',
  'write a consistent copy of the embedded database while the service runs':
    'escribe una copia coherente de la base embebida mientras el servicio corre',
  'measures the service beside its peers and prints the ratios':
    'mide el servicio junto a sus pares e imprime las proporciones',

  // Signing
  'read JSON of the fields from stdin, print x_signature and nothing else; status 2 when they must not be signed':
    'lee de stdin el JSON de los campos e imprime x_signature y nada más; estado 2 si no se deben firmar',
  'read a callback (form or JSON) from stdin; status 0 when it is genuine, 1 when not, with the reason':
    'lee un callback (formulario o JSON) de stdin; estado 0 si es genuino, 1 si no, con el motivo',
  'read a refused body with its x_signature (a request or a callback, form or JSON) from stdin and name the cause; status 1 when none is found':
    'lee de stdin un cuerpo rechazado con su x_signature (solicitud o callback, formulario o JSON) y dice la causa; estado 1 si no encuentra ninguna',
  'Secret Token, from this environment variable': 'Secret Token, de esta variable de entorno',
  'Secret Token, from this file': 'Secret Token, de este archivo',
  'the same, seen by everybody on the machine, and kept by the shell':
    'lo mismo, a la vista de todos en el equipo, y guardado por la shell',
  'print the text that is signed instead': 'imprime en su lugar el texto que se firma',
  'Secret Token that it should have been signed with, from this environment variable':
    'Secret Token con que se debió firmar, de esta variable de entorno',
  'Secret Token that it should have been signed with, from this file':
    'Secret Token con que se debió firmar, de este archivo',
  'one that it may have been signed with by mistake, from this environment variable':
    'otro con que se pudo firmar por error, de esta variable de entorno',
  'one that it may have been signed with by mistake, from this file':
    'otro con que se pudo firmar por error, de este archivo',

  // Payments and callbacks
  'find a payment, and see what became of it': 'encuentra un pago y mira qué pasó con él',
  'find it by whatever you have: a reference or a part of it, an e-mail, an amount, an authorisation code, an id':
    'encuéntralo con lo que tengas: una referencia o parte de ella, un correo, un monto, un código de autorización, un id',
  "such as ORD-1, buyer@example.cl, '$12.990', 123456, rf_…, pa_… (the buy order at Webpay)":
    "como ORD-1, buyer@example.cl, '$12.990', 123456, rf_…, pa_… (la orden de compra en Webpay)",
  'the newest payments for which all holds that is given': 'los pagos más nuevos que cumplen todo lo que das',
  'x_reference, as it was signed': 'x_reference, tal como se firmó',
  'a part of x_reference, in either case': 'parte de x_reference, en mayúsculas o minúsculas',
  "the payer's": 'de quien paga',
  'as the payment method told it': 'tal como lo dijo el medio de pago',
  'in CLP such as 12990, without points; in USD such as 10.55': 'en CLP como 12990, sin puntos; en USD como 10.55',
  'the currency of --amount; CLP unless said': 'la de --amount; CLP si no lo dices',
  'created then or later: a day of Chile, such as 2026-01-15, or a time, such as 2026-01-15T10:30Z':
    'creados entonces o después: un día de Chile, como 2026-01-15, o una hora, como 2026-01-15T10:30Z',
  'created before, or on this day': 'creados antes, o en este día',
  'one payment and everything that happened to it, in one list': 'un pago y todo lo que le pasó, en una sola lista',
  'what is sent to merchants': 'lo que se envía a los comercios',
  'receipts that leave by mail': 'comprobantes que salen por correo',
  'receipts that wait to leave or were given up, with their age and why; with --state only that one':
    'los comprobantes que esperan salir o se abandonaron, con su edad y por qué; con --state, solo ese',
  'send one again, from its first attempt': 'envía uno otra vez, desde su primer intento',
  'let one that has not left be sent no more': 'deja de enviar uno que no ha salido',
  'the ID of mail list': 'el ID de mail list',
  'set in which language payers get receipts by mail, or that they get none; needs SMTP_URL':
    'define en qué idioma reciben quienes pagan su comprobante por correo, o que no lo reciben; necesita SMTP_URL',
  'es, en or off': 'es, en u off',
  'the newest callbacks and the outcome of their last attempt':
    'los callbacks más nuevos y el resultado de su último intento',
  'only those for this URL, whatever its query': 'solo los de esta URL, con cualquier parámetro',
  'only those made then or later: a day of Chile, such as 2026-01-15, or a time, such as 2026-01-15T10:30Z':
    'solo los de entonces o después: un día de Chile, como 2026-01-15, o una hora, como 2026-01-15T10:30Z',
  'only those made before, or on this day': 'solo los de antes, o de este día',
  'the endpoints that fail or are gone: whose, since when, why, and what waits for them':
    'los endpoints que fallan o ya no están: de quién, desde cuándo, por qué y qué los espera',
  'one callback: its state, every attempt to deliver it, and what the server answered':
    'un callback: su estado, cada intento de entregarlo y lo que respondió el servidor',
  'print the bytes that are sent, and nothing else': 'imprime los bytes que se envían, y nada más',
  'send one now, or all that wait or were given up, with the same bytes; enables their endpoints':
    'envía uno ahora, o todos los que esperan o se abandonaron, con los mismos bytes; habilita sus endpoints',

  // Refunds
  'refund payments': 'devuelve pagos',
  'refund a payment or a part of it; the running service carries it out':
    'devuelve un pago o una parte; el servicio en marcha lo hace',
  'in CLP such as 15000, without points; in USD such as 10.55': 'en CLP como 15000, sin puntos; en USD como 10.55',
  'total: all that is left, without --amount': 'total: todo lo que queda, sin --amount',
  'such as the number of your case; the same again refunds nothing twice':
    'como el número de tu caso; el mismo otra vez no devuelve nada dos veces',
  'the newest refunds': 'las devoluciones más nuevas',
  'end a refund that its payment method did not end, or that it contradicts':
    'termina una devolución que su medio de pago no terminó, o que contradice',
  'why, for the auditor; name no person': 'por qué, para quien audita; no nombres a nadie',
  'completed: the money went back; failed: it did not': 'completed: el dinero volvió; failed: no volvió',
  'what shows it; its name, hash and beginning are kept':
    'lo que lo prueba; se guardan su nombre, su hash y su comienzo',
  'let the payment method be asked for a refund again, if its balance still allows it':
    'deja que se le pida otra vez la devolución al medio de pago, si su saldo aún lo permite',
  'what shows that the request of less than a day ago did nothing':
    'lo que prueba que la solicitud de hace menos de un día no hizo nada',
  'what was decided about refunds, by whom, why, and by what evidence; the newest first':
    'lo que se decidió sobre devoluciones, quién, por qué y con qué evidencia; primero lo más nuevo',

  'ask that another person approve a refund above your limit; nothing goes back before':
    'pide que otra persona apruebe una devolución sobre tu límite; antes no se devuelve nada',
  'refunds above the limit of who asked, which wait for another person; the oldest first':
    'devoluciones sobre el límite de quien las pidió, que esperan a otra persona; primero las más antiguas',
  'those that were approved or rejected too; the newest first':
    'también las aprobadas y las rechazadas; primero las más nuevas',
  'approve a refund that another person asked for, and make it; never your own':
    'aprueba una devolución que pidió otra persona, y la hace; nunca la tuya',
  'the ID of refund requests': 'el ID de refund requests',
  'refuse a refund that another person asked for, or take back what you asked for':
    'rechaza una devolución que pidió otra persona, o retira lo que pediste tú',

  // Money out and in, books
  'money that was sent to a merchant': 'dinero que se envió a un comercio',
  'record that it was sent; never more than is available': 'anota que se envió; nunca más de lo disponible',
  "the bank's; the same again is recorded once": 'la del banco; la misma otra vez se anota una sola vez',
  'take back one that the bank sent back, or that was recorded by mistake; all of it, once only':
    'deshace uno que el banco devolvió o que se anotó por error; completo, una sola vez',
  'why, for a later reader; name no person': 'por qué, para quien lo lea después; no nombres a nadie',
  'under which it was recorded': 'con la que se anotó',
  'money that came from a payment method, or from a merchant': 'dinero que llegó de un medio de pago, o de un comercio',
  'the merchant paid it in, so that refunds and payouts are covered':
    'lo depositó el comercio, para cubrir devoluciones y pagos',
  'record that it came; never more than the method owes': 'anota que llegó; nunca más de lo que debe el medio',
  'the payment method it came from, such as webpay': 'el medio de pago del que llegó, como webpay',
  'what the acquirer kept, beside the amount': 'lo que se quedó el adquirente, aparte del monto',
  'where every amount came from and went to': 'de dónde vino y adónde fue cada monto',
  'every account of every payment service, environment and currency':
    'cada cuenta de cada servicio de pago, ambiente y moneda',
  'the newest entries': 'los asientos más nuevos',
  'what a merchant was owed before and after a period, and why; with --csv every line of it':
    'lo que se le debía a un comercio antes y después de un período, y por qué; con --csv, cada línea',
  'its first day in Chile, such as 2026-01-01': 'su primer día en Chile, como 2026-01-01',
  'its last day': 'su último día',
  'which money': 'qué dinero',
  'whose account': 'la cuenta de quién',
  'hold the books, whose they are, fees and refunds against each other; status 1 with the places if something was changed':
    'compara entre sí los libros, de quién son, las comisiones y las devoluciones; estado 1 con los lugares si algo se cambió',
  'hold the books against what books head --json once said; reads from the start':
    'compara los libros con lo que dijo alguna vez books head --json; lee desde el comienzo',
  'read everything again, also what an interrupted run has verified':
    'lee todo de nuevo, también lo que verificó una ejecución interrumpida',
  'anchors that were kept elsewhere, beside what the store and ANCHOR_DIR have; may be repeated':
    'anclas guardadas en otro lugar, además de las de la base y de ANCHOR_DIR; se puede repetir',
  'seal the ends of all chains now and write them to ANCHOR_DIR; serve does it by itself every day':
    'sella ahora los finales de todas las cadenas y los escribe en ANCHOR_DIR; serve lo hace solo cada día',
  'print the key by which a receiver knows posts to ANCHOR_URL, in the form of Standard Webhooks':
    'imprime la clave con que un receptor reconoce los envíos a ANCHOR_URL, en la forma de Standard Webhooks',
  'the end of every chain, to be kept where this service cannot write':
    'el final de cada cadena, para guardarlo donde este servicio no pueda escribir',
  'money that no order or no refund asked for, and what was decided about it':
    'dinero que ninguna orden ni devolución pidió, y lo que se decidió',
  'decide whose money in suspense is; once only': 'decide de quién es el dinero en suspenso; una sola vez',
  'the one that the alarm names; left out for money of no transaction':
    'la que nombra la alarma; no se da si el dinero no es de una transacción',
  'only this one, such as 12.0; of no transaction, with its environment: 7/12.0':
    'solo este, como 12.0; si no es de una transacción, con su ambiente: 7/12.0',
  'returned: it went back at the payment method, or came back from it; kept: it is the merchant’s':
    'returned: volvió en el medio de pago, o volvió de él; kept: es del comercio',
  'only differences that nobody has accepted': 'solo las diferencias que nadie ha aceptado',
  'hold a day, or an acquirer’s settlement file, against the books; status 1 when something does not fit':
    'compara un día, o el archivo de liquidación de un adquirente, con los libros; estado 1 si algo no calza',
  'a day of Chile, such as 2026-01-15': 'un día de Chile, como 2026-01-15',
  'CSV or .xlsx of the acquirer, as it is exported; its days are compared':
    'CSV o .xlsx del adquirente, tal como se exporta; se comparan sus días',
  'only what this payment method collected': 'solo lo que cobró este medio de pago',
  'print CSV': 'imprime CSV',

  // Accounts, recipients, banks
  'validate the bank accounts of a table; columns rut, bank, account in any order and most spellings':
    'valida las cuentas bancarias de una tabla; columnas RUT, banco y cuenta en cualquier orden y casi cualquier forma',
  'where to write the rows with their verdicts; standard output unless given':
    'dónde escribir las filas con sus veredictos; la salida estándar si no lo dices',
  'why the shop of a callback was not told, from its last answers, and what ends it':
    'por qué la tienda no recibió un callback, según sus últimas respuestas, y cómo se arregla',
  'write the table with what can be mended by rule; the verdicts are about the mended rows':
    'escribe la tabla con lo que se puede corregir por regla; los veredictos son de las filas corregidas',
  'with --repair: what was changed and why, and what is proposed':
    'con --repair: qué se cambió y por qué, y qué se propone',
  'for a table without names: the order of its columns, such as rut,bank,-,account':
    'para una tabla sin nombres: el orden de sus columnas, como rut,bank,-,account',
  'whether RUTs of digits alone have their check character; else the whole column must show it':
    'si los RUT de solo dígitos traen su dígito verificador; si no lo dices, debe mostrarlo toda la columna',
  'of the sentences; as LANG unless given': 'de las frases; el de LANG si no lo dices',
  'print the summary as one JSON object (needs --out or --repair)':
    'imprime el resumen como un objeto JSON (necesita --out o --repair)',
  'CSV or .xlsx with a row of names, or - for standard input; zeros are kept':
    'CSV o .xlsx con una fila de nombres, o - para la entrada estándar; los ceros se conservan',
  'validated accounts that are kept, for payouts': 'cuentas validadas que se guardan para pagos a terceros',
  'keep an account; JSON from a file or standard input':
    'guarda una cuenta; JSON de un archivo o de la entrada estándar',
  'a new version of a recipient; JSON from a file or standard input':
    'una versión nueva de un destinatario; JSON de un archivo o de la entrada estándar',
  'every recipient as it counts now, and until when its verdict does':
    'cada destinatario como vale ahora, y hasta cuándo vale su veredicto',
  'a recipient with every version that it has had': 'un destinatario con cada versión que ha tenido',
  'the list of bank codes': 'la lista de códigos de bancos',
  'every institution of the list that serves now, with its names, its state and the date of the list':
    'cada institución de la lista vigente, con sus nombres, su estado y la fecha de la lista',
  'make a newer list serve, on every running replica within a second; nothing changes where it cannot be believed':
    'pone en uso una lista más nueva, en cada réplica en un segundo; nada cambia si no se le puede creer',
  "the date of the regulator's list, where it does not say it; else today":
    'la fecha de la lista del regulador, si ella no la dice; si no, hoy',
  'codes whose institution was renamed, such as 027,504': 'códigos cuya institución cambió de nombre, como 027,504',

  // The list of what waits for a person
  'payments that a person has to end': 'pagos que debe terminar una persona',
  'end an attempt that its payment method did not end, or that it contradicts':
    'termina un intento que su medio de pago no terminó, o que contradice',
  'approved: the money was taken; the others: none was': 'approved: se cobró el dinero; las otras: no se cobró nada',
  'what shows it, such as a page of the acquirer; its name, hash and beginning are kept':
    'lo que lo prueba, como una página del adquirente; se guardan su nombre, su hash y su comienzo',
  'what was taken, if that is not the amount of the transaction':
    'lo que se cobró, si no es el monto de la transacción',
  'what was decided about payments, by whom, why, and by what evidence; the newest first':
    'lo que se decidió sobre pagos, quién, por qué y con qué evidencia; primero lo más nuevo',
  'take over money that the acquirer has and the books do not; shows what it would do, and does it with --yes':
    'toma el dinero que tiene el adquirente y no los libros; muestra lo que haría, y lo hace con --yes',
  'whose file it is': 'de quién es el archivo',
  'the payment method that collected': 'el medio de pago que cobró',
  'do it; without it nothing is changed': 'hazlo; sin esto no se cambia nada',
  'what the acquirer settles, as for reconcile --settlement':
    'lo que liquida el adquirente, como en reconcile --settlement',
  'what waits for a person': 'lo que espera a una persona',
};

/** The titles of the parts of a help. */
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
};
