import { type CauseCode, FIXES, type Language } from '../../protocol/signature-causes.ts';
import { SIGNING_CATALOGUE, type SigningCode } from '../../protocol/signing-error.ts';
import { CATALOGUE, Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { type Html, html } from '../http/html.ts';
import { LANGUAGE_NAMES } from '../http/language-of-client.ts';
import { sendPage } from '../http/page.ts';
import { renderInline } from './markdown.ts';

/** The page to which the `type` of every error leads. The SDK's codes have theirs too, though it never sends them here. */
export const getErrorsCode: Operation = {
  handle: async (app, request, reply) => {
    const { code } = request.params as { code: string };
    const entry = findEntry(code);
    if (entry === null) throw new Problem('NOT_FOUND', { detail: 'There is no error with this code.' });
    const main = describe(code, entry, publicPath(app));
    return sendPage(app, reply, { status: 200, language: 'en', title: code, style: 'docs.css', main });
  },
};

/** All codes, each with the way to its page. */
export const getErrors: Operation = {
  handle: async (app, _request, reply) => {
    const main = listCodes(`${publicPath(app)}/errors`);
    return sendPage(app, reply, { status: 200, language: 'en', title: 'Errors', style: 'docs.css', main });
  },
};

/** Where a code comes from, what it says and what helps; `fixes` in the words of some languages. */
type Explained = { foundBy: string; title: string; fix: string; fixes: Partial<Record<Language, string>> };

function findEntry(code: string): Explained | null {
  if (Object.hasOwn(CATALOGUE, code)) {
    const { status, title, fix } = CATALOGUE[code as keyof typeof CATALOGUE];
    return { foundBy: `the service, HTTP status ${status}`, title, fix, fixes: {} };
  }
  if (Object.hasOwn(FIXES, code)) {
    const { fix, ...fixes } = FIXES[code as CauseCode];
    return { foundBy: EXPLAINERS, title: inWords(code), fix, fixes };
  }
  if (!Object.hasOwn(SIGNING_CATALOGUE, code)) return null;
  const [predicate, fix] = SIGNING_CATALOGUE[code as SigningCode];
  return { foundBy: 'the SDK, on your side', title: `A field or the body ${predicate}`, fix, fixes: {} };
}

const EXPLAINERS = 'bin/rubrica explain, explain() of the SDK, and the service where development tokens are used';

/** `FIELDS_NOT_SORTED` as "Fields not sorted". */
function inWords(code: string): string {
  return code[0] + code.slice(1).toLowerCase().replaceAll('_', ' ');
}

function describe(code: string, { foundBy, title, fix, fixes }: Explained, base: string): Html {
  const languages = Object.entries(fixes) as [Language, string][];
  return html`<article class="guide">
<h1>${title}</h1>
<dl>
<div><dt>Code</dt><dd><code>${code}</code></dd></div>
<div><dt>Found by</dt><dd>${foundBy}</dd></div>
</dl>
<h2>What to do</h2>
<p>${renderInline(fix)}</p>
${languages.map(([language, text]) => html`<h2>${LANGUAGE_NAMES[language]}</h2>\n<p>${text}</p>\n`)}
${isAboutSigning(code) && html`<p><a href="${base}/docs/sign">Sign a request in the browser</a> and see every step, or follow <a href="${base}/docs/quickstart-create">Take a payment</a>.</p>`}
<p><a class="secondary" href="${base}/errors">All errors</a></p>
</article>`;
}

/** What the explainer and the SDK find is always a mistake of a signer. */
function isAboutSigning(code: string): boolean {
  return code.startsWith('SIGNATURE_') || !Object.hasOwn(CATALOGUE, code);
}

function listCodes(base: string): Html {
  const groups: [string, string[]][] = [
    ['Answers of the service', Object.keys(CATALOGUE)],
    ['Causes of a refused signature', Object.keys(FIXES)],
    ['Found by the SDK alone', Object.keys(SIGNING_CATALOGUE).filter((code) => !Object.hasOwn(CATALOGUE, code))],
  ];
  return html`<article class="guide">
<h1>Errors</h1>
${groups.map(([name, codes]) => html`<h2>${name}</h2>\n<ul>${codes.map((code) => html`<li><a href="${base}/${code}"><code>${code}</code></a></li>`)}</ul>\n`)}
</article>`;
}
