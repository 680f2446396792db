import { roomTexts } from '../room-texts.ts';

/** The page of a recorded deposit or payout, which takes it back. */
export const MOVEMENT_TEXTS = roomTexts(
  {
    'back.deposit': 'Depósito {reference}',
    'back.payout': 'Pago al comercio {reference}',
    'back.amount': 'Monto',
    'back.recorded': 'Registrado (Chile)',
    'back.by': 'Lo registró',
    'back.lines': 'En la cartola',
    'back.line': 'línea {line} ({use})',
    'back.title': 'Deshacer',
    'back.deposit_when':
      'Deshazlo si no llegó o se registró por error, como con otro monto o en otro comercio. Se deshace completo, con su comisión, una sola vez. El correcto se registra después con otra referencia.',
    'back.payout_when':
      'Deshazlo si el banco lo devolvió o si se registró por error. Se deshace completo, una sola vez. Si envías el dinero de nuevo, se registra con otra referencia. El servicio no le avisa al comercio.',
    'back.left': 'El cargo de la cartola sigue siendo este pago, porque salió. La vuelta es otra línea.',
    'back.reopens':
      'Una persona dijo que la línea {line} de una cartola es este depósito: queda otra vez sin explicar.',
    'back.matched':
      'No se puede deshacer: llegó, porque una importación reconoció la línea {line} de una cartola. Si esa línea es de otra cosa, déjala primero sin explicar.',
    'back.line_wrong': 'Ver la línea {line}',
    'back.used': 'No se puede deshacer: el comercio ya lo usó, y tiene disponible solo {amount}.',
    'back.stays': 'Después no se puede cambiar ni borrar. Queda con tu nombre y el motivo.',
    'back.do': 'Deshacer {amount}',
    'back.done': 'Quedó deshecho.',
    'back.was': 'Se deshizo el {time}. Lo registró {name}. Motivo: {reason}',
    'entry.deposit_returned': 'depósito que no llegó',
    'entry.commission_returned': 'comisión que no se retuvo',
    'entry.paid_in_returned': 'depósito del comercio que no llegó',
    'entry.payout_returned': 'pago que volvió',
  },
  {
    'back.deposit': 'Deposit {reference}',
    'back.payout': 'Payout to the merchant {reference}',
    'back.amount': 'Amount',
    'back.recorded': 'Recorded (Chile)',
    'back.by': 'Recorded by',
    'back.lines': 'In the bank statement',
    'back.line': 'line {line} ({use})',
    'back.title': 'Take it back',
    'back.deposit_when':
      'Take it back if it never came or was recorded by mistake, such as with another amount or for another merchant. All of it is taken back with its commission, once. Then record the right one under another reference.',
    'back.payout_when':
      'Take it back if the bank returned it or if it was recorded by mistake. All of it is taken back, once. If you send the money again, record that under another reference. The service does not tell the merchant.',
    'back.left': 'The charge in the bank statement stays this payout, because it left. The return is another line.',
    'back.reopens': 'A person said that line {line} of a bank statement is this deposit: it goes into suspense again.',
    'back.matched':
      'It cannot be taken back: it came, because an import matched line {line} of a bank statement. If that line is of something else, put it in suspense first.',
    'back.line_wrong': 'Look at line {line}',
    'back.used': 'It cannot be taken back: the merchant has used it, and only {amount} is available.',
    'back.stays': 'It cannot be changed or deleted afterwards. It stays with your name and the reason.',
    'back.do': 'Take back {amount}',
    'back.done': 'It is taken back.',
    'back.was': 'It was taken back on {time}. Recorded by {name}. Reason: {reason}',
    'entry.deposit_returned': 'deposit that did not come',
    'entry.commission_returned': 'commission that was not kept',
    'entry.paid_in_returned': 'deposit of the merchant that did not come',
    'entry.payout_returned': 'payout that came back',
  },
);
