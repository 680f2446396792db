import type { App } from '../app.ts';
import { foldText } from '../lib/fold-text.ts';
import type { Language } from '../lib/language.ts';
import { perInstance } from '../lib/per-instance.ts';
import { findErrors } from './error-list.ts';
import { readOpenApi } from './get-openapi.ts';
import { guidePath, readGuides } from './guides.ts';
import { idOfHeading } from './markdown.ts';
import { operationsOf } from './openapi-operations.ts';

/** A search result. `path` is without the base path; `excerpt` is plain text. */
export type Found = { path: string; title: string; excerpt: string };

const MOST = 30;

/** The longest search text. */
const LONGEST_SEARCH = 100;

/** The first results, and how many there are in all. */
export type FoundDocs = { first: readonly Found[]; count: number };

/**
 * Finds the sections of guides, the endpoints and the errors that contain every word of `text`, title matches first.
 * Accents and case do not matter. Guides that exist only in English are searched in Spanish too.
 */
export async function searchDocs(app: App, text: string, language: Language): Promise<FoundDocs> {
  const words = wordsIn(text);
  if (words.length === 0) return { first: [], count: 0 };
  const found = (await placesOf(app, language)).flatMap((place) => {
    if (!words.every((word) => place.folded.includes(word))) return [];
    return [{ ...place, weight: words.filter((word) => place.foldedTitle.includes(word)).length }];
  });
  found.sort((one, other) => other.weight - one.weight);
  const first = found
    .slice(0, MOST)
    .map(({ path, title, text: all }) => ({ path, title, excerpt: excerptOf(all, words) }));
  return { first, count: found.length };
}

/** Splits a search text into folded words. */
export function wordsIn(text: string): string[] {
  return foldText(text.slice(0, LONGEST_SEARCH)).split(/\s+/).filter(Boolean);
}

type Place = { path: string; title: string; text: string };
/** A place with its folded texts. */
type FoldedPlace = Place & { foldedTitle: string; folded: string };

// Cached: folding all texts takes longer than a payment, and anybody may search.
const folded = perInstance((_app: App) => new Map<Language, readonly FoldedPlace[]>());

async function placesOf(app: App, language: Language): Promise<readonly FoldedPlace[]> {
  const kept = folded(app).get(language);
  if (kept !== undefined) return kept;
  const places = [
    ...(await sectionsOf(language)),
    ...(await endpointsOf(app)),
    ...findErrors([], language).map(placeOfError),
  ].map((place) => ({
    ...place,
    foldedTitle: foldText(place.title),
    folded: foldText(`${place.title} ${place.text}`),
  }));
  folded(app).set(language, places);
  return places;
}

async function sectionsOf(language: Language): Promise<Place[]> {
  const own = await readGuides(language);
  const english = language === 'es' ? await readGuides('en') : new Map<string, never>();
  const missing = [...english.values()].filter(({ name }) => !own.has(name));
  const sections = (one: Language) => (guide: { name: string; title: string; text: string }) =>
    guide.text.split(/\n(?=#{2,3} )/).map((part, index): Place => {
      const heading = index === 0 ? null : (/^#+ (.+)/.exec(part)?.[1] ?? null);
      const path = guidePath(one, guide.name);
      return {
        path: heading === null ? path : `${path}#${idOfHeading(heading)}`,
        title: heading === null ? guide.title : `${guide.title}: ${heading}`,
        text: part.replace(/^#+ .+\n/, ''),
      };
    });
  return [...[...own.values()].flatMap(sections(language)), ...missing.flatMap(sections('en'))];
}

async function endpointsOf(app: App): Promise<Place[]> {
  return operationsOf(await readOpenApi(app)).map(({ method, path, operation }) => {
    const { operationId, summary, description = '' } = operation;
    return {
      path: `/docs/reference#${operationId}`,
      title: `${method.toUpperCase()} ${path}: ${summary}`,
      text: description,
    };
  });
}

function placeOfError({ code, title, fix }: { code: string; title: string; fix: string }): Place {
  return { path: `/errors/${code}`, title: `${code}: ${title}`, text: fix };
}

/** Returns a line around the first word that occurs in it; if the title contains all words, the beginning. */
function excerptOf(text: string, words: readonly string[]): string {
  const line = text
    .replaceAll(/[`*|#]|\]\([^)]*\)|\[/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const folded = foldText(line);
  const at = Math.max(
    0,
    ...words
      .map((word) => folded.indexOf(word))
      .filter((index) => index >= 0)
      .slice(0, 1),
  );
  const start = at < 80 ? 0 : line.indexOf(' ', at - 60) + 1;
  const end = Math.min(line.length, start + 180);
  return `${start > 0 ? '… ' : ''}${line.slice(start, end)}${end < line.length ? ' …' : ''}`;
}
