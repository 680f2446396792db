// Sends the marked form after its pause, and shows the seconds. Without scripts its button does it.
const form = document.querySelector('form[data-submit-after]');
const leaving = document.querySelector('.leaving');
const [visit] = performance.getEntriesByType('navigation');

// Whoever comes back with the browser's Back button wants to be here: sending them away again would be a trap.
if (form !== null && visit?.type !== 'back_forward') {
  const end = performance.now() + Number(form.dataset.submitAfter);
  let timer;
  const stop = () => clearTimeout(timer);
  const count = () => {
    const left = end - performance.now();
    if (left <= 0) return form.submit();
    if (leaving !== null) leaving.querySelector('output').textContent = Math.ceil(left / 1000);
    timer = setTimeout(count, Math.min(left, 250));
  };
  form.addEventListener('submit', stop);
  if (leaving !== null) {
    leaving.hidden = false;
    const stay = () => {
      stop();
      // The form may be on its way.
      window.stop();
      leaving.hidden = true;
    };
    leaving.querySelector('button').addEventListener('click', () => {
      stay();
      form.querySelector('button').focus();
    });
    // Who types an address stays.
    document.querySelector('.mailed')?.addEventListener('focusin', stay, { once: true });
  }
  count();
}

const print = document.querySelector('.print');
if (print !== null) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
}
