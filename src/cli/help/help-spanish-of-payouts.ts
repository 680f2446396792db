/** The Spanish help of statements, payouts, batches and recipients, by the English text. */
export const PAYOUT_HELP: Readonly<Record<string, string>> = {
  'bank statements (cartolas) and what each line belongs to': 'cartolas del banco y a qué corresponde cada línea',
  'import a bank statement: confirm and return payouts; unmatched lines wait for a person':
    'importa una cartola: confirma y devuelve pagos; las líneas sin explicar esperan a una persona',
  'user who acts, for the audit log (default: RUBRICA_USER)':
    'usuario que actúa, para el registro de auditoría (por omisión, RUBRICA_USER)',
  'account number': 'número de la cuenta',
  'environment (default: RUBRICA_ENV)': 'ambiente (por omisión, RUBRICA_ENV)',
  'the payment service that owns the account (default: all of them share it)':
    'servicio de pago dueño de la cuenta (por omisión, es de todos)',
  'do not ask for confirmation (only a terminal is asked)': 'no pide confirmación (solo se pide en una terminal)',
  'print one JSON object': 'imprime un objeto JSON',
  'CSV, .xlsx or .xls as the bank exports it; it may overlap an earlier one':
    'CSV, .xlsx o .xls tal como lo exporta el banco; puede traslaparse con uno anterior',
  'list the newest statements, with the number of lines in suspense':
    'lista las cartolas más nuevas, con cuántas líneas están sin explicar',
  'maximum number of rows': 'número máximo de filas',
  'show the lines of a statement and what each belongs to':
    'muestra las líneas de una cartola y a qué corresponde cada una',
  'only lines in suspense': 'solo las líneas sin explicar',
  'print one JSON object; amounts in minor units': 'imprime un objeto JSON; los montos en unidades mínimas',
  'ID of the statement, from `statement list`': 'ID de la cartola, de `statement list`',
  'say what a line in suspense is, or again one that is other; --use suspense undoes a wrong match':
    'di qué es una línea sin explicar, o de nuevo una que quedó como other; --use suspense deshace un uso errado',
  'line number in the file; without it, --use other is for all that nothing is known about':
    'número de la línea en el archivo; sin él, --use other vale para todas de las que no se sabe nada',
  'other: nothing to do with this service; suspense: not the payout or deposit it was matched with':
    'other: ajena a este servicio; suspense: no es el pago o depósito que se le dio',
  'the payout that left or came back': 'el pago que salió o volvió',
  'ID of a recorded deposit, from `deposit list`': 'ID de un depósito anotado, de `deposit list`',
  'payment method that paid, such as webpay; records the deposit together with the line':
    'medio de pago que abonó, como webpay; anota el depósito junto con la línea',
  'commission that the acquirer kept, not part of the amount': 'comisión que se quedó el adquirente, aparte del monto',
  'the merchant paid it in; records the deposit together with the line':
    'lo depositó el comercio; anota el depósito junto con la línea',
  "it left at the merchant's expense; records the payout together with the line":
    'salió a costa del comercio; anota el pago junto con la línea',
  'payment service of the new deposit or payout, if all of them share the account':
    'servicio de pago del depósito o pago nuevo, si la cuenta es de todos',
  'reason; do not name people': 'motivo; no nombres a nadie',
  'pay recipients and merchants': 'paga a destinatarios y a comercios',
  'record money sent to a merchant; never more than is available':
    'anota dinero enviado a un comercio; nunca más de lo disponible',
  'payment service': 'servicio de pago',
  'amount: CLP such as 15000, without points; USD such as 10.55':
    'monto: en CLP como 15000, sin puntos; en USD como 10.55',
  'currency, such as CLP': 'moneda, como CLP',
  'reference of the bank; repeating it records nothing twice':
    'referencia del banco; si la repites, no se anota dos veces',
  'reverse a payout that the bank returned or that was recorded by mistake; whole, once':
    'deshace un pago que el banco devolvió o que se anotó por error; completo, una sola vez',
  'reverse a deposit that never came or that was recorded by mistake; whole, once':
    'deshace un depósito que no llegó o que se anotó por error; completo, una sola vez',
  'reference under which it was recorded': 'referencia con que se anotó',
  'propose payouts, from a file or to one recipient; another person approves them':
    'propone pagos que aprueba otra persona, desde un archivo o uno a un destinatario',
  'payment service that pays': 'servicio de pago que paga',
  'name of the batch (default: the file name)': 'nombre del lote (por omisión, el del archivo)',
  'pay a stored recipient, without a file': 'paga a un destinatario guardado, sin archivo',
  'with --recipient: whole pesos, such as 15000': 'con --recipient: pesos enteros, como 15000',
  'with --recipient: your own ID; repeating it returns the same payout':
    'con --recipient: tu propio ID; si lo repites, es el mismo pago',
  'with --recipient: message to the recipient': 'con --recipient: mensaje para el destinatario',
  'keep it as a draft until `batch submit`': 'queda como borrador hasta `batch submit`',
  'CSV or .xlsx': 'CSV o .xlsx',
  'approve payouts, so that the money can leave; never your own':
    'aprueba pagos para que salga el dinero; nunca los que propusiste tú',
  'IDs from `payout list`': 'IDs de `payout list`',
  'reject payouts that wait for approval': 'rechaza pagos que esperan aprobación',
  'cancel payouts that have not left': 'retira pagos que no han salido',
  'show a payout, its recipient, the verdict of the account and warnings':
    'muestra un pago, su destinatario, el veredicto de la cuenta y las advertencias',
  'ID from `payout list`': 'ID de `payout list`',
  'list the newest payouts to recipients and to merchants': 'lista los pagos más nuevos a destinatarios y a comercios',
  'only payouts to recipients that are draft, awaiting_approval, approved, rejected, cancelled, sent, unknown, confirmed, failed, returned':
    'solo pagos a destinatarios que están draft, awaiting_approval, approved, rejected, cancelled, sent, unknown, confirmed, failed, returned',
  'only payouts of this batch': 'solo los pagos de este lote',
  'only payouts to recipients of this amount in CLP': 'solo los pagos a terceros de este monto en CLP',
  'write approved payouts into files for a bank; each payout goes into one file only, and the store keeps the files':
    'escribe los pagos aprobados en archivos para un banco; cada pago va en un solo archivo, y los archivos se guardan',
  'which bank takes it; `payout formats` lists them': 'qué banco lo recibe; `payout formats` los muestra',
  'account to debit': 'cuenta de cargo',
  "RUT of the account holder, if the bank's format needs it":
    'RUT del titular de la cuenta, si el formato del banco lo pide',
  "name of the account holder, if the bank's format needs it":
    'nombre del titular de la cuenta, si el formato del banco lo pide',
  "contract number, if the bank's format needs it": 'número de convenio, si el formato del banco lo pide',
  'folder for the files': 'carpeta para los archivos',
  'list the bank files; with an ID and --out: write one again':
    'lista los archivos para bancos; con un ID y --out: escribe uno otra vez',
  'write the file here': 'escribe el archivo aquí',
  'ID of a file': 'ID de un archivo',
  'list the bank file formats and how well each layout is confirmed':
    'lista los formatos de archivo de los bancos y qué tan confirmado está cada uno',
  "import the bank's result of a file: CSV, .xlsx or .xls with the RUT, amount and state of each payout":
    'importa el resultado que da el banco de un archivo: CSV, .xlsx o .xls con RUT, monto y estado de cada pago',
  'ID of the bank file that it answers, pf_…': 'ID del archivo al que responde, pf_…',
  'result file from the bank': 'archivo de resultado del banco',
  'record the outcome of a payout that has left, with evidence':
    'anota el resultado de un pago que salió, con evidencia',
  'the outcome': 'el resultado',
  "evidence, such as a saved page of the bank's portal": 'evidencia, como una página guardada del portal del banco',
  "dismiss a contradiction: a person has checked that the payout's state is right; no money moves":
    'descarta una contradicción: una persona revisó que el estado del pago es correcto; no se mueve dinero',
  'set the account type, for bank formats that need it; applies to every payout to that account':
    'define el tipo de cuenta, para los formatos que lo piden; vale para todos los pagos a esa cuenta',
  'ID of a payout to that account': 'ID de un pago a esa cuenta',
  'checking (corriente), savings (ahorro) or sight (vista, CuentaRUT)':
    'checking (corriente), savings (ahorro) o sight (vista, CuentaRUT)',
  'show or set the payout limits; `none` removes a limit':
    'muestra o define los límites de pagos; `none` quita un límite',
  'maximum of one payout': 'máximo de un pago',
  'maximum of a batch': 'máximo de un lote',
  'maximum approved in one day (Chilean time)': 'máximo que se aprueba en un día (hora de Chile)',
  'payouts of programs up to this amount need no approval (default: all need it)':
    'los pagos de programas hasta este monto no necesitan aprobación (por omisión, todos la necesitan)',
  'maximum that programs pay without approval in one day': 'máximo que los programas pagan sin aprobación en un día',
  'maximum number of payouts without approval in one hour': 'número máximo de pagos sin aprobación en una hora',
  'set how much a person may approve in one day (Chilean time); `none` removes the limit':
    'define cuánto puede aprobar una persona en un día (hora de Chile); `none` quita el límite',
  'user ID or e-mail address': 'ID o correo del usuario',
  'whole pesos, or none': 'pesos enteros, o none',
  "send payouts through a provider's API instead of bank files":
    'envía los pagos por la API de un proveedor, en vez de archivos para el banco',
  'send approved payouts through a provider from now on, waiting ones too':
    'desde ahora envía los pagos aprobados por un proveedor, también los que esperan',
  'payment service whose payouts are sent': 'servicio de pago que paga',
  'http: URL where the provider accepts transfers': 'http: URL donde el proveedor recibe transferencias',
  'http: bearer key of the provider; - reads it from standard input':
    'http: clave bearer del proveedor; - la lee de la entrada estándar',
  'http (see docs/payout-provider.md) or simulated (development)':
    'http (ver docs/payout-provider.md) o simulated (development)',
  'list the senders of each payment service, without keys': 'lista por dónde envía cada servicio de pago, sin claves',
  'stop using the sender: approved payouts wait for a bank file again; sent ones are still looked up':
    'deja de enviar por el proveedor: los pagos aprobados vuelven a esperar un archivo; los enviados se siguen consultando',
  'approve payouts in batches': 'aprueba pagos por lotes',
  'ID from `batch list`': 'ID de `batch list`',
  'submit a draft for approval': 'envía un borrador a aprobación',
  'show a batch and its payouts': 'muestra un lote y sus pagos',
  'list the newest batches': 'lista los lotes más nuevos',
};
