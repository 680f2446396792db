/** The parameters for authenticator apps: RFC 6238 with SHA-1, six digits and 30 seconds, which all apps support. */
const FORM = { issuer: 'Rúbrica', algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** A phone's clock may differ by one step. */
const DRIFT_STEPS = 1;

/** Returns a new secret of 160 bits, in base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await library();
  return new Secret({ size: 20 }).base32;
}

/** Returns the address that an authenticator app reads from a link or a QR code. */
export async function totpAddress(secret: string, email: string): Promise<string> {
  const { TOTP } = await library();
  return new TOTP({ ...FORM, label: email, secret }).toString();
}

/** Returns the time step of a code, or null if the code is wrong. `now` is UTC milliseconds. */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | null> {
  if (!/^\d{6}$/.test(code)) return null;
  const { TOTP } = await library();
  const delta = new TOTP({ ...FORM, secret }).validate({ token: code, timestamp: now, window: DRIFT_STEPS });
  return delta === null ? null : Math.floor(now / (FORM.period * 1000)) + delta;
}

/** Returns the code at a time, as an app shows it. */
export async function totpCode(secret: string, now: number): Promise<string> {
  const { TOTP } = await library();
  return new TOTP({ ...FORM, secret }).generate({ timestamp: now });
}

/** Loaded at the first use. */
const library = () => import('otpauth');
