import type { App } from '../../app.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { invalidBody, MEMBER_ERRORS, type Members, readMembers } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { findStatement } from '../../statements/find-statement.ts';
import { type LineSubject, type ResolvedLine, resolveLine } from '../../statements/resolve-line.ts';
import {
  LINE_EXAMPLE,
  lineJson,
  readReason,
  SENT_FILE_ERRORS,
  StatementLineSchema,
  wrong,
} from './statement-schemas.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const RequestSchema = Type.Object(
  {
    use: Type.String({
      enum: ['payout', 'return', 'deposit', 'other', 'suspense'],
      description:
        '`payout`: a payout left, see `payoutId` and `to`; `return`: a payout came back; `deposit`: see `depositId` and `from`; `other`: unrelated to this service; `suspense`: not the payout or deposit that it was matched with',
    }),
    line: Type.Optional(
      Type.Integer({
        description:
          'Line number in the file. Optional for `other`: then the use applies to all lines in suspense that match nothing known',
      }),
    ),
    payoutId: text('Id of the payout, for `payout` and `return`'),
    to: text(
      "`merchant`, for `payout`: the money left at the merchant's expense, such as a payout that left twice; the payout is booked with the line",
    ),
    depositId: text('Id of a recorded deposit'),
    from: text(
      'Source of a new deposit that is booked with the line: `merchant`, or the code of a payment method such as `webpay`',
    ),
    commission: Type.Optional(
      Type.Integer({
        description: 'Commission that the acquirer kept in addition to the amount, in minor units. Default: 0',
      }),
    ),
    paymentServiceId: text(
      'Payment service that owns the new deposit or payout; required if the account is of all payment services',
    ),
    reason: Type.String({
      description: 'Reason, up to 200 characters, stored for later readers; do not name a person',
    }),
  },
  { $id: 'StatementUseRequest', additionalProperties: false },
);

/** Resolves statement lines in suspense: records what they are. */
export const postBankStatementsUses = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'resolveStatementLine',
    summary: 'Resolve a line in suspense',
    description:
      'Gives a line in suspense its use, in one commit with the state and the entries of the payout, or with the deposit and its entry. A line has one use, which lasts, with two exceptions: a line with the use `other` that is named by its number can get another use, and `suspense` puts a line in suspense again that was matched with the wrong payout or deposit; no entry changes. The same request with the same reason changes nothing.',
    tag: 'Bank files',
    parameters: [{ name: 'id', in: 'path', required: true, description: 'Id of the statement', schema: Type.String() }],
    body: RequestSchema,
    bodyExample: { use: 'deposit', line: 12, from: 'webpay', commission: 500, reason: 'abono de Transbank' },
    replies: {
      200: {
        description: 'The resolved lines',
        schema: replyOf(
          'StatementUsed',
          Type.Object({
            lines: Type.Array(StatementLineSchema),
            replaced: Type.Nullable(
              Type.Object({
                use: Type.Literal('other'),
                reason: Type.Nullable(Type.String()),
                resolvedBy: Type.String(),
              }),
              {
                description:
                  'The earlier use of the line, which this request replaced; null: none, or the same request was sent before',
              },
            ),
          }),
        ),
        example: {
          message: 'The lines have their use.',
          errors: null,
          data: {
            lines: [{ ...LINE_EXAMPLE, use: 'other', note: null, reason: 'arriendo', resolvedBy: 'ana@example.cl' }],
            replaced: null,
          },
        },
      },
    },
    errors: [
      ...SENT_FILE_ERRORS,
      ...MEMBER_ERRORS,
      'PAYOUT_STATE',
      'INSUFFICIENT_BALANCE',
      'PAYMENT_SERVICE_AMBIGUOUS',
    ],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const members = readMembers(request, RequestSchema);
    const decision = { fileLine: lineOf(members), is: subjectOf(app, members), reason: readReason(members.reason) };
    await findStatement(app, user.environmentIds, id);
    const by = actorOf(request, user);
    const lines = await resolveLine(app, { statementId: id, ...decision, by });
    const data = { lines: lines.map(lineJson), replaced: replacedOf(lines[0]) };
    return { message: 'The lines have their use.', errors: null, data };
  },
});

function replacedOf(line: ResolvedLine | undefined) {
  if (line === undefined || line.replaced_by === null) return null;
  return { use: 'other' as const, reason: line.replaced_reason, resolvedBy: line.replaced_by };
}

type Asked = Members<typeof RequestSchema>;

function lineOf({ line, use }: Asked): number | 'unknown' {
  if (line === null && use === 'other') return 'unknown';
  if (line === null || !/^[1-9]\d{0,6}$/.test(line))
    throw invalidBody([wrong('line', 'Send the line of the file.', 'Envía la línea del archivo.')]);
  return Number(line);
}

function subjectOf(app: App, asked: Asked): LineSubject {
  const { use, payoutId, to, depositId, from, commission, paymentServiceId } = asked;
  refuseOfOtherUse(asked);
  if (to !== null) {
    if (use === 'payout' && to === 'merchant' && payoutId === null) return { use, toMerchant: { paymentServiceId } };
    throw invalidBody([
      wrong(
        'to',
        'Send to: merchant only with use: payout and without payoutId.',
        'Envía to: merchant solo con use: payout y sin payoutId.',
      ),
    ]);
  }
  if (use === 'other' || use === 'suspense') return { use };
  if (use !== 'deposit') {
    if (payoutId === null) throw invalidBody([wrong('payoutId', 'Send which payout it is.', 'Envía cuál pago es.')]);
    return { use, payoutId };
  }
  if (depositId !== null) return { use, deposit: { id: depositId } };
  if (from !== 'merchant' && !app.paymentMethods.some(({ code }) => code === from)) {
    throw invalidBody([
      wrong(
        'from',
        'Send depositId, or from: merchant or the code of a payment method.',
        'Envía depositId, o from: merchant o el código de un medio de pago.',
      ),
    ]);
  }
  const kept = commission ?? '0';
  if (!/^\d{1,12}$/.test(kept) || (from === 'merchant' && kept !== '0')) {
    throw invalidBody([
      wrong(
        'commission',
        'Send a whole number, and none of what a merchant paid in.',
        'Envía un número entero, y ninguno si el dinero lo puso un comercio.',
      ),
    ]);
  }
  const paymentMethod = from === 'merchant' ? null : from;
  return { use, deposit: { paymentServiceId, paymentMethod, commission: Number(kept) } };
}

/** Throws `Problem` INVALID_BODY for members that say something else than `use`: they would be ignored. */
function refuseOfOtherUse({ use, payoutId, depositId, from, commission, to, paymentServiceId }: Asked): void {
  const isNew = use === 'deposit' && depositId === null;
  const [first, ...others] = [
    ...(payoutId === null || use === 'payout' || use === 'return'
      ? []
      : [wrong('payoutId', 'Send it only with use: payout or return.', 'Envíalo solo con use: payout o return.')]),
    ...(depositId === null || use === 'deposit'
      ? []
      : [wrong('depositId', 'Send it only with use: deposit.', 'Envíalo solo con use: deposit.')]),
    ...(from === null || isNew ? [] : [wrong('from', ONLY_NEW.en, ONLY_NEW.es)]),
    ...(commission === null || commission === '0' || isNew ? [] : [wrong('commission', ONLY_NEW.en, ONLY_NEW.es)]),
    ...(paymentServiceId === null || isNew || to !== null
      ? []
      : [wrong('paymentServiceId', ONLY_BOOKED.en, ONLY_BOOKED.es)]),
  ];
  if (first !== undefined) throw invalidBody([first, ...others]);
}

const ONLY_BOOKED = {
  en: 'Send it only for a deposit or payout that is booked with the line.',
  es: 'Envíalo solo para un depósito o un pago que se asienta con la línea.',
};

const ONLY_NEW = {
  en: 'Send it only with use: deposit and without depositId.',
  es: 'Envíalo solo con use: deposit y sin depositId.',
};
