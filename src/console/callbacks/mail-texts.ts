import { roomTexts } from '../room-texts.ts';

export const MAIL_TEXTS = roomTexts(
  {
    'mails.title': 'Comprobantes sin enviar',
    'mails.none': 'Ningún comprobante espera ni se abandonó.',
    'mails.no_server': 'No sale ningún comprobante: falta SMTP_URL.',
    'mails.attempts': 'Intentos',
    'mails.failure': 'Último error',
    'mails.act': 'Qué hacer',
    'mails.resend': 'Reenviar',
    'mails.end': 'No enviar más',
    'mails.end_text': 'El comprobante sale de esta lista y no se le envía a quien pagó. El pago no cambia.',
    'mails.resent': 'El comprobante queda por enviar, desde el primer intento.',
    'mails.ended': 'El comprobante ya no se envía.',
    'mails.changed':
      'Ese comprobante cambió mientras tanto, o se está enviando ahora. No se hizo nada: mira cómo está.',
    'mail_state.queued': 'espera',
    'mail_state.dead': 'abandonado',
    'way.mail': 'Ver y enviar otra vez',
  },
  {
    'mails.title': 'Unsent receipts',
    'mails.none': 'No receipt waits, and none was given up.',
    'mails.no_server': 'No receipt is sent: SMTP_URL is not set.',
    'mails.attempts': 'Attempts',
    'mails.failure': 'Last failure',
    'mails.act': 'Next step',
    'mails.resend': 'Send again',
    'mails.end': 'Stop sending',
    'mails.end_text': 'The receipt leaves this list and is not sent to the payer. The payment does not change.',
    'mails.resent': 'The receipt is due again, from the first attempt.',
    'mails.ended': 'The receipt will not be sent.',
    'mails.changed': 'This receipt changed meanwhile, or is being sent now. Nothing was done: look at its state.',
    'mail_state.queued': 'waits',
    'mail_state.dead': 'given up',
    'way.mail': 'Look and send again',
  },
);
