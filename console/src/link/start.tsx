import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followTheme } from '../preferences.ts';
import { followLink } from './follow-link.ts';
import { LinkPage } from './link-page.tsx';

followTheme();
followLink();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <LinkPage />
  </StrictMode>,
);
