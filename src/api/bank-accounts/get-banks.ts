import { listBanks } from '../../bank-validation/directory/list-banks.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { PAYOUTS_ERRORS } from './validation-schemas.ts';

const confidence = Type.String({ enum: ['high', 'medium', 'low'] });

const UsualLengthSchema = Type.Object({
  least: Type.Integer(),
  most: Type.Integer(),
  confidence,
  source: Type.String(),
});

const BankSchema = Type.Object(
  {
    code: Type.String({ description: 'Three digits, with leading zeros' }),
    name: Type.String(),
    aliases: Type.Array(Type.String(), { description: 'Other names of the bank' }),
    kind: Type.String({ enum: ['bank', 'state_bank', 'foreign_branch', 'cooperative', 'prepaid_issuer'] }),
    status: Type.String({ enum: ['active', 'authorised', 'merged', 'closed', 'unverified'] }),
    successor: Type.Nullable(Type.String(), {
      description: 'Code that replaces the code of a merged bank',
    }),
    effective: Type.Nullable(Type.String(), { description: 'Date of the merger or authorisation' }),
    transferReachable: Type.String({
      enum: ['yes', 'likely', 'legacy', 'no', 'unknown', 'no_evidence'],
      description: 'Presence of the bank in transfer catalogues',
    }),
    confidence,
    account: Type.Object(
      {
        most: Type.Integer({ description: 'Maximum number of digits at any bank' }),
        usual: Type.Nullable(UsualLengthSchema, {
          description: 'Published lengths. Another length is a warning, never a refusal',
        }),
        cuentaRut: Type.Boolean({ description: 'true if account numbers can be the RUT without its check character' }),
      },
      { description: 'Known format of the account numbers; always digits' },
    ),
  },
  { $id: 'Bank' },
);

const BankListSchema = replyOf(
  'BankList',
  Type.Object({
    asOf: Type.String({ description: 'Date of the list, as the list states it: a year, a month or a day' }),
    version: Type.String({ description: 'Changes when any entry changes' }),
    source: Type.Nullable(Type.String()),
    origin: Type.String({
      enum: ['release', 'import'],
      description: '`release`: shipped with the program; `import`: imported later',
    }),
    banks: Type.Array(BankSchema),
  }),
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
    description: 'Returns every institution of the list that validations use, including closed and merged ones.',
    tag: 'Bank account validation',
    replies: { 200: { description: 'Institutions, ordered by code', schema: BankListSchema, example: EXAMPLE } },
    errors: [...PAYOUTS_ERRORS],
  },
  handle: async (app, request) => {
    await requireUser(app, request);
    const { banks, ...list } = await listBanks(app);
    const entries = banks.map((bank) => ({ ...bank, aliases: [...bank.aliases] }));
    return { message: `${banks.length} institutions.`, errors: null, data: { ...list, banks: entries } };
  },
});
