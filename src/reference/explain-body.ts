import type { FastifyRequest } from 'fastify';
import { SigningError } from '../../protocol/signing-error.ts';
import type { ReceivedBody } from '../api/transactions/explain-refusal.ts';
import { inputOf, readSignedRequest } from '../api/transactions/read-signed-request.ts';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { wordsOf } from '../http/problem-words.ts';
import { problemOf } from '../http/send-problem.ts';
import type { Language } from '../lib/language.ts';
import { pageLanguage, sendDocsPage } from './docs-page.ts';
import type { ExplainedBody } from './sign-page.ts';

/** The page that signs a request in the browser and sends it, and that accepts a refused body. */
export const getDocsSign: Operation = {
  handle: async (app, request, reply) => {
    const { signPage } = await import('./sign-page.ts');
    const language = pageLanguage(request);
    const main = signPage(publicPath(app), language, null);
    return sendDocsPage(app, reply, { path: '/docs/sign', language, title: TITLES[language], main });
  },
};

/**
 * Explains a refused body, as `POST /trxs` would answer it, and creates nothing. It takes no secret: the service knows
 * development tokens, and for production tokens it explains what it can without the secret. It neither stores nor logs
 * the body.
 */
export const postDocsSign: Operation = {
  consumes: ['application/x-www-form-urlencoded'],
  handle: async (app, request, reply) => {
    const { signPage } = await import('./sign-page.ts');
    const form = new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8'));
    const lang = form.get('lang');
    const language = lang === 'es' || lang === 'en' ? lang : pageLanguage(request);
    const explained = await explain(app, request, form.get('body') ?? '', language);
    const main = signPage(publicPath(app), language, explained);
    return sendDocsPage(app, reply, { path: '/docs/sign', language, title: TITLES[language], main });
  },
};

const TITLES = { en: 'Sign and explain', es: 'Firmar y explicar' };

async function explain(app: App, request: FastifyRequest, text: string, language: Language): Promise<ExplainedBody> {
  try {
    const signed = await readSignedRequest(app, request, received(text));
    inputOf(app, signed);
    return { text, problem: null };
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof SigningError)) throw error;
    const problem = problemOf(error);
    // Beyond its request limits this page answers like any other.
    if (problem.code === 'RATE_LIMITED') throw problem;
    return { text, problem: { code: problem.code, ...wordsOf(problem, language) } };
  }
}

/** Trims white space that an editor or a log adds around a body. */
function received(text: string): ReceivedBody {
  const body = text.trim();
  const isForm = /^[\w%.+-]+=/.test(body);
  return { body: Buffer.from(body), contentType: isForm ? 'application/x-www-form-urlencoded' : 'application/json' };
}
