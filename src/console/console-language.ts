import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { payerLanguage } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import type { Language } from '../lib/language.ts';

const COOKIE = 'rubrica_language';
const YEAR_S = 31_536_000;

/** Returns the language that the person chose in this browser, else the language that the browser asks for. */
export function visitLanguage({ headers }: FastifyRequest): Language {
  const chosen = /(?:^|;\s*)rubrica_language=(es|en)(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  return chosen === undefined ? payerLanguage(headers['accept-language']) : (chosen as Language);
}

/** Returns the header that stores the language in this browser for a year. */
export function languageCookie(app: App, language: Language): string {
  return `${COOKIE}=${language}; Path=${publicPath(app)}/console; Max-Age=${YEAR_S}; HttpOnly; SameSite=Lax`;
}
