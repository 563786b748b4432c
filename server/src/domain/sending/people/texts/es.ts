import { numberedIn } from '@trackway/contract/wording/words.ts';
import type { LetterTexts } from './letter-texts.ts';

export const es: LetterTexts = {
  device: 'Dispositivo',
  when: 'Hora',
  onMap: 'En el mapa',
  showOnMap: 'Ver en el mapa',
  late: 'recibido con retraso',
  many: (count) => numberedIn('es')(count, 'aviso', 'avisos'),
  more: (count) => `… y ${count} más`,
  test: 'Esto es una prueba. No ha ocurrido nada',
  unnamedDevice: (id) => `Dispositivo ${id}`,
  quotes: ['«', '»'],
};
