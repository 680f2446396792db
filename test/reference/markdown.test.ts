import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { renderInline, renderMarkdown } from '../../src/reference/markdown.ts';

const INLINE: readonly [name: string, text: string, html: string][] = [
  ['code within bold', '**more than `plausible`**', '<strong>more than <code>plausible</code></strong>'],
  ['emphasis', 'press *Cancel*', 'press <em>Cancel</em>'],
  ['HTML stays text', 'a <b onclick="x">b</b>', 'a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;'],
  ['HTML in code stays text', '`<script>`', '<code>&lt;script&gt;</code>'],
  ['a link to a page', '[limits](limits.md#rates)', '<a href="limits.md#rates">limits</a>'],
  ['a link to the web', '[a](https://a.example/?b=1&c=2)', '<a href="https://a.example/?b=1&amp;c=2">a</a>'],
  ['no link that runs a program', '[a](javascript:alert(1))', 'a'],
  ['no link that runs a program, in other letters', '[a](JavaScript:alert(1))', 'a'],
  ['what is escaped in an address stays so', '[a](javascript&#58;b)', '<a href="javascript&amp;#58;b">a</a>'],
  ['no link that holds a page', '[a](data:text/html,b)', 'a'],
  ['no picture', '![a](https://a.example/b.svg)', 'a'],
  ['an address that is an example', 'such as https://shop.example/a', 'such as https://shop.example/a'],
  ['about', '~5 to ~6', '~5 to ~6'],
  ['names with underscores', 'Remove __proto__ and x_account_id', 'Remove __proto__ and x_account_id'],
];

describe('a text of the documentation', () => {
  for (const [name, text, html] of INLINE) test(name, () => assert.equal(renderInline(text).text, html));
});

test('a guide has headings to link to, code with its language, tables that scroll and rewritten links', () => {
  const guide =
    '# Año `x_1`, ok?\n\n```sh\na && b\n```\n\n| a | b |\n|---|---|\n| c \\| d | [e](f.md) |\n\n<img src=x onerror=y>\n';
  const html = renderMarkdown(guide, (address) => address.replace('.md', '')).text;
  assert.match(html, /<h1 id="año-x_1-ok">Año <code>x_1<\/code>, ok\?<\/h1>/);
  assert.match(html, /<pre><code data-language="sh">a &amp;&amp; b<\/code><\/pre>/);
  assert.match(html, /<div class="table"><table>\n<thead><tr><th>a<\/th><th>b<\/th><\/tr><\/thead>/);
  assert.match(html, /<td>c \| d<\/td><td><a href="f">e<\/a><\/td>/);
  assert.match(html, /&lt;img src=x onerror=y&gt;/);
});
