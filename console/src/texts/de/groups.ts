import { countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('de');

export const groups: Texts['groups'] = {
  title: 'Gruppen',
  lead: 'Eine Gruppe enthält Geräte, die zusammengehören. Geben Sie sie frei, um anderen Zugriff auf alle ihre Geräte zu geben, oder legen Sie eine Regel für sie an.',
  add: 'Neue Gruppe',
  addBelow: 'Neue Untergruppe',
  none: 'Noch keine Gruppen',
  name: 'Name',
  namePlaceholder: 'Transporter',
  parent: 'In der Gruppe',
  top: 'Keine: oberste Ebene',
  newTitle: 'Neue Gruppe',
  editTitle: 'Gruppe bearbeiten',
  create: 'Gruppe anlegen',
  created: (name) => `„${name}“ wurde angelegt`,
  saved: 'Gespeichert',
  edit: 'Bearbeiten',
  back: 'Gruppen',
  gone: 'Gruppe nicht gefunden',
  goneHint: 'Sie wurde gelöscht, oder sie ist nicht mehr für Sie freigegeben.',
  count: (count) => (count === 0 ? 'Keine Geräte' : many(count, 'Gerät', 'Geräte')),
  sharedWithYou: 'Für Sie freigegeben',
  rights: { view: 'Ansehen', manage: 'Verwalten', own: 'Eigentümer' },
  below: 'Untergruppen',

  devices: 'Geräte',
  noDevices: 'Keine Geräte in dieser Gruppe',
  noDevicesHint: 'Ein Gerät kann in mehreren Gruppen sein.',
  put: 'Gerät hinzufügen',
  pick: 'Gerät nach Namen suchen',
  take: (name) => `${name} aus der Gruppe nehmen`,
  taken: (name) => `${name} ist nicht mehr in der Gruppe`,
  only: (shown, all) => `Die ersten ${number(shown)} von ${many(all, 'Gerät', 'Geräten')}`,

  rule: 'Regel anlegen',
  sharing: 'Freigabe',
  notShared: 'Nicht freigegeben',
  share: 'Freigeben',
  shareTitle: 'Diese Gruppe freigeben',
  shareHint: 'Gibt Zugriff auf alle Geräte in dieser Gruppe und ihren Untergruppen, auch auf später hinzugefügte.',
  email: 'E-Mail-Adresse',
  right: 'Recht',
  shared: (who) => `Für ${who} freigegeben`,
  unshare: (who) => `Freigabe für ${who} beenden`,
  unshared: (who) => `Nicht mehr für ${who} freigegeben`,

  delete: 'Löschen …',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText:
    'Auch die Untergruppen werden gelöscht, und alle ihre Freigaben enden. Die Geräte bleiben. Das lässt sich 30 Tage lang rückgängig machen.',
  deleteAction: 'Gruppe löschen',
  deleted: (name) => `„${name}“ wurde gelöscht`,
  undo: 'Rückgängig',
  leave: 'Verlassen …',
  leaveTitle: (name) => `„${name}“ verlassen?`,
  leaveText:
    'Sie verlieren den Zugriff auf die Geräte der Gruppe, soweit sie nicht auch anders für Sie freigegeben sind.',
  leaveAction: 'Gruppe verlassen',
  left: (name) => `Sie haben „${name}“ verlassen`,
};
