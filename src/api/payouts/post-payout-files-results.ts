import { Readable } from 'node:stream';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import { findPayoutFile } from '../../payouts/files/find-payout-file.ts';
import type { Payout } from '../../payouts/payout.ts';
import { selectPayoutsOfFile } from '../../payouts/payout-queries.ts';
import { settlePayouts } from '../../payouts/settling/settle-payouts.ts';
import { StateSchema } from './get-payout-files.ts';
import { MOST_SENT_BYTES, readSentFile, SENT_FILE_ERRORS, SentFileMembers } from './statement-schemas.ts';

const RequestSchema = Type.Object(SentFileMembers, { $id: 'PayoutResultsRequest', additionalProperties: false });

const PayoutStateSchema = Type.Object({ id: Type.String(), state: StateSchema });
const lines = (description: string) => Type.Array(Type.Integer(), { description });

const ResultsSchema = Type.Object(
  {
    settled: Type.Array(PayoutStateSchema, { description: 'Payouts whose state changed' }),
    already: Type.Array(Type.String(), { description: 'Payouts that already had this state' }),
    contradicted: Type.Array(PayoutStateSchema, {
      description: 'Payouts whose state contradicts the result; no money moved',
    }),
    unmatchedLines: lines('Lines that match no payout of this file'),
    unclearLines: lines(
      'Lines with an unknown state, with different states of one payout, or of one of several equal payouts',
    ),
  },
  { $id: 'PayoutResults' },
);

/** Imports a bank's results for the payouts of a file. */
export const postPayoutFilesResults = operation({
  consumes: ['application/json'],
  bodyLimit: MOST_SENT_BYTES,
  describe: {
    operationId: 'takePayoutResults',
    summary: 'Import the results of a file of payouts',
    description:
      'Imports the results that the bank reports as a CSV, .xlsx or .xls. Each line has an id, or a RUT and an amount, and a state such as `Pagado` or `Rechazado`. The same file again changes nothing. A result that contradicts the state of a payout moves no money and waits for a person.',
    tag: 'Bank files',
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'Id of the file of payouts', schema: Type.String() },
    ],
    body: RequestSchema,
    bodyExample: {
      fileName: 'resultado.csv',
      content: Buffer.from('RUT;Monto;Estado\n12.531.909-2;15.000;Pagado').toString('base64'),
    },
    replies: {
      200: {
        description: 'Results by payout',
        schema: replyOf('PayoutResultsTaken', ResultsSchema),
        example: {
          message: 'The results were imported.',
          errors: null,
          data: {
            settled: [{ id: 'po_4m0c7r2n9k5xw3ehb8tq', state: 'confirmed' }],
            already: [],
            contradicted: [],
            unmatchedLines: [],
            unclearLines: [],
          },
        },
      },
    },
    errors: [...SENT_FILE_ERRORS, 'INVALID_PAYOUT'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const { evidence, content } = readSentFile(request, []);
    const file = await findPayoutFile(app, user.environmentIds, id);
    const owner = await environmentOf(app, file);
    const payouts = await selectPayoutsOfFile(app.db, owner.id, file.id);
    const { readResults } = await import('../../payouts/files/read-results.ts');
    const results = await readInTurn(app, user, () => readResults(app, Readable.from([content]), payouts));
    const by = actorOf(request, user);
    const said = { owner, by, outcomes: results.outcomes, evidence, file: file.id };
    const { settled, already, contradicted } = await settlePayouts(app, said);
    return {
      message: 'The results were imported.',
      errors: null,
      data: {
        settled: settled.map(stateOf),
        already: already.map((payout) => payout.id),
        contradicted: contradicted.map(stateOf),
        unmatchedLines: results.unmatched,
        unclearLines: results.unclear,
      },
    };
  },
});

function stateOf({ id, state }: Payout) {
  return { id, state };
}
