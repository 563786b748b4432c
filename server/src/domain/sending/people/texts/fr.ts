import { numberedIn } from '@trackway/contract/wording/words.ts';
import type { LetterTexts } from './letter-texts.ts';

export const fr: LetterTexts = {
  device: 'Appareil',
  when: 'Heure',
  onMap: 'Sur la carte',
  showOnMap: 'Voir sur la carte',
  late: 'transmis en retard',
  many: (count) => numberedIn('fr')(count, 'notification', 'notifications'),
  more: (count) => `… et ${count} de plus`,
  test: 'Ceci est un test. Il ne s’est rien passé',
  unnamedDevice: (id) => `Appareil ${id}`,
  quotes: ['« ', ' »'],
};
