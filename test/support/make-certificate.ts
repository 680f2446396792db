import { generateKeyPairSync, sign } from 'node:crypto';

/** Creates a self-signed certificate for one DNS name. Each test run has a new one, so the repository has no key. */
export function makeCertificate(dnsName: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'));
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(dnsName)))));
  const validity = der(0x30, utcTime('200101000000Z'), utcTime('491231235959Z'));
  const alternativeNames = der(0x30, der(0x82, Buffer.from(dnsName)));
  const extensions = der(0xa3, der(0x30, der(0x30, oid('551d11'), der(0x04, alternativeNames))));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const signed = der(0x30, version3, serial, ecdsaWithSha256, name, validity, name, publicKeyInfo, extensions);
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  const base64 = der(0x30, signed, ecdsaWithSha256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

/** Encodes one tag, length and value of DER; all lengths here need at most two bytes. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const value = Buffer.concat(contents);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}
