import { SIGNED_REQUEST_EXAMPLE } from '../api/transactions/transaction-schemas.ts';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { renderInline } from './markdown.ts';
import { type Described, operationsOf } from './openapi-operations.ts';
import type { MediaContent, OpenApiDocument, Operation, Reply } from './openapi-shape.ts';
import {
  fillSample,
  LANGUAGES,
  requestSamples,
  type SampleLanguage,
  type SampleRequest,
  type Samples,
  SIGNED_SAMPLES,
} from './request-samples.ts';
import { describedIn, renderMembers, typeOf } from './schema-members.ts';
import { REFERENCE_WORDS, SPANISH_OPERATIONS, SPANISH_TAGS } from './spanish-operations.ts';

type Words = (typeof REFERENCE_WORDS)[Language];

/**
 * Renders the API reference from the API description alone: the parameters and responses of every endpoint, and
 * requests to copy. It is one page without a script, so it opens everywhere and the browser can search it.
 */
export function referencePage(document: OpenApiDocument, base: string, language: Language): Html {
  const words = REFERENCE_WORDS[language];
  const operations = operationsOf(document).map((described) => inLanguage(described, language));
  const tags = document.tags.map((tag) => ({
    id: idOf(tag.name),
    ...(language === 'es' ? spanishTag(tag) : tag),
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const { info } = document;
  return html`<div class="reference">
<nav class="contents" aria-label="${words.contents}">
${languagePicker(words.requestsIn)}
${tags.map(
  (tag) => html`<h2><a href="#${tag.id}">${tag.name}</a></h2>
<ul>${tag.operations.map(({ method, operation }) => html`<li><a href="#${operation.operationId}"><span class="verb ${method}">${method}</span> ${operation.summary}</a></li>`)}</ul>`,
)}
</nav>
<div class="content">
<section class="opening">
<h1>${words.title}</h1>
${words.info.map((paragraph) => html`<p>${renderInline(paragraph)}</p>`)}
<p>${words.version(info.version)} <a href="${base}/openapi.json">openapi.json</a>, <a href="${base}/openapi/transfers.json">openapi/transfers.json</a>.</p>
</section>
${tags.map(
  (tag) => html`<section id="${tag.id}" class="tag"><h2>${tag.name}</h2><p>${tag.description}</p>
${tag.operations.map((described) => renderOperation(described, document, base, language))}
</section>`,
)}
</div>
</div>`;
}

function renderOperation(described: Described, document: OpenApiDocument, base: string, language: Language): Html {
  const words = REFERENCE_WORDS[language];
  const { method, path, aliases, operation } = described;
  const { schemas } = document.components;
  const body = contentOf(operation.requestBody?.content);
  return html`<article id="${operation.operationId}">
<div class="words">
<h3>${operation.summary}</h3>
<p class="address"><span class="verb ${method}">${method}</span> <code>${path}</code>${aliases.map((alias) => html` <span class="alias">${words.or} <code>${alias}</code></span>`)}</p>
${operation.description !== undefined && html`<p>${renderInline(operation.description)}</p>`}
<p class="access">${accessOf(described, words)}</p>
${
  operation.parameters !== undefined &&
  html`<h4>${words.parameters}</h4><ul class="members">${operation.parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<li><code>${name}</code> <span class="type">${words.in(typeOf(schema, schemas, language), place)}</span>${!required && html` <span class="optional">${words.optional}</span>`}<p>${renderInline(describedIn(language, description))}</p></li>`,
  )}</ul>`
}
${body !== null && html`<h4>${words.body} <span class="type">${Object.keys(operation.requestBody?.content ?? {}).join(` ${words.or} `)}</span></h4>${renderMembers(body.schema, schemas, language)}`}
<h4>${words.answers}</h4>
${Object.entries(operation.responses).map(([status, reply]) => ('$ref' in reply || Number(status) >= 400 ? false : renderReply(status, reply, document, language)))}
${renderErrors(operation, base, words)}
</div>
<div class="code">
${renderSamples(samplesOf(described, document))}
${isSigned(described) && html`<p><a href="${base}/docs/sign">${words.try}</a></p>`}
${Object.entries(operation.responses).map(([status, reply]) => ('$ref' in reply || Number(status) >= 400 ? false : renderExample(status, reply, words)))}
</div>
</article>`;
}

function renderReply(status: string, reply: Reply, { components }: OpenApiDocument, language: Language): Html {
  const content = contentOf(reply.content);
  const headers = Object.entries(reply.headers).filter(([, header]) => !('$ref' in (header as object))) as [
    string,
    { description: string },
  ][];
  return html`<details class="reply"><summary><span class="status">${status}</span> ${renderInline(describedIn(language, reply.description))}</summary>
${headers.length > 0 && html`<ul class="members">${headers.map(([name, { description }]) => html`<li><code>${name}</code> <span class="type">${REFERENCE_WORDS[language].header}</span><p>${describedIn(language, description)}</p></li>`)}</ul>`}
${content !== null && renderMembers(content.schema, components.schemas, language)}
</details>`;
}

function renderErrors({ responses }: Operation, base: string, words: Words): Html {
  const rows = Object.entries(responses).flatMap(([status, reply]) => {
    const codes = '$ref' in reply ? {} : (contentOf(reply.content)?.examples ?? {});
    return Object.keys(codes).map(
      (code) =>
        html`<li><span class="status">${status}</span> <a href="${base}/errors/${code}"><code>${code}</code></a></li>`,
    );
  });
  return html`<details class="reply"><summary>${words.errors}</summary><ul class="errors">${rows}</ul></details>`;
}

function renderExample(status: string, reply: Reply, words: Words): Html | false {
  const example = contentOf(reply.content)?.example;
  return (
    example !== undefined &&
    html`<figure><figcaption>${words.answer} ${status}</figcaption><pre><code>${JSON.stringify(example, null, 2)}</code></pre></figure>`
  );
}

/** Renders all languages; the style sheet shows the selected one. */
function renderSamples(samples: Samples): Html[] {
  return Object.entries(LANGUAGES).map(
    ([key, name]) =>
      html`<figure class="sample ${key}"><figcaption>${name}</figcaption><pre><code>${samples[key as SampleLanguage]}</code></pre></figure>`,
  );
}

function languagePicker(legend: string): Html {
  return html`<fieldset class="languages"><legend>${legend}</legend>${Object.entries(LANGUAGES).map(
    ([key, name], at) =>
      html`<label><input type="radio" name="language" id="show-${key}"${at === 0 && html` checked`}> ${name}</label>`,
  )}</fieldset>`;
}

function samplesOf(described: Described, document: OpenApiDocument): Samples {
  const request = requestOf(described, document);
  if (!isSigned(described)) return requestSamples(request);
  const fields = Object.entries(SIGNED_REQUEST_EXAMPLE).filter(([name]) => name !== 'x_signature');
  const texts = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
  const fill = (language: SampleLanguage) => fillSample(SIGNED_SAMPLES[language], request.url, texts);
  return { curl: fill('curl'), node: fill('node'), php: fill('php'), python: fill('python') };
}

/** Returns the example request of an endpoint. A signed request is not signed yet. */
export function requestOf(described: Described, { servers }: OpenApiDocument): SampleRequest {
  const { method, path, operation } = described;
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(operation, name));
  const body = contentOf(operation.requestBody?.content)?.example;
  return {
    method: method.toUpperCase(),
    url: `${servers[0]?.url}${place}${queryOf(described)}`,
    headers: { ...credentialOf(operation), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    body,
  };
}

const CREDENTIALS: Record<string, Record<string, string>> = {
  accessToken: { Authorization: 'Bearer ACCESS_TOKEN' },
  apiToken: { Authorization: 'Bearer API_TOKEN' },
  serviceToken: { Authorization: 'SERVICE_TOKEN' },
};

function credentialOf({ security, requestBody }: Operation): Record<string, string> {
  const [scheme = ''] = Object.keys(security[0] ?? {});
  // If the body may contain the credential, its example does.
  return requestBody !== undefined && scheme === 'apiToken' ? {} : (CREDENTIALS[scheme] ?? {});
}

function accessOf(described: Described, words: Words): Html {
  if (isSigned(described)) return renderInline(`**${words.access}** ${words.signed}`);
  const [first = {}] = described.operation.security;
  const [scheme = ''] = Object.keys(first);
  const permissions = described.operation.security.flatMap((one) => one[scheme] ?? []);
  const needs = permissions.length === 0 ? '' : ` ${words.needs(permissions)}`;
  const schemes: Readonly<Record<string, string>> = words.schemes;
  return renderInline(`**${words.access}** ${schemes[scheme] ?? words.open}${needs}`);
}

function inLanguage(described: Described, language: Language): Described {
  const [summary, description] = SPANISH_OPERATIONS[described.operation.operationId] ?? [];
  if (language === 'en' || summary === undefined) return described;
  const { description: _, ...operation } = described.operation;
  return { ...described, operation: { ...operation, summary, ...(description !== undefined && { description }) } };
}

function spanishTag(tag: { name: string; description: string }): { name: string; description: string } {
  const [name, description] = SPANISH_TAGS[tag.name] ?? [tag.name, tag.description];
  return { name, description };
}

/** Returns the parameters that have an example: without them the request is refused. */
function queryOf({ operation }: Described): string {
  const token = Object.keys(operation.security[0] ?? {})[0] === 'serviceTokenInQuery';
  const shown = (operation.parameters ?? []).filter(
    (one) => one.in === 'query' && one.schema['examples'] !== undefined,
  );
  const pairs = shown.map(({ name }) => `${name}=${exampleOf(operation, name)}`);
  const query = [...(token ? ['x_account_id=SERVICE_TOKEN'] : []), ...pairs].join('&');
  return query === '' ? '' : `?${query}`;
}

function exampleOf({ parameters = [] }: Operation, name: string): string {
  const { schema = {} } = parameters.find((one) => one.name === name) ?? {};
  const { examples, enum: words } = schema as { examples?: string[]; enum?: string[] };
  return (examples ?? words)?.[0] ?? '1001';
}

function isSigned({ operation }: Described): boolean {
  return JSON.stringify(operation.requestBody ?? {}).includes('"#/components/schemas/SignedRequest"');
}

function contentOf(content: Record<string, MediaContent> | undefined): MediaContent | null {
  return Object.values(content ?? {})[0] ?? null;
}

function idOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}
