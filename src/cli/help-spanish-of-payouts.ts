/** The help of statements, payouts, batches and recipients in Spanish, by its English text. */
export const PAYOUT_HELP: Readonly<Record<string, string>> = {
  'statements of the bank (cartolas), and what their lines are of': 'cartolas del banco, y de qué es cada línea',
  'take over a statement: it confirms and returns payouts, and what nobody knows waits for a person':
    'importa una cartola: confirma y devuelve pagos, y lo que nadie conoce espera a una persona',
  'the number of the account': 'el número de la cuenta',
  'whose money; as RUBRICA_ENV says unless named': 'de quién es el dinero; lo que dice RUBRICA_ENV si no se nombra',
  'whose account it is; of all of them unless said': 'de quién es la cuenta; de todos si no se dice',
  'CSV, .xlsx or .xls of the bank, as it is exported; one that overlaps another is fine':
    'CSV, .xlsx o .xls tal como lo exporta el banco; puede traslaparse con otro',
  'the newest, with how many of their lines are in suspense': 'las más nuevas, con cuántas líneas están sin explicar',
  'the lines of one, and what each is of': 'las líneas de una, y de qué es cada una',
  'only what is in suspense': 'solo lo que está sin explicar',
  'of the statement: statement list': 'de la cartola: statement list',
  'say what a line in suspense is; without --line all of them that are of nothing here':
    'di qué es una línea sin explicar; sin --line, que ninguna es de aquí',
  'its line in the file': 'su línea en el archivo',
  'other: of nothing here': 'other: de nada de aquí',
  'which one left, or came back': 'cuál salió, o volvió',
  'of a deposit that is recorded: deposit list': 'de un depósito anotado: deposit list',
  'the payment method that paid, such as webpay: the deposit is booked with the line':
    'el medio de pago que abonó, como webpay: el depósito se anota con la línea',
  'the merchant paid it in: the deposit is booked with the line': 'lo depositó el comercio: se anota con la línea',
  'whose deposit is booked, where the account is of all of them':
    'de quién es el depósito que se anota, si la cuenta es de todos',
  'money that leaves: to recipients, and to a merchant': 'dinero que sale: a destinatarios, y a un comercio',
  'record that it was sent to a merchant; never more than is available':
    'anota que se envió a un comercio; nunca más de lo disponible',
  'make payouts for another person to approve, from a file or one to a recipient':
    'propone pagos que aprueba otra persona, desde un archivo o uno a un destinatario',
  'whose money': 'de quién es el dinero',
  'of the batch; the name of the file unless said': 'del lote; el nombre del archivo si no se dice',
  'pay one that is kept, without a file': 'paga a uno guardado, sin archivo',
  'with --recipient: whole pesos such as 15000': 'con --recipient: pesos enteros, como 15000',
  'with --recipient: your own id; the same again is the same payout':
    'con --recipient: tu propio id; el mismo otra vez es el mismo pago',
  'with --recipient: what the recipient reads': 'con --recipient: lo que lee el destinatario',
  'nobody is asked to approve it until `batch submit`': 'nadie tiene que aprobarlo hasta `batch submit`',
  'a CSV or an .xlsx': 'un CSV o un .xlsx',
  'let the money leave; never what you made yourself': 'deja salir el dinero; nunca lo que propusiste tú',
  'of the payouts: payout list': 'de los pagos: payout list',
  'refuse what waits for an approval': 'rechaza lo que espera aprobación',
  'take back what has not left': 'retira lo que no ha salido',
  'a payout with its recipient, the verdict of the account, and what is odd about it':
    'un pago con su destinatario, el veredicto de la cuenta y lo que llama la atención',
  'from the list': 'de la lista',
  'the newest: payouts to recipients, and what was recorded as sent to merchants':
    'los más nuevos: pagos a destinatarios, y lo anotado como enviado a comercios',
  'only payouts to recipients that are draft, awaiting_approval, approved, rejected, cancelled, sent, unknown, confirmed, failed, returned':
    'solo pagos a destinatarios que están draft, awaiting_approval, approved, rejected, cancelled, sent, unknown, confirmed, failed, returned',
  'only payouts in this batch': 'solo pagos de este lote',
  'write what is approved into files for a bank; each payout is in one file only, and the files are kept':
    'escribe lo aprobado en archivos para un banco; cada pago queda en un solo archivo, y los archivos se guardan',
  'which bank takes it: santander, bancochile-masivas, bancochile-v4, bancoestado-proveedores, bancoestado-abonos, bci, itau-nel, bice, scotiabank':
    'qué banco lo recibe: santander, bancochile-masivas, bancochile-v4, bancoestado-proveedores, bancoestado-abonos, bci, itau-nel, bice, scotiabank',
  'the account that is debited': 'la cuenta de cargo',
  'of its holder, where the bank asks': 'del titular, si el banco lo pide',
  'of the contract with the bank, where it asks': 'del convenio con el banco, si lo pide',
  'this batch alone': 'solo este lote',
  'where the files are written': 'dónde se escriben los archivos',
  'the files that were made; with an id and --out, one of them again':
    'los archivos que se hicieron; con un id y --out, uno de ellos otra vez',
  'write its bytes here': 'escribe aquí sus bytes',
  'of one file': 'de un archivo',
  'the files that banks take, and how sure each layout is':
    'los archivos que reciben los bancos, y qué tan seguro es cada formato',
  "take over what the bank says became of a file's payouts: a CSV, .xlsx or .xls with RUT, amount and state of each":
    'anota lo que el banco dice de los pagos de un archivo: un CSV, .xlsx o .xls con RUT, monto y estado de cada uno',
  'the file of ours that it answers: pf_…': 'el archivo nuestro al que responde: pf_…',
  'the file that the bank returned': 'el archivo que devolvió el banco',
  'say what became of one payout that had left, with evidence': 'di qué pasó con un pago que salió, con evidencia',
  'what became of it': 'qué pasó con él',
  "such as a page of the bank's portal": 'como una página del portal del banco',
  'of the payout: payout list': 'del pago: payout list',
  'say that what contradicts a payout was looked at, and that it is as its state says; no money moves':
    'di que se revisó lo que contradice un pago, y que está como dice su estado; no se mueve dinero',
  'what kind of account a payout goes to, for the banks that ask; it holds for every payout to that account':
    'a qué tipo de cuenta va un pago, para los bancos que lo piden; vale para todos los pagos a esa cuenta',
  'of a payout to it': 'de un pago a esa cuenta',
  'checking (corriente), savings (ahorro) or sight (vista, CuentaRUT)':
    'checking (corriente), savings (ahorro) o sight (vista, CuentaRUT)',
  'show or set how much may be paid out; `none` takes a limit away':
    'muestra o fija cuánto se puede pagar; `none` quita un límite',
  'the most of one payout': 'lo máximo de un pago',
  'the most of a batch': 'lo máximo de un lote',
  'the most that is approved in a day of Chile': 'lo máximo que se aprueba en un día de Chile',
  'up to which a payout of a program needs no person; without it every payout does':
    'hasta cuánto un pago de un programa no necesita una persona; sin esto, todos la necesitan',
  'the most that programs pay by themselves in a day': 'lo máximo que los programas pagan solos en un día',
  'how many payouts programs make by themselves in an hour': 'cuántos pagos hacen solos los programas en una hora',
  'how much one person may approve in a day of Chile; `none` takes it away':
    'cuánto puede aprobar una persona en un día de Chile; `none` lo quita',
  'id or e-mail address': 'id o correo',
  'in digits, or none': 'en dígitos, o none',
  'by which program payouts leave, where not in files for a bank':
    'por qué programa salen los pagos, si no es en archivos para un banco',
  'let approved payouts leave by a program from now on, those that wait too':
    'desde ahora los pagos aprobados salen por un programa, también los que esperan',
  'whose payouts': 'de quién son los pagos',
  'http: where the provider takes transfers': 'http: dónde recibe transferencias el proveedor',
  'http: its bearer key; - reads it from standard input': 'http: su clave; - la lee de la entrada estándar',
  'http (a provider, see docs/payout-provider.md) or simulated (development)':
    'http (un proveedor, ver docs/payout-provider.md) o simulated (development)',
  'by which program whose payouts leave; no key': 'por qué programa salen los pagos de quién; ninguna clave',
  'approved payouts wait for a file again; what has left is looked up as before':
    'los pagos aprobados vuelven a esperar un archivo; lo que salió se consulta como antes',
  'payouts that are approved and carried together': 'pagos que se aprueban y se llevan juntos',
  'hand a draft to who approves it': 'pasa un borrador a quien lo aprueba',
  'a batch with its payouts': 'un lote con sus pagos',
  'JSON; standard input unless said': 'JSON; la entrada estándar si no se dice',
  'of the recipient: recipient list': 'del destinatario: recipient list',
};
