// Sends the one form that is marked, after the pause it names. Without scripts its button does the same.
const form = document.querySelector('form[data-submit-after]');
const [visit] = performance.getEntriesByType('navigation');

// Whoever comes back with the browser's Back button wants to be here: sending them away again would be a trap.
if (form !== null && visit?.type !== 'back_forward') {
  const timer = setTimeout(() => form.submit(), Number(form.dataset.submitAfter));
  form.addEventListener('submit', () => clearTimeout(timer));
}
