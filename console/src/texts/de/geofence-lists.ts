import { countedIn } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('de');

export const geofenceLists: Texts['geofenceLists'] = {
  title: 'Geofence-Listen',
  open: 'Listen von Geofences',
  back: 'Geofences',
  backToLists: 'Geofence-Listen',
  lead: 'Eine Liste enthält Geofences, die zusammengehören. Geben Sie sie frei, sehen andere ihre Geofences und können eigene hinzufügen.',
  add: 'Neue Liste',
  none: 'Noch keine Listen',
  fences: (count) => (count === 0 ? 'Keine Geofences' : many(count, 'Geofence', 'Geofences')),
  sharedWithYou: 'Für Sie freigegeben',
  sharedBy: (address) => `Für Sie freigegeben von ${address}`,
  gone: 'Liste nicht gefunden',
  goneHint: 'Sie wurde gelöscht, oder sie ist nicht mehr für Sie freigegeben.',

  name: 'Name',
  namePlaceholder: 'Depots',
  newTitle: 'Neue Liste',
  editTitle: 'Liste bearbeiten',
  create: 'Liste anlegen',
  created: (name) => `„${name}“ wurde angelegt`,
  saved: 'Gespeichert',
  edit: 'Bearbeiten',

  delete: 'Löschen …',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteText:
    'Die Liste verschwindet für alle, für die sie freigegeben ist. Ihre Geofences bleiben bei ihren Eigentümern.',
  deleteAction: 'Liste löschen',
  deleted: (name) => `„${name}“ wurde gelöscht`,
  leave: 'Verlassen …',
  leaveTitle: (name) => `„${name}“ verlassen?`,
  leaveText:
    'Sie sehen diese Liste nicht mehr, und Ihre Geofences werden von ihr genommen. Sie bleiben Ihre. Nur ein Mitglied kann die Liste wieder für Sie freigeben.',
  leaveAction: 'Liste verlassen',
  left: (name) => `Sie haben „${name}“ verlassen`,

  onIt: 'Geofences auf dieser Liste',
  map: (name) => `Karte der Geofences von ${name}`,
  nothingOnIt: 'Noch keine Geofences',
  nothingOnItHint: 'Fügen Sie einen Ihrer Geofences hinzu. Wer die Liste sieht, sieht auch ihn.',
  addFence: 'Geofence hinzufügen',
  addFenceHint: 'Einen Ihrer eigenen. Ein Geofence steht auf höchstens einer Liste und wechselt also hierher.',
  onOther: (fence, list) => `${fence} (auf ${list})`,
  noFence: 'Kein Geofence gefunden',
  added: (fence) => `„${fence}“ wurde hinzugefügt`,
  takeOff: (fence) => `${fence} von der Liste nehmen`,
  takenOff: (fence) => `„${fence}“ wurde von der Liste genommen`,
  undo: 'Rückgängig',
  ofOther: 'Von einem anderen Mitglied',

  sharing: 'Freigabe',
  share: 'Freigeben',
  shareTitle: 'Diese Liste freigeben',
  email: 'E-Mail-Adresse',
  emailHint:
    'Die Person sieht die Liste, sobald sie ein Konto mit dieser Adresse hat. Ist E-Mail eingerichtet, erfährt sie davon.',
  shared: (address) => `Für ${address} freigegeben`,
  notShared: 'Nicht freigegeben',
  notSharedHint: 'Geben Sie diese Liste frei, damit andere ihre Geofences sehen und eigene hinzufügen können.',
  notSharedByYou:
    'Sie haben diese Liste für niemanden freigegeben. Der Eigentümer sieht alle, für die sie freigegeben ist.',
  end: (who) => `Freigabe für ${who} beenden`,
  endTitle: (who) => `Freigabe für ${who} beenden?`,
  endText: 'Die Person sieht diese Liste nicht mehr, und ihre Geofences werden von ihr genommen.',
  endAction: 'Freigabe beenden',
  ended: (who) => `Nicht mehr für ${who} freigegeben`,
};
