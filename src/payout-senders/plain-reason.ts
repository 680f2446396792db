const MOST = 200;

/** Why, as a bank or a provider says it. It may stay for ever, and long digits in it may be an account or a RUT. */
export function plainReason(said: unknown): string {
  const text = typeof said === 'string' ? said.replace(/\p{Cc}/gu, ' ').trim() : '';
  return text.replace(/\d[\d.]{4,}(?:-[\dkK])?/g, '…').slice(0, MOST) || 'no reason was given';
}
