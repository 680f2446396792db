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
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    reply: UnsignedStatus;
  };
  'GET /trxs/{id}': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    reply: Transaction;
  };
  'GET /v2/trxs/{id}/status': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    reply: TransactionStatus;
  };
  'POST /trxs/{id}/nullification': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    header: {
      /** Key of the refund. The same key returns the first refund and refunds nothing twice; two keys are two refunds */
      'Idempotency-Key'?: string | undefined;
    };
    body: RefundRequest;
    reply: RefundReply;
  };
  'GET /trxs/{id}/nullification': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    reply: RefundList;
  };
  'GET /trxs/{id}/nullification/status': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    query: {
      /** `verificationToken` of the accepted refund */
      verificationToken: string;
    };
    reply: RefundStatus;
  };
  'GET /remittances/conciliation': {
    query: {
      /** YYYY-MM-DD */
      date: string;
      /** E-mail address of the user of the report. Default: yourself; only operators can name another user */
      email?: string | undefined;
      /** Default: the environment of RUBRICA_ENV. Test payments and real payments are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** Currency of all sums. Default: CLP */
      currency?: string | undefined;
    };
    reply: Conciliation;
  };
  'POST /remittances/getRemittances': { body?: RemittancesRequest; reply: Remittances };
  'POST /remittances/getRemittance/{date}': {
    path: {
      /** Day of Chile, YYYY-MM-DD */
      date: string;
    };
    body?: RemittancesRequest;
    reply: Remittances;
  };
  'GET /indicators/remittances': {
    query: {
      /** true: payments minus fees, refunds and payouts */
      availableBalance?: string | undefined;
      /** true for today, or a day of Chile, YYYY-MM-DD */
      remittanceByDate?: string | undefined;
      /** true: the amount still to be paid out */
      futureRemittances?: string | undefined;
      /** Only for this transaction */
      idTrx?: string | undefined;
      /** User of the report, by id or e-mail address (operators only) */
      idUser?: string | undefined;
      /** Default: the environment of RUBRICA_ENV. Test payments and real payments are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** Currency of all sums. Default: CLP */
      currency?: string | undefined;
    };
    reply: RemittanceIndicators;
  };
  'GET /payments': {
    query: {
      /** Default: CLP */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /v2/payments': {
    query: {
      /** Default: CLP */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /events': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 100 */
      limit?: number | undefined;
    };
    reply: EventPage;
  };
  'GET /transactions': {
    query: {
      /** Text to find: an id, a reference, an e-mail address, an authorisation code, a refund, a payment attempt, a callback, a pay link, a payment link or an amount in any format. Finds no parts: see `reference_part`. Cannot be combined with other parameters except `limit` */
      q?: string | undefined;
      /** `x_reference`, exactly as signed */
      reference?: string | undefined;
      /** Part of `x_reference`, upper or lower case; parts separated by spaces must all be in it */
      reference_part?: string | undefined;
      /** `x_customer_email`, upper or lower case */
      email?: string | undefined;
      /** Authorisation code of the payment method */
      authorization_code?: string | undefined;
      /** Last four digits of the card that paid */
      card_last_digits?: string | undefined;
      /** Amount in digits: `12990`, or `10.55` in a currency with decimals */
      amount?: string | undefined;
      /** Currency of `amount`. Default: CLP */
      currency?: string | undefined;
      /** Current state */
      state?: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired' | undefined;
      /** Id of the payment service */
      payment_service?: string | undefined;
      /** Environment of the tokens */
      environment?: 'development' | 'production' | undefined;
      /** Created at or after this time: ISO 8601, with an offset or `Z` */
      since?: string | undefined;
      /** Created before this time */
      until?: string | undefined;
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 50 */
      limit?: number | undefined;
    };
    reply: TransactionPage;
  };
  'GET /transactions/{id}': {
    path: {
      /** Id of the transaction (`idTrx`) */
      id: number;
    };
    reply: TransactionTimeline;
  };
  'GET /requests': {
    query: {
      /** `request_id` of one response */
      request_id?: string | undefined;
      /** Error code, such as `SIGNATURE_INVALID` */
      code?: string | undefined;
      /** Id of the payment service */
      payment_service?: string | undefined;
      /** Environment of the tokens */
      environment?: 'development' | 'production' | undefined;
      /** Refused at or after this time: ISO 8601, with an offset or `Z` */
      since?: string | undefined;
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 50 */
      limit?: number | undefined;
    };
    reply: RefusedRequestPage;
  };
  'POST /payment-links': {
    header: {
      /** Your own key, such as the number of an invoice. The same key again returns the link that it created */
      'Idempotency-Key'?: string | undefined;
    };
    body: PaymentLinkRequest;
    reply: PaymentLinkReply;
  };
  'GET /payment-links': {
    query: {
      /** `next` of the previous page; empty or absent: start of the list */
      after?: string | undefined;
      /** Default: 50 */
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
      /** Your `id` in `GET /users` */
      idUser: string;
    };
    reply: WebhookList;
  };
  'PUT /webhooks/{idUser}/{webhook}': {
    path: {
      /** Your `id` in `GET /users` */
      idUser: string;
      /** Name of your webhook */
      webhook: 'remittances' | 'refunds';
    };
    body: WebhookRequest;
    reply: WebhookReply;
  };
  'DELETE /webhooks/{idUser}/{webhook}': {
    path: {
      /** Your `id` in `GET /users` */
      idUser: string;
      /** Name of your webhook */
      webhook: 'remittances' | 'refunds';
    };
    reply: WebhookReply;
  };
  'POST /listeners': { body: ListenerRequest; reply: ListenerReply };
  'POST /listeners/{listener}/next': {
    path: {
      /** `data.listener` of `POST /listeners` */
      listener: string;
    };
    reply: ListenedCallbackReply;
  };
  'POST /listeners/{listener}/attempts': {
    path: {
      /** `data.listener` of `POST /listeners` */
      listener: string;
    };
    body: ListenerAttempt;
    reply: ListenerAttemptReply;
  };
  'DELETE /listeners/{listener}': {
    path: {
      /** `data.listener` of `POST /listeners` */
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
      /** Id or e-mail address of the user. Default: yourself */
      user?: string | undefined;
    };
    reply: ApiTokenList;
  };
  'POST /api-tokens': { body: ApiTokenRequest; reply: NewApiToken };
  'DELETE /api-tokens/{id}': {
    path: {
      /** `id` in `GET /api-tokens` */
      id: string;
    };
    reply: EndedApiToken;
  };
  'GET /banks': { reply: BankList };
  'POST /validations/BankAccount': {
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
      /** For a day, the same key returns the first result and asks no provider again. While the provider is still checking, the response is 202 */
      'Idempotency-Key'?: string | undefined;
    };
    body: BankAccountRequest;
    reply: BankAccountValidationReply;
  };
  'POST /validations/BankAccount/batch': {
    query: {
      /** `failed`: only the checks that failed, warn or leave the verdict open, with each provenance listed once in `data.provenance`. Default: `all` */
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
