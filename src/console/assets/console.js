// Keys for those who work here all day. Everything works without them.
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
};

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.closest('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
