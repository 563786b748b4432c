import { texts } from './en/texts.ts';
import { takeTexts } from './t.ts';

/** Imported first by a test of something that speaks: a page has its texts before it is loaded. */
takeTexts(texts);
