import assert from 'node:assert/strict';

/**
 * Asserts that a refused form marks this field and no other, explains it beside it, and that the text on top leads to it.
 */
export function assertMarked(page: string, field: string): void {
  const marked = [...page.matchAll(/<(?:input|select|fieldset)[^>]* aria-invalid="true"[^>]*>/g)];
  assert.equal(marked.length, 1, page);
  const tag = marked[0]?.[0] ?? '';
  const name = tag.startsWith('<fieldset')
    ? /name="(\w+)"/.exec(page.slice(page.indexOf(tag)))?.[1]
    : / name="(\w+)"/.exec(tag)?.[1];
  assert.equal(name, field);
  assert.match(tag, / id="refused" aria-invalid="true" aria-describedby="refused-why[ "]/);
  const [, why = ''] = /<p class="refused" id="refused-why">([^<]+)<\/p>/.exec(page) ?? [];
  assert.notEqual(why, '', page);
  assert.ok(page.indexOf(`<a href="#refused">${why}</a>`) < page.indexOf(tag), 'the link stands before the field');
  assert.ok(page.includes(`<a href="#refused">${why}</a>`), 'the text on top leads to the field');
}
