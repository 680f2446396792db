// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

import type {
  PayoutFileContent,
  PayoutFileList,
  PayoutFileRead,
  PayoutFileRequest,
  PayoutFilesMade,
  PayoutResultsRequest,
  PayoutResultsTaken,
  StatementImported,
  StatementList,
  StatementRead,
  StatementRequest,
  StatementUsed,
  StatementUseRequest,
} from './api-bank-files.ts';
import type {
  Balance,
  PayoutBatchApproval,
  PayoutBatchDecided,
  PayoutBatchList,
  PayoutBatchProposed,
  PayoutBatchRead,
  PayoutBatchReason,
  PayoutBatchRequest,
  TefCreated,
  TefRead,
  TefRequest,
} from './api-payouts.ts';
import type { RecipientHistory, RecipientList, RecipientReply, RecipientRequest } from './api-recipients.ts';

/** The requests and answers about payouts, by method and path. */
export type PayoutOperations = {
  'POST /recipients': { body: RecipientRequest; reply: RecipientReply };
  'GET /recipients': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 100 */
      limit?: number | undefined;
    };
    reply: RecipientList;
  };
  'GET /recipients/{id}': {
    path: {
      /** Id of the recipient */
      id: string;
    };
    reply: RecipientHistory;
  };
  'POST /recipients/{id}': {
    path: {
      /** Id of the recipient */
      id: string;
    };
    body: RecipientRequest;
    reply: RecipientReply;
  };
  'POST /tef': { body: TefRequest; reply: TefCreated };
  'GET /tef/{id}': {
    path: {
      /** The id that you gave to the payout */
      id: string;
    };
    query: {
      /** Id of the payment service, if several that you see have a payout with this id */
      payment_service?: string | undefined;
    };
    reply: TefRead;
  };
  'GET /balance': { reply: Balance };
  'GET /availableBalance': { reply: Balance };
  'POST /payout-batches': { body: PayoutBatchRequest; reply: PayoutBatchProposed };
  'GET /payout-batches': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 100 */
      limit?: number | undefined;
    };
    reply: PayoutBatchList;
  };
  'GET /payout-batches/{id}': {
    path: {
      /** Id of the batch */
      id: string;
    };
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 1000 */
      limit?: number | undefined;
    };
    reply: PayoutBatchRead;
  };
  'POST /payout-batches/{id}/approve': {
    path: {
      /** Id of the batch */
      id: string;
    };
    body: PayoutBatchApproval;
    reply: PayoutBatchDecided;
  };
  'POST /payout-batches/{id}/reject': {
    path: {
      /** Id of the batch */
      id: string;
    };
    body: PayoutBatchReason;
    reply: PayoutBatchDecided;
  };
  'POST /payout-batches/{id}/cancel': {
    path: {
      /** Id of the batch */
      id: string;
    };
    body: PayoutBatchReason;
    reply: PayoutBatchDecided;
  };
  'POST /payout-batches/{id}/submit': {
    path: {
      /** Id of the batch */
      id: string;
    };
    reply: PayoutBatchDecided;
  };
  'POST /payout-files': { body: PayoutFileRequest; reply: PayoutFilesMade };
  'GET /payout-files': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 100 */
      limit?: number | undefined;
    };
    reply: PayoutFileList;
  };
  'GET /payout-files/{id}': {
    path: {
      /** Id of the file */
      id: string;
    };
    reply: PayoutFileRead;
  };
  'GET /payout-files/{id}/content': {
    path: {
      /** Id of the file */
      id: string;
    };
    reply: PayoutFileContent;
  };
  'POST /payout-files/{id}/results': {
    path: {
      /** Id of the file of payouts */
      id: string;
    };
    body: PayoutResultsRequest;
    reply: PayoutResultsTaken;
  };
  'POST /bank-statements': { body: StatementRequest; reply: StatementImported };
  'GET /bank-statements': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 100 */
      limit?: number | undefined;
    };
    reply: StatementList;
  };
  'GET /bank-statements/{id}': {
    path: {
      /** Id of the statement */
      id: string;
    };
    query: {
      /** Only lines of this use */
      use?: 'payout' | 'return' | 'deposit' | 'suspense' | 'other' | undefined;
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 10000 */
      limit?: number | undefined;
    };
    reply: StatementRead;
  };
  'POST /bank-statements/{id}/uses': {
    path: {
      /** Id of the statement */
      id: string;
    };
    body: StatementUseRequest;
    reply: StatementUsed;
  };
};
