import './ui/theme.css';
import { LANGUAGE } from './language.ts';
import { loadMessages } from './texts/t.ts';

// Texts are loaded before all pages, because pages use them when they are loaded.
document.documentElement.lang = LANGUAGE;
void loadMessages('start').then(() => import('./start.tsx'));
