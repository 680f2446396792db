import { type CauseCode, FIXES, type ProgramLanguage } from '../../protocol/signature-causes.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { SPANISH_HINTS } from '../hint-spanish.ts';
import { type Html, html } from '../http/html.ts';
import { LANGUAGE_NAMES } from '../http/language-of-client.ts';
import type { Language } from '../lib/language.ts';
import { type ErrorGuide, guide, NEXT_STEPS } from './error-guide.ts';
import { ACCESS_GUIDES } from './error-guides-of-access.ts';
import { PAYOUT_GUIDES } from './error-guides-of-payouts.ts';
import { REQUEST_GUIDES } from './error-guides-of-requests.ts';
import { CAUSE_EXAMPLES, SDK_EXAMPLES } from './error-guides-of-signing.ts';
import { type ErrorKind, findErrors, type ListedError } from './error-list.ts';
import { renderInline } from './markdown.ts';

/** An error code without a guide does not compile. */
const GUIDES: Readonly<Record<ErrorCode, ErrorGuide>> = { ...REQUEST_GUIDES, ...ACCESS_GUIDES, ...PAYOUT_GUIDES };

/** `base` begins the links of a page, and `kept` ends them: the query that keeps its language. */
type Links = { base: string; kept: string };

/** Explains one error: what happened, what to do, usual causes, an example, and what to do without a shell. */
export function errorPage(error: ListedError, language: Language, { base, kept }: Links): Html {
  const { code, kind, status, title, fix } = error;
  const words = WORDS[language];
  const { next, wrong, right, causes } = guideOf(error);
  const fixes = kind === 'signature' ? Object.entries(hintsOf(code as CauseCode, language)) : [];
  return html`<article class="guide">
<p><a class="secondary" href="${base}/errors${kept}">${words.all}</a></p>
<h1>${title}</h1>
<dl>
<div><dt>${words.code}</dt><dd><code>${code}</code></dd></div>
<div><dt>${words.status}</dt><dd>${kind === 'signature' ? html`${status} <code>SIGNATURE_INVALID</code>` : (status ?? words.noStatus)}</dd></div>
<div><dt>${words.foundBy}</dt><dd>${words.finder[kind]}</dd></div>
</dl>
<h2>${words.happened}</h2>
<p>${happened(error, language)}</p>
<h2>${words.todo}</h2>
<p>${renderInline(fix, base)}</p>
<h2>${words.causes}</h2>
<ul>${causes[language].map((cause) => html`<li>${renderInline(cause, base)}</li>`)}</ul>
<h2>${words.example}</h2>
<figure><figcaption>${words.wrong}</figcaption><pre class="wrong"><code>${wrong}</code></pre></figure>
<figure><figcaption>${words.right}</figcaption><pre class="right"><code>${right === '' ? words.nothing : right}</code></pre></figure>
${(fixes as [ProgramLanguage, string][]).map(([name, text]) => html`<h3>${LANGUAGE_NAMES[name]}</h3>\n<p><code>${text}</code></p>\n`)}
<h2>${words.next}</h2>
<p>${renderInline(NEXT_STEPS[next][language], base)}</p>
</article>`;
}

function hintsOf(code: CauseCode, language: Language): Partial<Record<ProgramLanguage, string>> {
  const { fix: _, ...hints } = FIXES[code];
  return language === 'es' ? { ...hints, ...SPANISH_HINTS[code] } : hints;
}

function guideOf({ code, kind }: ListedError): ErrorGuide {
  if (kind === 'service') return GUIDES[code as ErrorCode];
  if (kind === 'signature') {
    return guide('sign', CAUSE_EXAMPLES[code as CauseCode], [SIGNED_DIFFERENTLY.en], [SIGNED_DIFFERENTLY.es]);
  }
  const example = SDK_EXAMPLES[code as keyof typeof SDK_EXAMPLES];
  return guide('ignore', example, [OTHER_CALLBACK.en], [OTHER_CALLBACK.es]);
}

const SIGNED_DIFFERENTLY = {
  en: 'The code that signs was written anew, or ported from another language, and differs from the protocol in this one step.',
  es: 'El código que firma se escribió de nuevo, o se pasó desde otro lenguaje, y difiere del protocolo en este solo paso.',
};

const OTHER_CALLBACK = {
  en: 'The callback is not about this order, was changed on the way, or is not from this service.',
  es: 'El callback no es de esta orden, se alteró en el camino o no es de este servicio.',
};

function happened({ kind, status }: ListedError, language: Language): string {
  const words = WORDS[language];
  if (kind === 'sdk') return words.inSdk;
  if (kind === 'signature') return words.inSignature;
  return (status ?? 0) >= 500 ? words.failed(status ?? 0) : words.refused(status ?? 0);
}

/** Lists all codes with title and status, or the codes that match a search. */
export function errorListPage(
  search: string,
  words: readonly string[],
  language: Language,
  { base, kept }: Links,
): Html {
  const say = WORDS[language];
  const found = findErrors(words, language);
  const groups = (['service', 'signature', 'sdk'] as const).map((kind) => ({
    kind,
    errors: found.filter((error) => error.kind === kind),
  }));
  return html`<article class="guide">
<h1>${say.title}</h1>
<p>${say.opening}</p>
<form class="search" role="search" action="${base}/errors" method="get">
<label for="q">${say.search}</label>
<div><input id="q" name="q" type="search" maxlength="100" value="${search}" placeholder="x_amount, 409, ${say.placeholder}"><input type="hidden" name="lang" value="${language}"><button class="primary">${say.find}</button></div>
</form>
${found.length === 0 && html`<p>${say.none} <a href="${base}/errors${kept}">${say.all}</a></p>`}
${groups.map(
  ({ kind, errors }) =>
    errors.length > 0 &&
    html`<h2>${say.groups[kind]}</h2>
<ul class="rows">${errors.map(
      ({ code, status, title }) =>
        html`<li><a href="${base}/errors/${code}${kept}"><code>${code}</code></a> <span class="status">${status ?? ''}</span> <span>${title}</span></li>`,
    )}</ul>
`,
)}
</article>`;
}

type Words = Record<
  | 'all'
  | 'code'
  | 'status'
  | 'noStatus'
  | 'foundBy'
  | 'happened'
  | 'todo'
  | 'causes'
  | 'example'
  | 'wrong'
  | 'right'
  | 'nothing'
  | 'next'
  | 'inSdk'
  | 'inSignature'
  | 'title'
  | 'opening'
  | 'search'
  | 'placeholder'
  | 'find'
  | 'none',
  string
> & {
  refused: (status: number) => string;
  failed: (status: number) => string;
  finder: Record<ErrorKind, string>;
  groups: Record<ErrorKind, string>;
};

const WORDS: Record<Language, Words> = {
  en: {
    all: 'All errors',
    code: 'Code',
    status: 'HTTP status',
    noStatus: 'none: it is not an answer of the service',
    foundBy: 'Found by',
    happened: 'What happened',
    todo: 'What to do',
    causes: 'Usual causes',
    example: 'Example',
    wrong: 'Wrong',
    right: 'Right',
    nothing: '(leave it out)',
    next: 'Without a shell on the server',
    inSdk: 'The SDK found it on your side. Nothing was sent, and nothing of the callback was believed.',
    inSignature:
      'The service could not confirm the signature and refused the request. With development tokens it also looked how the signature was made, and found this.',
    refused: (status) => `The service refused the request with status ${status} and changed nothing.`,
    failed: (status) => `The service could not carry out the request and answered with status ${status}.`,
    finder: {
      service: 'the service',
      signature: 'bin/rubrica explain, explain() of the SDK, and the service where development tokens are used',
      sdk: 'the SDK, on your side',
    },
    title: 'Errors',
    opening: 'Every error has a code that stays the same, and a page: the type of an answer leads to it.',
    search: 'Search by code, status or words',
    placeholder: 'signature',
    find: 'Search',
    none: 'No error has these words.',
    groups: {
      service: 'Answers of the service',
      signature: 'Causes of a refused signature',
      sdk: 'Found by the SDK alone',
    },
  },
  es: {
    all: 'Todos los errores',
    code: 'Código',
    status: 'Estado HTTP',
    noStatus: 'ninguno: no es una respuesta del servicio',
    foundBy: 'Lo encuentra',
    happened: 'Qué pasó',
    todo: 'Qué hacer',
    causes: 'Causas habituales',
    example: 'Ejemplo',
    wrong: 'Mal',
    right: 'Bien',
    nothing: '(no lo envíes)',
    next: 'Sin acceso al servidor',
    inSdk: 'El SDK lo encontró de tu lado. No se envió nada, y no se creyó nada del callback.',
    inSignature:
      'El servicio no pudo confirmar la firma y rechazó la solicitud. Con tokens de desarrollo también miró cómo se hizo la firma, y encontró esto.',
    refused: (status) => `El servicio rechazó la solicitud con el estado ${status} y no cambió nada.`,
    failed: (status) => `El servicio no pudo cumplir la solicitud y respondió con el estado ${status}.`,
    finder: {
      service: 'el servicio',
      signature: 'bin/rubrica explain, explain() del SDK y el servicio cuando se usan tokens de desarrollo',
      sdk: 'el SDK, de tu lado',
    },
    title: 'Errores',
    opening: 'Cada error tiene un código que no cambia y una página: el type de una respuesta lleva a ella.',
    search: 'Busca por código, estado o palabras',
    placeholder: 'firma',
    find: 'Buscar',
    none: 'Ningún error tiene esas palabras.',
    groups: {
      service: 'Respuestas del servicio',
      signature: 'Causas de una firma rechazada',
      sdk: 'Solo los encuentra el SDK',
    },
  },
};
