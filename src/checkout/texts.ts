import { type Language, preferredLanguage } from '../lib/language.ts';

/** All texts for the payer. `say` replaces `{name}`. Method names without an entry are brands. */
export const TEXTS = {
  es: {
    'test.badge': 'Prueba',
    'test.note': 'Esto es una prueba: no se cobra dinero.',
    'method.simulated': 'Simulador',
    'method.simulated-transfer': 'Transferencia simulada',
    'method.webpay': 'Webpay Plus',
    'takes.simulated': 'Una tarjeta de prueba',
    'takes.simulated-transfer': 'Desde un banco de prueba',
    'takes.webpay': 'Crédito, débito, prepago',

    'summary.merchant': 'Comercio',
    'summary.reference': 'Orden',
    'summary.subject': 'Concepto',
    'summary.amount': 'Monto',
    'summary.refunded': 'Devuelto',
    'summary.method': 'Medio de pago',
    'summary.authorization': 'Código de autorización',
    'summary.transaction': 'Transacción',
    'summary.time': 'Fecha y hora',

    'payable.title': 'Pagar {amount} a {merchant}',
    'payable.total': 'Total',
    'payable.order': 'Orden {reference}',
    'payable.choose': 'Elige cómo pagar',
    'payable.with': 'Pagar con {method}',
    'payable.verb': 'Pagar',
    'payable.time': 'Hora límite para pagar: {time}, hora de Chile.',
    'payable.cancel': 'Anular el pago',
    'payable.no_method': 'Por ahora no hay un medio de pago disponible. Vuelve a la tienda e inténtalo más tarde.',
    'payable.no_method_link': 'Por ahora no hay un medio de pago disponible. Inténtalo más tarde.',

    'cancel.title': '¿Anular este pago?',
    'cancel.text': 'No se te ha cobrado nada. Si anulas, esta orden ya no se podrá pagar desde aquí.',
    'cancel.text_link': 'No se te ha cobrado nada. Si anulas y después quieres pagar, abre el enlace otra vez.',
    'cancel.confirm': 'Sí, anular',
    'cancel.back': 'No, seguir pagando',

    'in_progress.title': 'Estamos confirmando tu pago',
    'in_progress.text':
      'El medio de pago aún no responde. No pagues otra vez: apenas responda, esta página mostrará el resultado.',
    'finding_out.title': 'Estamos averiguando qué pasó con tu pago',
    'finding_out.text':
      'El medio de pago no nos ha dicho si te cobró. No pagues otra vez: apenas lo sepamos, esta página mostrará el resultado. Puedes cerrarla y abrir este enlace más tarde.',
    'in_progress.again': 'Revisar ahora',
    'in_progress.given_up': 'No terminé de pagar',

    'completed.title': 'Pago aprobado',
    'completed.text': 'Listo: tu pago está hecho, y se lo avisamos a {merchant}.',
    'completed.text_link': 'Listo. {merchant} ya tiene el pago.',
    'failed.title': 'Pago rechazado',
    'failed.text': '{why} No se te cobró nada. Vuelve a la tienda para hacer una nueva orden.',
    'failed.text_link': '{why} No se te cobró nada. Abre el enlace otra vez para pagar de nuevo.',
    'cancelled.title': 'Pago anulado',
    'cancelled.text': 'No se te cobró nada. Si cambias de opinión, vuelve a la tienda y haz una nueva orden.',
    'cancelled.text_link': 'No se te cobró nada. Si cambias de opinión, abre el enlace otra vez.',
    'expired.title': 'Se acabó el tiempo para pagar',
    'expired.text': 'No se te cobró nada. Vuelve a la tienda y haz una nueva orden.',
    'expired.text_link': 'No se te cobró nada. Abre el enlace otra vez para pagar.',
    'under_review.title': 'Estamos revisando tu pago',
    'under_review.text':
      'El medio de pago confirmó un cobro que no esperábamos. No pagues otra vez: consulta a {contact} con el número de transacción.',

    'refunded.title': 'Pago devuelto',
    'refunded_part.title': 'Pago devuelto en parte',
    'refunded.text': 'Se devolvieron {refunded} de {amount} al mismo medio de pago. Tu banco dice cuándo los verás.',

    'receipt.keep':
      'Este enlace es tu comprobante. Si la tienda no responde, tu pago vale igual: consulta a {contact} con el número de transacción.',
    'receipt.keep_link':
      'Este enlace es tu comprobante: guárdalo. Si tienes dudas, consulta a {contact} con el número de transacción.',
    'receipt.silent':
      'La tienda no responde por ahora. Tu pago está hecho y se lo seguimos avisando: no pagues otra vez.',
    'receipt.print': 'Imprimir',
    'receipt.mail': 'Recibe el comprobante por correo',
    'receipt.send': 'Enviar comprobante',
    'mailed.sent': 'Listo: el comprobante va en camino a tu correo.',
    'mailed.address': 'Escribe un correo como nombre@ejemplo.cl.',
    'mailed.too_often': 'Este comprobante ya se envió varias veces. Revisa tu correo, o guarda esta página.',

    'link.pay': 'Pagar',
    'link.scan': 'Escanea para pagar',
    'link.qr': 'Código QR de {url}',
    'link.used.title': 'Este enlace ya se pagó',
    'link.used.text': 'No se puede pagar otra vez. Si no fuiste tú, consulta a {contact}.',
    'link.expired.title': 'Este enlace venció',
    'link.expired.text': 'Ya no se puede pagar. Pide otro a {contact}.',
    'link.ended.title': 'Este enlace ya no se puede pagar',
    'link.ended.text': 'Quien lo hizo lo cerró. Consulta a {contact}.',
    'link.held.title': 'Estamos revisando este enlace',
    'link.held.text': 'Quizás ya se pagó. No se hizo ningún cobro ahora; vuelve a intentarlo más tarde.',

    'mail.paid.subject': 'Tu comprobante de {merchant}: {amount}',
    'mail.paid.title': 'Pagaste {amount} a {merchant}',
    'mail.paid.text': 'Este es tu comprobante de la orden {reference}.',
    'mail.paid.text_link': 'Este es tu comprobante de {subject}.',
    'mail.refunded.subject': '{merchant} te devolvió {refunded}',
    'mail.refunded.title': '{merchant} te devolvió {refunded}',
    'mail.refunded.text': 'El dinero va al mismo medio de pago con que pagaste. Tu banco dice cuándo lo verás.',
    'mail.link': 'Ver el comprobante',
    'mail.questions': '¿Dudas? Consulta a {contact} con el número de transacción.',

    'return.in': 'Vuelves a {merchant} en',
    'return.stay': 'Quedarme aquí',
    'return.button': 'Volver a la tienda',
    'return.button_link': 'Volver al enlace',

    'redirect.title': 'Te llevamos a {method}',
    'redirect.text': 'Ahí completas el pago de {amount} a {merchant}. Después vuelves aquí.',
    'redirect.button': 'Continuar',
    'redirect.other': 'Elegir otro medio de pago',

    'declined.title': 'Tu banco rechazó el pago',
    'declined.title_unfinished': 'El pago no se completó',
    'declined.insufficient_funds': 'No hay saldo o cupo suficiente{card}.',
    'declined.account_refused':
      'Tu banco no aceptó el cobro{card}: puede faltar saldo o cupo, o no permite esta compra.',
    'declined.card_data': 'El banco no reconoció los datos de la tarjeta{card}. Revísalos.',
    'declined.authentication': 'Tu banco no pudo confirmar que eres tú, con la clave o con el aviso de su aplicación.',
    'declined.time_out': 'Tu banco no respondió a tiempo.',
    'declined.cancelled_at_bank': 'Se canceló en la página de tu banco.',
    'declined.risk': 'Tu banco no autorizó esta compra{card}. Pregúntale por qué, o paga de otra manera.',
    'declined.other': 'El medio de pago no dijo por qué.',
    'declined.card': ' en la tarjeta terminada en {digits}',
    'declined.turned_back': 'Volviste de {method} sin pagar.',
    'declined.not_finished': 'Se acabó el tiempo en la página de {method}.',
    'declined.aborted': 'El medio de pago no lo terminó.',
    'declined.again': 'No se cobró nada. Puedes intentarlo otra vez.',
    'declined.otherwise': 'No se cobró nada. Puedes intentarlo otra vez o pagar de otra manera.',
    'declined.last': 'No se cobró nada. Te queda un intento: si puedes, paga de otra manera.',

    'notice.PAYMENT_IN_PROGRESS': 'Ya hay un pago en curso. No se hizo otro.',
    'notice.HELD_AFTER_RESTORE':
      'Estamos revisando si esto ya se pagó. No se hizo ningún cobro ahora; vuelve a intentarlo más tarde.',
    'notice.NOT_PAYABLE': 'Este pago ya no se puede hacer ni anular. No se cobró nada ahora.',
    'notice.RATE_LIMITED':
      'Hubo demasiados intentos seguidos. No se cobró nada ahora; espera diez minutos y vuelve a intentarlo.',
    'notice.INVALID_PARAMETER': 'Elige uno de los medios de pago de esta página.',

    'not_found.title': 'Este enlace de pago no existe',
    'not_found.text':
      'Revisa que la dirección esté completa, o vuelve a la tienda. Si ya pagaste, no pagues otra vez: pregúntale a la tienda.',
    'unknown.title': 'Esta página no existe',
    'failure.title': 'Algo falló de nuestro lado',
    'failure.text': 'Antes de pagar otra vez, vuelve a cargar tu pago: muestra lo que realmente pasó.',
    'failure.request': 'Si lo consultas con la tienda, indica este código: {request}',
    'refused.title': 'No pudimos leer la solicitud',
    'refused.text': 'No se cobró nada por ella. Vuelve a tu pago e inténtalo otra vez.',
    'failure.again': 'Ver mi pago',

    'form.title': 'No pudimos empezar tu pago',
    'form.refused':
      'No se te cobró nada. La tienda nos envió una solicitud que no pudimos aceptar: vuelve a ella e inténtalo otra vez.',
    'form.conflict':
      'No se te cobró nada ahora. Esta orden ya tiene un pago, que terminó o se pidió con otros datos: revisa en la tienda cómo quedó.',
    'form.failed': 'No se te cobró nada. Algo falló de nuestro lado: vuelve a la tienda e inténtalo otra vez.',
    'form.no_way': 'Para volver a la tienda usa el botón Atrás de tu navegador.',
    'form.details': 'Para quien mantiene la tienda',

    'footer.processed': 'Pago procesado por {operator}',
    'footer.with': 'con Rúbrica',
    'footer.terms': 'Términos de venta',
  },
  en: {
    'test.badge': 'Test',
    'test.note': 'This is a test: no money is taken.',
    'method.simulated': 'Simulator',
    'method.simulated-transfer': 'Simulated transfer',
    'method.webpay': 'Webpay Plus',
    'takes.simulated': 'A test card',
    'takes.simulated-transfer': 'From a test bank',
    'takes.webpay': 'Credit, debit, prepaid',

    'summary.merchant': 'Merchant',
    'summary.reference': 'Order',
    'summary.subject': 'For',
    'summary.amount': 'Amount',
    'summary.refunded': 'Refunded',
    'summary.method': 'Payment method',
    'summary.authorization': 'Authorisation code',
    'summary.transaction': 'Transaction',
    'summary.time': 'Date and time',

    'payable.title': 'Pay {amount} to {merchant}',
    'payable.total': 'Total',
    'payable.order': 'Order {reference}',
    'payable.choose': 'Choose how to pay',
    'payable.with': 'Pay with {method}',
    'payable.verb': 'Pay',
    'payable.time': 'You can pay until {time}.',
    'payable.cancel': 'Cancel the payment',
    'payable.no_method': 'There is no payment method available right now. Return to the shop and try again later.',
    'payable.no_method_link': 'There is no payment method available right now. Try again later.',

    'cancel.title': 'Cancel this payment?',
    'cancel.text': 'Nothing has been charged. Once cancelled, this order can no longer be paid here.',
    'cancel.text_link': 'Nothing has been charged. If you cancel and then want to pay, open the link again.',
    'cancel.confirm': 'Yes, cancel',
    'cancel.back': 'No, keep paying',

    'in_progress.title': 'We are confirming your payment',
    'in_progress.text':
      'The payment method has not answered yet. Do not pay again: as soon as it answers, this page shows the result.',
    'finding_out.title': 'We are finding out what happened to your payment',
    'finding_out.text':
      'The payment method has not told us whether it charged you. Do not pay again: as soon as we know, this page shows the result. You can close it and open this link later.',
    'in_progress.again': 'Check now',
    'in_progress.given_up': 'I did not finish paying',

    'completed.title': 'Payment approved',
    'completed.text': 'All done: you have paid, and we tell {merchant}.',
    'completed.text_link': 'All done. {merchant} has the payment.',
    'failed.title': 'Payment declined',
    'failed.text': '{why} Nothing was charged. Return to the shop to place a new order.',
    'failed.text_link': '{why} Nothing was charged. Open the link again to pay anew.',
    'cancelled.title': 'Payment cancelled',
    'cancelled.text': 'Nothing was charged. If you change your mind, return to the shop and place a new order.',
    'cancelled.text_link': 'Nothing was charged. If you change your mind, open the link again.',
    'expired.title': 'The time to pay is over',
    'expired.text': 'Nothing was charged. Return to the shop and place a new order.',
    'expired.text_link': 'Nothing was charged. Open the link again to pay.',
    'under_review.title': 'We are reviewing your payment',
    'under_review.text':
      'The payment method confirmed a charge that we did not expect. Do not pay again: ask {contact} with the transaction number.',

    'refunded.title': 'Payment refunded',
    'refunded_part.title': 'Payment refunded in part',
    'refunded.text': '{refunded} of {amount} went back to the same payment method. Your bank says when you see it.',

    'receipt.keep':
      'This link is your receipt. If the shop does not answer, your payment counts all the same: ask {contact} with the transaction number.',
    'receipt.keep_link':
      'This link is your receipt: keep it. If you have questions, ask {contact} with the transaction number.',
    'receipt.silent':
      'The shop does not answer right now. Your payment is done, and we keep telling the shop: do not pay again.',
    'receipt.print': 'Print',
    'receipt.mail': 'Get the receipt by e-mail',
    'receipt.send': 'Send receipt',
    'mailed.sent': 'Done: the receipt is on its way to your e-mail address.',
    'mailed.address': 'Write an e-mail address such as name@example.com.',
    'mailed.too_often': 'This receipt was sent several times already. Look into your mailbox, or keep this page.',

    'link.pay': 'Pay',
    'link.scan': 'Scan to pay',
    'link.qr': 'QR code of {url}',
    'link.used.title': 'This link was paid already',
    'link.used.text': 'It cannot be paid again. If it was not you, ask {contact}.',
    'link.expired.title': 'The time of this link is over',
    'link.expired.text': 'It can no longer be paid. Ask {contact} for another.',
    'link.ended.title': 'This link can no longer be paid',
    'link.ended.text': 'Its maker has closed it. Ask {contact}.',
    'link.held.title': 'We are checking this link',
    'link.held.text': 'It may have been paid already. Nothing was charged now; try again later.',

    'mail.paid.subject': 'Your receipt from {merchant}: {amount}',
    'mail.paid.title': 'You paid {amount} to {merchant}',
    'mail.paid.text': 'This is your receipt for order {reference}.',
    'mail.paid.text_link': 'This is your receipt for {subject}.',
    'mail.refunded.subject': '{merchant} refunded {refunded}',
    'mail.refunded.title': '{merchant} refunded {refunded}',
    'mail.refunded.text': 'The money goes to the payment method that you paid with. Your bank says when you see it.',
    'mail.link': 'See the receipt',
    'mail.questions': 'Questions? Ask {contact} with the transaction number.',

    'return.in': 'You return to {merchant} in',
    'return.stay': 'Stay here',
    'return.button': 'Return to the shop',
    'return.button_link': 'Return to the link',

    'redirect.title': 'Taking you to {method}',
    'redirect.text': 'You complete the payment of {amount} to {merchant} there. Then you come back here.',
    'redirect.button': 'Continue',
    'redirect.other': 'Choose another payment method',

    'declined.title': 'Your bank declined the payment',
    'declined.title_unfinished': 'The payment was not completed',
    'declined.insufficient_funds': 'There are not enough funds{card}.',
    'declined.account_refused':
      'Your bank did not accept the charge{card}: funds may be missing, or it does not allow this purchase.',
    'declined.card_data': 'The bank did not recognise the details of the card{card}. Check them.',
    'declined.authentication':
      'Your bank could not confirm that it is you, by the password or by the notice of its app.',
    'declined.time_out': 'Your bank did not answer in time.',
    'declined.cancelled_at_bank': 'It was cancelled on the page of your bank.',
    'declined.risk': 'Your bank did not authorise this purchase{card}. Ask it why, or pay in another way.',
    'declined.other': 'The payment method did not say why.',
    'declined.card': ' on the card ending in {digits}',
    'declined.turned_back': 'You came back from {method} without paying.',
    'declined.not_finished': 'The time on the page of {method} was over.',
    'declined.aborted': 'The payment method did not finish it.',
    'declined.again': 'Nothing was charged. You can try again.',
    'declined.otherwise': 'Nothing was charged. You can try again or pay in another way.',
    'declined.last': 'Nothing was charged. You have one try left: if you can, pay in another way.',

    'notice.PAYMENT_IN_PROGRESS': 'A payment is already in progress. No other was made.',
    'notice.HELD_AFTER_RESTORE':
      'We are checking whether this was paid already. Nothing was charged now; try again later.',
    'notice.NOT_PAYABLE': 'This payment can no longer be made or cancelled. Nothing was charged now.',
    'notice.RATE_LIMITED':
      'There were too many attempts in a row. Nothing was charged now; wait ten minutes and try again.',
    'notice.INVALID_PARAMETER': 'Choose one of the payment methods on this page.',

    'not_found.title': 'This payment link does not exist',
    'not_found.text':
      'Check that the address is complete, or return to the shop. If you have already paid, do not pay again: ask the shop.',
    'unknown.title': 'This page does not exist',
    'failure.title': 'Something failed on our side',
    'failure.text': 'Before you pay again, reload your payment: it shows what really happened.',
    'failure.request': 'If you ask the shop about it, give them this code: {request}',
    'refused.title': 'We could not read the request',
    'refused.text': 'Nothing was charged for it. Go back to your payment and try again.',
    'failure.again': 'See my payment',

    'form.title': 'We could not start your payment',
    'form.refused':
      'Nothing was charged. The shop sent us a request that we could not accept: return to it and try again.',
    'form.conflict':
      'Nothing was charged now. This order has a payment already, which has ended or was asked for with other data: see in the shop how it stands.',
    'form.failed': 'Nothing was charged. Something failed on our side: return to the shop and try again.',
    'form.no_way': 'To return to the shop, use the Back button of your browser.',
    'form.details': 'For who maintains the shop',

    'footer.processed': 'Payment processed by {operator}',
    'footer.with': 'with Rúbrica',
    'footer.terms': 'Terms of sale',
  },
} as const satisfies Record<Language, Record<string, string>>;

export type TextKey = keyof (typeof TEXTS)['es'];

/** Returns a text in the payer's language. The values are plain text: the page escapes it. */
export function say(language: Language, key: TextKey, values: Record<string, string> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** The texts that differ for a payer who came by a link, because there is no shop to go back to. */
type ShopKey = { [Key in TextKey]: Key extends `${infer Base}_link` ? Extract<TextKey, Base> : never }[TextKey];

/** Returns a text in its version for a shop or, with `subject`, for a payment link. */
export function sayOf(
  language: Language,
  key: ShopKey,
  subject: string | null,
  values?: Record<string, string>,
): string {
  return say(language, subject === null ? key : `${key}_link`, values);
}

/** Returns Spanish if the browser prefers Spanish to English or names no language, otherwise English. */
export function payerLanguage(acceptLanguage: string | undefined): Language {
  if (!acceptLanguage?.trim()) return 'es';
  return preferredLanguage(acceptLanguage, ['es', 'en']) ?? 'en';
}

/** Returns the name of a payment method for payers; one without a text has its own `name`, or else its code. */
export function methodName(language: Language, { code, name = code }: { code: string; name?: string }): string {
  const key = `method.${code}`;
  return key in TEXTS[language] ? say(language, key as TextKey) : name;
}

/** Returns the name of the payment method with this code in both languages. */
export function methodNames(code: string): Record<Language, string> {
  return { en: methodName('en', { code }), es: methodName('es', { code }) };
}

/** Returns the means that a payment method takes, such as kinds of cards; null if there is no such text. */
export function methodTakes(language: Language, { code }: { code: string }): string | null {
  const key = `takes.${code}`;
  return key in TEXTS[language] ? say(language, key as TextKey) : null;
}
