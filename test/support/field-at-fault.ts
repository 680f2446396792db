import assert from 'node:assert/strict';

/**
 * Asserts that a refused form marks these fields and no others, explains each beside it, that the texts on top lead to
 * them, and that the page opens in the field.
 */
export function assertMarked(page: string, ...fields: string[]): void {
  const marked = [...page.matchAll(/<(?:input|select|fieldset|textarea)[^>]* aria-invalid="true"[^>]*>/g)];
  assert.deepEqual(
    marked.map(({ 0: tag, index }) => nameOf(tag, page.slice(index))),
    fields,
    page,
  );
  assert.deepEqual(
    page.match(/<[^>]* autofocus\b[^>]*>/g) ?? [],
    marked.map(([tag]) => tag),
    'the focus is on the field',
  );
  assert.equal(page.match(/ autofocus\b/g)?.length ?? 0, marked.length, 'the focus is set once');
  for (const { 0: tag, index } of marked) {
    const [, id] = / id="(refused-[^"]+)" aria-invalid="true" aria-describedby="\1-why[ "]/.exec(tag) ?? [];
    assert.ok(id !== undefined, tag);
    const [, why = ''] = new RegExp(`<p class="refused" id="${id}-why">([^<]+)</p>`).exec(page) ?? [];
    assert.notEqual(why, '', page);
    const link = page.indexOf(`<a href="#${id}">${why}</a>`);
    assert.ok(link !== -1 && link < index, 'the text on top leads to the field');
    assert.equal(page.split(` id="${id}"`).length, 2, 'the id occurs once');
  }
}

/** Returns the name of a field; a group has the name of its buttons. */
function nameOf(tag: string, from: string): string | undefined {
  return / name="(\w+)"/.exec(tag.startsWith('<fieldset') ? from : tag)?.[1];
}
