import type { TokenSource } from './keep-token.ts';
import { isUndone, repeatRequest } from './repeat-request.ts';
import type { Operation, PartsOf, ReplyOf } from './request-types.ts';
import { RubricaError } from './rubrica-error.ts';
import { type Connection, type RequestParts, sendRequest } from './send-request.ts';

/** Calls the operations of one service, with retries. Every call throws `RubricaError`. */
export class ServiceCaller {
  readonly #connection: Connection;
  readonly #tokens: TokenSource;

  constructor(connection: Connection, tokens: TokenSource) {
    this.#connection = connection;
    this.#tokens = tokens;
  }

  /** Calls without a token, or with the given `authorization`. */
  call<O extends Operation>(operation: O, parts: PartsOf<O>, authorization?: string): Promise<ReplyOf<O>> {
    return repeatRequest(() => this.#send(operation, parts, authorization), this.#connection.patienceMs);
  }

  /** Calls with the access token of the client. */
  callAsUser<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    return this.#withToken((authorization) => this.call(operation, parts, authorization));
  }

  /** Calls as a user, and retries only when nothing was done: the service would treat a second request as a new one. */
  callOnce<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    const send = (token: string) => this.#send(operation, parts, token);
    return this.#withToken((token) => repeatRequest(() => send(token), this.#connection.patienceMs, isUndone));
  }

  async #send<O extends Operation>(operation: O, parts: PartsOf<O>, authorization?: string): Promise<ReplyOf<O>> {
    const { header, ...others } = parts as RequestParts;
    const reply = await sendRequest(this.#connection, operation, { ...others, header: { ...header, authorization } });
    return reply as ReplyOf<O>;
  }

  /** Renews a refused token once. A token may end early, for example after a change of password. */
  async #withToken<Reply>(call: (authorization: string) => Promise<Reply>): Promise<Reply> {
    const token = await this.#tokens();
    try {
      return await call(`Bearer ${token}`);
    } catch (error) {
      const other = error instanceof RubricaError && error.code === 'TOKEN_INVALID' ? await this.#tokens(token) : token;
      if (other === token) throw error;
      return call(`Bearer ${other}`);
    }
  }
}
