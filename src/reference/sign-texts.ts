import type { Language } from '../lib/language.ts';

/** The texts of the signing page. docs.js reads `script`. */
export type SignWords = Record<
  | 'title'
  | 'explain'
  | 'explainText'
  | 'body'
  | 'explainButton'
  | 'right'
  | 'notExplained'
  | 'sign'
  | 'signText'
  | 'noScript'
  | 'staysHere'
  | 'signed'
  | 'signedText'
  | 'try'
  | 'code'
  | 'codeText',
  string
> & {
  labels: Record<string, string>;
  script: Record<'enterSecret' | 'onlySecure' | 'sending' | 'noAnswer' | 'payPage' | 'repeated', string>;
};

export const SIGN_WORDS: Record<Language, SignWords> = {
  en: {
    title: 'Sign and explain',
    explain: 'A body was refused',
    explainText:
      'Paste the body as your program sent it, as a form or JSON, with its x_signature. The explainer creates, stores and logs nothing, and asks for no secret. With a Service Token for development it names the mistake in the signature.',
    body: 'The body of the request',
    explainButton: 'Explain it',
    right:
      'This body has no errors: POST /trxs accepts it. If your program still gets an error, it sends different bytes.',
    notExplained:
      'No cause can be named. Either this Service Token is not for development, and this page says nothing about its secret, or the body was changed after signing. Run `bin/rubrica explain` or `explain()` of the SDK where the secret is: never send a production Secret Token to anybody.',
    sign: 'Sign a request',
    signText:
      'Your browser computes the signature here, on this page. The Secret Token is used only for that: it is neither sent nor stored. Use one for **development**; `bin/rubrica payment-service create --name Shop` makes a pair.',
    noScript: 'Signing needs JavaScript. Without it: `bin/rubrica sign --secret-file …` signs on your machine.',
    staysHere: 'stays on this page',
    signed: 'What is signed',
    signedText: 'Name and value of each field, in the order of the names, without separators.',
    try: 'Try it',
    code: 'The same in your language',
    codeText:
      'This code computes the signature. It reads the Secret Token from the environment variable `SECRET_TOKEN`.',
    labels: {
      x_account_id: 'Service Token',
      x_amount: 'Amount',
      x_currency: 'Currency',
      x_customer_email: "Payer's e-mail",
      x_reference: 'Your order',
      x_session_id: "Payer's session",
      x_shop_country: 'Country',
      x_url_callback: 'Callback URL',
      x_url_cancel: 'URL after cancelling',
      x_url_complete: 'URL at the end',
    },
    script: {
      enterSecret: 'Enter the Secret Token.',
      onlySecure: 'Browsers sign only on https and on localhost. Open this page there.',
      sending: 'Sending …',
      noAnswer: 'The service did not answer.',
      payPage: 'Open the pay page',
      repeated: 'This is the earlier transaction with this reference.',
    },
  },
  es: {
    title: 'Firmar y explicar',
    explain: 'Te rechazaron un cuerpo',
    explainText:
      'Pega el cuerpo tal como lo envió tu programa, como formulario o JSON, con su x_signature. El explicador no crea, guarda ni registra nada, y no pide ningún secreto. Con un Service Token de desarrollo dice cuál es el error de la firma.',
    body: 'El cuerpo de la solicitud',
    explainButton: 'Explicar',
    right:
      'Este cuerpo no tiene nada malo: POST /trxs lo acepta. Si tu programa igual recibe un error, está enviando otros bytes.',
    notExplained:
      'No se puede decir la causa. O este Service Token no es de desarrollo, y esta página no dice nada de su secreto, o el cuerpo cambió después de firmarlo. Usa `bin/rubrica explain` o `explain()` del SDK donde está el secreto: nunca le envíes a nadie un Secret Token de producción.',
    sign: 'Firma una solicitud',
    signText:
      'Tu navegador calcula la firma aquí, en esta página. El Secret Token se usa solo para eso: no se envía ni se guarda. Usa uno de **desarrollo**; `bin/rubrica payment-service create --name Tienda` crea un par.',
    noScript: 'Para firmar se necesita JavaScript. Sin él, `bin/rubrica sign --secret-file …` firma en tu equipo.',
    staysHere: 'no sale de esta página',
    signed: 'Lo que se firma',
    signedText: 'Nombre y valor de cada campo, en el orden de los nombres, sin separadores.',
    try: 'Pruébalo',
    code: 'Lo mismo en tu lenguaje',
    codeText: 'Este código calcula la firma. Lee el Secret Token de la variable de entorno `SECRET_TOKEN`.',
    labels: {
      x_account_id: 'Service Token',
      x_amount: 'Monto',
      x_currency: 'Moneda',
      x_customer_email: 'Correo de quien paga',
      x_reference: 'Tu orden',
      x_session_id: 'Sesión de quien paga',
      x_shop_country: 'País',
      x_url_callback: 'URL del callback',
      x_url_cancel: 'URL al anular',
      x_url_complete: 'URL al final',
    },
    script: {
      enterSecret: 'Ingresa el Secret Token.',
      onlySecure: 'Los navegadores firman solo en https y en localhost. Abre esta página ahí.',
      sending: 'Enviando …',
      noAnswer: 'El servicio no respondió.',
      payPage: 'Abrir la página de pago',
      repeated: 'Esta es la transacción anterior con esta referencia.',
    },
  },
};
