/** The members of banks, bank accounts, recipients, payouts and statements in Spanish, by their English text. */
export const SPANISH_PAYOUT_MEMBERS: Readonly<Record<string, string>> = {
  'Three digits, with leading zeros': 'Tres dígitos, con ceros a la izquierda',
  'Other names of the bank': 'Otros nombres del banco',
  'Code that replaces the code of a merged bank': 'Código que reemplaza al de un banco fusionado',
  'Date of the merger or authorisation': 'Fecha de la fusión o autorización',
  'Presence of the bank in transfer catalogues': 'Presencia del banco en los catálogos de transferencias',
  'Known format of the account numbers; always digits': 'Formato conocido de los números de cuenta; siempre dígitos',
  'Maximum number of digits at any bank': 'Máximo de dígitos en cualquier banco',
  'Published lengths. Another length is a warning, never a refusal':
    'Largos publicados. Otro largo es una advertencia, nunca un rechazo',
  'true if account numbers can be the RUT without its check character':
    'true si un número de cuenta puede ser el RUT sin su dígito verificador',
  'Date of the list, as the list states it: a year, a month or a day':
    'Fecha de la lista, según ella misma: un año, un mes o un día',
  'Changes when any entry changes': 'Cambia cuando cambia cualquier entrada',
  '`release`: shipped with the program; `import`: imported later':
    '`release`: viene con el programa; `import`: se importó después',
  'RUT of the holder, such as 12345678-5': 'RUT del titular, como 12345678-5',
  'Three digits with leading zeros, such as 012': 'Tres dígitos con ceros a la izquierda, como 012',
  'Digits, with leading zeros': 'Dígitos, con ceros a la izquierda',
  'Name of the holder as you have it. An online provider says how well it matches. It is not stored':
    'Nombre del titular como lo tienes. Un proveedor en línea dice qué tan bien calza. No se guarda',
  'Whether a RUT that is only digits ends with its check character; required if it can be read both ways':
    'Si un RUT solo de dígitos termina con su dígito verificador; obligatorio si se puede leer de las dos formas',
  'Date of the information': 'Fecha de la información',
  'Stable code; null if the check passed without remarks':
    'Código que no cambia; null si la revisión pasó sin observaciones',
  'Message in English or Spanish, by `Accept-Language`': 'Mensaje en inglés o español, según `Accept-Language`',
  'JSON pointer to the field of the request': 'JSON pointer al campo de la solicitud',
  'Only for `holder.name_match`: how well `holderName` matches the name of the holder':
    'Solo en `holder.name_match`: qué tan bien calza `holderName` con el nombre del titular',
  '`holder`: a provider said whether the account is of the RUT': '`holder`: un proveedor dijo si la cuenta es del RUT',
  'true for `plausible` and `confirmed`': 'true si es `plausible` o `confirmed`',
  'RUT in canonical form; null if it is wrong or the validation is read again':
    'RUT en forma canónica; null si está mal o si se lee la validación otra vez',
  'Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT read with and without its check character; null if that reading is impossible':
    'Solo con RUT_CHECK_DIGIT_MAYBE_MISSING: el RUT leído con y sin su dígito verificador; null si esa lectura es imposible',
  'End of validity of the provider’s answer': 'Hasta cuándo vale la respuesta del proveedor',
  'All checks. An id occurs once for each code that the check found':
    'Todas las revisiones. Un id aparece una vez por cada código que encontró',
  'Your own reference, returned with the result': 'Tu propia referencia, que vuelve con el resultado',
  'Default for items without their own `rut_format`': 'Valor para los ítems sin su propio `rut_format`',
  'With `checks=failed`: index in `data.provenance`': 'Con `checks=failed`: índice en `data.provenance`',
  'Only with `checks=failed`': 'Solo con `checks=failed`',
  '`data.id` of a validation of this account that is plausible or confirmed':
    '`data.id` de una validación de esta cuenta que es plausible o confirmed',
  'Name of the holder, for the people who pay': 'Nombre del titular, para quienes pagan',
  'E-mail address of the holder, for notices of payouts': 'Correo del titular, para avisarle de los pagos',
  'Payment service whose users share the recipient. Default: the only one that the user sees; with none or several, only the user sees the recipient':
    'Servicio de pago cuyos usuarios comparten el destinatario. Por defecto, el único que ve el usuario; con ninguno o varios, solo lo ve el usuario',
  'Version, from 1. Another account or a newer verdict makes the next version':
    'Versión, desde 1. Otra cuenta o un veredicto más nuevo crea la siguiente',
  'Payment service whose users share the recipient; null: only the user who stored it sees it':
    'Servicio de pago cuyos usuarios comparten el destinatario; null: solo lo ve el usuario que lo guardó',
  '`validatedAt` plus VERDICT_MAX_AGE_DAYS, but not after the validity of the provider’s answer':
    '`validatedAt` más VERDICT_MAX_AGE_DAYS, y no después de la validez de la respuesta del proveedor',
  '`stale`: validate the account again before paying': '`stale`: valida la cuenta otra vez antes de pagar',
  'Id of the user who stored this version': 'Id del usuario que guardó esta versión',
  'All versions, newest first': 'Todas las versiones, primero la más nueva',
  'Your own id: 1 to 80 letters, digits, points, hyphens, underscores. The same id is the same payout':
    'Tu propio id: de 1 a 80 letras, dígitos, puntos, guiones y guiones bajos. El mismo id es el mismo pago',
  'Text for the recipient, up to 200 characters': 'Un texto para el destinatario, de hasta 200 caracteres',
  'Whole pesos, as a number or a text of digits': 'Pesos enteros, como número o como texto de dígitos',
  'RUT of the holder, with or without points': 'RUT del titular, con puntos o sin ellos',
  'Name of the holder, up to 200 characters': 'Nombre del titular, de hasta 200 caracteres',
  'E-mail address of the holder, up to 254 characters': 'Correo del titular, de hasta 254 caracteres',
  'Code of the bank, three digits': 'Código del banco, tres dígitos',
  'Account number as text, with leading zeros': 'Número de cuenta como texto, con ceros a la izquierda',
  'URL to which the final state is posted, up to 1000 characters':
    'URL a la que se envía el estado final, de hasta 1000 caracteres',
  'Id that you sent': 'Id que enviaste',
  'See docs/payouts.md': 'Mira docs/payouts.md',
  'Id of the payout in this service, for the command line': 'Id del pago en este servicio, para la línea de comandos',
  'Reason of a failure': 'Motivo de una falla',
  'Whole pesos': 'Pesos enteros',
  'Code of the bank format; see docs/payouts.md': 'Código del formato del banco; mira docs/payouts.md',
  'Reported result that contradicts the state of the payout': 'Resultado informado que contradice el estado del pago',
  'File name, up to 200 characters': 'Nombre del archivo, de hasta 200 caracteres',
  'Account to debit': 'La cuenta de la que sale el dinero',
  'RUT of the account holder, if the bank requires it': 'RUT del titular de la cuenta, si el banco lo pide',
  'Name of the account holder, if the bank requires it': 'Nombre del titular de la cuenta, si el banco lo pide',
  'Number of the contract with the bank, if the bank requires it':
    'Número del convenio con el banco, si el banco lo pide',
  'Only this batch. Default: all approved payouts': 'Solo este lote. Por defecto, todos los pagos aprobados',
  'Payment service that pays. Default: the one of the batch, or the only one that the user sees':
    'Servicio de pago que paga. Por defecto, el del lote, o el único que ve el usuario',
  'Content of the file, in base64': 'Contenido del archivo, en base64',
  'Content of the file, in base64; at most 2 MiB before encoding':
    'Contenido del archivo, en base64; 2 MiB como máximo antes de codificar',
  'Payouts whose state changed': 'Pagos cuyo estado cambió',
  'Payouts that already had this state': 'Pagos que ya tenían ese estado',
  'Payouts whose state contradicts the result; no money moved':
    'Pagos cuyo estado contradice el resultado; no se movió dinero',
  'Lines that match no payout of this file': 'Líneas que no calzan con ningún pago de este archivo',
  'Lines with an unknown state, with different states of one payout, or of one of several equal payouts':
    'Líneas con un estado desconocido, con estados distintos de un mismo pago, o de uno de varios pagos iguales',
  'Account number, 4 to 20 digits': 'Número de la cuenta, de 4 a 20 dígitos',
  'Default: the environment of RUBRICA_ENV': 'Por defecto, el ambiente de RUBRICA_ENV',
  'Payment service that owns the account. Default: the only one that the user sees; for a user of all payment services, the account is of all':
    'Servicio de pago dueño de la cuenta. Por defecto, el único que ve el usuario; si el usuario ve todos, la cuenta es de todos',
  'Id of the statement; null: other files already had every line':
    'Id de la cartola; null: otros archivos ya tenían todas las líneas',
  'Number of lines of the file, with those that another file already had':
    'Número de líneas del archivo, con las que ya tenía otro archivo',
  'Lines in the order of the file, without those that another file already had':
    'Líneas en el orden del archivo, sin las que ya tenía otro archivo',
  'Number of lines that another file already had': 'Número de líneas que ya tenía otro archivo',
  'Known lines, by line in the file, that may be second, equal payments: the file lacks other lines of their day. Add something of its own to the description of such a payment and import the file again':
    'Líneas conocidas, por su línea en el archivo, que pueden ser un segundo pago igual: al archivo le faltan otras líneas de su día. Agrega algo propio a la descripción de ese pago e importa el archivo otra vez',
  'Evidence that no line is missing: `balance`: each balance follows from the previous one; `totals`: the totals are right; `nothing`: none':
    'Evidencia de que no falta ninguna línea: `balance`: cada saldo sigue al anterior; `totals`: los totales calzan; `nothing`: ninguna',
  'Lines that a person must resolve': 'Líneas que una persona debe explicar',
  'Payouts whose state the file contradicts; no money moved':
    'Pagos cuyo estado contradice el archivo; no se movió dinero',
  'Payment service that owns the account; null: all of them': 'Servicio de pago dueño de la cuenta; null: todos',
  'Number of lines in suspense': 'Número de líneas sin explicar',
  'Line number in the file; the text of the line is not stored':
    'Número de la línea en el archivo; el texto de la línea no se guarda',
  'Minor units; positive: money received, negative: money sent':
    'Unidades mínimas; positivo: dinero que entró, negativo: dinero que salió',
  'Id of the payout, the file of payouts, the deposit or the recorded payout to the merchant; null: none':
    'Id del pago, del archivo de pagos, del depósito o del pago anotado al comercio; null: ninguno',
  '`payout`: a payout left, see `payoutId` and `to`; `return`: a payout came back; `deposit`: see `depositId` and `from`; `other`: unrelated to this service; `suspense`: not the payout or deposit that it was matched with':
    '`payout`: un pago salió, mira `payoutId` y `to`; `return`: un pago volvió; `deposit`: mira `depositId` y `from`; `other`: ajena a este servicio; `suspense`: no es el pago o depósito que se le dio',
  'The earlier use of the line, which this request replaced; null: none, or the same request was sent before':
    'El uso anterior de la línea, que esta solicitud reemplazó; null: ninguno, o la misma solicitud ya se había enviado',
  'Line number in the file. Optional for `other`: then the use applies to all lines in suspense that match nothing known':
    'Número de la línea en el archivo. Opcional para `other`: entonces vale para todas las líneas sin explicar que no calzan con nada conocido',
  'Id of the payout, for `payout` and `return`': 'Id del pago, para `payout` y `return`',
  'Id of a recorded deposit': 'Id de un depósito anotado',
  'Source of a new deposit that is booked with the line: `merchant`, or the code of a payment method such as `webpay`':
    'Origen de un depósito nuevo que se anota con la línea: `merchant`, o el código de un medio de pago como `webpay`',
  'Commission that the acquirer kept in addition to the amount, in minor units. Default: 0':
    'Comisión que retuvo el adquirente además del monto, en unidades mínimas. Por defecto, 0',
  "`merchant`, for `payout`: the money left at the merchant's expense, such as a payout that left twice; the payout is booked with the line":
    '`merchant`, para `payout`: el dinero salió a costa del comercio, como un pago que salió dos veces; el pago se anota con la línea',
  'Line of a bank statement that contradicts the payout: id of the statement, `/`, line in the file':
    'Línea de una cartola que contradice al pago: id de la cartola, `/`, línea en el archivo',
  'All lines of bank statements that contradict the payout, each like `contradictedBy`':
    'Todas las líneas de cartolas que contradicen al pago, cada una como `contradictedBy`',
  'Payment service that owns the new deposit or payout; required if the account is of all payment services':
    'Servicio de pago dueño del depósito o del pago nuevo; obligatorio si la cuenta es de todos los servicios de pago',
  'Reason, up to 200 characters, stored for later readers; do not name a person':
    'Motivo, de hasta 200 caracteres, que se guarda para después; no nombres a nadie',
  'Name of the batch, shown to approvers, up to 200 characters':
    'Nombre del lote, para quienes lo aprueban, de hasta 200 caracteres',
  '1 to 1000 payouts, each like `tef` of `POST /tef`': 'De 1 a 1000 pagos, cada uno como el `tef` de `POST /tef`',
  'Payment service that pays. Default: the only one that the user sees':
    'Servicio de pago que paga. Por defecto, el único que ve el usuario',
  'true: the batch does not wait for approval yet': 'true: el lote todavía no espera aprobación',
  'Payment service that pays': 'Servicio de pago que paga',
  'Number of payouts': 'Número de pagos',
  'Number and sum of the payouts in each state': 'Número y suma de los pagos en cada estado',
  'Id that was sent, with `/1`, `/2` … for the parts of a payout that exceeds one transfer':
    'Id que se envió, con `/1`, `/2` … en las partes de un pago que no cabía en una transferencia',
  'The recipient; null: it was erased': 'El destinatario; null: fue borrado',
  'Age of the verdict of the account, in days': 'Antigüedad del veredicto de la cuenta, en días',
  'Warnings to read before approval': 'Advertencias que conviene leer antes de aprobar',
  'Id of the bank file in which the payout left': 'Id del archivo de banco en que salió',
  'Code of your app, or a recovery code; always required, and valid once':
    'Código de tu app, o un código de recuperación; siempre obligatorio, y sirve una sola vez',
  'Number of payouts that the decision changed': 'Número de pagos que cambió la decisión',
};
