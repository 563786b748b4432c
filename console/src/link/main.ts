import '../ui/theme.css';
import { LANGUAGE } from '../language.ts';
import { loadMessages } from '../texts/t.ts';

// As in the console, texts are loaded before components.
document.documentElement.lang = LANGUAGE;
void loadMessages('link').then(() => import('./start.tsx'));
