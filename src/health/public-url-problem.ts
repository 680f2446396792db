import { type Config, publicOrigin } from '../config.ts';

/**
 * Returns what is wrong with the address that payers and merchants get, or null. In development any address is right.
 */
export function publicUrlProblem(config: Config): string | null {
  if (config.mode === 'development' || publicOrigin(config).startsWith('https:')) return null;
  return `PUBLIC_URL is ${config.publicUrl === null ? 'not set' : 'not https:'}, so payers and shops are sent to ${publicOrigin(config)}`;
}
