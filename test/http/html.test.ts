import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, trustedHtml } from '../../src/http/html.ts';

test('text from a client is escaped, in an element and in a quoted attribute', () => {
  const sent = `"><script>alert('1')</script>&`;
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';
  assert.equal(html`<p title="${sent}">${sent}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
});

test('markup is inserted into markup unchanged, at any depth', () => {
  const items = ['<a>', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(
    html`<ul>${items}</ul>${trustedHtml('<svg/>')}`.text,
    '<ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul><svg/>',
  );
});

test('null and false are written as nothing, and zero as a number', () => {
  assert.equal(html`${null}${false}${0}${''}`.text, '0');
});

test('an object that only looks like markup is refused', () => {
  const forged = JSON.parse('{"text":"<script>"}') as never;
  assert.throws(() => html`${forged}`);
});
