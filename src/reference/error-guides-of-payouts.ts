import { guide } from './error-guide.ts';

/** Guides to errors of payouts. */
export const PAYOUT_GUIDES = {
  PAYOUT_CONFLICT: guide(
    'api',
    [
      '{"tef": {"id": "42", "amount": 1000}}, then {"tef": {"id": "42", "amount": 2000}}',
      '{"tef": {"id": "43", "amount": 2000}}',
    ],
    ['The id was used with another amount, account or recipient.'],
    ['El id ya se usó con otro monto, otra cuenta u otro destinatario.'],
  ),
  PAYOUT_STATE: guide(
    'api',
    ['cancel a payout that was sent', 'cancel a payout that waits for approval'],
    ['Another person or the bank changed the state first.'],
    ['Otra persona o el banco cambió antes el estado.'],
  ),
  APPROVAL_REFUSED: guide(
    'ask',
    ['ana@example.cl makes and approves', 'ana@example.cl makes, ben@example.cl approves'],
    [
      'The approver proposed the payout or requested the refund.',
      'The approver changed the account of the recipient, or may know an API token or the password of the user who changed it, proposed the payout or requested the refund.',
      'The verdict of the account is too old.',
      'The account of the recipient was changed after the payout was proposed, or the recipient was erased.',
    ],
    [
      'Quien aprueba propuso el pago o pidió la devolución.',
      'Quien aprueba cambió la cuenta del destinatario, o puede que conozca un token de API o la contraseña del usuario que la cambió, propuso el pago o pidió la devolución.',
      'El veredicto de la cuenta es demasiado antiguo.',
      'La cuenta del destinatario cambió después de proponer el pago, o el destinatario fue borrado.',
    ],
  ),
  PAYOUT_LIMIT_REACHED: guide(
    'ask',
    ['a fourth payout of 5.000.000 today', 'the same payout tomorrow'],
    ['Today’s payouts and this one together exceed a limit.'],
    ['Los pagos de hoy y este superan juntos un límite.'],
  ),
  INSUFFICIENT_BALANCE: guide(
    'ask',
    ['"amount": 900000 with 500000 available', '"amount": 500000'],
    ['Some payments are not deposited yet.', 'Refunds and other payouts reserve the rest.'],
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
    [
      'The user sees none or several, and the request does not have `paymentServiceId`.',
      'The protocol of /tef cannot name the payment service, and the user sees none or several.',
    ],
    [
      'El usuario no ve ninguno o ve varios, y la solicitud no trae `paymentServiceId`.',
      'El protocolo de /tef no puede nombrar el servicio de pago, y el usuario no ve ninguno o ve varios.',
    ],
  ),
  ACCOUNT_NOT_PAYABLE: guide(
    'api',
    ['"rut": "12345678-6"', '"rut": "12345678-5"'],
    ['The RUT, the bank or the account has a typing error.'],
    ['Un error de digitación en el RUT, el banco o la cuenta.'],
  ),
  INVALID_STATEMENT: guide(
    'api',
    ['15/01/2026;TEF;15.000;;985.000 and 16/01/2026;TEF;5.000;;990.000', '16/01/2026;TEF;5.000;;980.000'],
    ['A line is missing or was changed, so a balance or a total is wrong.', 'The file is not the statement of a bank.'],
    ['Falta una línea o alguien la cambió: un saldo o un total no calza.', 'El archivo no es la cartola de un banco.'],
  ),
  INVALID_PAYOUT: guide(
    'api',
    ['"amount": "1.000"', '"amount": 1000'],
    ['A member or a row is missing or invalid: errors[] names each.'],
    ['Un miembro o una fila falta o no es válido: errors[] nombra cada uno.'],
  ),
} as const;
