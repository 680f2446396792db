/** The parameters for authenticator apps: RFC 6238 with SHA-1, six digits and 30 seconds, which all of them know. */
const FORM = { issuer: 'Rúbrica', algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** The clock of a phone may be one step off, before or after. */
const DRIFT_STEPS = 1;

/** A new secret of 160 bits, in base32. */
export async function newTotpSecret(): Promise<string> {
  const { Secret } = await library();
  return new Secret({ size: 20 }).base32;
}

/** The address that an authenticator app reads, as a link or from a QR code. */
export async function totpAddress(secret: string, email: string): Promise<string> {
  const { TOTP } = await library();
  return new TOTP({ ...FORM, label: email, secret }).toString();
}

/** The time step whose code this is, or null. `now` is UTC milliseconds. */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | null> {
  if (!/^\d{6}$/.test(code)) return null;
  const { TOTP } = await library();
  const delta = new TOTP({ ...FORM, secret }).validate({ token: code, timestamp: now, window: DRIFT_STEPS });
  return delta === null ? null : Math.floor(now / (FORM.period * 1000)) + delta;
}

/** The code of a moment, as the app of a person shows it. */
export async function totpCode(secret: string, now: number): Promise<string> {
  const { TOTP } = await library();
  return new TOTP({ ...FORM, secret }).generate({ timestamp: now });
}

/** Loaded when somebody first uses it. */
const library = () => import('otpauth');
