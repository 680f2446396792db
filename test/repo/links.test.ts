import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const pages = globSync('{*,docs/**/*,sdk/*,clients/*/*,examples/**/*,test/**/*}.md', { cwd: root });

test('every link of the documentation leads to a file, and to a heading in it', () => {
  const links = pages.flatMap((page) => linksOf(page));
  assert.ok(links.length > 100, 'the expression finds the links');
  assert.deepEqual(
    links.filter(({ page, link }) => !leadsSomewhere(page, link)).map(({ page, link }) => `${page}: ${link}`),
    [],
  );
});

function linksOf(page: string): { page: string; link: string }[] {
  const prose = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link }));
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(?:https?:|mailto:|\/)/.test(link)) return true;
  const [path = '', heading] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return heading === undefined || headingsOf(target).includes(heading);
}

/** Returns the anchors of the headings, as code hosts make them. */
function headingsOf(page: string): string[] {
  const titles = readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...titles].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}
