import { listBanks } from '../../bank-validation/directory/list-banks.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { PAYOUTS_ERRORS } from './validation-schemas.ts';

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const confidence = Type.String({ enum: ['high', 'medium', 'low'] });

const UsualLengthSchema = Type.Object({
  least: Type.Integer(),
  most: Type.Integer(),
  confidence,
  source: Type.String(),
});

const BankSchema = Type.Object(
  {
    code: Type.String({ description: 'Three digits with their zeros' }),
    name: Type.String(),
    aliases: Type.Array(Type.String(), { description: 'Other names that people know it by' }),
    kind: Type.String({ enum: ['bank', 'state_bank', 'foreign_branch', 'cooperative', 'prepaid_issuer'] }),
    status: Type.String({ enum: ['active', 'authorised', 'merged', 'closed', 'unverified'] }),
    successor: Type.Union([Type.String(), Type.Null()], { description: 'The code to use instead of a merged one' }),
    effective: Type.Union([Type.String(), Type.Null()], { description: 'Since when it is merged or authorised' }),
    transferReachable: Type.String({
      enum: ['yes', 'likely', 'legacy', 'no', 'unknown', 'no_evidence'],
      description: 'How it appears in transfer catalogues',
    }),
    confidence,
    account: Type.Object(
      {
        most: Type.Integer({ description: 'Digits at most, at any bank' }),
        usual: Type.Union([UsualLengthSchema, Type.Null()], {
          description: 'The published lengths: another one is a warning, never a refusal',
        }),
        cuentaRut: Type.Boolean({ description: 'Has accounts whose number is the RUT without its check character' }),
      },
      { description: 'The known form of its account numbers: digits always' },
    ),
  },
  { $id: 'Bank' },
);

const BankListSchema = Type.Object(
  {
    message: Type.String(),
    errors: Type.Null(),
    data: Type.Object({
      asOf: Type.String({ description: 'How old the list is by its own word: a year, a month or a day' }),
      version: Type.String({ description: 'Changes with any entry' }),
      source: textOrNull,
      origin: Type.String({ enum: ['release', 'import'], description: 'Came with the program, or was imported since' }),
      banks: Type.Array(BankSchema),
    }),
  },
  { $id: 'BankList' },
);

const EXAMPLE = {
  message: '1 institutions.',
  errors: null,
  data: {
    asOf: '2026',
    version: '2026+1a2b3c4d',
    source: 'lists of the regulator and transfer catalogues, cross-checked',
    origin: 'release',
    banks: [
      {
        code: '012',
        name: 'Banco del Estado de Chile',
        aliases: ['BancoEstado', 'CuentaRUT'],
        kind: 'state_bank',
        status: 'active',
        successor: null,
        effective: null,
        transferReachable: 'yes',
        confidence: 'high',
        account: {
          most: 20,
          usual: { least: 1, most: 17, confidence: 'medium', source: 'field width of the payroll file of BancoEstado' },
          cuentaRut: true,
        },
      },
    ],
  },
};

/** Lists the known banks, for example for a form. */
export const getBanks = operation({
  describe: {
    operationId: 'listBanks',
    summary: 'List the banks',
    description: 'Every institution of the list that validations use, also those that are closed or merged.',
    tag: 'Bank account validation',
    replies: { 200: { description: 'The list, by code', schema: BankListSchema, example: EXAMPLE } },
    errors: [...PAYOUTS_ERRORS],
  },
  handle: async (app, request) => {
    await requireUser(app, request);
    const { banks, ...list } = await listBanks(app);
    const entries = banks.map((bank) => ({ ...bank, aliases: [...bank.aliases] }));
    return { message: `${banks.length} institutions.`, errors: null, data: { ...list, banks: entries } };
  },
});
