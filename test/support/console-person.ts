import assert from 'node:assert/strict';
import { totpCode } from '../../src/auth/factors/totp.ts';
import { FORM } from './form-headers.ts';
import type { TestApp } from './test-app.ts';
import type { Answer, TestServer } from './test-server.ts';

/** A browser at the console, without JavaScript: it keeps its cookie and submits forms like a page of the console. */
export class ConsolePerson {
  cookie = '';
  readonly #server: TestServer;
  readonly #headers: Record<string, string>;

  constructor(server: TestServer, headers: Record<string, string> = {}) {
    this.#server = server;
    this.#headers = headers;
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path);
  }

  post(path: string, fields: Record<string, string> = {}): Promise<Answer> {
    return this.#send('POST', path, String(new URLSearchParams(fields)));
  }

  /** Signs in with the password. Returns the response, which leads to the next step. */
  signIn({ email, password }: { email: string; password: string }): Promise<Answer> {
    return this.post('/console/sign-in', { email, password });
  }

  /** Adds an authenticator app. Returns its secret and the recovery codes. */
  async enrol(app: TestApp): Promise<{ secret: string; codes: string[] }> {
    const { text } = await this.get('/console/account/factors/totp');
    const setup = valueOf(text, 'setup');
    const secret = (/<code>([A-Z2-7 ]+)<\/code>/.exec(text)?.[1] ?? '').replaceAll(' ', '');
    const done = await this.post('/console/account/factors/totp', {
      setup,
      name: 'Phone',
      code: await totpCode(secret, app.now()),
    });
    assert.ok([200, 303].includes(done.status), done.text);
    const codes = (/<pre class="codes">([^<]*)<\/pre>/.exec(done.text)?.[1] ?? '').split('\n').filter(Boolean);
    return { secret, codes };
  }

  async #send(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    const answer = await this.#server.send(method, path, {
      headers: {
        'sec-fetch-site': 'same-origin',
        'accept-language': 'en',
        ...(this.cookie !== '' && { cookie: this.cookie }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...this.#headers,
      },
      ...(body !== undefined && { body }),
    });
    const set = answer.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0] ?? '';
    return answer;
  }
}

/** The console for a person who has signed in, with the headers of `TestUser.console`. Paths are below `/console`. */
export function atConsole(server: TestServer, headers: Record<string, string>) {
  return {
    get: (path: string) => server.get(`/console${path}`, headers),
    post: (path: string, fields: Record<string, string> = {}) =>
      server.post(`/console${path}`, { headers: { ...FORM, ...headers }, body: String(new URLSearchParams(fields)) }),
  };
}

/** Returns the value of a form field. */
export function valueOf(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
}
