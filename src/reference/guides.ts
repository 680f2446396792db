import { readdir, readFile } from 'node:fs/promises';
import type { App } from '../app.ts';
import type { Html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A page of `docs/` or `docs/es/`. `name` is its file without `.md`, `opening` its first paragraph. */
export type Guide = { name: string; title: string; opening: string; text: string };

export type GuideGroup = { title: string; guides: Guide[] };

const FOLDERS = {
  en: new URL('../../docs/', import.meta.url),
  es: new URL('../../docs/es/', import.meta.url),
};

/** Returns the path of a guide, without the base path. */
export function guidePath(language: Language, name: string): string {
  return language === 'es' ? `/docs/es/${name}` : `/docs/${name}`;
}

/** Returns every guide of a language by name. Read once, because the files of a release do not change. */
export function readGuides(language: Language): Promise<ReadonlyMap<string, Guide>> {
  read[language] ??= readFolder(language);
  return read[language];
}

const read: Partial<Record<Language, Promise<ReadonlyMap<string, Guide>>>> = {};

async function readFolder(language: Language): Promise<ReadonlyMap<string, Guide>> {
  const folder = FOLDERS[language];
  const names = (await readdir(folder)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  const guides = names.toSorted().map(async (name): Promise<[string, Guide]> => {
    const text = await readFile(new URL(`${name}.md`, folder), 'utf8');
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    // The first paragraph of text: some guides begin with a link to their other language.
    const opening = text.split(/\n{2,}/).find((part) => !/^(?:#|\[)/.test(part)) ?? '';
    return [name, { name, title, opening: opening.replaceAll('\n', ' '), text }];
  });
  return new Map(await Promise.all(guides));
}

/** Renders a guide as HTML; null for an unknown name. Cached, because rendering takes ten milliseconds. */
export async function renderGuide(app: App, language: Language, name: string): Promise<Html | null> {
  const guides = await readGuides(language);
  const guide = guides.get(name);
  if (guide === undefined) return null;
  return rendered(app).getOrInsertComputed(guidePath(language, name), () => render(language, guide));
}

const rendered = perInstance((_app: App) => new Map<string, Promise<Html>>());

async function render(language: Language, { text }: Guide): Promise<Html> {
  const { renderMarkdown } = await import('./markdown.ts');
  const [own, english] = await Promise.all([readGuides(language), readGuides('en')]);
  // Guides link to each other as files, so that the links also work in the repository. Other files are not served.
  return renderMarkdown(text, (address) => {
    if (/^(?:https?:|#)/.test(address)) return address;
    const [, up = '', name = '', anchor = ''] = /^(\.\.\/|es\/)?([\w-]+)\.md(#.*)?$/.exec(address) ?? [];
    const isServed = up === 'es/' || (up === '' ? own.has(name) : language === 'es' && english.has(name));
    return isServed ? `${up}${name}${anchor}` : null;
  });
}

/** Groups the guides in the order in which people need them. Guides without a group come in the last one. */
export async function groupGuides(language: Language): Promise<GuideGroup[]> {
  const guides = await readGuides(language);
  const groups = GROUPS.map(({ names, ...title }) => ({
    title: title[language],
    guides: names.flatMap((name) => guides.get(name) ?? []),
  }));
  const named: ReadonlySet<string> = new Set(GROUPS.flatMap(({ names }) => names));
  const others = [...guides.values()].filter(({ name }) => !named.has(name));
  return [...groups, { title: OTHERS[language], guides: others }].filter((group) => group.guides.length > 0);
}

const GROUPS = [
  {
    en: 'For shops',
    es: 'Para tiendas',
    names: [
      'quickstart-create',
      'quickstart-callbacks',
      'sandbox',
      'going-live',
      'pay-page',
      'compatibility',
      'bank-account-validation',
      'webpay',
      'versioning',
    ],
  },
  {
    en: 'For finance and support',
    es: 'Para finanzas y soporte',
    names: ['finance', 'payouts', 'console', 'people', 'audit', 'privacy'],
  },
  {
    en: 'For operators',
    es: 'Para operadores',
    names: [
      'installing',
      'commands',
      'settings',
      'operation',
      'restore',
      'reliability',
      'limits',
      'scaling',
      'performance',
      'debugging',
      'security-checklist',
      'validation-provider',
      'payout-provider',
    ],
  },
];

const OTHERS = { en: 'For developers of the service', es: 'Otras guías' };
