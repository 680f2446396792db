import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { renderInline } from './markdown.ts';
import type { Schema, Schemas } from './openapi-schemas.ts';
import { SPANISH_MEMBERS } from './spanish-members.ts';

const DEEPEST = 6;

/**
 * Renders the members of an object schema as a list, each with its type, whether it is required, and its nested
 * members.
 */
export function renderMembers(schema: Schema, schemas: Schemas, language: Language, depth = 0): Html | false {
  const words = WORDS[language];
  const { properties, required } = resolve(schema, schemas) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  if (properties === undefined || depth > DEEPEST) return false;
  return html`<ul class="members">${Object.entries(properties).map(
    ([name, member]) => html`<li>
<code>${name}</code> <span class="type">${typeOf(member, schemas, language)}</span>${required?.includes(name) !== true && html` <span class="optional">${words.optional}</span>`}
${describe(member, language)}
${nested(member, schemas, language, depth)}
</li>`,
  )}</ul>`;
}

/** Translates a description. The API description has them in English. */
export function describedIn(language: Language, text: string): string {
  return language === 'es' ? (SPANISH_MEMBERS[text] ?? text) : text;
}

/** Describes the type of a schema in a few words. */
export function typeOf(schema: Schema, schemas: Schemas, language: Language): string {
  const words = WORDS[language];
  const {
    type,
    anyOf,
    items,
    const: constant,
  } = resolve(schema, schemas) as { type?: string; anyOf?: Schema[]; items?: Schema; const?: unknown };
  if (anyOf !== undefined) return anyOf.map((one) => typeOf(one, schemas, language)).join(` ${words.or} `);
  if (constant !== undefined) return JSON.stringify(constant);
  if (type === 'array') return `${words.listOf} ${typeOf(items ?? {}, schemas, language)}`;
  return type ?? words.anything;
}

function describe(schema: Schema, language: Language): Html | false {
  const { description, enum: values = [] } = schema as { description?: string; enum?: string[] };
  const parts = [
    ...(description === undefined ? [] : [renderInline(describedIn(language, description))]),
    ...values.map((value) => html`<code>${value}</code>`),
    ...limitsOf(schema, language),
  ];
  return parts.length > 0 && html`<p>${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}</p>`;
}

type Limits = Record<string, (value: string | number) => string>;

const LIMITS: Readonly<Record<Language, Limits>> = {
  en: {
    minLength: (value) => (value === 1 ? 'not empty' : `at least ${value} characters`),
    maxLength: (value) => `at most ${value} characters`,
    minimum: (value) => `from ${value}`,
    maximum: (value) => `to ${value}`,
    maxItems: (value) => `at most ${value} items`,
    pattern: (value) => `of the form ${value}`,
  },
  es: {
    minLength: (value) => (value === 1 ? 'no vacío' : `al menos ${value} caracteres`),
    maxLength: (value) => `a lo más ${value} caracteres`,
    minimum: (value) => `desde ${value}`,
    maximum: (value) => `hasta ${value}`,
    maxItems: (value) => `a lo más ${value} elementos`,
    pattern: (value) => `de la forma ${value}`,
  },
};

const WORDS = {
  en: { optional: 'optional', or: 'or', listOf: 'list of', anything: 'anything', members: 'Members' },
  es: { optional: 'opcional', or: 'o', listOf: 'lista de', anything: 'cualquier cosa', members: 'Miembros' },
} as const;

function limitsOf(schema: Schema, language: Language): string[] {
  return Object.entries(LIMITS[language]).flatMap(([name, say]) => {
    const limit = schema[name] as string | number | undefined;
    return limit === undefined ? [] : [say(limit)];
  });
}

function nested(schema: Schema, schemas: Schemas, language: Language, depth: number): Html | false {
  const { anyOf = [schema] } = schema as { anyOf?: Schema[] };
  const inner = anyOf.map((one) => (one['items'] as Schema | undefined) ?? one);
  const lists = inner.map((one) => renderMembers(one, schemas, language, depth + 1)).filter((list) => list !== false);
  return lists.length > 0 && html`<details><summary>${WORDS[language].members}</summary>${lists}</details>`;
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref } = schema as { $ref?: string };
  return $ref === undefined ? schema : (schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
}
