import type { FastifyRequest } from 'fastify';
import { isReason } from '../../audit/reason.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { invalidBody, unknownMember } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { describeEvidence, type Evidence } from '../../lib/evidence-file.ts';
import type { ImportedStatement } from '../../statements/import-statement.ts';
import { type KeptLine, LINE_USES, type ListedStatement } from '../../statements/statement.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';

/** Room for some twenty thousand lines. The command line has no such limit. */
const MOST_FILE_BYTES = 2 * 1024 * 1024;
/** The limit of the request body: the file in base64, with the other members. */
export const MOST_SENT_BYTES = 3 * 1024 * 1024;

export const SENT_FILE_ERRORS = [
  ...MOVE_ERRORS,
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'PRIVATE_TOKEN_RETIRED',
  'PERMISSION_MISSING',
  'PERSON_NEEDED',
  'INVALID_JSON',
  'DUPLICATE_KEY',
  'INVALID_BODY',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_FOUND',
] as const;

/** The members of a request that carry a bank's file. */
export const SentFileMembers = {
  fileName: Type.String({ description: 'File name, up to 200 characters' }),
  content: Type.String({
    contentEncoding: 'base64',
    description: 'Content of the file, in base64; at most 2 MiB before encoding',
  }),
};

/** Reads a body with a bank's file. `names` are the other members that it may have. Throws `Problem` INVALID_BODY. */
export function readSentFile(
  request: FastifyRequest,
  names: readonly string[],
): { members: Readonly<Record<string, unknown>>; evidence: Evidence; content: Buffer } {
  const body = readStrictJson(request.body as Buffer | undefined, { depth: 2, members: 16 });
  const { fileName, content, ...members } = body;
  const bytes = typeof content === 'string' && isBase64(content) ? Buffer.from(content, 'base64') : Buffer.alloc(0);
  const known = ['fileName', 'content', ...names];
  const [first, ...others] = [
    ...(isText(fileName, 200)
      ? []
      : [wrong('fileName', 'Send a text of 1 to 200 characters.', 'Envía un texto de 1 a 200 caracteres.')]),
    ...(bytes.length > 0 && bytes.length <= MOST_FILE_BYTES
      ? []
      : [
          wrong(
            'content',
            'Send the bytes of the file in base64, 2 MiB of them at most.',
            'Envía los bytes del archivo en base64, 2 MiB como máximo.',
          ),
        ]),
    ...Object.keys(members)
      .filter((name) => !names.includes(name))
      .map((name) => unknownMember(name, known)),
  ];
  if (first !== undefined) throw invalidBody([first, ...others]);
  return { members, evidence: describeEvidence(fileName as string, bytes), content: bytes };
}

/** Returns whether a value is a text that is not blank and has at most `most` characters. */
export function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= most;
}

/**
 * Returns the trimmed reason of a decision. Throws `Problem` INVALID_BODY unless it has 1 to 200 characters, without an
 * e-mail address, a card number or the RUT of a person.
 */
export function readReason(reason: string): string {
  if (isReason(reason.trim())) return reason.trim();
  throw invalidBody([
    wrong(
      'reason',
      'Send 1 to 200 characters, without an e-mail address, a card number, the RUT of a person or a hidden character. Write an order that looks like a RUT without its dash.',
      'Envía de 1 a 200 caracteres, sin un correo, un número de tarjeta, el RUT de una persona ni un carácter oculto. Escribe sin guion una orden que parezca un RUT.',
    ),
  ]);
}

/** Returns the error of a missing or unusable member. */
export function wrong(name: string, fix: string, spanishFix: string): ErrorItem {
  return errorItem(`/${name}`, 'INVALID_PARAMETER', [
    `${name} is missing or cannot be used.`,
    fix,
    `${name} falta o no sirve.`,
    spanishFix,
  ]);
}

/** Checks the text strictly: Node skips characters outside base64 and would decode another file. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const UsesSchema = Type.Object({
  payout: Type.Integer(),
  return: Type.Integer(),
  deposit: Type.Integer(),
  suspense: Type.Integer({ description: 'Lines that a person must resolve' }),
  other: Type.Integer(),
});

const use = Type.String({ enum: LINE_USES });
const LINES_OF_FILE = Type.Integer({
  description: 'Number of lines of the file, with those that another file already had',
});

export const ImportedSchema = Type.Object(
  {
    id: Type.Nullable(Type.String(), {
      description: 'Id of the statement; null: other files already had every line',
    }),
    lines: LINES_OF_FILE,
    known: Type.Integer({ description: 'Number of lines that another file already had' }),
    doubtful: Type.Array(Type.Integer(), {
      description:
        'Known lines, by line in the file, that may be second, equal payments: the file lacks other lines of their day. Add something of its own to the description of such a payment and import the file again',
    }),
    proof: Type.String({
      enum: ['balance', 'totals', 'nothing'],
      description:
        'Evidence that no line is missing: `balance`: each balance follows from the previous one; `totals`: the totals are right; `nothing`: none',
    }),
    uses: UsesSchema,
    settled: Type.Array(Type.String(), { description: 'Payouts whose state changed' }),
    contradicted: Type.Array(Type.String(), {
      description: 'Payouts whose state the file contradicts; no money moved',
    }),
  },
  { $id: 'ImportedStatement' },
);

export const IMPORTED_EXAMPLE = {
  id: 'st_4m0c7r2n9k5xw3ehb8tq',
  lines: 3,
  known: 1,
  doubtful: [],
  proof: 'balance' as const,
  uses: { payout: 1, return: 0, deposit: 0, suspense: 1, other: 0 },
  settled: ['po_4m0c7r2n9k5xw3ehb8tq'],
  contradicted: [],
};

export const StatementSchema = Type.Object(
  {
    id: Type.String(),
    environment: Type.String({ enum: ['development', 'production'] }),
    paymentServiceId: Type.Nullable(Type.String(), {
      description: 'Payment service that owns the account; null: all of them',
    }),
    account: Type.Object({ masked: Type.String() }),
    fileName: Type.String(),
    fileSha256: Type.String(),
    importedAt: Type.String(),
    importedBy: Type.String(),
    firstDay: Type.String(),
    lastDay: Type.String(),
    lines: LINES_OF_FILE,
    open: Type.Integer({ description: 'Number of lines in suspense' }),
    proof: Type.String({ enum: ['balance', 'totals', 'nothing'] }),
  },
  { $id: 'BankStatement' },
);

export const STATEMENT_EXAMPLE = {
  id: 'st_4m0c7r2n9k5xw3ehb8tq',
  environment: 'production' as const,
  paymentServiceId: 'ps_4m0c7r2n9k5xw3ehb8tq',
  account: { masked: '…6789' },
  fileName: 'cartola-enero.xlsx',
  fileSha256: 'ab'.repeat(32),
  importedAt: '2026-02-01T12:00:00.000Z',
  importedBy: 'finanzas@example.cl',
  firstDay: '2026-01-01',
  lastDay: '2026-01-31',
  lines: 2,
  open: 1,
  proof: 'balance' as const,
};

export const StatementLineSchema = Type.Object(
  {
    line: Type.Integer({ description: 'Line number in the file; the text of the line is not stored' }),
    day: Type.String(),
    amount: Type.Integer({ description: 'Minor units; positive: money received, negative: money sent' }),
    currency: Type.String(),
    use,
    of: Type.Nullable(Type.String(), {
      description:
        'Id of the payout, the file of payouts, the deposit or the recorded payout to the merchant; null: none',
    }),
    note: Type.Nullable(Type.String()),
    reason: Type.Nullable(Type.String()),
    resolvedBy: Type.Nullable(Type.String()),
  },
  { $id: 'BankStatementLine' },
);

export const LINE_EXAMPLE = {
  line: 12,
  day: '2026-01-15',
  amount: -250_000,
  currency: 'CLP',
  use: 'suspense' as const,
  of: null,
  note: 'of nothing that is known here',
  reason: null,
  resolvedBy: null,
};

/** Returns an imported statement as JSON. */
export function importedJson(
  { id, lines, known, doubtful, uses, settled, contradicted }: ImportedStatement,
  proof: Proof,
) {
  return { id, lines, known, doubtful: [...doubtful], proof, uses, settled, contradicted };
}

type Proof = Static<typeof ImportedSchema>['proof'];

/** Returns a statement as JSON, with only the last four characters of its account. */
export function statementJson(one: ListedStatement): Static<typeof StatementSchema> {
  return {
    id: one.id,
    environment: one.environment,
    paymentServiceId: one.payment_service_id,
    account: { masked: `…${one.account.slice(-4)}` },
    fileName: one.file_name,
    fileSha256: one.file_sha256,
    importedAt: new Date(one.imported_at).toISOString(),
    importedBy: one.imported_by,
    firstDay: one.first_day,
    lastDay: one.last_day,
    lines: one.lines,
    open: one.open,
    proof: one.proof,
  };
}

/** Returns a line of a statement as JSON. */
export function lineJson(line: KeptLine): Static<typeof StatementLineSchema> {
  const { file_line, day, amount, currency, used_as, subject, note, reason, resolved_by } = line;
  return { line: file_line, day, amount, currency, use: used_as, of: subject, note, reason, resolvedBy: resolved_by };
}
