const form = document.getElementById('form');
const alert = document.getElementById('alert');
// The token stands behind the # of the link, so that no server and no history of addresses sees it.
const token = location.hash.slice(1);

if (token === '') alert.textContent = 'Open the whole link that the server printed when it started.';

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  alert.textContent = '';
  try {
    const answer = await fetch('/api/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, email: form.email.value, password: form.password.value }),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.error.message);
    history.replaceState(null, '', '/setup');
    document.getElementById('about').textContent = 'Done. Sign in with this e-mail address and password.';
    const next = document.createElement('a');
    next.href = '/docs';
    next.textContent = 'Go on to the API reference';
    form.replaceWith(next);
  } catch (error) {
    alert.textContent = error.message;
    button.disabled = false;
  }
});
