import { guide } from './error-guide.ts';

/** Guides to errors of payouts. */
export const PAYOUT_GUIDES = {
  PAYOUT_CONFLICT: guide(
    'api',
    [
      '{"tef": {"id": "42", "amount": 1000}}, then {"tef": {"id": "42", "amount": 2000}}',
      '{"tef": {"id": "43", "amount": 2000}}',
    ],
    ['The id was used for another amount, another account or another person.'],
    ['El id ya se usó para otro monto, otra cuenta u otra persona.'],
  ),
  PAYOUT_STATE: guide(
    'api',
    ['cancel a payout that was sent', 'cancel a payout that waits for approval'],
    ['Another person or the bank was quicker.'],
    ['Otra persona o el banco llegó antes.'],
  ),
  APPROVAL_REFUSED: guide(
    'ask',
    ['ana@example.cl makes and approves', 'ana@example.cl makes, ben@example.cl approves'],
    [
      'The same person made it, or asked for it.',
      'The same person changed the account that it goes to, or may know an API token or the password of who did one of these.',
      'The verdict of the account is too old.',
      'The account of the recipient was changed after it was made, or the recipient was erased.',
    ],
    [
      'Lo hizo o lo pidió la misma persona.',
      'La misma persona cambió la cuenta a la que va, o puede que conozca un token de API o la contraseña de quien hizo una de esas cosas.',
      'El veredicto de la cuenta es demasiado antiguo.',
      'La cuenta del destinatario cambió después de proponerlo, o el destinatario fue borrado.',
    ],
  ),
  PAYOUT_LIMIT_REACHED: guide(
    'ask',
    ['a fourth payout of 5.000.000 today', 'the same payout tomorrow'],
    ['What was paid out today and this payout are more than a limit allows.'],
    ['Lo que se pagó hoy y este pago superan un límite.'],
  ),
  INSUFFICIENT_BALANCE: guide(
    'ask',
    ['"amount": 900000 with 500000 available', '"amount": 500000'],
    ['Payments are still to be deposited.', 'Refunds and other payouts have reserved the rest.'],
    ['Aún falta el depósito de algunos pagos.', 'Devoluciones y otros pagos tienen reservado el resto.'],
  ),
  PERSON_NEEDED: guide(
    'ask',
    ['approve with the token of a program', 'approve with your own name'],
    ['The command or the request names no user, or a program.'],
    ['El comando o la solicitud no nombra a un usuario, o nombra a un programa.'],
  ),
  PAYMENT_SERVICE_AMBIGUOUS: guide(
    'ask',
    ['a user of two payment services', 'a user of one payment service'],
    ['The protocol of /tef has no place for the payment service, and the user sees none or several.'],
    ['El protocolo de /tef no tiene lugar para el servicio de pago, y el usuario no ve ninguno o ve varios.'],
  ),
  ACCOUNT_NOT_PAYABLE: guide(
    'api',
    ['"rut": "12345678-6"', '"rut": "12345678-5"'],
    ['A typing error in the RUT, the bank or the account.'],
    ['Un error de digitación en el RUT, el banco o la cuenta.'],
  ),
  INVALID_STATEMENT: guide(
    'api',
    ['15/01/2026;TEF;15.000;;985.000 and 16/01/2026;TEF;5.000;;990.000', '16/01/2026;TEF;5.000;;980.000'],
    [
      'A line is missing or was changed, so that a balance or a total does not follow.',
      'The file is not the statement of a bank.',
    ],
    ['Falta una línea o alguien la cambió: un saldo o un total no sigue.', 'El archivo no es la cartola de un banco.'],
  ),
  INVALID_PAYOUT: guide(
    'api',
    ['"amount": "1.000"', '"amount": 1000'],
    ['A member or a row is missing or cannot be used: errors[] names each.'],
    ['Falta un miembro o una fila, o no se puede usar: errors[] nombra cada uno.'],
  ),
} as const;
