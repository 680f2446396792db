import { SIGNED_REQUEST_EXAMPLE } from '../api/transactions/transaction-schemas.ts';
import { type Html, html } from '../http/html.ts';
import { LANGUAGES, type SampleLanguage, SIGNED_SAMPLES } from './request-samples.ts';

/** What a field is for, beside its name. */
const LABELS: Record<string, string> = {
  x_account_id: 'Service Token',
  x_amount: 'Amount',
  x_currency: 'Currency',
  x_customer_email: "Payer's e-mail",
  x_reference: 'Your order',
  x_session_id: "Payer's session",
  x_shop_country: 'Country',
  x_url_callback: 'Callback URL',
  x_url_cancel: 'URL after cancelling',
  x_url_complete: 'URL at the end',
};

/**
 * A page that signs a request in the browser, shows how, and sends it to this service. The inputs have no names, so
 * that the secret cannot get into an address even where the script does not run.
 */
export function signPage(trxsPath: string): Html {
  return html`<div class="signing" data-path="${trxsPath}">
<h1>Sign a request</h1>
<p>Your browser computes the signature here, on this page. The Secret Token is used for that alone: it is not sent and not kept. Use one for <strong>development</strong>; <code>bin/rubrica payment-service create --name Shop</code> gives you a pair.</p>
<noscript><p class="notice">Signing needs JavaScript. Without it: <code>bin/rubrica sign --secret-file …</code> signs on your machine.</p></noscript>
<form id="fields" autocomplete="off">
<label class="wide"><span>Secret Token <small>stays on this page</small></span><input id="secret" type="password" autocomplete="off" spellcheck="false"></label>
${Object.entries(LABELS).map(
  ([name, label]) =>
    html`<label><span>${label} <code>${name}</code></span><input data-field="${name}" value="${valueOf(name)}" spellcheck="false" autocapitalize="off"></label>`,
)}
</form>
<section>
<h2>What is signed</h2>
<p>Name and value of each field, in the order of the names, with nothing in between.</p>
<pre class="message"><code id="message"></code></pre>
<h2><code>x_signature</code></h2>
<pre><code id="signature">Enter the Secret Token.</code></pre>
</section>
<section>
<h2>Try it</h2>
<p><button type="button" id="send" class="primary">POST ${trxsPath}</button></p>
<div id="answer" aria-live="polite"></div>
</section>
<section class="code">
<h2>The same in your language</h2>
<p>The code signs by itself; it takes the Secret Token from the environment variable <code>SECRET_TOKEN</code>.</p>
${Object.entries(LANGUAGES).map(
  ([key, name]) =>
    html`<figure><figcaption>${name}</figcaption><pre><code data-sample="${SIGNED_SAMPLES[key as SampleLanguage]}"></code></pre></figure>`,
)}
</section>
</div>`;
}

function valueOf(name: string): string {
  if (name === 'x_account_id') return '';
  return String(SIGNED_REQUEST_EXAMPLE[name as keyof typeof SIGNED_REQUEST_EXAMPLE]);
}
