import { signAsync } from '../../protocol/sign-fields.ts';
import type * as Api from './api-types.ts';
import {
  connectionOf,
  type KeyOption,
  type LanguageOption,
  missing,
  type Order,
  type RubricaClientOptions,
} from './client-options.ts';
import { keepToken, type TokenSource } from './keep-token.ts';
import type { Query } from './request-types.ts';
import type { Connection } from './send-request.ts';
import { ServiceCaller } from './service-caller.ts';

/**
 * Creates a client for the service. Its methods throw `RubricaError` when the service refuses or does not answer, and
 * `SigningError` for an order that must not be signed.
 *
 * A call without a response, or with 429 or 5xx, is retried up to three times if it reads or the service recognises
 * repeats. A method that says "Not repeated" is retried only when nothing was done (`NOT_SENT`, `RATE_LIMITED`).
 */
export function createRubricaClient(options: RubricaClientOptions): RubricaClient {
  return new RubricaClient(options);
}

/** Created by `createRubricaClient`. It shows no secret when printed. */
export class RubricaClient {
  readonly #options: RubricaClientOptions;
  readonly #connection: Connection;
  readonly #service: ServiceCaller;

  constructor(options: RubricaClientOptions) {
    this.#options = options;
    this.#connection = connectionOf(options);
    this.#service = new ServiceCaller(this.#connection, this.#tokenSource());
  }

  /**
   * Signs and creates a transaction; send the payer to `payUrl[0].url`. Retries are safe: the same order returns the
   * same transaction, and other fields under a used reference are refused with `REFERENCE_CONFLICT`.
   */
  async createTransaction(order: Order): Promise<Api.CreatedTransaction['data']> {
    const { serviceToken, secretToken } = this.#options;
    if (serviceToken === undefined || secretToken === undefined) throw missing('a serviceToken and a secretToken');
    // A service without TLS is for development, where the shop may have no TLS either.
    const allowHttp = this.#connection.baseUrl.startsWith('http:');
    const body = await signAsync({ ...order, x_account_id: serviceToken }, secretToken, { allowHttp });
    return (await this.#service.call('POST /trxs', { body })).data;
  }

  /**
   * Creates a transaction with an access token, for shops without a Secret Token. Prefer `createTransaction`, which is
   * signed. Not repeated: a used reference is refused with `REFERENCE_CONFLICT`.
   */
  createUnsignedTransaction(order: Api.UnsignedRequest): Promise<Api.UnsignedCreation> {
    return this.#service.callOnce('POST /trxs/create', { body: order });
  }

  /** Returns the status in the format of those shops. `getTransaction` returns more. */
  getUnsignedStatus(idTrx: number): Promise<Api.UnsignedStatus> {
    return this.#service.callAsUser('GET /trxs/status/{id}', { path: { id: idTrx } });
  }

  async getTransaction(idTrx: number): Promise<Api.Transaction['data']> {
    return (await this.#service.callAsUser('GET /trxs/{id}', { path: { id: idTrx } })).data;
  }

  /** Finds payments by known details, newest first. `next` is the cursor of the next page. */
  async findTransactions(query: Query<'GET /transactions'>): Promise<Api.TransactionPage['data']> {
    return (await this.#service.callAsUser('GET /transactions', { query })).data;
  }

  /** Returns one payment and everything that happened to it. */
  async showTransaction(idTrx: number): Promise<Api.TransactionTimeline['data']> {
    return (await this.#service.callAsUser('GET /transactions/{id}', { path: { id: idTrx } })).data;
  }

  /** Lists the refused requests of the last days with their errors, newest first. */
  async listRefusedRequests(query: Query<'GET /requests'> = {}): Promise<Api.RefusedRequestPage['data']> {
    return (await this.#service.callAsUser('GET /requests', { query })).data;
  }

  async getStatus(idTrx: number): Promise<Api.TransactionStatus['data']['status']> {
    return (await this.#service.callAsUser('GET /v2/trxs/{id}/status', { path: { id: idTrx } })).data.status;
  }

  /** Lists the methods that payers can use. The default currency is CLP. */
  async listPaymentMethods(currency?: string): Promise<Api.PaymentMethods['types']> {
    const { serviceToken } = this.#options;
    if (serviceToken === undefined) throw missing('a serviceToken');
    return (await this.#service.call('GET /payments', { query: { x_currency: currency } }, serviceToken)).types;
  }

  /**
   * Refunds a payment and returns the verification token. A refused refund throws `RubricaError` with status 200 and a
   * code such as `REFUND_WINDOW_CLOSED`. Store your own idempotency key with the refund, to retry after a crash.
   */
  async createRefund(idTrx: number, refund: Api.RefundRequest, options: KeyOption = {}): Promise<string> {
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const parts = { path: { id: idTrx }, header: { 'Idempotency-Key': idempotencyKey }, body: refund };
    const reply = await this.#service.callAsUser('POST /trxs/{id}/nullification', parts);
    return (reply.data as NonNullable<typeof reply.data>).verificationToken;
  }

  async listRefunds(idTrx: number): Promise<Api.Refund[]> {
    return (await this.#service.callAsUser('GET /trxs/{id}/nullification', { path: { id: idTrx } })).data
      .nullifications;
  }

  async getRefundStatus(idTrx: number, verificationToken: string): Promise<Api.Refund['status']> {
    const parts = { path: { id: idTrx }, query: { verificationToken } };
    return (await this.#service.callAsUser('GET /trxs/{id}/nullification/status', parts)).data.status;
  }

  /** Lists the payments, refunds and payouts of a Chilean day, `2026-01-31`. */
  async getReconciliation(query: Query<'GET /remittances/conciliation'>): Promise<Api.Conciliation['data']> {
    return (await this.#service.callAsUser('GET /remittances/conciliation', { query })).data;
  }

  /** Returns the sums that are due, for the indicators in the query. */
  async getIndicators(query: Query<'GET /indicators/remittances'>): Promise<Api.RemittanceIndicators['data']> {
    return (await this.#service.callAsUser('GET /indicators/remittances', { query })).data;
  }

  /** Lists the newest payouts, or the newest of one day (`2026-01-31`); 10 by default. */
  async listRemittances(of: { day?: string; limit?: number } = {}): Promise<Api.Remittances['remittances']> {
    const body = of.limit === undefined ? {} : { limit: String(of.limit) };
    const reply =
      of.day === undefined
        ? this.#service.callAsUser('POST /remittances/getRemittances', { body })
        : this.#service.callAsUser('POST /remittances/getRemittance/{date}', { path: { date: of.day }, body });
    return (await reply).remittances;
  }

  /** Returns the user of the access token. The webhook methods take its `id`. */
  getUser(): Promise<Api.OwnUser> {
    return this.#service.callAsUser('GET /users', {});
  }

  /** Registers an address for events of payouts or refunds. The same request again changes nothing. */
  async createWebhook(webhook: Api.WebhookRequest): Promise<Api.Webhook> {
    return (await this.#service.callAsUser('POST /webhooks', { body: webhook })).data;
  }

  async listWebhooks(idUser: number): Promise<readonly Api.Webhook[]> {
    return (await this.#service.callAsUser('GET /webhooks/{idUser}', { path: { idUser: String(idUser) } })).data;
  }

  async changeWebhook(idUser: number, webhook: Api.WebhookRequest): Promise<Api.Webhook> {
    const path = { idUser: String(idUser), webhook: webhook.webhook };
    return (await this.#service.callAsUser('PUT /webhooks/{idUser}/{webhook}', { path, body: webhook })).data;
  }

  /** Not repeated: a second call would be refused with `NOT_FOUND`. */
  async endWebhook(idUser: number, webhook: Api.Webhook['webhook']): Promise<Api.Webhook> {
    const path = { idUser: String(idUser), webhook };
    return (await this.#service.callOnce('DELETE /webhooks/{idUser}/{webhook}', { path })).data;
  }

  /**
   * Yields the pages of the feed after a cursor, or from the beginning, until the end of the feed. Store `page.next`
   * together with your results of the page, and continue from it.
   */
  async *events(after?: string): AsyncGenerator<Api.EventPage['data'], void, undefined> {
    let page: Api.EventPage['data'] | undefined;
    do {
      page = (await this.#service.callAsUser('GET /events', { query: { after: page?.next ?? after } })).data;
      yield page;
    } while (page.has_more);
  }

  async login(login: Api.LoginRequest): Promise<Api.AccessToken> {
    return (await this.#service.call('POST /users/login', { body: login })).data;
  }

  /** `expDate` is the expiry of the access token in Unix seconds; a year from now by default. */
  loginToken(apiToken: string, expDate?: number): Promise<Api.AccessToken> {
    return this.#service.call('POST /loginToken', { body: { expDate } }, `Bearer ${apiToken}`);
  }

  /** Validates an account. A `state` of `pending`: the provider is still checking, so call `getValidation` later. */
  async validateBankAccount(
    account: Api.BankAccountRequest,
    { language, idempotencyKey = crypto.randomUUID() }: LanguageOption & KeyOption = {},
  ): Promise<Api.BankAccountValidation> {
    const header = { 'Accept-Language': language, 'Idempotency-Key': idempotencyKey };
    return (await this.#service.callAsUser('POST /validations/BankAccount', { header, body: account })).data;
  }

  /** Validates up to 1,000 accounts. The results have the same order. Not repeated: a provider would be asked twice. */
  async validateBankAccounts(
    items: Api.BankAccountBatch['items'],
    { language, checks }: LanguageOption & { checks?: 'all' | 'failed' } = {},
  ): Promise<Api.BankAccountBatchReply['data']> {
    const parts = { query: { checks }, header: { 'Accept-Language': language }, body: { items } };
    return (await this.#service.callOnce('POST /validations/BankAccount/batch', parts)).data;
  }

  async getValidation(id: string, { language }: LanguageOption = {}): Promise<Api.BankAccountValidation> {
    const parts = { path: { id }, header: { 'Accept-Language': language } };
    return (await this.#service.callAsUser('GET /validations/BankAccount/{id}', parts)).data;
  }

  /** Lists every known institution with its state and the form of its accounts, for a form field. */
  async listBanks(): Promise<Api.BankList['data']> {
    return (await this.#service.callAsUser('GET /banks', {})).data;
  }

  /** Stores a validated account for payouts. The same validation again returns the same recipient. */
  async createRecipient(recipient: Api.RecipientRequest): Promise<Api.Recipient> {
    return (await this.#service.callAsUser('POST /recipients', { body: recipient })).data;
  }

  /** Adds a version of the recipient: another account of the same holder, or a newer verdict. */
  async changeRecipient(id: string, recipient: Api.RecipientRequest): Promise<Api.Recipient> {
    return (await this.#service.callAsUser('POST /recipients/{id}', { path: { id }, body: recipient })).data;
  }

  /** Returns the current version of a recipient, and all its versions. */
  async getRecipient(id: string): Promise<Api.RecipientHistory['data']> {
    return (await this.#service.callAsUser('GET /recipients/{id}', { path: { id } })).data;
  }

  /** Proposes a payout. The same id with the same fields again returns the same payout. */
  async createTransfer(transfer: Api.TefRequest): Promise<Api.TefResponse> {
    return (await this.#service.callAsUser('POST /tef', { body: transfer })).tefResponse;
  }

  /**
   * Returns a payout by the id that you gave it. `paymentService`: if several that you see have a payout with this id.
   */
  async readTransfer(id: string, paymentService?: string): Promise<Api.TefResponse> {
    const query = paymentService === undefined ? {} : { payment_service: paymentService };
    return (await this.#service.callAsUser('GET /tef/{id}', { path: { id }, query })).tefResponse;
  }

  /** Returns the balance in pesos: the merchant's money, including approved payouts that have not arrived. */
  async readBalance(): Promise<number> {
    return (await this.#service.callAsUser('GET /balance', {})).balance;
  }

  /** Returns the amount in pesos that can be paid out now. */
  async readAvailableBalance(): Promise<number> {
    return (await this.#service.callAsUser('GET /availableBalance', {})).balance;
  }

  /**
   * Creates a payment link. With your own idempotency key, such as an invoice number, a call after a crash returns the
   * same link. Without one, only the retries of this call are safe.
   */
  async createPaymentLink(link: Api.PaymentLinkRequest, options: KeyOption = {}): Promise<Api.PaymentLink> {
    const header = { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() };
    return (await this.#service.callAsUser('POST /payment-links', { header, body: link })).data;
  }

  /** Returns the current state of a payment link: whether it can be paid, and how many payments it has. */
  async getPaymentLink(id: string): Promise<Api.PaymentLink> {
    return (await this.#service.callAsUser('GET /payment-links/{id}', { path: { id } })).data;
  }

  /** Lists a page of payment links, newest first. Send `next` as `after` to get the following page. */
  async listPaymentLinks(query: { after?: string; limit?: number } = {}): Promise<Api.PaymentLinkList['data']> {
    return (await this.#service.callAsUser('GET /payment-links', { query })).data;
  }

  /** Ends a payment link for good. A payer who has already started can finish. */
  async endPaymentLink(id: string): Promise<Api.PaymentLink> {
    return (await this.#service.callAsUser('POST /payment-links/{id}/end', { path: { id } })).data;
  }

  /** Proposes payouts that are approved and sent together. The same payouts again return the same batch. */
  async proposePayoutBatch(batch: Api.PayoutBatchRequest): Promise<Api.PayoutBatch> {
    return (await this.#service.callAsUser('POST /payout-batches', { body: batch })).data;
  }

  /** Lists a page of batches of payouts, newest first. Send `next` as `after` to get the following page. */
  async listPayoutBatches(query: Query<'GET /payout-batches'> = {}): Promise<Api.PayoutBatchList['data']> {
    return (await this.#service.callAsUser('GET /payout-batches', { query })).data;
  }

  /** Returns a batch with its payouts, the warnings of each payout, and the files that they left in. */
  async readPayoutBatch(
    id: string,
    query: Query<'GET /payout-batches/{id}'> = {},
  ): Promise<Api.PayoutBatchRead['data']> {
    return (await this.#service.callAsUser('GET /payout-batches/{id}', { path: { id }, query })).data;
  }

  /**
   * Approves a batch. A person other than its maker calls this with a second-factor `code`. Not repeated: the code
   * works once.
   */
  async approvePayoutBatch(id: string, approval: Api.PayoutBatchApproval): Promise<Api.PayoutBatch> {
    return (await this.#service.callOnce('POST /payout-batches/{id}/approve', { path: { id }, body: approval })).data
      .batch;
  }

  /** Rejects the payouts of a batch that wait for approval. Not repeated. */
  async rejectPayoutBatch(id: string, reason: string): Promise<Api.PayoutBatch> {
    return (await this.#service.callOnce('POST /payout-batches/{id}/reject', { path: { id }, body: { reason } })).data
      .batch;
  }

  /** Cancels the payouts of a batch that have not left. Not repeated. */
  async cancelPayoutBatch(id: string, reason: string): Promise<Api.PayoutBatch> {
    return (await this.#service.callOnce('POST /payout-batches/{id}/cancel', { path: { id }, body: { reason } })).data
      .batch;
  }

  /** Submits a draft batch for approval. Not repeated. */
  async submitPayoutBatch(id: string): Promise<Api.PayoutBatch> {
    return (await this.#service.callOnce('POST /payout-batches/{id}/submit', { path: { id } })).data.batch;
  }

  /**
   * Writes approved payouts into bank files. Repeated only with a `batchId`: otherwise list the files after
   * `NO_ANSWER`.
   */
  async makePayoutFiles(wish: Api.PayoutFileRequest): Promise<Api.PayoutFile[]> {
    const [operation, parts] = ['POST /payout-files', { body: wish }] as const;
    const reply =
      wish.batchId === undefined
        ? this.#service.callOnce(operation, parts)
        : this.#service.callAsUser(operation, parts);
    return [...(await reply).data.files];
  }

  /** Downloads a file of payouts. `content` has its bytes in base64. */
  async downloadPayoutFile(id: string): Promise<Api.PayoutFileContent['data']> {
    return (await this.#service.callAsUser('GET /payout-files/{id}/content', { path: { id } })).data;
  }

  /** Lists a page of files of payouts for banks, newest first. Send `next` as `after` to get the following page. */
  async listPayoutFiles(query: Query<'GET /payout-files'> = {}): Promise<Api.PayoutFileList['data']> {
    return (await this.#service.callAsUser('GET /payout-files', { query })).data;
  }

  /** Returns a file of payouts with the state of each payout. */
  async readPayoutFile(id: string): Promise<Api.PayoutFileRead['data']> {
    return (await this.#service.callAsUser('GET /payout-files/{id}', { path: { id } })).data;
  }

  /** Imports a bank's results for a file of payouts. The same file again changes nothing. `content` is in base64. */
  async takePayoutResults(id: string, file: Api.PayoutResultsRequest): Promise<Api.PayoutResults> {
    return (await this.#service.callAsUser('POST /payout-files/{id}/results', { path: { id }, body: file })).data;
  }

  /** Imports a bank statement. The same file again changes nothing. `content` is in base64. */
  async importStatement(file: Api.StatementRequest): Promise<Api.ImportedStatement> {
    return (await this.#service.callAsUser('POST /bank-statements', { body: file })).data;
  }

  /** Lists a page of bank statements, newest first. Send `next` as `after` to get the following page. */
  async listStatements(query: Query<'GET /bank-statements'> = {}): Promise<Api.StatementList['data']> {
    return (await this.#service.callAsUser('GET /bank-statements', { query })).data;
  }

  /** Returns a bank statement with a page of its lines, or of the lines of one use. Send `next` as `after` for more. */
  async readStatement(id: string, query: Query<'GET /bank-statements/{id}'> = {}): Promise<Api.StatementRead['data']> {
    return (await this.#service.callAsUser('GET /bank-statements/{id}', { path: { id }, query })).data;
  }

  /** Records what a line in suspense is. The same call again changes nothing. */
  async resolveStatementLine(id: string, use: Api.StatementUseRequest): Promise<Api.BankStatementLine[]> {
    return [
      ...(await this.#service.callAsUser('POST /bank-statements/{id}/uses', { path: { id }, body: use })).data.lines,
    ];
  }

  /** Lists a page of recipients. Send `next` as `after` to get the following page. */
  async listRecipients(query: { after?: string; limit?: number } = {}): Promise<Api.RecipientList['data']> {
    return (await this.#service.callAsUser('GET /recipients', { query })).data;
  }

  #tokenSource(): TokenSource {
    const { accessToken, login } = this.#options;
    if (accessToken !== undefined) return () => Promise.resolve(accessToken);
    if (login === undefined) return () => Promise.reject(missing('an accessToken, or login: { apiToken: … }'));
    return keepToken(() => ('apiToken' in login ? this.loginToken(login.apiToken) : this.login(login)));
  }
}
