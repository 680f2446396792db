import { roomTexts } from '../room-texts.ts';

export const CALLBACK_TEXTS = roomTexts(
  {
    'callbacks.title': 'Callbacks',
    'callbacks.summary': 'Direcciones que fallan: {failing} · avisos que esperan: {waiting}',
    'callbacks.none': 'Todas las direcciones responden como deben.',
    'callbacks.resend_all': 'Reenviar lo que espera',
    'callbacks.resent': '{count} callbacks salen de nuevo, de a cuatro por dirección.',
    'callbacks.disabled': 'desactivada (410)',
  },
  {
    'callbacks.title': 'Callbacks',
    'callbacks.summary': 'Failing endpoints: {failing} · callbacks waiting: {waiting}',
    'callbacks.none': 'Every endpoint answers as it should.',
    'callbacks.resend_all': 'Resend what waits',
    'callbacks.resent': '{count} callbacks are sent again, four at a time to each address.',
    'callbacks.disabled': 'disabled (410)',
  },
);
