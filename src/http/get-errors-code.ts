import { SIGNING_CATALOGUE } from '../../sdk/src/signing-error.ts';
import { CATALOGUE, type CatalogueEntry, Problem } from '../error-catalogue.ts';
import type { Endpoint } from './endpoint.ts';
import { type Html, html } from './html.ts';
import { sendPage } from './page.ts';

/** The page to which the `type` of every error leads. The SDK's codes have theirs too, though it never sends them here. */
export const getErrorsCode: Endpoint = {
  method: 'GET',
  paths: ['/errors/:code'],
  access: 'public',
  handle: async (app, request, reply) => {
    const { code } = request.params as { code: string };
    const entry = findEntry(code);
    if (entry === null) throw new Problem('NOT_FOUND', { detail: 'There is no error with this code.' });
    return sendPage(app, reply, { status: 200, language: 'en', title: code, main: describe(code, entry) });
  },
};

type Explained = Omit<CatalogueEntry, 'status'> & { status: number | null };

function findEntry(code: string): Explained | null {
  if (Object.hasOwn(CATALOGUE, code)) return CATALOGUE[code as keyof typeof CATALOGUE];
  if (!Object.hasOwn(SIGNING_CATALOGUE, code)) return null;
  const [predicate, fix] = SIGNING_CATALOGUE[code as keyof typeof SIGNING_CATALOGUE];
  return { status: null, title: `A field or the body ${predicate}`, fix };
}

function describe(code: string, { status, title, fix }: Explained): Html {
  return html`<h1>${title}</h1>
<dl>
<div><dt>Code</dt><dd><code>${code}</code></dd></div>
<div><dt>Found by</dt><dd>${status === null ? 'the SDK, on your side' : `the service, with HTTP status ${status}`}</dd></div>
</dl>
<h2>What to do</h2>
<p>${fix}</p>`;
}
