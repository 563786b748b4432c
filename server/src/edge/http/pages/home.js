const state = document.getElementById('state');
fetch('/readyz')
  .then((answer) => {
    state.textContent = answer.ok
      ? 'The service is running and ready.'
      : 'The service is running, but its database does not answer.';
  })
  .catch(() => {
    state.textContent = 'The service does not answer.';
  });
