import type { Texts } from '../translation.ts';

const items = (count: number | string) => (String(count) === '1' ? '1 Eintrag' : `${count} Einträge`);

export const quarantine: Texts['quarantine'] = {
  title: 'Quarantäne',
  causes: 'Einträge in Quarantäne nach Ursache',
  count: (count, devices) =>
    devices === undefined || devices < 2 ? items(count) : `${items(count)} von ${devices} Geräten`,
  release: 'Freigeben',
  releaseAll: (reason) => `Alle freigeben: ${reason}`,
  discard: 'Verwerfen',
  discardAll: (reason) => `Alle verwerfen: ${reason}`,
  released: (released, refused) =>
    refused === 0
      ? `${items(released)} freigegeben.`
      : `${items(released)} freigegeben. ${items(refused)} können weiterhin nicht stimmen, daran ändert sich nichts.`,
  discarded: (count) => `${items(count)} verworfen.`,
  sureTitle: 'Diese Einträge verwerfen?',
  sure: 'Sie werden endgültig gelöscht. Freigegebene Einträge werden stattdessen nach ihrer eigenen Zeit aufgenommen.',
  clockBehind: (span) =>
    `Die Uhr dieses Servers geht ${span} hinter den Uhren der meisten Geräte. Stellen Sie sie: Bis dahin kommen richtige Positionen in Quarantäne.`,
  clockAhead: (span) =>
    `Die Uhr dieses Servers geht den Uhren der meisten Geräte ${span} voraus. Stellen Sie sie: Bis dahin sind die Empfangszeiten falsch.`,
};
