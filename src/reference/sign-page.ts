import { SIGNED_REQUEST_EXAMPLE } from '../api/transactions/transaction-schemas.ts';
import type { ErrorCode } from '../error-catalogue.ts';
import { type Html, html } from '../http/html.ts';
import type { ProblemWords } from '../http/problem-words.ts';
import type { Language } from '../lib/language.ts';
import { renderInline } from './markdown.ts';
import { LANGUAGES, type SampleLanguage, SIGNED_SAMPLES } from './request-samples.ts';
import { SIGN_WORDS, type SignWords } from './sign-texts.ts';

/** A pasted body and the reason for its refusal; null: it would be accepted. */
export type ExplainedBody = { text: string; problem: ({ code: ErrorCode } & ProblemWords) | null };

/**
 * Renders the page that explains a refused body, and that signs a request in the browser, shows each step, and sends it
 * to this service. The signer's inputs have no names, so the secret cannot get into a URL even if the script does not
 * run.
 */
export function signPage(base: string, language: Language, explained: ExplainedBody | null): Html {
  const words = SIGN_WORDS[language];
  const path = `${base}/trxs`;
  return html`<div class="signing" data-path="${path}" data-words="${JSON.stringify(words.script)}">
<h1>${words.title}</h1>
<section id="explain">
<h2>${words.explain}</h2>
<p>${words.explainText}</p>
${explained !== null && explanation(explained, words, base)}
<form class="refused" action="${base}/docs/sign#explain" method="post" autocomplete="off">
<input type="hidden" name="lang" value="${language}">
<label><span>${words.body}</span><textarea name="body" rows="8" maxlength="12000" required spellcheck="false" autocapitalize="off" placeholder="x_account_id=…&amp;x_amount=…&amp;x_signature=…">${explained?.text ?? ''}</textarea></label>
<p><button class="primary">${words.explainButton}</button></p>
</form>
</section>
<section id="sign">
<h2>${words.sign}</h2>
<p>${renderInline(words.signText)}</p>
<noscript><p class="notice">${renderInline(words.noScript)}</p></noscript>
<form id="fields" autocomplete="off">
<label class="wide"><span>Secret Token <small>${words.staysHere}</small></span><input id="secret" type="password" autocomplete="off" spellcheck="false"></label>
${Object.entries(words.labels).map(
  ([name, label]) =>
    html`<label><span>${label} <code>${name}</code></span><input data-field="${name}" value="${valueOf(name)}" spellcheck="false" autocapitalize="off"></label>`,
)}
</form>
</section>
<section>
<h2>${words.signed}</h2>
<p>${words.signedText}</p>
<pre class="message"><code id="message"></code></pre>
<h2><code>x_signature</code></h2>
<pre><code id="signature">${words.script.enterSecret}</code></pre>
</section>
<section>
<h2>${words.try}</h2>
<p><button type="button" id="send" class="primary">POST ${path}</button></p>
<div id="answer" aria-live="polite"></div>
</section>
<section class="code">
<h2>${words.code}</h2>
<p>${renderInline(words.codeText)}</p>
${Object.entries(LANGUAGES).map(
  ([key, name]) =>
    html`<figure><figcaption>${name}</figcaption><pre><code data-sample="${SIGNED_SAMPLES[key as SampleLanguage]}"></code></pre></figure>`,
)}
</section>
</div>`;
}

function explanation({ problem }: ExplainedBody, words: SignWords, base: string): Html {
  if (problem === null)
    return html`<div class="verdict good" role="status"><p><strong>${words.right}</strong></p></div>`;
  const { code, title, detail, errors } = problem;
  const nothingMore = code === 'SIGNATURE_INVALID' && errors.length === 0;
  return html`<div class="verdict bad" role="status">
<p><strong>${title}</strong> <a href="${base}/errors/${code}"><code>${code}</code></a></p>
${errors.length === 0 && html`<p>${renderInline(nothingMore ? words.notExplained : detail, base)}</p>`}
${
  errors.length > 0 &&
  html`<ul>${errors.map(
    ({ pointer, code: cause, message, fix }) =>
      html`<li>${pointer !== '' && !message.includes(pointer.slice(1)) && html`<code>${pointer.slice(1)}</code> `}${message} ${fix.split(' | ').map((part) => html`<span class="fix">${part}</span>`)} <a href="${base}/errors/${cause}"><code>${cause}</code></a></li>`,
  )}</ul>`
}
</div>`;
}

function valueOf(name: string): string {
  if (name === 'x_account_id') return '';
  return String(SIGNED_REQUEST_EXAMPLE[name as keyof typeof SIGNED_REQUEST_EXAMPLE]);
}
