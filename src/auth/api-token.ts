import { createHash } from 'node:crypto';
import { randomToken } from '../lib/ids.ts';

/** 256 random bits. The prefix is for people and scanners that come across one. */
export function generateApiToken(): string {
  return `api_${randomToken(32)}`;
}

/** What is stored of it. A plain hash is enough: nobody guesses 256 bits, so there is nothing to slow down. */
export function hashApiToken(apiToken: string): string {
  return createHash('sha256').update(apiToken).digest('base64url');
}
