import { pageOf } from '../../db/newest-page.ts';
import { notACursor } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, NEXT, placeCursor, readPlaceCursor } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { findStatement, listStatements, readLines } from '../../statements/find-statement.ts';
import { LINE_USES } from '../../statements/statement.ts';
import { TEF_ERRORS } from './post-tef.ts';
import {
  LINE_EXAMPLE,
  lineJson,
  STATEMENT_EXAMPLE,
  StatementLineSchema,
  StatementSchema,
  statementJson,
} from './statement-schemas.ts';

const MOST = 100;
const MOST_LINES = 10_000;

/** Lists the statements that the user may see. */
export const getBankStatements = operation({
  describe: {
    operationId: 'listStatements',
    summary: 'List the statements of the bank',
    description:
      'Returns the statements, newest first, each with the number of its lines in suspense. Send `next` as `after` for older statements.',
    tag: 'Bank files',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST)],
    replies: {
      200: {
        description: 'A page of statements, newest first',
        schema: replyOf('StatementList', Type.Object({ statements: Type.Array(StatementSchema), next: NEXT })),
        example: { message: 'OK', errors: null, data: { statements: [STATEMENT_EXAMPLE], next: null } },
      },
    },
    errors: [...TEF_ERRORS, 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { after: sent, limit = MOST } = query();
    const after = readPlaceCursor(sent);
    const read = await listStatements(app, user.environmentIds, { after, limit: limit + 1 });
    const { page, next } = pageOf(read, limit, ({ id, imported_at }) => placeCursor({ created_at: imported_at, id }));
    return { message: 'OK', errors: null, data: { statements: page.map(statementJson), next } };
  },
});

/** Returns one statement with a page of its lines. */
export const getBankStatementsId = operation({
  describe: {
    operationId: 'readStatement',
    summary: 'Read a statement of the bank',
    description:
      'Returns a statement with its lines in the order of the file, and the use of each. The text of the lines is not stored, because it contains names and RUTs. Send `next` as `after` for the next lines.',
    tag: 'Bank files',
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'Id of the statement', schema: Type.String() },
      {
        name: 'use',
        in: 'query',
        description: 'Only lines of this use',
        schema: Type.String({ enum: LINE_USES }),
      },
      CURSOR_PARAMETER,
      limitParameter(MOST_LINES),
    ],
    replies: {
      200: {
        description: 'The statement',
        schema: replyOf(
          'StatementRead',
          Type.Object({
            statement: StatementSchema,
            lines: Type.Array(StatementLineSchema, {
              description: 'Lines in the order of the file, without those that another file already had',
            }),
            next: NEXT,
          }),
        ),
        example: {
          message: 'OK',
          errors: null,
          data: { statement: STATEMENT_EXAMPLE, lines: [LINE_EXAMPLE], next: null },
        },
      },
    },
    errors: [...TEF_ERRORS, 'NOT_FOUND', 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const { use = null, after: sent, limit = MOST_LINES } = query();
    const after = readCursor(sent);
    const statement = await findStatement(app, user.environmentIds, id);
    const read = await readLines(app, id, use, { after, limit: limit + 1 });
    const { page: lines, next } = pageOf(read, limit, ({ number }) => String(number));
    return {
      message: 'OK',
      errors: null,
      data: {
        statement: statementJson(statement),
        lines: lines.map(lineJson),
        next,
      },
    };
  },
});

/** Parses the number of the last line before; 0 where none was sent. Throws `Problem` INVALID_PARAMETER. */
function readCursor(text = '0'): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw notACursor();
}
