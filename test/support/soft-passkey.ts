import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The members of the browser's options that are used. */
export type Question = { challenge: string; rp?: { id: string }; rpId?: string };

/** The values in which a test differs from an honest browser. */
type Lie = { origin?: string; host?: string; challenge?: string; type?: string };

const [PRESENT, ATTESTED] = [0x01, 0x40];

/** A passkey with a P-256 key in memory, and its browser (WebAuthn level 3, sections 5.8.1, 6.1 and 6.5). */
export class SoftPasskey {
  readonly id = randomBytes(16).toString('base64url');
  counter = 0;
  readonly #origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Returns the result of `navigator.credentials.create` as JSON. */
  create(question: Question, lie: Lie = {}): string {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([hex('a5010203262001215820'), bytes(x), hex('225820'), bytes(y)]);
    const id = bytes(this.id);
    const credential = Buffer.concat([Buffer.alloc(16), hex('0010'), id, key]);
    const data = Buffer.concat([this.#authenticatorData(question, lie, PRESENT | ATTESTED), credential]);
    const attestation = [
      hex('a363'),
      'fmt',
      hex('64'),
      'none',
      hex('67'),
      'attStmt',
      hex('a068'),
      'authData',
      hex('58'),
    ];
    const object = Buffer.concat([...attestation.map((part) => Buffer.from(part)), Buffer.from([data.length]), data]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', question, lie).toString('base64url'),
      attestationObject: object.toString('base64url'),
    });
  }

  /** Returns the result of `navigator.credentials.get` as JSON. */
  get(question: Question, lie: Lie = {}): string {
    this.counter += 1;
    const data = this.#authenticatorData(question, lie, PRESENT);
    const client = this.#clientData('webauthn.get', question, lie);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #authenticatorData({ rp, rpId }: Question, { host }: Lie, flags: number): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags, 0);
    rest.writeUInt32BE(this.counter, 1);
    return Buffer.concat([sha256(Buffer.from(host ?? rp?.id ?? rpId ?? '')), rest]);
  }

  #clientData(type: string, { challenge }: Question, lie: Lie): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false, ...lie }));
  }

  #answer(response: Record<string, string>): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function bytes(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
