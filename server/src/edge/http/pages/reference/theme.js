// Runs before the first paint, so that the page appears in its theme at once.
(() => {
  const root = document.documentElement;
  root.classList.add('js');
  try {
    // The console stores the selection under the same key.
    const { theme } = JSON.parse(localStorage.getItem('trackway.preferences') ?? '{}');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  } catch {
    // Without storage, the theme follows the system.
  }
})();
