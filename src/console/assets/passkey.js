// Asks the browser for a passkey and submits the response. Without this script people use an authenticator app or a
// recovery code.
'use strict';

const CALLS = {
  create: (options) =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
  get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
};

const form = document.querySelector('form[data-passkey]');

async function ask(event) {
  event.preventDefault();
  const { passkey, options } = form.dataset;
  for (const said of form.querySelectorAll('[role=alert]')) said.hidden = true;
  try {
    const made = await CALLS[passkey](JSON.parse(options));
    form.elements.answer.value = JSON.stringify(made.toJSON());
    form.submit();
  } catch (error) {
    // `InvalidStateError`: the device has a passkey of this person already. Any other error: the person cancelled, or
    // the device has no such passkey.
    const isKnown = passkey === 'create' && error.name === 'InvalidStateError';
    form.querySelector(isKnown ? '[data-known]' : '[data-failed]').hidden = false;
  }
}

if (form !== null && window.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined) {
  form.hidden = false;
  document.querySelector('[data-without-passkey]')?.remove();
  form.addEventListener('submit', (event) => void ask(event));
}
