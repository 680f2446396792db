import type { TokenSource } from './keep-token.ts';
import { type Doubt, isUndone, repeatRequest } from './repeat-request.ts';
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
    return repeatRequest(() => this.#send(operation, parts, authorization), {
      patienceMs: this.#connection.patienceMs,
    });
  }

  /** Calls with the access token of the client. */
  callAsUser<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    const send = (token: string) => this.#send(operation, parts, token);
    const { patienceMs } = this.#connection;
    return this.#withToken((token, doubt) => repeatRequest(() => send(token), { patienceMs, doubt }));
  }

  /** Calls as a user, and retries only when nothing was done: the service would treat a second request as a new one. */
  callOnce<O extends Operation>(operation: O, parts: PartsOf<O>): Promise<ReplyOf<O>> {
    const send = (token: string) => this.#send(operation, parts, token);
    const { patienceMs } = this.#connection;
    return this.#withToken((token, doubt) =>
      repeatRequest(() => send(token), { patienceMs, mayRepeat: isUndone, doubt }),
    );
  }

  async #send<O extends Operation>(operation: O, parts: PartsOf<O>, authorization?: string): Promise<ReplyOf<O>> {
    const { header, ...others } = parts as RequestParts;
    const reply = await sendRequest(this.#connection, operation, { ...others, header: { ...header, authorization } });
    return reply as ReplyOf<O>;
  }

  /**
   * Renews a refused token once. A token may end early, for example after a change of password. Its refusal, or a
   * failed login, does not prove that no earlier attempt was carried out.
   */
  async #withToken<Reply>(call: (authorization: string, doubt: Doubt) => Promise<Reply>): Promise<Reply> {
    const doubt: Doubt = { error: null };
    const token = await this.#tokens();
    try {
      return await call(`Bearer ${token}`, doubt);
    } catch (error) {
      if (!(error instanceof RubricaError) || error.code !== 'TOKEN_INVALID') throw error;
      const other = await this.#tokens(token).catch((failure: unknown) => {
        throw doubt.error ?? failure;
      });
      if (other === token) throw doubt.error ?? error;
      return call(`Bearer ${other}`, doubt);
    }
  }
}
