import italicCyrillic from '@fontsource/noto-sans/files/noto-sans-cyrillic-400-italic.woff2?url';
import regularCyrillic from '@fontsource/noto-sans/files/noto-sans-cyrillic-400-normal.woff2?url';
import mediumCyrillic from '@fontsource/noto-sans/files/noto-sans-cyrillic-500-normal.woff2?url';
import italicCyrillicExt from '@fontsource/noto-sans/files/noto-sans-cyrillic-ext-400-italic.woff2?url';
import regularCyrillicExt from '@fontsource/noto-sans/files/noto-sans-cyrillic-ext-400-normal.woff2?url';
import mediumCyrillicExt from '@fontsource/noto-sans/files/noto-sans-cyrillic-ext-500-normal.woff2?url';
import regularDevanagari from '@fontsource/noto-sans/files/noto-sans-devanagari-400-normal.woff2?url';
import italicGreek from '@fontsource/noto-sans/files/noto-sans-greek-400-italic.woff2?url';
import regularGreek from '@fontsource/noto-sans/files/noto-sans-greek-400-normal.woff2?url';
import mediumGreek from '@fontsource/noto-sans/files/noto-sans-greek-500-normal.woff2?url';
import italicGreekExt from '@fontsource/noto-sans/files/noto-sans-greek-ext-400-italic.woff2?url';
import regularGreekExt from '@fontsource/noto-sans/files/noto-sans-greek-ext-400-normal.woff2?url';
import mediumGreekExt from '@fontsource/noto-sans/files/noto-sans-greek-ext-500-normal.woff2?url';
import italicLatin from '@fontsource/noto-sans/files/noto-sans-latin-400-italic.woff2?url';
import regularLatin from '@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff2?url';
import mediumLatin from '@fontsource/noto-sans/files/noto-sans-latin-500-normal.woff2?url';
import italicLatinExt from '@fontsource/noto-sans/files/noto-sans-latin-ext-400-italic.woff2?url';
import regularLatinExt from '@fontsource/noto-sans/files/noto-sans-latin-ext-400-normal.woff2?url';
import mediumLatinExt from '@fontsource/noto-sans/files/noto-sans-latin-ext-500-normal.woff2?url';
import italicVietnamese from '@fontsource/noto-sans/files/noto-sans-vietnamese-400-italic.woff2?url';
import regularVietnamese from '@fontsource/noto-sans/files/noto-sans-vietnamese-400-normal.woff2?url';
import mediumVietnamese from '@fontsource/noto-sans/files/noto-sans-vietnamese-500-normal.woff2?url';
import ranges from '@fontsource/noto-sans/unicode.json';

/**
 * The fonts of street names, from this server. A browser loads a file only when a name needs its characters; other
 * characters use fonts of the viewer's system.
 */
const FILES = {
  'Noto Sans Regular': {
    latin: regularLatin,
    'latin-ext': regularLatinExt,
    cyrillic: regularCyrillic,
    'cyrillic-ext': regularCyrillicExt,
    greek: regularGreek,
    'greek-ext': regularGreekExt,
    vietnamese: regularVietnamese,
    devanagari: regularDevanagari,
  },
  'Noto Sans Medium': {
    latin: mediumLatin,
    'latin-ext': mediumLatinExt,
    cyrillic: mediumCyrillic,
    'cyrillic-ext': mediumCyrillicExt,
    greek: mediumGreek,
    'greek-ext': mediumGreekExt,
    vietnamese: mediumVietnamese,
  },
  'Noto Sans Italic': {
    latin: italicLatin,
    'latin-ext': italicLatinExt,
    cyrillic: italicCyrillic,
    'cyrillic-ext': italicCyrillicExt,
    greek: italicGreek,
    'greek-ext': italicGreekExt,
    vietnamese: italicVietnamese,
  },
} as const;

export const FONT_FACES = Object.fromEntries(
  Object.entries(FILES).map(([font, files]) => [
    font,
    Object.entries(files).map(([subset, url]) => ({
      url: new URL(url, location.origin).href,
      'unicode-range': ranges[subset as keyof typeof ranges].split(','),
    })),
  ]),
);
