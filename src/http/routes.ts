import type { Endpoint } from './endpoint.ts';
import { getHealthz, getMetrics, getReadyz } from './get-health.ts';
import { postInitTransaction } from './post-init-transaction.ts';
import { postTrxs } from './post-trxs.ts';

/** THE TABLE of endpoints. What is not here does not exist; the API description and the access tests are made from it. */
export const ROUTES: readonly Endpoint[] = [
  postTrxs,
  postInitTransaction,

  getHealthz,
  getReadyz,
  getMetrics,
];
