import type { Endpoint } from './endpoint.ts';
import { getAsset } from './get-asset.ts';
import { getDocs, getDocsGuide, getDocsGuideSpanish, getDocsSign } from './get-docs.ts';
import { getErrors, getErrorsCode } from './get-errors-code.ts';
import { getEvents } from './get-events.ts';
import { getHealthz, getMetrics, getReadyz } from './get-health.ts';
import { getIndicatorsRemittances } from './get-indicators-remittances.ts';
import { getNullificationStatus } from './get-nullification-status.ts';
import { getNullifications } from './get-nullifications.ts';
import { getOpenapi, getOpenapiTransfers } from './get-openapi.ts';
import { getPay } from './get-pay.ts';
import { getPayCancel } from './get-pay-cancel.ts';
import { getPayReturn, postPayReturn } from './get-pay-return.ts';
import { getPayments, getV2Payments } from './get-payments.ts';
import { getRemittancesConciliation } from './get-remittances-conciliation.ts';
import { getRoot } from './get-root.ts';
import { getTrxsId } from './get-trxs-id.ts';
import { getTrxsStatus } from './get-trxs-status.ts';
import { getValidationsBankAccount } from './get-validations-bank-account.ts';
import { postCspReports } from './post-csp-reports.ts';
import { postInitTransaction } from './post-init-transaction.ts';
import { postLogin } from './post-login.ts';
import { postLoginToken } from './post-login-token.ts';
import { postNullification } from './post-nullification.ts';
import { postPay } from './post-pay.ts';
import { postPayCancel } from './post-pay-cancel.ts';
import { postTrxs } from './post-trxs.ts';
import { postUsersLogin } from './post-users-login.ts';
import { postV2Login } from './post-v2-login.ts';
import { postValidationsBankAccount } from './post-validations-bank-account.ts';
import { postValidationsBankAccountBatch } from './post-validations-bank-account-batch.ts';

/** THE TABLE of endpoints. What is not here does not exist; the API description and the access tests are made from it. */
export const ROUTES: readonly Endpoint[] = [
  postTrxs,
  postInitTransaction,
  getTrxsId,
  getTrxsStatus,
  postNullification,
  getNullifications,
  getNullificationStatus,
  getRemittancesConciliation,
  getIndicatorsRemittances,
  getPayments,
  getV2Payments,
  getEvents,

  postUsersLogin,
  postV2Login,
  postLogin,
  postLoginToken,

  postValidationsBankAccount,
  postValidationsBankAccountBatch,
  getValidationsBankAccount,

  getPay,
  postPay,
  getPayCancel,
  postPayCancel,
  getPayReturn,
  postPayReturn,
  getAsset,
  postCspReports,

  getRoot,
  getDocs,
  getDocsSign,
  getDocsGuide,
  getDocsGuideSpanish,
  getOpenapi,
  getOpenapiTransfers,
  getErrors,
  getErrorsCode,
  getHealthz,
  getReadyz,
  getMetrics,
];
