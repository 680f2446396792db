import { SIGNED_REQUEST_EXAMPLE } from '../api/transactions/transaction-schemas.ts';
import { type Html, html } from '../http/html.ts';
import { renderInline } from './markdown.ts';
import type { MediaContent, OpenApiDocument, Operation, Reply } from './openapi-shape.ts';
import {
  fillSample,
  LANGUAGES,
  requestSamples,
  type SampleLanguage,
  type Samples,
  SIGNED_SAMPLES,
} from './request-samples.ts';
import { renderMembers, typeOf } from './schema-members.ts';

type Described = { method: string; path: string; aliases: string[]; operation: Operation };

/**
 * The API reference, made from the API description alone: what every endpoint takes and answers, and requests to copy.
 * One page without a script, so that it opens anywhere and searching is the browser's own.
 */
export function referencePage(document: OpenApiDocument, base: string): Html {
  const operations = operationsOf(document);
  const tags = document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const { info } = document;
  return html`<div class="reference">
<nav class="contents" aria-label="Endpoints">
${languagePicker()}
${tags.map(
  (tag) => html`<h2><a href="#${idOf(tag.name)}">${tag.name}</a></h2>
<ul>${tag.operations.map(({ method, operation }) => html`<li><a href="#${operation.operationId}"><span class="verb ${method}">${method}</span> ${operation.summary}</a></li>`)}</ul>`,
)}
</nav>
<div class="content">
<section class="opening">
<h1>API reference</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${renderInline(paragraph)}</p>`)}
<p>Version <code>${info.version}</code>, as the answer header <code>Rubrica-Version</code> says it. For programs: <a href="${base}/openapi.json">openapi.json</a> and <a href="${base}/openapi/transfers.json">openapi/transfers.json</a>.</p>
</section>
${tags.map(
  (tag) => html`<section id="${idOf(tag.name)}" class="tag"><h2>${tag.name}</h2><p>${tag.description}</p>
${tag.operations.map((described) => renderOperation(described, document, base))}
</section>`,
)}
</div>
</div>`;
}

function operationsOf({ paths }: OpenApiDocument): Described[] {
  const entries = Object.entries(paths);
  return entries.flatMap(([path, item]) => {
    if ('$ref' in item) return [];
    const reference = `#/paths/${path.replaceAll('/', '~1')}`;
    const aliases = entries.filter(([, other]) => '$ref' in other && other.$ref === reference).map(([alias]) => alias);
    return (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, aliases, operation }];
    });
  });
}

function renderOperation(described: Described, document: OpenApiDocument, base: string): Html {
  const { method, path, aliases, operation } = described;
  const { schemas } = document.components;
  const body = contentOf(operation.requestBody?.content);
  return html`<article id="${operation.operationId}">
<div class="words">
<h3>${operation.summary}</h3>
<p class="address"><span class="verb ${method}">${method}</span> <code>${path}</code>${aliases.map((alias) => html` <span class="alias">or <code>${alias}</code></span>`)}</p>
${operation.description !== undefined && html`<p>${renderInline(operation.description)}</p>`}
<p class="access">${accessOf(described)}</p>
${
  operation.parameters !== undefined &&
  html`<h4>Parameters</h4><ul class="members">${operation.parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<li><code>${name}</code> <span class="type">${typeOf(schema, schemas)} in the ${place}</span>${!required && html` <span class="optional">optional</span>`}<p>${renderInline(description)}</p></li>`,
  )}</ul>`
}
${body !== null && html`<h4>Body <span class="type">${Object.keys(operation.requestBody?.content ?? {}).join(' or ')}</span></h4>${renderMembers(body.schema, schemas)}`}
<h4>Answers</h4>
${Object.entries(operation.responses).map(([status, reply]) => ('$ref' in reply || Number(status) >= 400 ? false : renderReply(status, reply, document)))}
${renderErrors(operation, base)}
</div>
<div class="code">
${renderSamples(samplesOf(described, document))}
${isSigned(described) && html`<p><a href="${base}/docs/sign">Try it with your own fields</a></p>`}
${Object.entries(operation.responses).map(([status, reply]) => ('$ref' in reply || Number(status) >= 400 ? false : renderExample(status, reply)))}
</div>
</article>`;
}

function renderReply(status: string, reply: Reply, { components }: OpenApiDocument): Html {
  const content = contentOf(reply.content);
  const headers = Object.entries(reply.headers).filter(([, header]) => !('$ref' in (header as object))) as [
    string,
    { description: string },
  ][];
  return html`<details class="reply"><summary><span class="status">${status}</span> ${renderInline(reply.description)}</summary>
${headers.length > 0 && html`<ul class="members">${headers.map(([name, { description }]) => html`<li><code>${name}</code> <span class="type">header</span><p>${description}</p></li>`)}</ul>`}
${content !== null && renderMembers(content.schema, components.schemas)}
</details>`;
}

function renderErrors({ responses }: Operation, base: string): Html {
  const rows = Object.entries(responses).flatMap(([status, reply]) => {
    const codes = '$ref' in reply ? {} : (contentOf(reply.content)?.examples ?? {});
    return Object.keys(codes).map(
      (code) =>
        html`<li><span class="status">${status}</span> <a href="${base}/errors/${code}"><code>${code}</code></a></li>`,
    );
  });
  return html`<details class="reply"><summary>Errors</summary><ul class="errors">${rows}</ul></details>`;
}

function renderExample(status: string, reply: Reply): Html | false {
  const example = contentOf(reply.content)?.example;
  return (
    example !== undefined &&
    html`<figure><figcaption>Answer ${status}</figcaption><pre><code>${JSON.stringify(example, null, 2)}</code></pre></figure>`
  );
}

/** All languages are there; the style sheet shows the one that is picked. */
function renderSamples(samples: Samples): Html[] {
  return Object.entries(LANGUAGES).map(
    ([key, name]) =>
      html`<figure class="sample ${key}"><figcaption>${name}</figcaption><pre><code>${samples[key as SampleLanguage]}</code></pre></figure>`,
  );
}

function languagePicker(): Html {
  return html`<fieldset class="languages"><legend>Requests in</legend>${Object.entries(LANGUAGES).map(
    ([key, name], at) =>
      html`<label><input type="radio" name="language" id="show-${key}"${at === 0 && html` checked`}> ${name}</label>`,
  )}</fieldset>`;
}

function samplesOf(described: Described, { servers }: OpenApiDocument): Samples {
  const { method, path, operation } = described;
  const url = servers[0]?.url + path.replaceAll(/\{\w+\}/g, '1001');
  if (isSigned(described)) {
    const fields = Object.entries(SIGNED_REQUEST_EXAMPLE).filter(([name]) => name !== 'x_signature');
    const texts = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
    const fill = (language: SampleLanguage) => fillSample(SIGNED_SAMPLES[language], url, texts);
    return { curl: fill('curl'), node: fill('node'), php: fill('php'), python: fill('python') };
  }
  const body = contentOf(operation.requestBody?.content)?.example;
  return requestSamples({
    method: method.toUpperCase(),
    url: url + queryOf(described),
    headers: { ...credentialOf(operation), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    body,
  });
}

const CREDENTIALS: Record<string, Record<string, string>> = {
  accessToken: { Authorization: 'Bearer ACCESS_TOKEN' },
  apiToken: { Authorization: 'Bearer API_TOKEN' },
  serviceToken: { Authorization: 'SERVICE_TOKEN' },
};

const ACCESS: Record<string, string> = {
  accessToken: 'An access token as `Authorization: Bearer`.',
  apiToken: 'An API token as `Authorization: Bearer`, or in the body.',
  serviceToken: 'A Service Token in `Authorization`.',
  serviceTokenInQuery: 'A Service Token in the query, as `x_account_id`.',
};

function credentialOf({ security, requestBody }: Operation): Record<string, string> {
  const [scheme = ''] = Object.keys(security[0] ?? {});
  // Where the body may bring the credential, its example does.
  return requestBody !== undefined && scheme === 'apiToken' ? {} : (CREDENTIALS[scheme] ?? {});
}

function accessOf(described: Described): Html {
  if (isSigned(described)) return renderInline('**Access.** Signed with the Secret Token of the payment service.');
  const [first = {}] = described.operation.security;
  const [scheme = ''] = Object.keys(first);
  const [permission] = first[scheme] ?? [];
  const needs = permission === undefined ? '' : ` The user has the permission \`${permission}\`.`;
  return renderInline(`**Access.** ${ACCESS[scheme] ?? 'Open to everybody.'}${needs}`);
}

function queryOf({ operation }: Described): string {
  const token = Object.keys(operation.security[0] ?? {})[0] === 'serviceTokenInQuery';
  return token ? '?x_account_id=SERVICE_TOKEN' : '';
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
