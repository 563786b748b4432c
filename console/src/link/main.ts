import '../ui/theme.css';
import { LANGUAGE } from '../language.ts';
import { loadTexts } from '../texts/t.ts';

// As in the console, the texts come before what speaks.
document.documentElement.lang = LANGUAGE;
void loadTexts(LANGUAGE).then(() => import('./start.tsx'));
