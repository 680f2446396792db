import { signAsync } from '../../protocol/sign-fields.ts';
import type * as Api from './api-types.ts';
import {
  type KeyOption,
  type LanguageOption,
  missing,
  type Order,
  type RubricaClientOptions,
  readBaseUrl,
} from './client-options.ts';
import { keepToken, type TokenSource } from './keep-token.ts';
import { isUndone, repeatRequest } from './repeat-request.ts';
import { refusedRefund } from './request-failure.ts';
import type { Operation, PartsOf, Query, ReplyOf } from './request-types.ts';
import { RubricaError } from './rubrica-error.ts';
import { type Connection, type RequestParts, sendRequest } from './send-request.ts';

/**
 * A client for the service. Its methods throw `RubricaError` when the service refuses or does not answer, and
 * `SigningError` for an order that must not be signed.
 *
 * Where the service recognises a repetition, and for whatever only reads, a call that got no answer, 429 or 5xx is
 * repeated by itself, up to three times. What is said to be not repeated is so only where nothing was done (`NOT_SENT`, 429).
 */
export function createRubricaClient(options: RubricaClientOptions): RubricaClient {
  return new RubricaClient(options);
}

/** Made by `createRubricaClient`. Shows no secret when it is printed. */
export class RubricaClient {
  readonly #options: RubricaClientOptions;
  readonly #connection: Connection;
  readonly #tokens: TokenSource;

  constructor(options: RubricaClientOptions) {
    const { fetch = globalThis.fetch, timeoutMs = 10_000 } = options;
    this.#options = options;
    this.#connection = { baseUrl: readBaseUrl(options.baseUrl), fetch, timeoutMs };
    this.#tokens = this.#tokenSource();
  }

  /**
   * Signs and creates a transaction; send the payer to `payUrl[0].url`. The reference is what makes repeating safe: the
   * same order again is answered with the same transaction, other fields under its reference with `REFERENCE_CONFLICT`.
   */
  async createTransaction(order: Order): Promise<Api.CreatedTransaction['data']> {
    const { serviceToken, secretToken } = this.#options;
    if (serviceToken === undefined || secretToken === undefined) throw missing('a serviceToken and a secretToken');
    // A service that is reached without TLS is one for development, where the shop may be so too.
    const allowHttp = this.#connection.baseUrl.startsWith('http:');
    const body = await signAsync({ ...order, x_account_id: serviceToken }, secretToken, { allowHttp });
    return (await this.#send('POST /trxs', { body })).data;
  }

  /**
   * For shops that hold an access token and no Secret Token. `createTransaction` is better: it is signed and can be repeated.
   * Not repeated: a reference that was used before is refused with `REFERENCE_CONFLICT`.
   */
  createUnsignedTransaction(order: Api.UnsignedRequest): Promise<Api.UnsignedCreation> {
    return this.#once('POST /trxs/create', { body: order });
  }

  /** Reads the status as those shops ask for it; `getTransaction` tells more. */
  getUnsignedStatus(idTrx: number): Promise<Api.UnsignedStatus> {
    return this.#sendAsUser('GET /trxs/status/{id}', { path: { id: idTrx } });
  }

  async getTransaction(idTrx: number): Promise<Api.Transaction['data']> {
    return (await this.#sendAsUser('GET /trxs/{id}', { path: { id: idTrx } })).data;
  }

  /** Finds payments by what is known of them, the newest first; `next` is the cursor of the next page. */
  async findTransactions(query: Query<'GET /transactions'>): Promise<Api.TransactionPage['data']> {
    return (await this.#sendAsUser('GET /transactions', { query })).data;
  }

  /** One payment and everything that happened to it. */
  async showTransaction(idTrx: number): Promise<Api.TransactionTimeline['data']> {
    return (await this.#sendAsUser('GET /transactions/{id}', { path: { id: idTrx } })).data;
  }

  /** The refused requests of the last days, the newest first, with what was wrong. */
  async listRefusedRequests(query: Query<'GET /requests'> = {}): Promise<Api.RefusedRequestPage['data']> {
    return (await this.#sendAsUser('GET /requests', { query })).data;
  }

  async getStatus(idTrx: number): Promise<Api.TransactionStatus['data']['status']> {
    return (await this.#sendAsUser('GET /v2/trxs/{id}/status', { path: { id: idTrx } })).data.status;
  }

  /** Lists the methods that payers can pay with, in CLP unless said. */
  async listPaymentMethods(currency?: string): Promise<Api.PaymentMethods['types']> {
    const { serviceToken } = this.#options;
    if (serviceToken === undefined) throw missing('a serviceToken');
    return (await this.#send('GET /payments', { query: { x_currency: currency } }, serviceToken)).types;
  }

  /**
   * Refunds a payment, in part or whole. Throws `RubricaError` with status 200 and a code such as `REFUND_WINDOW_CLOSED` when
   * the refund is refused. With an idempotency key of yours, kept with the refund, you can ask again after a crash.
   */
  async createRefund(idTrx: number, refund: Api.RefundRequest, options: KeyOption = {}): Promise<string> {
    const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
    const parts = { path: { id: idTrx }, header: { 'Idempotency-Key': idempotencyKey }, body: refund };
    const reply = await this.#sendAsUser('POST /trxs/{id}/nullification', parts);
    const request = `POST ${this.#connection.baseUrl}/trxs/${idTrx}/nullification`;
    if (!reply.data) throw refusedRefund(reply, { request, idempotencyKey });
    return reply.data.verificationToken;
  }

  async listRefunds(idTrx: number): Promise<Api.Refund[]> {
    return (await this.#sendAsUser('GET /trxs/{id}/nullification', { path: { id: idTrx } })).data.nullifications;
  }

  async getRefundStatus(idTrx: number, verificationToken: string): Promise<Api.Refund['status']> {
    const parts = { path: { id: idTrx }, query: { verificationToken } };
    return (await this.#sendAsUser('GET /trxs/{id}/nullification/status', parts)).data.status;
  }

  /** Lists the payments and refunds of a day, `2026-01-31`. */
  async getReconciliation(query: Query<'GET /remittances/conciliation'>): Promise<Api.Conciliation['data']> {
    return (await this.#sendAsUser('GET /remittances/conciliation', { query })).data;
  }

  /** The sums of what is due, of those that are asked for. */
  async getIndicators(query: Query<'GET /indicators/remittances'>): Promise<Api.RemittanceIndicators['data']> {
    return (await this.#sendAsUser('GET /indicators/remittances', { query })).data;
  }

  /** The last payouts, or all of one day, `2026-01-31`; 10 unless said. */
  async listRemittances(of: { day?: string; limit?: number } = {}): Promise<Api.Remittances['remittances']> {
    const body = of.limit === undefined ? {} : { limit: String(of.limit) };
    const reply =
      of.day === undefined
        ? this.#sendAsUser('POST /remittances/getRemittances', { body })
        : this.#sendAsUser('POST /remittances/getRemittance/{date}', { path: { date: of.day }, body });
    return (await reply).remittances;
  }

  /** The user of the access token; its `id` is the one in the calls about webhooks. */
  getUser(): Promise<Api.OwnUser> {
    return this.#sendAsUser('GET /users', {});
  }

  /** Tells you of payouts and refunds at an address of yours, from now on. The same again changes nothing. */
  async createWebhook(webhook: Api.WebhookRequest): Promise<Api.Webhook> {
    return (await this.#sendAsUser('POST /webhooks', { body: webhook })).data;
  }

  async listWebhooks(idUser: number): Promise<readonly Api.Webhook[]> {
    return (await this.#sendAsUser('GET /webhooks/{idUser}', { path: { idUser: String(idUser) } })).data;
  }

  async changeWebhook(idUser: number, webhook: Api.WebhookRequest): Promise<Api.Webhook> {
    const path = { idUser: String(idUser), webhook: webhook.webhook };
    return (await this.#sendAsUser('PUT /webhooks/{idUser}/{webhook}', { path, body: webhook })).data;
  }

  /** Not repeated: what was ended cannot be ended again. */
  async endWebhook(idUser: number, webhook: Api.Webhook['webhook']): Promise<Api.Webhook> {
    const path = { idUser: String(idUser), webhook };
    return (await this.#once('DELETE /webhooks/{idUser}/{webhook}', { path })).data;
  }

  /**
   * Everything that happened after a cursor, or from the beginning, page by page. Keep `page.next` with what you made of
   * the page: it is the cursor to go on from. Ends at the end of the feed.
   */
  async *events(after?: string): AsyncGenerator<Api.EventPage['data'], void, undefined> {
    let page: Api.EventPage['data'] | undefined;
    do {
      page = (await this.#sendAsUser('GET /events', { query: { after: page?.next ?? after } })).data;
      yield page;
    } while (page.has_more);
  }

  async login(login: Api.LoginRequest): Promise<Api.AccessToken> {
    return (await this.#send('POST /users/login', { body: login })).data;
  }

  /** `expDate` is when the access token shall end, in Unix seconds; a year from now by default. */
  loginToken(apiToken: string, expDate?: number): Promise<Api.AccessToken> {
    return this.#send('POST /loginToken', { body: { expDate } }, `Bearer ${apiToken}`);
  }

  /** A `state` of `pending` means that the provider is still checking: ask `getValidation` later. */
  async validateBankAccount(
    account: Api.BankAccountRequest,
    { language, idempotencyKey = crypto.randomUUID() }: LanguageOption & KeyOption = {},
  ): Promise<Api.BankAccountValidation> {
    const header = { 'Accept-Language': language, 'Idempotency-Key': idempotencyKey };
    return (await this.#sendAsUser('POST /validations/BankAccount', { header, body: account })).data;
  }

  /** Up to 1,000 accounts; the results come in their order. Not repeated: that would ask a provider twice. */
  async validateBankAccounts(
    items: Api.BankAccountBatch['items'],
    { language, checks }: LanguageOption & { checks?: 'all' | 'failed' } = {},
  ): Promise<Api.BankAccountBatchReply['data']> {
    const parts = { query: { checks }, header: { 'Accept-Language': language }, body: { items } };
    return (await this.#once('POST /validations/BankAccount/batch', parts)).data;
  }

  async getValidation(id: string, { language }: LanguageOption = {}): Promise<Api.BankAccountValidation> {
    const parts = { path: { id }, header: { 'Accept-Language': language } };
    return (await this.#sendAsUser('GET /validations/BankAccount/{id}', parts)).data;
  }

  /** Every institution that validations know, with its state and what is known of its accounts: for a form that offers them. */
  async listBanks(): Promise<Api.BankList['data']> {
    return (await this.#sendAsUser('GET /banks', {})).data;
  }

  /** Keeps a validated account for payouts; the same validation again is answered with the same recipient. */
  async createRecipient(recipient: Api.RecipientRequest): Promise<Api.Recipient> {
    return (await this.#sendAsUser('POST /recipients', { body: recipient })).data;
  }

  /** Another account of the same holder, or a newer verdict: a new version of the recipient. */
  async changeRecipient(id: string, recipient: Api.RecipientRequest): Promise<Api.Recipient> {
    return (await this.#sendAsUser('POST /recipients/{id}', { path: { id }, body: recipient })).data;
  }

  /** A recipient as it counts now, with every version that it has had. */
  async getRecipient(id: string): Promise<Api.RecipientHistory['data']> {
    return (await this.#sendAsUser('GET /recipients/{id}', { path: { id } })).data;
  }

  /** Pays somebody: the same id with the same fields again is the same payout. */
  async createTransfer(transfer: Api.TefRequest): Promise<Api.TefResponse> {
    return (await this.#sendAsUser('POST /tef', { body: transfer })).tefResponse;
  }

  /** Reads a payout by the id that you gave it. */
  async readTransfer(id: string): Promise<Api.TefResponse> {
    return (await this.#sendAsUser('GET /tef/{id}', { path: { id } })).tefResponse;
  }

  /** Reads the balance in pesos: the merchant's money, with the approved payouts that have not arrived yet. */
  async readBalance(): Promise<number> {
    return (await this.#sendAsUser('GET /balance', {})).balance;
  }

  /** Reads the amount that can be paid out now, in pesos. */
  async readAvailableBalance(): Promise<number> {
    return (await this.#sendAsUser('GET /availableBalance', {})).balance;
  }

  /**
   * Makes a payment link. With an idempotency key of yours, such as the number of an invoice, the same link is answered when you
   * ask again after a crash; without one only a repeated sending of this call is safe.
   */
  async createPaymentLink(link: Api.PaymentLinkRequest, options: KeyOption = {}): Promise<Api.PaymentLink> {
    const header = { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() };
    return (await this.#sendAsUser('POST /payment-links', { header, body: link })).data;
  }

  /** A payment link as it stands: whether it can be paid, and how many payments it brought. */
  async getPaymentLink(id: string): Promise<Api.PaymentLink> {
    return (await this.#sendAsUser('GET /payment-links/{id}', { path: { id } })).data;
  }

  /** A page of payment links, the newest first; send `next` back as `after` for the one that follows. */
  async listPaymentLinks(query: { after?: string; limit?: number } = {}): Promise<Api.PaymentLinkList['data']> {
    return (await this.#sendAsUser('GET /payment-links', { query })).data;
  }

  /** Ends a payment link for good; who is paying already can finish. */
  async endPaymentLink(id: string): Promise<Api.PaymentLink> {
    return (await this.#sendAsUser('POST /payment-links/{id}/end', { path: { id } })).data;
  }

  /** Proposes payouts that are approved and carried together; the same payouts again are the same batch. */
  async proposePayoutBatch(batch: Api.PayoutBatchRequest): Promise<Api.PayoutBatch> {
    return (await this.#sendAsUser('POST /payout-batches', { body: batch })).data;
  }

  /** Lists the newest batches of payouts. */
  async listPayoutBatches(query: Query<'GET /payout-batches'> = {}): Promise<Api.PayoutBatch[]> {
    return [...(await this.#sendAsUser('GET /payout-batches', { query })).data.batches];
  }

  /** Reads a batch with its payouts, what is odd about each, and the files in which they left. */
  async readPayoutBatch(
    id: string,
    query: Query<'GET /payout-batches/{id}'> = {},
  ): Promise<Api.PayoutBatchRead['data']> {
    return (await this.#sendAsUser('GET /payout-batches/{id}', { path: { id }, query })).data;
  }

  /** Approves a batch as another person than its maker, with the `code` of the second factor. Not repeated: the code works once. */
  async approvePayoutBatch(id: string, approval: Api.PayoutBatchApproval): Promise<Api.PayoutBatch> {
    return (await this.#once('POST /payout-batches/{id}/approve', { path: { id }, body: approval })).data.batch;
  }

  /** Rejects the payouts of a batch that wait for an approval. Not repeated. */
  async rejectPayoutBatch(id: string, reason: string): Promise<Api.PayoutBatch> {
    return (await this.#once('POST /payout-batches/{id}/reject', { path: { id }, body: { reason } })).data.batch;
  }

  /** Takes back the payouts of a batch that have not left. Not repeated. */
  async cancelPayoutBatch(id: string, reason: string): Promise<Api.PayoutBatch> {
    return (await this.#once('POST /payout-batches/{id}/cancel', { path: { id }, body: { reason } })).data.batch;
  }

  /** Asks for the approval of a batch that was proposed as a draft. Not repeated. */
  async submitPayoutBatch(id: string): Promise<Api.PayoutBatch> {
    return (await this.#once('POST /payout-batches/{id}/submit', { path: { id } })).data.batch;
  }

  /** Writes approved payouts into files for a bank, each into one only. Repeated only with a `batchId`: without one list the files after `NO_ANSWER`. */
  async makePayoutFiles(wish: Api.PayoutFileRequest): Promise<Api.PayoutFile[]> {
    const [operation, parts] = ['POST /payout-files', { body: wish }] as const;
    const reply = wish.batchId === undefined ? this.#once(operation, parts) : this.#sendAsUser(operation, parts);
    return [...(await reply).data.files];
  }

  /** Downloads a file of payouts: `content` has its bytes in base64. */
  async downloadPayoutFile(id: string): Promise<Api.PayoutFileContent['data']> {
    return (await this.#sendAsUser('GET /payout-files/{id}/content', { path: { id } })).data;
  }

  /** Lists the newest files of payouts that were made for banks. */
  async listPayoutFiles(query: Query<'GET /payout-files'> = {}): Promise<Api.PayoutFile[]> {
    return [...(await this.#sendAsUser('GET /payout-files', { query })).data.files];
  }

  /** Reads a file of payouts with what became of each. */
  async readPayoutFile(id: string): Promise<Api.PayoutFileRead['data']> {
    return (await this.#sendAsUser('GET /payout-files/{id}', { path: { id } })).data;
  }

  /** Says what the bank did with a file of payouts; the same file again changes nothing. `content` is in base64. */
  async takePayoutResults(id: string, file: Api.PayoutResultsRequest): Promise<Api.PayoutResults> {
    return (await this.#sendAsUser('POST /payout-files/{id}/results', { path: { id }, body: file })).data;
  }

  /** Imports a statement of the bank; the same file again changes nothing. `content` is in base64. */
  async importStatement(file: Api.StatementRequest): Promise<Api.ImportedStatement> {
    return (await this.#sendAsUser('POST /bank-statements', { body: file })).data;
  }

  /** Lists the newest statements of the bank. */
  async listStatements(query: Query<'GET /bank-statements'> = {}): Promise<Api.BankStatement[]> {
    return [...(await this.#sendAsUser('GET /bank-statements', { query })).data.statements];
  }

  /** Reads a statement of the bank with its lines, of one use or all. */
  async readStatement(id: string, query: Query<'GET /bank-statements/{id}'> = {}): Promise<Api.StatementRead['data']> {
    return (await this.#sendAsUser('GET /bank-statements/{id}', { path: { id }, query })).data;
  }

  /** Says what a line in suspense is; the same with the same reason again changes nothing. */
  async resolveStatementLine(id: string, use: Api.StatementUseRequest): Promise<Api.BankStatementLine[]> {
    return [...(await this.#sendAsUser('POST /bank-statements/{id}/uses', { path: { id }, body: use })).data.lines];
  }

  /** A page of recipients; send `next` back as `after` for the one that follows. */
  async listRecipients(query: { after?: string; limit?: number } = {}): Promise<Api.RecipientList['data']> {
    return (await this.#sendAsUser('GET /recipients', { query })).data;
  }

  #sendAsUser<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    return this.#withToken((authorization) => this.#send(operation, parts, authorization));
  }

  /** As a user, and repeated only where nothing was done: the service would take it for another request. */
  #once<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    return this.#withToken((token) => repeatRequest(() => this.#sendOnce(operation, parts, token), isUndone));
  }

  #send<O extends Operation>(operation: O, parts: PartsOf<O>, authorization?: string): Promise<ReplyOf<O>> {
    return repeatRequest(() => this.#sendOnce(operation, parts, authorization));
  }

  async #sendOnce<O extends Operation>(operation: O, parts: PartsOf<O>, authorization?: string): Promise<ReplyOf<O>> {
    const { header, ...others } = parts as RequestParts;
    const reply = await sendRequest(this.#connection, operation, { ...others, header: { ...header, authorization } });
    return reply as ReplyOf<O>;
  }

  /** A token may end before its time, when the password was changed say. Then it is renewed, once. */
  async #withToken<Reply>(ask: (authorization: string) => Promise<Reply>): Promise<Reply> {
    const token = await this.#tokens();
    try {
      return await ask(`Bearer ${token}`);
    } catch (error) {
      const other = error instanceof RubricaError && error.code === 'TOKEN_INVALID' ? await this.#tokens(token) : token;
      if (other === token) throw error;
      return ask(`Bearer ${other}`);
    }
  }

  #tokenSource(): TokenSource {
    const { accessToken, login } = this.#options;
    if (accessToken !== undefined) return () => Promise.resolve(accessToken);
    if (login === undefined) return () => Promise.reject(missing('an accessToken or a login'));
    return keepToken(() => ('apiToken' in login ? this.loginToken(login.apiToken) : this.login(login)));
  }
}
