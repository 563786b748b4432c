import type { Texts } from '../translation.ts';

const items = (count: number | string) => (/^[01]$/.test(String(count)) ? `${count} élément` : `${count} éléments`);

export const quarantine: Texts['quarantine'] = {
  title: 'Quarantaine',
  causes: 'Éléments en quarantaine par cause',
  count: (count, devices) =>
    devices === undefined || devices < 2 ? items(count) : `${items(count)} de ${devices} appareils`,
  release: 'Libérer',
  releaseAll: (reason) => `Tout libérer : ${reason}`,
  discard: 'Rejeter',
  discardAll: (reason) => `Tout rejeter : ${reason}`,
  released: (released, refused) =>
    refused === 0
      ? `Libéré : ${items(released)}.`
      : `Libéré : ${items(released)}. Restent impossibles, sans changement : ${items(refused)}.`,
  discarded: (count) => `Rejeté : ${items(count)}.`,
  sureTitle: 'Rejeter ces éléments ?',
  sure: 'Ils sont supprimés définitivement. Les éléments libérés, eux, sont repris à leur propre heure.',
  clockBehind: (span) =>
    `L’horloge de ce serveur retarde de ${span} sur celles de la plupart des appareils. Réglez-la : d’ici là, des positions exactes sont mises en quarantaine.`,
  clockAhead: (span) =>
    `L’horloge de ce serveur avance de ${span} sur celles de la plupart des appareils. Réglez-la : d’ici là, les heures de réception sont fausses.`,
};
