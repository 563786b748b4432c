import type { Texts } from '../translation.ts';

const items = (count: number | string) => (String(count) === '1' ? '1 elemento' : `${count} elementos`);

export const quarantine: Texts['quarantine'] = {
  title: 'Cuarentena',
  causes: 'Elementos en cuarentena por causa',
  count: (count, devices) =>
    devices === undefined || devices < 2 ? items(count) : `${items(count)} de ${devices} dispositivos`,
  release: 'Liberar',
  releaseAll: (reason) => `Liberar todo: ${reason}`,
  discard: 'Descartar',
  discardAll: (reason) => `Descartar todo: ${reason}`,
  released: (released, refused) =>
    refused === 0
      ? `Liberado: ${items(released)}.`
      : `Liberado: ${items(released)}. Siguen siendo imposibles, sin cambios: ${items(refused)}.`,
  discarded: (count) => `Descartado: ${items(count)}.`,
  sureTitle: '¿Descartar estos elementos?',
  sure: 'Se eliminan para siempre. Los que se liberan se incorporan con su propia hora.',
  clockBehind: (span) =>
    `El reloj de este servidor va ${span} por detrás de los relojes de la mayoría de los dispositivos. Póngalo en hora: hasta entonces, posiciones correctas van a cuarentena.`,
  clockAhead: (span) =>
    `El reloj de este servidor va ${span} por delante de los relojes de la mayoría de los dispositivos. Póngalo en hora: hasta entonces, las horas de recepción son erróneas.`,
};
