import { type Html, html } from '../http/html.ts';
import { renderInline } from './markdown.ts';
import type { Schema, Schemas } from './openapi-schemas.ts';

const DEEPEST = 6;

/** The members of an object schema as a list, each with its type, whether it must be there, and its own members. */
export function renderMembers(schema: Schema, schemas: Schemas, depth = 0): Html | false {
  const { properties, required } = resolve(schema, schemas) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  if (properties === undefined || depth > DEEPEST) return false;
  return html`<ul class="members">${Object.entries(properties).map(
    ([name, member]) => html`<li>
<code>${name}</code> <span class="type">${typeOf(member, schemas)}</span>${required?.includes(name) !== true && html` <span class="optional">optional</span>`}
${describe(member)}
${nested(member, schemas, depth)}
</li>`,
  )}</ul>`;
}

/** Says in a few words what a value of the schema is. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const {
    type,
    anyOf,
    items,
    const: constant,
  } = resolve(schema, schemas) as { type?: string; anyOf?: Schema[]; items?: Schema; const?: unknown };
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, schemas)).join(' or ');
  if (constant !== undefined) return JSON.stringify(constant);
  if (type === 'array') return `list of ${typeOf(items ?? {}, schemas)}`;
  return type ?? 'anything';
}

function describe(schema: Schema): Html | false {
  const { description, enum: values = [] } = schema as { description?: string; enum?: string[] };
  const parts = [
    ...(description === undefined ? [] : [renderInline(description)]),
    ...values.map((value) => html`<code>${value}</code>`),
    ...limitsOf(schema),
  ];
  return parts.length > 0 && html`<p>${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}</p>`;
}

const LIMITS: Record<string, (value: string | number) => string> = {
  minLength: (value) => (value === 1 ? 'not empty' : `at least ${value} characters`),
  maxLength: (value) => `at most ${value} characters`,
  minimum: (value) => `from ${value}`,
  maximum: (value) => `to ${value}`,
  maxItems: (value) => `at most ${value} items`,
  pattern: (value) => `of the form ${value}`,
};

function limitsOf(schema: Schema): string[] {
  return Object.entries(LIMITS).flatMap(([name, say]) => {
    const limit = schema[name] as string | number | undefined;
    return limit === undefined ? [] : [say(limit)];
  });
}

function nested(schema: Schema, schemas: Schemas, depth: number): Html | false {
  const { anyOf = [schema] } = schema as { anyOf?: Schema[] };
  const inner = anyOf.map((one) => (one['items'] as Schema | undefined) ?? one);
  const lists = inner.map((one) => renderMembers(one, schemas, depth + 1)).filter((list) => list !== false);
  return lists.length > 0 && html`<details><summary>Members</summary>${lists}</details>`;
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema as { $ref?: string };
  return $ref === undefined ? schema : (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
}
