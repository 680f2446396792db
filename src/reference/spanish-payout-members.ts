/** The members of banks, bank accounts, recipients, payouts and statements in Spanish, by their English text. */
export const SPANISH_PAYOUT_MEMBERS: Readonly<Record<string, string>> = {
  'Three digits with their zeros': 'Tres dígitos con sus ceros',
  'Other names that people know it by': 'Otros nombres con que la gente lo conoce',
  'The code to use instead of a merged one': 'El código que se usa en lugar de uno fusionado',
  'Since when it is merged or authorised': 'Desde cuándo está fusionado o autorizado',
  'How it appears in transfer catalogues': 'Cómo aparece en los catálogos de transferencias',
  'The known form of its account numbers: digits always': 'La forma conocida de sus números de cuenta: siempre dígitos',
  'Digits at most, at any bank': 'Dígitos como máximo, en cualquier banco',
  'The published lengths: another one is a warning, never a refusal':
    'Los largos publicados: otro es una advertencia, nunca un rechazo',
  'Has accounts whose number is the RUT without its check character':
    'Tiene cuentas cuyo número es el RUT sin su dígito verificador',
  'How old the list is by its own word: a year, a month or a day':
    'La edad de la lista según ella misma: un año, un mes o un día',
  'Changes with any entry': 'Cambia con cualquier entrada',
  'Came with the program, or was imported since': 'Vino con el programa, o se importó después',
  'RUT of the holder, such as 12345678-5': 'RUT del titular, como 12345678-5',
  'Three digits with their zeros, such as 012': 'Tres dígitos con sus ceros, como 012',
  'Digits, zeros kept': 'Dígitos, sin perder los ceros',
  'The holder’s name as you have it: an online provider says how well it fits. It is not kept':
    'El nombre del titular como lo tienes: un proveedor en línea dice qué tan bien calza. No se guarda',
  'Whether a RUT of digits alone ends with its check character; needed where it can be read both ways':
    'Si un RUT solo de dígitos termina con su dígito verificador; hace falta si se puede leer de las dos formas',
  'How old the knowledge is': 'Qué tan antiguo es lo que se sabe',
  'Stable; null where the check just passed': 'No cambia; null si la revisión simplemente pasó',
  'English or Spanish, by Accept-Language': 'Inglés o español, por Accept-Language',
  'JSON pointer into the request': 'JSON pointer hacia la solicitud',
  'Only of `holder.name_match`: how well `holderName` fits the name of the holder':
    'Solo de `holder.name_match`: qué tan bien calza `holderName` con el nombre del titular',
  '`format`: nobody was asked whose account it is': '`format`: no se le preguntó a nadie de quién es la cuenta',
  'True for plausible and confirmed': 'True si es plausible o confirmed',
  'Canonical. Null where wrong, and when read again': 'Canónico. Null si está mal, y cuando se lee otra vez',
  'Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT with and without its check character; null where it cannot be read so':
    'Solo con RUT_CHECK_DIGIT_MAYBE_MISSING: el RUT con y sin su dígito verificador; null si no se puede leer así',
  "Until when the provider's word holds": 'Hasta cuándo vale lo que dijo el proveedor',
  'All of them. An id occurs once for each code that it found':
    'Todas. Un id aparece una vez por cada código que encontró',
  'Yours; answered with the result': 'Tuya; se responde con el resultado',
  'Of every item that does not say its own': 'De cada elemento que no dice el suyo',
  'With `checks=failed`: its place in `data.provenance`': 'Con `checks=failed`: su lugar en `data.provenance`',
  'Only with `checks=failed`': 'Solo con `checks=failed`',
  '`data.id` of a validation of this account that is plausible or confirmed':
    '`data.id` de una validación de esta cuenta que es plausible o confirmed',
  'Of the holder, for the people who pay': 'Del titular, para quienes pagan',
  'Of the holder, to be told of payouts': 'Del titular, para avisarle de los pagos',
  'The payment service whose people share it; unless said the only one that the user sees, with none or several the user alone':
    'El servicio de pago cuya gente lo comparte; si no lo envías, el único que ve el usuario, y con ninguno o varios, solo el usuario',
  'From 1; another account or a newer verdict is the next':
    'Desde 1; otra cuenta o un veredicto más nuevo es la siguiente',
  'The payment service whose people share it; null: it is for the user alone who kept it':
    'El servicio de pago cuya gente lo comparte; null: es solo del usuario que lo guardó',
  'VERDICT_MAX_AGE_DAYS after it, and no later than the word of its provider':
    'VERDICT_MAX_AGE_DAYS después, y no más tarde que la palabra de su proveedor',
  '`stale`: validate the account again before paying': '`stale`: valida la cuenta otra vez antes de pagar',
  'The id of the user who kept this version': 'El id del usuario que guardó esta versión',
  'All, the newest first': 'Todas, primero la más nueva',
  'Your own: 1 to 80 letters, digits, points, hyphens, underscores. The same again is the same payout':
    'Tuyo: de 1 a 80 letras, dígitos, puntos, guiones y guiones bajos. El mismo otra vez es el mismo pago',
  'A text for the recipient, up to 200 characters': 'Un texto para el destinatario, de hasta 200 caracteres',
  'Whole pesos, as a number or its digits': 'Pesos enteros, como número o con sus dígitos',
  'With or without points': 'Con puntos o sin ellos',
  'Of the holder': 'Del titular',
  'Three digits': 'Tres dígitos',
  'As a text, so that its zeros stay': 'Como texto, para que no pierda sus ceros',
  'Where the end is told': 'Donde se avisa del final',
  'As you sent it': 'Como lo enviaste',
  'See docs/payouts.md': 'Mira docs/payouts.md',
  'Ours, for the command line': 'El nuestro, para la línea de comandos',
  'Why it failed': 'Por qué falló',
  Pesos: 'Pesos',
  'The bank that takes it: see docs/payouts.md': 'El banco que lo recibe: mira docs/payouts.md',
  'Something that was said of it, and that it cannot become': 'Algo que se dijo de él y que no puede llegar a ser',
  'As the bank calls it, up to 200 characters': 'Como lo llama el banco, de hasta 200 caracteres',
  'The account that is debited': 'La cuenta de la que sale el dinero',
  'Of the holder of that account, where the bank asks': 'Del titular de esa cuenta, donde el banco lo pide',
  'Number of the contract with the bank, where it asks': 'Número del convenio con el banco, donde lo pide',
  'This batch alone; unless said all that is approved': 'Solo este lote; si no se dice, todo lo aprobado',
  'The merchant that pays; unless said the one of the batch, or the only one that the user sees':
    'El comercio que paga; si no se dice, el del lote, o el único que ve el usuario',
  'Its bytes in base64': 'Sus bytes en base64',
  'Its bytes in base64; the file has 2 MiB at most': 'Sus bytes en base64; el archivo tiene 2 MiB como máximo',
  'Those that have another state now': 'Los que ahora tienen otro estado',
  'Those that were so before': 'Los que ya estaban así',
  'Those that cannot become it: no money moved': 'Los que no pueden llegar a eso: no se movió dinero',
  'Lines of no payout of this file': 'Líneas que no son de ningún pago de este archivo',
  'Lines with a state that nobody knows': 'Líneas con un estado que nadie conoce',
  'The number of the account, 4 to 20 digits': 'El número de la cuenta, de 4 a 20 dígitos',
  'Of the service unless said': 'El del servicio si no lo envías',
  'The owner of the account; unless said the only one that the user sees, for a user of all of them all':
    'De quién es la cuenta; si no lo envías, el único que ve el usuario, y de todos si los ve todos',
  'Null: every line had come with other files': 'Null: cada línea había venido en otros archivos',
  'How many had come with another file': 'Cuántas habían venido en otro archivo',
  'By what the file proved that no line is missing: each balance follows, its totals are right, or nothing':
    'Con qué probó el archivo que no falta ninguna línea: cada saldo sigue al anterior, sus totales calzan, o con nada',
  'A person has to explain these': 'Una persona tiene que explicarlas',
  'The payouts that have another state now': 'Los pagos que ahora tienen otro estado',
  'The payouts whose state the file contradicts: no money moved':
    'Los pagos cuyo estado contradice el archivo: no se movió dinero',
  'Null: the account of all of them': 'Null: la cuenta de todos',
  'How many lines are in suspense': 'Cuántas líneas están en suspenso',
  'Of the file, which has its text: that is not kept': 'Del archivo, que tiene su texto: ese no se guarda',
  'Minor units: above 0 it came, below 0 it left': 'Unidades mínimas: sobre 0 entró, bajo 0 salió',
  'The payout, the file of payouts or the deposit': 'El pago, el archivo de pagos o el depósito',
  '`payout`: it left; `return`: it came back; `deposit`: see `from`; `other`: of nothing here':
    '`payout`: salió; `return`: volvió; `deposit`: mira `from`; `other`: nada de aquí',
  'Of the file. For `other` it may be left out: then all are so that are in suspense and nothing is known about':
    'Del archivo. Para `other` se puede omitir: entonces son todas las que están en suspenso y de las que no se sabe nada',
  'Ours, of `payout` and `return`': 'Nuestro, de `payout` y `return`',
  'Of a deposit that is recorded': 'De un depósito que está anotado',
  'Of a deposit that is booked with the line: `merchant`, or the code of a payment method such as `webpay`':
    'De un depósito que se anota con la línea: `merchant`, o el código de un medio de pago como `webpay`',
  'The acquirer kept it beside the amount; in minor units': 'Lo que se quedó el adquirente aparte; en unidades mínimas',
  'The owner of a deposit that is booked, where the account is of all payment services':
    'De quién es un depósito que se anota, si la cuenta es de todos los servicios de pago',
  'Why, for a later reader; it names no person': 'Por qué, para quien lo lea después; no nombra a nadie',
  'For the people who approve it, up to 200 characters': 'Para quienes lo aprueban, hasta 200 caracteres',
  '1 to 1000, as `POST /tef` has them': 'De 1 a 1000, como los recibe `POST /tef`',
  'The merchant that pays; unless said the only one that the user sees':
    'El comercio que paga; si no lo envías, el único que ve el usuario',
  'true: nobody is asked to approve it yet': 'true: todavía no se le pide a nadie que lo apruebe',
  'Of the merchant that pays': 'Del comercio que paga',
  'How many': 'Cuántos',
  'How many are in which state': 'Cuántos están en cada estado',
  'The id that was sent; with `/1`, `/2` … where one transfer did not take it':
    'El id que se envió; con `/1`, `/2` … si no cabía en una transferencia',
  'Null: it was erased': 'Null: fue borrado',
  'How old the verdict of the account is': 'Cuántos días tiene el veredicto de la cuenta',
  'Odd things about it, to be read before anybody approves': 'Lo raro que tiene, para leerlo antes de aprobar',
  'The file of a bank in which it left': 'El archivo de banco en que salió',
  'Of your app, or a recovery code: always needed, and it works once':
    'De tu app, o un código de recuperación: siempre hace falta, y sirve una sola vez',
  'How many payouts it was about': 'De cuántos pagos se trataba',
};
