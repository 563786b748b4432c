import { numberedIn } from '@trackway/contract/wording/words.ts';
import type { LetterTexts } from './letter-texts.ts';

export const en: LetterTexts = {
  device: 'Device',
  when: 'When',
  onMap: 'On the map',
  showOnMap: 'Show on the map',
  late: 'reported late',
  many: (count) => numberedIn('en')(count, 'notification', 'notifications'),
  more: (count) => `… and ${count} more`,
  test: 'This is a test. Nothing has happened',
  unnamedDevice: (id) => `Device ${id}`,
  quotes: ['“', '”'],
};
