// Keyboard shortcuts, live rows and double clicks. Every page works without this script.
'use strict';

const rows = () => [...document.querySelectorAll('tbody tr a:first-of-type')];

function move(step) {
  const links = rows();
  const at = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

const KEYS = {
  '/': () => document.querySelector('.search input')?.select(),
  j: () => move(1),
  k: () => move(-1),
  o: () => document.activeElement?.closest('tbody') && document.activeElement.click(),
  '?': () => document.querySelector('#keys')?.showModal(),
};

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea, dialog[open]');
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

const DOUBLE_CLICK_MS = 2000;
const sent = new WeakSet();

// The second of two clicks would replace the page that shows what the first one made, such as a token.
document.addEventListener('submit', (event) => {
  if (sent.has(event.target)) return event.preventDefault();
  sent.add(event.target);
  setTimeout(() => sent.delete(event.target), DOUBLE_CLICK_MS);
});

/** Returns the parts of a page that are replaced when something has changed. */
const live = (page) => [...page.querySelectorAll('[data-live]')];

function refresh() {
  const request = new XMLHttpRequest();
  // The browser parses the page itself: the content security policy forbids a script to parse HTML text.
  request.responseType = 'document';
  request.open('GET', location.href);
  request.addEventListener('load', () => {
    // The session is over: reload, so that nothing of it stays on the screen.
    if (new URL(request.responseURL).pathname !== location.pathname) return location.reload();
    const fresh = request.response === null ? [] : live(request.response);
    const shown = live(document);
    if (fresh.length === shown.length) shown.forEach((part, at) => replace(part, fresh[at]));
  });
  request.send();
}

/** Replaces a part if it differs, and keeps the keyboard focus. A part in which a person has opened a form stays. */
function replace(part, fresh) {
  if (part.innerHTML === fresh.innerHTML || part.querySelector('details[open]') !== null) return;
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  part.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  if (focused !== null) part.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
}

let source = null;

/** Listens while the tab is visible. */
function listen() {
  if (document.hidden || live(document).length === 0) {
    source?.close();
    source = null;
  } else if (source === null) {
    source = new EventSource(document.body.dataset.events);
    source.addEventListener('message', refresh);
    source.addEventListener('error', () => source?.readyState === EventSource.CLOSED && refresh());
  }
}

if (document.body.dataset.events !== undefined) {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && source === null) refresh();
    listen();
  });
  listen();
}
