// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

import type {
  AccessToken,
  ApiTokenList,
  ApiTokenLogin,
  ApiTokenRequest,
  EndedApiToken,
  LoginReply,
  LoginReplyV2,
  LoginRequest,
  NewApiToken,
  OwnUser,
} from './api-access.ts';
import type {
  BankAccountBatch,
  BankAccountBatchReply,
  BankAccountRequest,
  BankAccountValidationReply,
  BankList,
} from './api-bank-accounts.ts';
import type {
  CreatedTransaction,
  EventPage,
  PaymentLinkList,
  PaymentLinkReply,
  PaymentLinkRequest,
  PaymentMethods,
  RefundList,
  RefundReply,
  RefundRequest,
  RefundStatus,
  RefusedRequestPage,
  SignedRequest,
  Transaction,
  TransactionPage,
  TransactionStatus,
  TransactionTimeline,
  UnsignedCreation,
  UnsignedRequest,
  UnsignedStatus,
} from './api-payments.ts';
import type { PayoutOperations } from './api-payout-operations.ts';
import type {
  Conciliation,
  ListenedCallbackReply,
  ListenerAttempt,
  ListenerAttemptReply,
  ListenerEnded,
  ListenerReply,
  ListenerRequest,
  RemittanceIndicators,
  Remittances,
  RemittancesRequest,
  WebhookList,
  WebhookReply,
  WebhookRequest,
} from './api-reconciliation.ts';

/** The requests and answers, by method and path. */
export type Operations = PayoutOperations & {
  'POST /trxs': { body: SignedRequest; reply: CreatedTransaction };
  'POST /trxs/create': { body: UnsignedRequest; reply: UnsignedCreation };
  'GET /trxs/status/{id}': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: UnsignedStatus;
  };
  'GET /trxs/{id}': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: Transaction;
  };
  'GET /v2/trxs/{id}/status': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: TransactionStatus;
  };
  'POST /trxs/{id}/nullification': {
    path: {
      /** idTrx */
      id: number;
    };
    header: {
      /** The same key again answers with the first refund, and refunds nothing twice; two keys are two refunds */
      'Idempotency-Key'?: string | undefined;
    };
    body: RefundRequest;
    reply: RefundReply;
  };
  'GET /trxs/{id}/nullification': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: RefundList;
  };
  'GET /trxs/{id}/nullification/status': {
    path: {
      /** idTrx */
      id: number;
    };
    query: {
      /** The code of the accepted refund */
      verificationToken: string;
    };
    reply: RefundStatus;
  };
  'GET /remittances/conciliation': {
    query: {
      /** YYYY-MM-DD */
      date: string;
      /** The address of the report’s user: one’s own unless an operator asks */
      email?: string | undefined;
      /** the environment of RUBRICA_ENV unless said; what is tested and what is earned are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** CLP unless said; sums are of one currency */
      currency?: string | undefined;
    };
    reply: Conciliation;
  };
  'POST /remittances/getRemittances': { body?: RemittancesRequest; reply: Remittances };
  'POST /remittances/getRemittance/{date}': {
    path: {
      /** YYYY-MM-DD, a day of Chile */
      date: string;
    };
    body?: RemittancesRequest;
    reply: Remittances;
  };
  'GET /indicators/remittances': {
    query: {
      /** true: paid, less fees, refunded and paid out */
      availableBalance?: string | undefined;
      /** true for today, or a day of Chile as YYYY-MM-DD */
      remittanceByDate?: string | undefined;
      /** true: what is to be paid out */
      futureRemittances?: string | undefined;
      /** Of this transaction only */
      idTrx?: string | undefined;
      /** Whose; for operators */
      idUser?: string | undefined;
      /** the environment of RUBRICA_ENV unless said; what is tested and what is earned are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** CLP unless said; sums are of one currency */
      currency?: string | undefined;
    };
    reply: RemittanceIndicators;
  };
  'GET /payments': {
    query: {
      /** CLP unless said */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /v2/payments': {
    query: {
      /** CLP unless said */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /events': {
    query: {
      /** `next` of the page before; empty or left out, the list begins */
      after?: string | undefined;
      /** 100 unless said */
      limit?: number | undefined;
    };
    reply: EventPage;
  };
  'GET /transactions': {
    query: {
      /** One text, whatever it is: an id, a reference, an e-mail address, an authorisation code, a refund, a payment attempt, a callback, a pay link or an amount in any writing. It goes alone, or with `limit` */
      q?: string | undefined;
      /** x_reference, as it was signed */
      reference?: string | undefined;
      /** x_customer_email, in either case */
      email?: string | undefined;
      /** As the payment method told it */
      authorization_code?: string | undefined;
      /** In digits: `12990`, or `10.55` in a currency with decimals */
      amount?: string | undefined;
      /** Of `amount`; CLP unless said */
      currency?: string | undefined;
      /** Now */
      state?: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired' | undefined;
      /** Its id */
      payment_service?: string | undefined;
      /** The environment of the tokens */
      environment?: 'development' | 'production' | undefined;
      /** Created at or after: ISO 8601, with an offset or `Z` */
      since?: string | undefined;
      /** Created before */
      until?: string | undefined;
      /** `next` of the page before; empty or left out, the list begins */
      after?: string | undefined;
      /** 50 unless said */
      limit?: number | undefined;
    };
    reply: TransactionPage;
  };
  'GET /transactions/{id}': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: TransactionTimeline;
  };
  'GET /requests': {
    query: {
      /** Of one answer */
      request_id?: string | undefined;
      /** Such as `SIGNATURE_INVALID` */
      code?: string | undefined;
      /** Its id */
      payment_service?: string | undefined;
      /** The environment of the tokens */
      environment?: 'development' | 'production' | undefined;
      /** ISO 8601, with an offset or `Z` */
      since?: string | undefined;
      /** `next` of the page before; empty or left out, the list begins */
      after?: string | undefined;
      /** 50 unless said */
      limit?: number | undefined;
    };
    reply: RefusedRequestPage;
  };
  'POST /payment-links': {
    header: {
      /** The same key again answers with the link that it made; a key of yours, such as the number of an invoice */
      'Idempotency-Key'?: string | undefined;
    };
    body: PaymentLinkRequest;
    reply: PaymentLinkReply;
  };
  'GET /payment-links': {
    query: {
      /** `next` of the page before; empty or left out, the list begins */
      after?: string | undefined;
      /** 50 unless said */
      limit?: number | undefined;
    };
    reply: PaymentLinkList;
  };
  'GET /payment-links/{id}': {
    path: {
      /** Id of the link, pl_… */
      id: string;
    };
    reply: PaymentLinkReply;
  };
  'POST /payment-links/{id}/end': {
    path: {
      /** Id of the link, pl_… */
      id: string;
    };
    reply: PaymentLinkReply;
  };
  'POST /webhooks': { body: WebhookRequest; reply: WebhookReply };
  'GET /webhooks/{idUser}': {
    path: {
      /** Your own: the id of GET /users */
      idUser: string;
    };
    reply: WebhookList;
  };
  'PUT /webhooks/{idUser}/{webhook}': {
    path: {
      /** Your own: the id of GET /users */
      idUser: string;
      /** The one of your webhooks */
      webhook: 'remittances' | 'refunds';
    };
    body: WebhookRequest;
    reply: WebhookReply;
  };
  'DELETE /webhooks/{idUser}/{webhook}': {
    path: {
      /** Your own: the id of GET /users */
      idUser: string;
      /** The one of your webhooks */
      webhook: 'remittances' | 'refunds';
    };
    reply: WebhookReply;
  };
  'POST /listeners': { body: ListenerRequest; reply: ListenerReply };
  'POST /listeners/{listener}/next': {
    path: {
      /** data.listener of POST /listeners */
      listener: string;
    };
    reply: ListenedCallbackReply;
  };
  'POST /listeners/{listener}/attempts': {
    path: {
      /** data.listener of POST /listeners */
      listener: string;
    };
    body: ListenerAttempt;
    reply: ListenerAttemptReply;
  };
  'DELETE /listeners/{listener}': {
    path: {
      /** data.listener of POST /listeners */
      listener: string;
    };
    reply: ListenerEnded;
  };
  'GET /users': { reply: OwnUser };
  'POST /users/login': { body: LoginRequest; reply: LoginReply };
  'POST /v2/login': { body: LoginRequest; reply: LoginReplyV2 };
  'POST /login': { body: LoginRequest; reply: AccessToken };
  'POST /loginToken': { body?: ApiTokenLogin; reply: AccessToken };
  'GET /api-tokens': {
    query: {
      /** Id or e-mail address; yourself unless said */
      user?: string | undefined;
    };
    reply: ApiTokenList;
  };
  'POST /api-tokens': { body: ApiTokenRequest; reply: NewApiToken };
  'DELETE /api-tokens/{id}': {
    path: {
      /** Of GET /api-tokens */
      id: string;
    };
    reply: EndedApiToken;
  };
  'GET /banks': { reply: BankList };
  'POST /validations/BankAccount': {
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
      /** Within a day the same key answers with the first result, and no provider is asked twice; while its answer is awaited, with 202 */
      'Idempotency-Key'?: string | undefined;
    };
    body: BankAccountRequest;
    reply: BankAccountValidationReply;
  };
  'POST /validations/BankAccount/batch': {
    query: {
      /** `failed`: only the checks that failed, warn or leave the verdict open, and each provenance once, in `data.provenance`. `all` unless sent */
      checks?: 'all' | 'failed' | undefined;
    };
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
    };
    body: BankAccountBatch;
    reply: BankAccountBatchReply;
  };
  'GET /validations/BankAccount/{id}': {
    path: {
      /** Id of the validation */
      id: string;
    };
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
    };
    reply: BankAccountValidationReply;
  };
  'GET /healthz': { reply: Record<string, unknown> };
  'GET /readyz': { reply: Record<string, unknown> };
};
