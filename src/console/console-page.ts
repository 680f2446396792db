import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import { type AssetName, assetPath, publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { beginDocument, sendDocument, WORDMARK } from '../http/page.ts';
import type { Language } from '../lib/language.ts';
import { isInSection, sectionsOf } from './console-sections.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import { nameOfRole } from './permission-texts.ts';

/**
 * The parts that differ between screens. `search`: the text in the search box. `script`: a script that the screen
 * needs. `again`: the path below `/console` that shows a refused form again with the typed values. `keptSearch`: from
 * `keepSearch`, for the sign-in page in the other language.
 */
export type ConsolePage = {
  title: string;
  main: Html;
  search?: string;
  script?: AssetName;
  again?: string;
  keptSearch?: string;
};

/** `isHeld`: a restore of the store waits for its release. */
type Layout = ConsolePage & { status: number; language: Language; user: User | null; isHeld?: boolean; path: string };

/** A page of the console loads a resource of another site only if its response allows it. */
export const ISOLATED = { 'cross-origin-embedder-policy': 'require-corp' };

/** Sends a screen. The navigation omits screens that the person may not see. */
export function sendConsolePage(app: App, reply: FastifyReply, page: Layout): FastifyReply {
  // Forms send their origin; other sites get no referrer.
  reply.header('referrer-policy', 'same-origin').headers(ISOLATED);
  return sendDocument(app, reply, page, layout(app, page));
}

function layout(app: App, page: Layout): Html {
  const { language, title, user } = page;
  return html`${beginDocument(app, language, `${title} · Rúbrica`)}
<link rel="stylesheet" href="${assetPath(app, 'console.css')}">
<script src="${assetPath(app, 'console.js')}" defer></script>
${page.script !== undefined && html`<script src="${assetPath(app, page.script)}" defer></script>`}
</head>
<body class="${user === null ? 'plain' : 'staff'}"${user?.may.has('payments:read') === true && html` data-events="${publicPath(app)}/console/live"`}>
<a class="skip" href="#main">${tell(language, 'skip')}</a>
<header>
<a class="home" href="${publicPath(app)}/console">${WORDMARK}</a>
${user !== null && menuButton(page, user)}
${user !== null && bar(app, page, user)}
${languageForm(app, page)}
</header>
${user !== null && navigation(app, page, user)}
<main id="main">
${user !== null && page.isHeld === true && heldNotice(app, page, user)}
${page.main}
</main>
${user !== null && keysHelp(language)}
</body>
</html>
`;
}

/**
 * Says on every screen but its own that a restore holds what would leave. Only who may read that screen gets its link.
 */
function heldNotice(app: App, page: Layout, user: User): Html | false {
  if (placeOf(page) === RESTORE) return false;
  const { language } = page;
  const isLinked = sectionsOf(user).some(({ sections }) => sections.some((section) => isInSection(section, RESTORE)));
  return html`<p class="notice">${tell(language, 'restore.holds')}${isLinked && html` <a href="${publicPath(app)}/console${RESTORE}">${tell(language, 'restore.title')}</a>`}</p>`;
}

const RESTORE = '/restore';

function bar(app: App, { language, search }: Layout, user: User): Html {
  const at = `${publicPath(app)}/console`;
  const production = app.config.mode === 'production';
  return html`${
    user.may.has('payments:read') &&
    html`<form class="search" role="search" method="post" action="${at}/find">
<input type="search" name="q" value="${search ?? ''}" maxlength="300" required aria-label="${tell(language, 'search.label')}" placeholder="${tell(language, 'search.placeholder')}" aria-keyshortcuts="/" autocomplete="off">
<input type="hidden" name="list" value="/payments"><button>${tell(language, 'search.button')}</button>
</form>`
  }
<p class="badge ${production ? 'warn' : 'calm'}">${tell(language, production ? 'mode.production' : 'mode.development')}</p>
<form class="who" method="post" action="${at}/sign-out"><a href="${at}/account">${user.email} · ${nameOfRole(language, user.role)}</a> <button class="link">${tell(language, 'session.out')}</button></form>`;
}

/** Shows the link that changes the language of this browser. A page that answers a form leads back to its section. */
function languageForm(app: App, { language, path, again, keptSearch = '' }: Layout): Html {
  const to = language === 'es' ? 'en' : 'es';
  const next = again ?? path.slice(path.indexOf('/console') + '/console'.length);
  return html`<form class="language" method="post" action="${publicPath(app)}/console/language"><input type="hidden" name="next" value="${next}">${keptSearch !== '' && html`<input type="hidden" name="search" value="${keptSearch}">`}<button class="link" name="to" value="${to}" lang="${to}">${OTHER[to]}</button></form>`;
}

const OTHER = { es: 'Español', en: 'English' };

const KEYS: readonly (readonly [string, ConsoleText])[] = [
  ['/', 'keys.search'],
  ['j', 'keys.next'],
  ['k', 'keys.previous'],
  ['o', 'keys.open'],
  ['?', 'keys.help'],
];

/** The list of shortcuts that the key `?` opens. */
function keysHelp(language: Language): Html {
  const rows = KEYS.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${tell(language, text)}</dd>`);
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${tell(language, 'keys.title')}</h2><dl class="facts">${rows}</dl>
<form method="dialog"><button>${tell(language, 'keys.close')}</button></form></dialog>`;
}

/**
 * Opens the navigation on a phone, and names the section of the screen. The navigation of a wide window is always open.
 */
function menuButton(page: Layout, user: User): Html {
  const { language } = page;
  const section = sectionsOf(user)
    .flatMap(({ sections }) => sections)
    .find((one) => isInSection(one, placeOf(page)));
  return html`<button class="menu" type="button" popovertarget="sections">${tell(language, 'nav.menu')}${section !== undefined && html` <strong>${tell(language, section.text)}</strong>`}</button>`;
}

function navigation(app: App, page: Layout, user: User): Html {
  const { language } = page;
  const at = `${publicPath(app)}/console`;
  const groups = sectionsOf(user).map(({ text, sections }, number) => {
    const links = sections.map((section) => {
      const isHere = isInSection(section, placeOf(page));
      return html`<li><a href="${at}${section.path}"${isHere && html` aria-current="page"`}>${tell(language, section.text)}</a></li>`;
    });
    return html`${number > 0 && html`<h2 id="nav-${number}">${tell(language, text)}</h2>`}<ul${number > 0 && html` aria-labelledby="nav-${number}"`}>${links}</ul>`;
  });
  return html`<nav id="sections" popover aria-label="${tell(language, 'nav.label')}">${groups}</nav>`;
}

/** Returns the path below `/console`. */
function placeOf({ path }: Layout): string {
  return path.slice(path.indexOf('/console') + '/console'.length).split('?')[0] ?? '';
}
