import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { resumeSession } from './api/session.ts';
import { keepForOffline } from './api/worker/worker.ts';
import { App } from './app.tsx';
import { followTheme } from './preferences.ts';

followTheme();
void resumeSession();
keepForOffline();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
