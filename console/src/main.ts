import './ui/theme.css';
import { LANGUAGE } from './language.ts';
import { loadTexts } from './texts/t.ts';

// Every page speaks from its first line on, so the texts come before all pages.
document.documentElement.lang = LANGUAGE;
void loadTexts(LANGUAGE).then(() => import('./start.tsx'));
