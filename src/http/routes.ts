import type { Endpoint } from './endpoint.ts';
import { getAsset } from './get-asset.ts';
import { getHealthz, getMetrics, getReadyz } from './get-health.ts';
import { getPay } from './get-pay.ts';
import { getPayCancel } from './get-pay-cancel.ts';
import { getPayReturn, postPayReturn } from './get-pay-return.ts';
import { postInitTransaction } from './post-init-transaction.ts';
import { postPay } from './post-pay.ts';
import { postPayCancel } from './post-pay-cancel.ts';
import { postTrxs } from './post-trxs.ts';

/** THE TABLE of endpoints. What is not here does not exist; the API description and the access tests are made from it. */
export const ROUTES: readonly Endpoint[] = [
  postTrxs,
  postInitTransaction,

  getPay,
  postPay,
  getPayCancel,
  postPayCancel,
  getPayReturn,
  postPayReturn,
  getAsset,

  getHealthz,
  getReadyz,
  getMetrics,
];
