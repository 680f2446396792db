import { type Config, publicOrigin } from '../config.ts';

/** Says what is wrong with the addresses that payers and merchants are given, or null. Development has nobody but itself. */
export function publicUrlProblem(config: Config): string | null {
  if (config.mode === 'development' || publicOrigin(config).startsWith('https:')) return null;
  return `PUBLIC_URL is ${config.publicUrl === null ? 'not set' : 'not https:'}, so payers and shops are sent to ${publicOrigin(config)}`;
}
