import { numberedIn } from '@trackway/contract/wording/words.ts';
import type { LetterTexts } from './letter-texts.ts';

export const de: LetterTexts = {
  device: 'Gerät',
  when: 'Zeit',
  onMap: 'Auf der Karte',
  showOnMap: 'Auf der Karte zeigen',
  late: 'verspätet gesendet',
  many: (count) => numberedIn('de')(count, 'Meldung', 'Meldungen'),
  more: (count) => `… und ${count} weitere`,
  test: 'Dies ist ein Test. Es ist nichts passiert',
  unnamedDevice: (id) => `Gerät ${id}`,
  quotes: ['„', '“'],
};
